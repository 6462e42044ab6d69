//! Tests of the whole coordinator through its inputs and outputs.

#![cfg_attr(
    not(test),
    expect(
        clippy::expect_used,
        clippy::unwrap_used,
        reason = "a panic is how a fuzz target says what it found"
    )
)]

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod offset_fetch;
#[cfg(test)]
mod progress;
pub mod property;
