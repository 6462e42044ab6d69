//! Kafka clusters over TCP, as a client: where brokers are, one connection, the cluster behind them.
//!
//! # Layout
//!
//! - [`address`]: a host and a port
//! - [`pipeline`]: requests and their answers, without IO
//! - [`connection`]: one TCP connection
//! - [`link_end`]: every way it can end
//! - [`batches`]: what Fetch brings, read to its records
//! - [`cluster`]: bootstrap, the cluster's id, its brokers and topics
//! - [`properties`]: Java client files, as `--command-config` takes them
//! - [`security`]: TLS and SASL

pub mod address;
pub mod batches;
pub mod cluster;
pub mod connection;
pub mod link_end;
pub mod pipeline;
pub mod properties;
pub mod security;

#[cfg(test)]
pub(crate) mod scripted_peer;
