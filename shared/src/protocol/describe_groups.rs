//! DescribeGroups (15): classic groups with their members, from their coordinator.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Tell me all about these groups."
    ///
    /// Versions 1 and 2 are version 0 again. From version 6 on an unknown group is answered 69 (KIP-1043),
    /// before as `Dead` with error 0.
    DescribeGroupsRequest [0-6, flexible 5+] {
        /// The groups.
        groups: Vec<String> [0+],
        /// Whether to say what the asking user may do with each. Added in version 3 (KIP-430).
        include_authorized_operations: bool [3+],
    }
}

message! {
    /// The groups.
    ///
    /// Version 2 is version 1 again.
    DescribeGroupsResponse [0-6, flexible 5+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// One for each group asked for.
        groups: Vec<DescribedGroup> [0+],
    }
}

structure! {
    /// One group.
    DescribedGroup {
        /// 0, or why it is not told.
        error_code: i16 [0+],
        /// The same for people. Added in version 6 (KIP-1043).
        error_message: Option<String> [6+, nullable 6+, default null],
        /// The group.
        group_id: String [0+],
        /// Its state by Kafka's name, `Stable`; or empty.
        group_state: String [0+],
        /// Its protocol type, or empty.
        protocol_type: String [0+],
        /// The assignor chosen, or empty: while it rebalances there is none.
        protocol_data: String [0+],
        /// Its members.
        members: Vec<DescribedGroupMember> [0+],
        /// A bit for each operation the asking user may do; `i32::MIN` where it was not asked. Added in
        /// version 3 (KIP-430).
        authorized_operations: i32 [3+, default -2147483648],
    }
}

structure! {
    /// One member.
    DescribedGroupMember {
        /// Its member id.
        member_id: String [0+],
        /// The static member's own name. Added in version 4 (KIP-345).
        group_instance_id: Option<String> [4+, nullable 4+, default null, ignorable],
        /// The client id of its last JoinGroup.
        client_id: String [0+],
        /// Where it comes from, `/127.0.0.1`.
        client_host: String [0+],
        /// What it told under the chosen protocol: of consumers, a subscription. Empty unless the group is
        /// stable.
        member_metadata: Vec<u8> [0+],
        /// Its part: of consumers, a consumer protocol assignment. Empty unless the group is stable.
        member_assignment: Vec<u8> [0+],
    }
}
