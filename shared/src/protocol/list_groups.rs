//! ListGroups (16): the groups a broker coordinates.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Which groups are yours?"
    ///
    /// Versions 1 and 2 are version 0 again.
    ListGroupsRequest [0-5, flexible 3+] {
        /// Only groups in these states; empty for all. Added in version 4 (KIP-518).
        states_filter: Vec<String> [4+],
        /// Only groups of these types; empty for all. Added in version 5 (KIP-848).
        types_filter: Vec<String> [5+],
    }
}

message! {
    /// The groups.
    ///
    /// Version 2 is version 1 again.
    ListGroupsResponse [0-5, flexible 3+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or why the list is not told or not whole.
        error_code: i16 [0+],
        /// The groups.
        groups: Vec<ListedGroup> [0+],
    }
}

structure! {
    /// One group.
    ListedGroup {
        /// The group.
        group_id: String [0+],
        /// Its protocol type, `consumer`; empty where nobody ever joined.
        protocol_type: String [0+],
        /// Its state by Kafka's name, `Stable`. Added in version 4 (KIP-518).
        group_state: String [4+, ignorable],
        /// Its type by Kafka's name, `classic`. Added in version 5 (KIP-848).
        group_type: String [5+, ignorable],
    }
}
