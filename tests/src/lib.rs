//! What the whole-program tests stand on: the built program, Apache Kafka, Chromium, a proxy, and waiting by condition.
//!
//! The tests themselves are in `tests/tests`, one file or folder a group and subject (`GROUP_subject.rs`); `cargo xtask
//! test GROUP` makes ready what they need and runs them.
//!
//! # Layout
//!
//! - [`wait`]: waiting for a named condition; nothing here or in a test sleeps
//! - [`process`], [`folder`]: children and folders that are gone when the test is, however it ends; [`port`]: ports for them
//! - [`heartline`]: the built program, its HTTP interface and its events; [`viewer`]: its WebSocket
//! - [`kafka`]: Apache Kafka, one broker or more
//! - [`chrome`]: headless Chromium
//! - [`embedded`]: the embedded coordinator in the test's own process; [`coordinator`]: in one of its own
//! - [`hostile`]: peers that are slow, broken or mean, by thousands
//! - [`cast`]: members of ours and what they report; [`member_life`]: their stories, for any coordinator
//! - [`group`]: a group as its coordinator describes it
//! - [`peers`]: other people's clients and their stories, for any coordinator
//! - [`survey`]: what Heartline shows of groups that are not its own, beside what Kafka says of them
//! - [`proxy`]: a TCP proxy that goes mute and cuts; [`token_endpoint`]: tokens for OAUTHBEARER
//! - [`bench`]: the benchmarks of `cargo xtask bench`
//! - [`skip`]: what a test says when it lacks something

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "this crate is all test: a panic is how a test fails"
)]

pub mod bench;
pub mod cast;
pub mod chrome;
pub mod coordinator;
pub mod differential;
pub mod embedded;
pub mod folder;
pub mod group;
pub mod heartline;
pub mod hostile;
pub mod kafka;
pub mod member_life;
pub mod peers;
pub mod port;
pub mod process;
pub mod proxy;
pub mod skip;
pub mod survey;
pub mod token_endpoint;
pub mod viewer;
pub mod wait;
