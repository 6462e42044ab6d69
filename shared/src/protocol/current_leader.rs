//! Where a partition has gone, as Produce and Fetch tell a client that asked the wrong broker (KIP-951).

use super::table::{default_of, field, structure, versions};

structure! {
    /// The leader of a partition.
    LeaderIdAndEpoch {
        /// Its node id, -1 unknown.
        leader_id: i32 [10+, default -1],
        /// Its epoch, -1 unknown.
        leader_epoch: i32 [10+, default -1],
    }
}

structure! {
    /// The address of a leader.
    NodeEndpoint {
        /// Its node id.
        node_id: i32 [10+],
        /// Its host as clients reach it.
        host: String [10+],
        /// Its port as clients reach it.
        port: i32 [10+],
        /// Where it stands.
        rack: Option<String> [10+, nullable 10+, default null],
    }
}
