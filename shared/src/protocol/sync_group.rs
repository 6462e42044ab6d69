//! SyncGroup (14): the leader hands in the assignment, every member fetches its part.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "What is mine in this generation?", and from the leader: "this is everybody's".
    ///
    /// Versions 1 and 2 are version 0 again.
    SyncGroupRequest [0-5, flexible 4+] {
        /// The group.
        group_id: String [0+],
        /// The generation from the JoinGroup answer.
        generation_id: i32 [0+],
        /// The id the coordinator gave the member.
        member_id: String [0+],
        /// The static member's own name. Added in version 3 (KIP-345).
        group_instance_id: Option<String> [3+, nullable 3+, default null],
        /// The protocol type from the JoinGroup answer, compared by the coordinator. Added in version 5
        /// (KIP-559).
        protocol_type: Option<String> [5+, nullable 5+, default null, ignorable],
        /// The assignor from the JoinGroup answer, compared by the coordinator. Added in version 5 (KIP-559).
        protocol_name: Option<String> [5+, nullable 5+, default null, ignorable],
        /// From the leader, the part of each member; empty from the others.
        assignments: Vec<SyncGroupRequestAssignment> [0+],
    }
}

structure! {
    /// A member's part.
    SyncGroupRequestAssignment {
        /// Whose it is.
        member_id: String [0+],
        /// Of consumers, a consumer protocol assignment.
        assignment: Vec<u8> [0+],
    }
}

message! {
    /// The member's part.
    SyncGroupResponse [0-5, flexible 4+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or why there is no part.
        error_code: i16 [0+],
        /// The group's protocol type. Added in version 5 (KIP-559).
        protocol_type: Option<String> [5+, nullable 5+, default null, ignorable],
        /// The group's assignor. Added in version 5 (KIP-559).
        protocol_name: Option<String> [5+, nullable 5+, default null, ignorable],
        /// Of consumers, a consumer protocol assignment.
        assignment: Vec<u8> [0+],
    }
}
