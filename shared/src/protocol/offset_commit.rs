//! OffsetCommit (8): how far a group has read. In a classic group an accepted commit renews the member's
//! session.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "We have read so far."
    ///
    /// Versions 0 and 1 are gone since Kafka 4.0 (KIP-896); 4 is 3 again. Version 9 is the first for members
    /// of KIP-848 groups.
    OffsetCommitRequest [0-10, flexible 8+] {
        /// The group.
        group_id: String [0+],
        /// The member's generation, or its epoch (KIP-848); -1 from outside the group. Added in version 1.
        generation_id_or_member_epoch: i32 [1+, default -1, ignorable],
        /// The member's id, empty from outside the group. Added in version 1.
        member_id: String [1+, ignorable],
        /// The static member's own name. Added in version 7 (KIP-345).
        group_instance_id: Option<String> [7+, nullable 7+, default null],
        /// Milliseconds to keep the offsets; -1 for the broker's own. In versions 2 to 4 (dropped by
        /// KIP-211).
        retention_time_ms: i64 [2-4, default -1, ignorable],
        /// The topics.
        topics: Vec<OffsetCommitRequestTopic> [0+],
    }
}

structure! {
    /// One topic.
    OffsetCommitRequestTopic {
        /// Its name; replaced by its id in version 10.
        name: String [0-9, ignorable],
        /// Its id. Added in version 10 (KIP-848).
        topic_id: Uuid [10+, ignorable],
        /// Its partitions.
        partitions: Vec<OffsetCommitRequestPartition> [0+],
    }
}

structure! {
    /// One partition.
    OffsetCommitRequestPartition {
        /// Its number.
        partition_index: i32 [0+],
        /// The offset of the next record to read.
        committed_offset: i64 [0+],
        /// The leader epoch of the last record read, -1 unknown. Added in version 6 (KIP-320).
        committed_leader_epoch: i32 [6+, default -1, ignorable],
        /// When it was committed, Unix milliseconds; -1 for the broker's clock. In version 1 only.
        commit_timestamp: i64 [1-1, default -1],
        /// A note of the client's.
        committed_metadata: Option<String> [0+, nullable 0+],
    }
}

message! {
    /// Whether they are kept.
    ///
    /// Versions 1 and 2 are version 0 again, 4 to 7 are 3, 9 is 8.
    OffsetCommitResponse [0-10, flexible 8+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 3 (KIP-124).
        throttle_time_ms: i32 [3+, ignorable],
        /// The topics.
        topics: Vec<OffsetCommitResponseTopic> [0+],
    }
}

structure! {
    /// One topic.
    OffsetCommitResponseTopic {
        /// Its name; replaced by its id in version 10.
        name: String [0-9, ignorable],
        /// Its id. Added in version 10 (KIP-848).
        topic_id: Uuid [10+, ignorable],
        /// Its partitions.
        partitions: Vec<OffsetCommitResponsePartition> [0+],
    }
}

structure! {
    /// One partition.
    OffsetCommitResponsePartition {
        /// Its number.
        partition_index: i32 [0+],
        /// 0, or why its offset is not kept.
        error_code: i16 [0+],
    }
}
