//! OffsetFetch (9): how far groups have read.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "How far have we read?"
    ///
    /// Version 0 is gone since Kafka 4.0 (KIP-896). Versions 3 to 5 are version 2 again, version 9 is the first for members
    /// of KIP-848 groups.
    OffsetFetchRequest [0-10, flexible 6+] {
        /// The group; replaced by `groups` in version 8.
        group_id: String [0-7],
        /// The topics; null for all from version 2 on. Replaced by `groups` in version 8.
        topics: Option<Vec<OffsetFetchRequestTopic>> [0-7, nullable 2-7],
        /// The groups. Added in version 8 (KIP-709).
        groups: Vec<OffsetFetchRequestGroup> [8+],
        /// Whether to be refused while a transaction that commits offsets is open. Added in version 7 (KIP-447).
        require_stable: bool [7+, default false],
    }
}

structure! {
    /// One topic.
    OffsetFetchRequestTopic {
        /// Its name.
        name: String [0-7],
        /// The numbers of the partitions.
        partition_indexes: Vec<i32> [0-7],
    }
}

structure! {
    /// One group.
    OffsetFetchRequestGroup {
        /// The group.
        group_id: String [8+],
        /// The member that asks; null from outside the group. Added in version 9 (KIP-848).
        member_id: Option<String> [9+, nullable 9+, default null, ignorable],
        /// Its epoch; -1 from outside the group and in classic groups. Added in version 9 (KIP-848).
        member_epoch: i32 [9+, default -1, ignorable],
        /// The topics; null for all.
        topics: Option<Vec<OffsetFetchRequestTopics>> [8+, nullable 8+],
    }
}

structure! {
    /// One topic of a group.
    OffsetFetchRequestTopics {
        /// Its name; replaced by its id in version 10.
        name: String [8-9, ignorable],
        /// Its id. Added in version 10 (KIP-848).
        topic_id: Uuid [10+, ignorable],
        /// The numbers of the partitions.
        partition_indexes: Vec<i32> [8+],
    }
}

message! {
    /// The offsets.
    ///
    /// Version 1 is version 0 again; 4, 6, 7 and 9 carry what the one before them does.
    OffsetFetchResponse [0-10, flexible 6+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 3 (KIP-124).
        throttle_time_ms: i32 [3+, ignorable],
        /// The topics; replaced by `groups` in version 8.
        topics: Vec<OffsetFetchResponseTopic> [0-7],
        /// 0, or what is wrong with the group. Added in version 2, replaced by `groups` in version 8.
        error_code: i16 [2-7, default 0, ignorable],
        /// The groups. Added in version 8 (KIP-709).
        groups: Vec<OffsetFetchResponseGroup> [8+],
    }
}

structure! {
    /// One topic.
    OffsetFetchResponseTopic {
        /// Its name.
        name: String [0-7],
        /// Its partitions.
        partitions: Vec<OffsetFetchResponsePartition> [0-7],
    }
}

structure! {
    /// One partition.
    OffsetFetchResponsePartition {
        /// Its number.
        partition_index: i32 [0-7],
        /// The offset of the next record to read, -1 none.
        committed_offset: i64 [0-7],
        /// The leader epoch of the last record read, -1 unknown. Added in version 5 (KIP-320).
        committed_leader_epoch: i32 [5-7, default -1, ignorable],
        /// The note that came with the commit.
        metadata: Option<String> [0-7, nullable 0-7],
        /// 0, or why the offset is not told.
        error_code: i16 [0-7],
    }
}

structure! {
    /// One group.
    OffsetFetchResponseGroup {
        /// The group.
        group_id: String [8+],
        /// Its topics.
        topics: Vec<OffsetFetchResponseTopics> [8+],
        /// 0, or what is wrong with the group.
        error_code: i16 [8+, default 0],
    }
}

structure! {
    /// One topic of a group.
    OffsetFetchResponseTopics {
        /// Its name; replaced by its id in version 10.
        name: String [8-9, ignorable],
        /// Its id. Added in version 10 (KIP-848).
        topic_id: Uuid [10+, ignorable],
        /// Its partitions.
        partitions: Vec<OffsetFetchResponsePartitions> [8+],
    }
}

structure! {
    /// One partition of a group.
    OffsetFetchResponsePartitions {
        /// Its number.
        partition_index: i32 [8+],
        /// The offset of the next record to read, -1 none.
        committed_offset: i64 [8+],
        /// The leader epoch of the last record read, -1 unknown.
        committed_leader_epoch: i32 [8+, default -1, ignorable],
        /// The note that came with the commit.
        metadata: Option<String> [8+, nullable 8+],
        /// 0, or why the offset is not told.
        error_code: i16 [8+],
    }
}
