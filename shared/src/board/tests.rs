//! The fold, as facts.
