//! The member on a simulated clock.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic is how a test says what it found, and a fuzz target too"
)]

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "random lives need less of it than tests do")
)]
mod answers;
pub mod random;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "random lives need less of it than tests do")
)]
mod world;

#[cfg(test)]
mod brokers;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod leaders;
#[cfg(test)]
mod life;
#[cfg(test)]
mod modern_heartbeats;
#[cfg(test)]
mod modern_joins;
#[cfg(test)]
mod modern_leaves;
#[cfg(test)]
mod opposites;
#[cfg(test)]
mod orders;
#[cfg(test)]
mod outlooks;
#[cfg(test)]
mod rebalances;
#[cfg(test)]
mod seed_coordinator;
#[cfg(test)]
mod seed_timing;
#[cfg(test)]
mod unsent;
