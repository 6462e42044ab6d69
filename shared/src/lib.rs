//! Heartline's protocol crate: everything that can be said about Kafka group membership without doing IO.
//!
//! Pure by rule: no clock is read, nothing waits, no length from the wire is trusted before it is compared with the
//! bytes at hand. The server and the page run this same code; it builds for `wasm32-unknown-unknown`.
//!
//! # Layout
//!
//! - [`time`], [`ids`]: the words everything else is written in
//! - [`protocol`]: Kafka's wire, one schema table per API, both directions
//! - [`error_code`]: Kafka's error codes and what they mean to an operator
//! - [`rules`], [`backoff`], [`heartbeat`], [`member`]: the group member as a sans-IO machine
//! - [`event`], [`board`], [`histogram`], [`health`]: what happened, the fold over it, the verdicts
//! - [`fault`], [`wire`]: what the page asks for and what crosses the WebSocket
//! - [`tree`]: how all of these are read from JSON
//! - [`sorted`]: the map all of these keep their rows in; [`seldom`]: what few rows have
//! - [`split_mix`]: chance that a seed decides
//! - [`vocabulary`]: how the closed vocabularies among all of these are declared

// What `derive(FromNode)` writes names this crate from outside.
extern crate self as shared;

pub mod backoff;
pub mod board;
pub mod error_code;
pub mod event;
pub mod fault;
pub mod health;
pub mod heartbeat;
pub mod histogram;
pub mod ids;
pub mod member;
pub mod protocol;
pub mod rules;
pub mod seldom;
pub mod sorted;
pub mod split_mix;
pub mod time;
pub mod tree;
pub mod vocabulary;
pub mod wire;
