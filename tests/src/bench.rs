//! The benchmarks behind `cargo xtask bench`: each figure beside a peer measured in the same run.
//!
//! These machines are noisy: every figure is a ratio, or a share of one core by the kernel's accounting, and nothing
//! here fails because of a slow moment. What a run prints goes to docs/figures.md by hand, also where it falls short.

pub mod capture;
pub mod draw;
pub mod heartbeats;
pub mod latency;
pub mod load;
pub mod log;
pub mod members;
pub mod page;
pub mod peers;
pub mod process;
pub mod report;
pub mod survey;
pub mod swarm;
pub mod viewing;
