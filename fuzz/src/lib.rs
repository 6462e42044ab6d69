//! The bodies of the fuzz targets: each takes any bytes and panics where something does not hold that must.
//!
//! `cargo xtask fuzz TARGET` runs one of them under libFuzzer; the tests of this package run each on the corpus of
//! `fuzz/corpus`.
//!
//! # Layout
//!
//! - [`wire`]: bytes read as everything they could be, here and on spoilt recordings in the tests of `shared`
//! - [`frames`]: the frame reader, however its bytes are cut
//! - [`records`]: record batches and the records of the offsets log
//! - [`requests`]: any request of any version, as bytes, to the coordinator and what answers beside it
//! - [`coordinator`], [`member`]: any sequence of inputs to the machines
//! - [`board`]: any events to the fold, its verdicts and its sentences

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "this crate is all test: a panic is how a target says what it found"
)]

mod board;
#[path = "../../shared/tests/wire/everything.rs"]
mod everything;
mod frames;
#[path = "../../shared/tests/wire/logged.rs"]
mod logged;
#[path = "../../shared/tests/wire/messages.rs"]
mod messages;
mod records;
mod requests;

pub use board::board;
pub use frames::frames;
pub use records::records;
pub use requests::requests;

/// A target: its name, which is its corpus's too, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 7] = [
    ("wire", wire),
    ("frames", frames),
    ("records", records),
    ("requests", requests),
    ("coordinator", coordinator),
    ("member", member),
    ("board", board),
];

/// The first two bytes pick a message and a version for the rest; the rest is also read as a stream of frames and as what
/// consumers put into JoinGroup and SyncGroup.
pub fn wire(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first_chunk() else {
        return;
    };
    everything::read_as_chosen(u16::from_be_bytes(*choice), bytes);
    everything::read_as_stream(bytes);
    everything::read_as_consumer_protocol(bytes);
}

/// Joins, syncs, heartbeats, leaves, commits, waits, freezes, in any order: the coordinator's invariants hold after each, and
/// each request is answered once or still parked.
pub fn coordinator(data: &[u8]) {
    backend::coordinator::tests::property::run_of_bytes(data);
}

/// Answers late, lost, twice and out of order, disconnects, a clock that steps: the member's laws hold after each.
pub fn member(data: &[u8]) {
    shared::member::tests::random::life_of_bytes(data);
}
