//! Tests of the whole coordinator through its inputs and outputs.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a panic is how a test says what it found, and a fuzz target too"
)]

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod offset_fetch;
#[cfg(test)]
mod progress;
pub mod property;
