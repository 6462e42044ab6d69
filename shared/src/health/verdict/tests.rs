//! Each verdict and its sentence.
