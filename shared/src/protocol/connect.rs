//! What Connect's workers put into the bytes of JoinGroup and SyncGroup: where a worker is, and its connectors and tasks.
//!
//! The versions are those of Connect's protocols: 0 `default` (eager), 1 `compatible` (KIP-415), 2 `sessioned` (KIP-507),
//! which looks like 1. Kafka has no schema files for them; these are `ConnectProtocol` and
//! `IncrementalCooperativeConnectProtocol`, whose later version may leave fields at its end out.

use super::consumer::try_read;
use super::error::DecodeError;
use super::table::{default_of, field, message, structure, versions};

/// The protocol type of its groups.
pub const CONNECT: &str = "connect";

message! {
    /// A worker, as it joins.
    ConnectWorkerState [0-2, flexible none] {
        /// Its REST address.
        url: String [0+],
        /// How far it has read the topic of configurations.
        config_offset: i64 [0+],
        /// What it runs: an assignment, with its version before it. Added in version 1.
        allocation: Option<Vec<u8>> [1+, nullable 1+, default null, ignorable, omissible 1-2],
    }
}

message! {
    /// What a worker is to run.
    ConnectAssignment [0-2, flexible none] {
        /// 0, or 1 where the leader has not read as far as others.
        error: i16 [0+],
        /// The leader's member id.
        leader: String [0+],
        /// Its REST address.
        leader_url: String [0+],
        /// The configurations it was made of: up to this offset.
        config_offset: i64 [0+],
        /// Its connectors and tasks; null is none.
        assignment: Option<Vec<ConnectorTasks>> [0+, nullable 1+, omissible 1-2],
        /// What it must stop; null is none. Added in version 1.
        revoked: Option<Vec<ConnectorTasks>> [1+, nullable 1+, default null, ignorable, omissible 1-2],
        /// Milliseconds for which tasks of a lost worker are kept from the others. Added in version 1.
        delay: i32 [1+, ignorable, omissible 1-2],
    }
}

structure! {
    /// Tasks of one connector.
    ConnectorTasks {
        /// Its name.
        connector: String [0+],
        /// Their numbers; -1 is the connector itself.
        tasks: Vec<i32> [0+],
    }
}

impl ConnectWorkerState {
    /// Reads one, and the version it says it is, which may be above ours.
    ///
    /// # Errors
    ///
    /// The bytes are none.
    pub fn try_read(bytes: &[u8]) -> Result<(i16, Self), DecodeError> {
        try_read(bytes)
    }
}

impl ConnectAssignment {
    /// Reads one, and the version it says it is, which may be above ours.
    ///
    /// # Errors
    ///
    /// The bytes are none.
    pub fn try_read(bytes: &[u8]) -> Result<(i16, Self), DecodeError> {
        try_read(bytes)
    }
}
