//! The logs with simulated time.
