//! Classic groups in the offsets log: committed offsets, which groups of every type have, and members.

use crate::protocol::lend::{default_view_of, lent};
use crate::protocol::table::{default_of, field, message, structure, versions};
use crate::protocol::uuid::Uuid;

lent! {
    /// Whose offset it is.
    message OffsetCommitKey as OffsetCommitKeyView [0-0, flexible none] {
        /// The group.
        group: String [0+],
        /// The topic.
        topic: String [0+],
        /// The partition.
        partition: i32 [0+],
    }
}

lent! {
    /// What was committed.
    message OffsetCommitValue as OffsetCommitValueView [0-4, flexible 4+] {
        /// The offset of the next record to read.
        offset: i64 [0+],
        /// The leader epoch of the last record read, -1 unknown. Added in version 3 (KIP-320).
        leader_epoch: i32 [3+, default -1, ignorable],
        /// A note of the client's.
        metadata: String [0+],
        /// When it was committed, Unix milliseconds.
        commit_timestamp: i64 [0+],
        /// When it is to be forgotten, Unix milliseconds; -1 for the broker's own retention. In version 1 only.
        expire_timestamp: i64 [1-1, default -1, ignorable],
        /// The topic's id. Added in version 4 (KIP-848).
        topic_id: Uuid [4+, tag 0 4+, ignorable],
    }
}

lent! {
    /// Which group it is.
    message GroupMetadataKey as GroupMetadataKeyView [0-0, flexible none] {
        /// The group.
        group: String [0+],
    }
}

lent! {
    /// A classic group as it was when it last became Stable or Empty.
    message GroupMetadataValue as GroupMetadataValueView [0-4, flexible 4+] {
        /// `consumer` for consumers, empty for a group that never had a member.
        protocol_type: String [0+],
        /// Its generation.
        generation: i32 [0+],
        /// The assignor that was chosen; null while it is empty.
        protocol: Option<String> [0+, nullable 0+],
        /// The leader's member id; null while it is empty.
        leader: Option<String> [0+, nullable 0+],
        /// When it entered its state, Unix milliseconds, -1 unknown. Added in version 2.
        current_state_timestamp: i64 [2+, default -1, ignorable],
        /// Its members, by order of arrival.
        members: Vec<MemberMetadata> [0+],
    }
}

lent! {
    /// A member of the group.
    structure MemberMetadata as MemberMetadataView {
        /// The id the coordinator gave it.
        member_id: String [0+],
        /// The static member's own name. Added in version 3 (KIP-345).
        group_instance_id: Option<String> [3+, nullable 3+, default null, ignorable],
        /// From its JoinGroup's header.
        client_id: String [0+],
        /// Its address after a slash.
        client_host: String [0+],
        /// How long it is waited for in a rebalance, in milliseconds; -1 means its session timeout. Added in version 1.
        rebalance_timeout: i32 [1+, default -1, ignorable],
        /// How long it may be silent, in milliseconds.
        session_timeout: i32 [0+],
        /// What it told under the chosen protocol.
        subscription: Vec<u8> [0+],
        /// Its part of the assignment.
        assignment: Vec<u8> [0+],
    }
}

impl MemberMetadataView<'_> {
    /// How long it is waited for in a rebalance, in milliseconds: records without that mean its session timeout
    /// (Kafka's `GroupMetadataManager.replay`).
    #[must_use]
    pub const fn rebalance_timeout_ms(&self) -> i32 {
        if self.rebalance_timeout == -1 {
            self.session_timeout
        } else {
            self.rebalance_timeout
        }
    }
}
