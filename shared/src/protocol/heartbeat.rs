//! Heartbeat (12): a member tells its coordinator that it is alive.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "I am still here, in this generation."
    ///
    /// Versions 1 and 2 are version 0 again.
    HeartbeatRequest [0-4, flexible 4+] {
        /// The group.
        group_id: String [0+],
        /// The generation the member believes in.
        generation_id: i32 [0+],
        /// The id the coordinator gave the member.
        member_id: String [0+],
        /// The static member's own name. Added in version 3 (KIP-345).
        group_instance_id: Option<String> [3+, nullable 3+, default null],
    }
}

message! {
    /// The coordinator's answer: nothing but an error code.
    HeartbeatResponse [0-4, flexible 4+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or why the heartbeat did not count.
        error_code: i16 [0+],
    }
}
