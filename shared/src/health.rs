//! Verdicts: what is wrong with a group, as values with their sentences and the evidence they rest on.

mod verdict;
pub mod words;

pub use verdict::{Finding, Verdict, verdict, verdicts};
