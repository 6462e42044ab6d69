//! DescribeShareGroupOffsets (90): how far share groups (KIP-932) have come, from their coordinator.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "How far have these share groups come?"
    ///
    /// Only Kafka from 4.1 on knows it.
    DescribeShareGroupOffsetsRequest [0-1, flexible 0+] {
        /// The groups.
        groups: Vec<DescribeShareGroupOffsetsRequestGroup> [0+],
    }
}

structure! {
    /// One group.
    DescribeShareGroupOffsetsRequestGroup {
        /// The group.
        group_id: String [0+],
        /// The partitions asked about; null for all that it has read from.
        topics: Option<Vec<DescribeShareGroupOffsetsRequestTopic>> [0+, nullable 0+],
    }
}

structure! {
    /// Partitions of one topic.
    DescribeShareGroupOffsetsRequestTopic {
        /// The topic.
        topic_name: String [0+],
        /// Its partitions.
        partitions: Vec<i32> [0+],
    }
}

message! {
    /// How far they have come.
    ///
    /// Where all topics are asked for, those that the asking user may not describe are left out.
    DescribeShareGroupOffsetsResponse [0-1, flexible 0+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+],
        /// One for each group asked for.
        groups: Vec<DescribeShareGroupOffsetsResponseGroup> [0+],
    }
}

structure! {
    /// One group.
    DescribeShareGroupOffsetsResponseGroup {
        /// The group.
        group_id: String [0+],
        /// Its topics.
        topics: Vec<DescribeShareGroupOffsetsResponseTopic> [0+],
        /// 0, or why it is not told.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+, default null],
    }
}

structure! {
    /// One topic.
    DescribeShareGroupOffsetsResponseTopic {
        /// Its name.
        topic_name: String [0+],
        /// Its id.
        topic_id: Uuid [0+],
        /// Its partitions.
        partitions: Vec<DescribeShareGroupOffsetsResponsePartition> [0+],
    }
}

structure! {
    /// One partition.
    DescribeShareGroupOffsetsResponsePartition {
        /// Its number.
        partition_index: i32 [0+],
        /// The first record that is neither acknowledged nor given up; -1 before the group has begun to read.
        start_offset: i64 [0+],
        /// The leader's epoch.
        leader_epoch: i32 [0+],
        /// How many records from there on are neither acknowledged nor given up; -1 where that is not known. Added in version 1
        /// (KIP-1226).
        lag: i64 [1+, default -1, ignorable],
        /// 0, or why it is not told.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+, default null],
    }
}
