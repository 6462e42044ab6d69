//! The same requests to the embedded coordinator and to Apache Kafka: what they answer must be the same.
//!
//! A sequence is data, scripted or made from a seed. It is played on both coordinators in step: after each request both are
//! asked to describe the group, and the step is over when both have said the same. What lasts is a difference; it is shown
//! with the shortest sequence found that brings it. Deadlines are compared by what came of them, never by the clock.
//!
//! # Layout
//!
//! - [`step`]: a sequence; [`scripted`], [`random`]: where they come from
//! - `connection`, `side`, `requests`: one coordinator, as the actors of a sequence know it
//! - `transcript`: what it said, in words that do not depend on chance
//! - `run`: both in step; `shrink`: the shortest sequence that shows a difference
//! - `report`: many sequences at once and what came of them
//! - [`ON_PURPOSE`]: the differences that are none

mod connection;
mod on_purpose;
mod report;
mod requests;
mod run;
mod shrink;
mod side;
#[cfg(test)]
mod tests;
mod transcript;

pub mod random;
pub mod scripted;
pub mod step;

pub use on_purpose::{ON_PURPOSE, OnPurpose};
pub use report::{Report, compare, compare_across_restart};

use step::Sequence;

/// Sequences made from seeds, beside the scripted ones.
const SEEDS: u64 = 600;

/// Every sequence: the scripted ones and those from seeds.
#[must_use]
pub fn sequences() -> Vec<Sequence> {
    let seeded = (0..SEEDS).map(random::sequence);
    scripted::sequences().into_iter().chain(seeded).collect()
}

/// So many of them, evenly from all.
#[must_use]
pub fn sample(count: usize) -> Vec<Sequence> {
    let all = sequences();
    let every = all.len().div_ceil(count.max(1));
    all.into_iter().step_by(every.max(1)).collect()
}
