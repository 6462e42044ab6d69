//! Groups of the consumer protocol of KIP-848 in the offsets log: a record for each thing that changes.

use crate::protocol::lend::{default_view_of, lent};
use crate::protocol::table::{default_of, field, message, structure, versions};
use crate::protocol::uuid::Uuid;

lent! {
    /// The group's epoch. A tombstone: the group is gone, or now of another type.
    message ConsumerGroupMetadataValue as ConsumerGroupMetadataValueView [0-0, flexible 0+] {
        /// Rises with every change of members, subscriptions or topics.
        epoch: i32 [0+],
        /// A hash of all its topics, 0 unknown. Added in Kafka 4.1 (KIP-1101).
        metadata_hash: i64 [0+, tag 0 0+],
    }
}

lent! {
    /// The group's topics as the last assignment saw them. Not written since Kafka 4.1 (KIP-1101).
    message ConsumerGroupPartitionMetadataValue as ConsumerGroupPartitionMetadataValueView [0-0, flexible 0+] {
        /// The topics.
        topics: Vec<TopicMetadata> [0+],
    }
}

lent! {
    /// One topic.
    structure TopicMetadata as TopicMetadataView {
        /// Its id.
        topic_id: Uuid [0+],
        /// Its name.
        topic_name: String [0+],
        /// How many partitions it has.
        num_partitions: i32 [0+],
        /// Where they stand; empty where no rack is known.
        partition_metadata: Vec<PartitionMetadata> [0+],
    }
}

lent! {
    /// One partition.
    structure PartitionMetadata as PartitionMetadataView {
        /// Its number.
        partition: i32 [0+],
        /// The racks of its copies.
        racks: Vec<String> [0+],
    }
}

lent! {
    /// A member, and what it wants. A tombstone: it left, was fenced or expired; which of them is not said.
    message ConsumerGroupMemberMetadataValue as ConsumerGroupMemberMetadataValueView [0-0, flexible 0+] {
        /// The static member's own name.
        instance_id: Option<String> [0+, nullable 0+],
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+],
        /// The client id of its first heartbeat.
        client_id: String [0+],
        /// Its address after a slash.
        client_host: String [0+],
        /// The topics it wants.
        subscribed_topic_names: Vec<String> [0+],
        /// The topics it wants as an RE2J pattern.
        subscribed_topic_regex: Option<String> [0+, nullable 0+],
        /// How long it may take to give partitions up, in milliseconds.
        rebalance_timeout_ms: i32 [0+, default -1],
        /// The assignor it asked for.
        server_assignor: Option<String> [0+, nullable 0+],
        /// What is known only of a member of the classic protocol; null for all others.
        classic_member_metadata: Option<ClassicMemberMetadata> [0+, nullable 0+, tag 0 0+],
    }
}

lent! {
    /// What a member of the classic protocol told on joining.
    structure ClassicMemberMetadata as ClassicMemberMetadataView {
        /// How long it may be silent, in milliseconds.
        session_timeout_ms: i32 [0+],
        /// Its assignors.
        supported_protocols: Vec<ClassicProtocol> [0+],
    }
}

lent! {
    /// One of them.
    structure ClassicProtocol as ClassicProtocolView {
        /// Its name.
        name: String [0+],
        /// What the member told under it: a consumer protocol subscription.
        metadata: Vec<u8> [0+],
    }
}

lent! {
    /// That an assignment was made.
    message ConsumerGroupTargetAssignmentMetadataValue as ConsumerGroupTargetAssignmentMetadataValueView
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
    message ConsumerGroupTargetAssignmentMemberValue as ConsumerGroupTargetAssignmentMemberValueView
        [0-0, flexible 0+]
    {
        /// By topic.
        topic_partitions: Vec<TopicPartition> [0+],
    }
}

lent! {
    /// Partitions of one topic.
    structure TopicPartition as TopicPartitionView {
        /// The topic.
        topic_id: Uuid [0+],
        /// Their numbers.
        partitions: Vec<i32> [0+],
    }
}

lent! {
    /// What a member has: a step of its way to what it is to have.
    message ConsumerGroupCurrentMemberAssignmentValue as ConsumerGroupCurrentMemberAssignmentValueView
        [0-0, flexible 0+]
    {
        /// The epoch that it must name in its heartbeats.
        member_epoch: i32 [0+],
        /// The epoch before, which it may still name.
        previous_member_epoch: i32 [0+],
        /// 0 stable, 1 it has partitions to give up, 2 it waits for others to give some up, 127 unknown (Kafka's
        /// `MemberState`).
        state: i8 [0+],
        /// What it has.
        assigned_partitions: Vec<TopicPartitions> [0+],
        /// What it still has and must give up.
        partitions_pending_revocation: Vec<TopicPartitions> [0+],
    }
}

lent! {
    /// Partitions of one topic.
    structure TopicPartitions as TopicPartitionsView {
        /// The topic.
        topic_id: Uuid [0+],
        /// Their numbers.
        partitions: Vec<i32> [0+],
        /// For each the epoch in which the member got it. Added in Kafka 4.2.
        assignment_epochs: Option<Vec<i32>> [0+, nullable 0+, tag 0 0+],
    }
}

lent! {
    /// The topics that a pattern means.
    message ConsumerGroupRegularExpressionValue as ConsumerGroupRegularExpressionValueView [0-0, flexible 0+] {
        /// Their names.
        topics: Vec<String> [0+],
        /// The version of the cluster's metadata in which that is so.
        version: i64 [0+],
        /// When they were looked for, Unix milliseconds.
        timestamp: i64 [0+],
    }
}
