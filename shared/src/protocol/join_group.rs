//! JoinGroup (11): a member asks into a group, and is answered when the rebalance has gathered all members.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Take me into the group; these are the protocols I can do."
    ///
    /// Versions 2 and 3 are version 1 again, 7 is 6, 9 is 8. From version 4 on a dynamic member with an empty
    /// id is answered 79 with an id and must ask again (KIP-394).
    JoinGroupRequest [0-9, flexible 6+] {
        /// The group.
        group_id: String [0+],
        /// Milliseconds without a heartbeat after which the member counts as dead.
        session_timeout_ms: i32 [0+],
        /// Milliseconds the coordinator waits for each member to rejoin. Added in version 1 (KIP-62); a
        /// coordinator takes the session timeout for it in version 0.
        rebalance_timeout_ms: i32 [1+, default -1, ignorable],
        /// The id the coordinator gave, empty at first.
        member_id: String [0+],
        /// The static member's own name. Added in version 5 (KIP-345).
        group_instance_id: Option<String> [5+, nullable 5+, default null],
        /// `consumer` for consumers.
        protocol_type: String [0+],
        /// The assignors the member can do, the preferred one first.
        protocols: Vec<JoinGroupRequestProtocol> [0+],
        /// Why it (re)joins, for the coordinator's log. Added in version 8 (KIP-800).
        reason: Option<String> [8+, nullable 8+, default null, ignorable],
    }
}

structure! {
    /// An assignor a member can do.
    JoinGroupRequestProtocol {
        /// Its name, `range`.
        name: String [0+],
        /// What the member tells the leader under it: of consumers, a subscription.
        metadata: Vec<u8> [0+],
    }
}

message! {
    /// "The generation is formed."
    ///
    /// Version 1 is version 0 again, 3 and 4 are 2, 8 is 7.
    JoinGroupResponse [0-9, flexible 6+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 2 (KIP-124).
        throttle_time_ms: i32 [2+, ignorable],
        /// 0, or why the member is not in.
        error_code: i16 [0+],
        /// The new generation, -1 on error.
        generation_id: i32 [0+, default -1],
        /// The group's protocol type. Added in version 7 (KIP-559).
        protocol_type: Option<String> [7+, nullable 7+, default null, ignorable],
        /// The assignor the coordinator chose; null from version 7 on, empty before, where there is none.
        protocol_name: Option<String> [0+, nullable 7+],
        /// The member id of the leader.
        leader: String [0+],
        /// The leader must not run the assignor. Added in version 9 (KIP-814).
        skip_assignment: bool [9+, default false],
        /// The id of the member that is answered.
        member_id: String [0+],
        /// All members, to the leader; empty to the others.
        members: Vec<JoinGroupResponseMember> [0+],
    }
}

structure! {
    /// A member as the leader sees it.
    JoinGroupResponseMember {
        /// Its id.
        member_id: String [0+],
        /// The static member's own name. Added in version 5 (KIP-345).
        group_instance_id: Option<String> [5+, nullable 5+, default null, ignorable],
        /// What it told under the chosen protocol.
        metadata: Vec<u8> [0+],
    }
}
