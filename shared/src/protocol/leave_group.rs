//! LeaveGroup (13): members go, or an administrator removes them.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "These members leave."
    ///
    /// Versions 1 and 2 are version 0 again.
    LeaveGroupRequest [0-5, flexible 4+] {
        /// The group.
        group_id: String [0+],
        /// The one that leaves; replaced by `members` in version 3.
        member_id: String [0-2],
        /// Those that leave. Added in version 3 (KIP-345).
        members: Vec<MemberIdentity> [3+],
    }
}

structure! {
    /// Who leaves.
    MemberIdentity {
        /// Its member id; empty where an administrator removes a static member by its name.
        member_id: String [3+],
        /// The static member's own name.
        group_instance_id: Option<String> [3+, nullable 3+, default null],
        /// Why, for the coordinator's log. Added in version 5 (KIP-800).
        reason: Option<String> [5+, nullable 5+, default null, ignorable],
    }
}

message! {
    /// Whether they are out.
    ///
    /// Version 2 is version 1 again, 5 is 4.
    LeaveGroupResponse [0-5, flexible 4+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or what is wrong with the request as a whole; up to version 2 also what is wrong with its one
        /// member.
        error_code: i16 [0+],
        /// What became of each. Added in version 3 (KIP-345).
        members: Vec<MemberResponse> [3+],
    }
}

structure! {
    /// What became of one that leaves.
    MemberResponse {
        /// Its member id as asked.
        member_id: String [3+],
        /// The static member's own name as asked.
        group_instance_id: Option<String> [3+, nullable 3+],
        /// 0, or why it is not out.
        error_code: i16 [3+],
    }
}
