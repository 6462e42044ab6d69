//! Share groups (KIP-932) in the offsets log.

use super::consumer::TopicPartition;
use crate::protocol::lend::{default_view_of, lent};
use crate::protocol::table::{default_of, field, message, structure, versions};
use crate::protocol::uuid::Uuid;

lent! {
    /// The group's epoch. A tombstone: the group is gone.
    message ShareGroupMetadataValue as ShareGroupMetadataValueView [0-0, flexible 0+] {
        /// Rises with every change of members, subscriptions or topics.
        epoch: i32 [0+],
        /// A hash of all its topics.
        metadata_hash: i64 [0+],
    }
}

lent! {
    /// A member, and what it wants. A tombstone: it left or expired; which of them is not said.
    message ShareGroupMemberMetadataValue as ShareGroupMemberMetadataValueView [0-0, flexible 0+] {
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+],
        /// The client id of its first heartbeat.
        client_id: String [0+],
        /// Its address after a slash.
        client_host: String [0+],
        /// The topics it wants.
        subscribed_topic_names: Vec<String> [0+],
    }
}

lent! {
    /// That an assignment was made.
    message ShareGroupTargetAssignmentMetadataValue as ShareGroupTargetAssignmentMetadataValueView
        [0-0, flexible 0+]
    {
        /// The group epoch it was made for.
        assignment_epoch: i32 [0+],
        /// When it was ready, Unix milliseconds, 0 unknown. Added in Kafka 4.3 (KIP-1263).
        assignment_timestamp: i64 [0+, tag 0 0+, ignorable],
    }
}

lent! {
    /// What a member is to have.
    message ShareGroupTargetAssignmentMemberValue as ShareGroupTargetAssignmentMemberValueView [0-0, flexible 0+] {
        /// By topic.
        topic_partitions: Vec<TopicPartition> [0+],
    }
}

lent! {
    /// What a member has.
    message ShareGroupCurrentMemberAssignmentValue as ShareGroupCurrentMemberAssignmentValueView [0-0, flexible 0+] {
        /// The epoch that it must name in its heartbeats.
        member_epoch: i32 [0+],
        /// The epoch before, which it may still name.
        previous_member_epoch: i32 [0+],
        /// 0 stable, the only one of share groups (Kafka's `MemberState`).
        state: i8 [0+],
        /// What it has.
        assigned_partitions: Vec<TopicPartitions> [0+],
    }
}

lent! {
    /// Partitions of one topic.
    structure TopicPartitions as TopicPartitionsView {
        /// The topic.
        topic_id: Uuid [0+],
        /// Their numbers.
        partitions: Vec<i32> [0+],
    }
}

lent! {
    /// The topics whose state of consumption is kept, for the group as a whole.
    message ShareGroupStatePartitionMetadataValue as ShareGroupStatePartitionMetadataValueView [0-0, flexible 0+] {
        /// Those whose state is being made.
        initializing_topics: Vec<TopicPartitionsInfo> [0+],
        /// Those that have one.
        initialized_topics: Vec<TopicPartitionsInfo> [0+],
        /// Those whose state is being deleted.
        deleting_topics: Vec<TopicInfo> [0+],
    }
}

lent! {
    /// Partitions of one topic.
    structure TopicPartitionsInfo as TopicPartitionsInfoView {
        /// The topic.
        topic_id: Uuid [0+],
        /// Its name.
        topic_name: String [0+],
        /// Their numbers.
        partitions: Vec<i32> [0+],
    }
}

lent! {
    /// A topic.
    structure TopicInfo as TopicInfoView {
        /// Its id.
        topic_id: Uuid [0+],
        /// Its name.
        topic_name: String [0+],
    }
}
