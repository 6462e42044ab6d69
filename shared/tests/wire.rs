//! The wire from outside: every API at every version, both directions, with bodies that other code than the
//! codec made.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails its test")]

#[path = "wire/batches.rs"]
mod batches;
#[path = "wire/everything.rs"]
mod everything;
#[path = "wire/hostile.rs"]
mod hostile;
#[path = "wire/log_records.rs"]
mod log_records;
#[path = "wire/logged.rs"]
mod logged;
#[path = "wire/messages.rs"]
mod messages;
#[path = "wire/mutations.rs"]
mod mutations;
#[path = "wire/oracle.rs"]
mod oracle;
#[path = "wire/round_trip.rs"]
mod round_trip;
#[path = "wire/sample.rs"]
mod sample;
