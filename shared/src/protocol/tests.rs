//! The wire from inside: recorded bytes, the rules that are not in the tables, frames and headers.

mod assignment;
mod cases;
mod consumer;
mod framing;
mod hex;
mod log_records;
mod negotiation;
mod offsets_log;
mod recorded;
mod refusals;
mod rules;
