//! FindCoordinator (10): which broker coordinates a group.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Who coordinates this?"
    ///
    /// Version 2 is version 1 again. Version 5 may be answered with a new code for transactions (KIP-890),
    /// version 6 knows share groups (KIP-932).
    FindCoordinatorRequest [0-6, flexible 3+] {
        /// The group, or what `key_type` says; replaced by `coordinator_keys` in version 4.
        key: String [0-3],
        /// 0 group, 1 transaction, 2 share group. Added in version 1 (KIP-98).
        key_type: i8 [1+, default 0],
        /// The groups, or what `key_type` says. Added in version 4 (KIP-699).
        coordinator_keys: Vec<String> [4+],
    }
}

message! {
    /// The coordinator's address, or why there is none: then node and port are -1 and the host is empty.
    ///
    /// Version 2 is version 1 again.
    FindCoordinatorResponse [0-6, flexible 3+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or why there is none.
        error_code: i16 [0-3],
        /// The same for people. Added in version 1 (KIP-98).
        error_message: Option<String> [1-3, nullable 1-3, ignorable],
        /// The coordinator's node id.
        node_id: i32 [0-3],
        /// Its host as clients reach it.
        host: String [0-3],
        /// Its port as clients reach it.
        port: i32 [0-3],
        /// One for each key. Added in version 4 (KIP-699) in place of the fields above.
        coordinators: Vec<Coordinator> [4+],
    }
}

structure! {
    /// The coordinator of one key.
    Coordinator {
        /// The key as asked.
        key: String [4+],
        /// The coordinator's node id.
        node_id: i32 [4+],
        /// Its host as clients reach it.
        host: String [4+],
        /// Its port as clients reach it.
        port: i32 [4+],
        /// 0, or why there is none.
        error_code: i16 [4+],
        /// The same for people.
        error_message: Option<String> [4+, nullable 4+, ignorable],
    }
}
