//! ListOffsets (2): where partitions begin and end, and what stands at a moment.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Which offset belongs to this moment?"
    ///
    /// Version 0 is gone since Kafka 4.0 (KIP-896). Versions 3 and 5 are the one before; 7, 8, 9 and 11 know new special
    /// moments (KIP-734, KIP-405, KIP-1005, KIP-1023).
    ListOffsetsRequest [0-11, flexible 6+] {
        /// The broker that asks, -1 for a client.
        replica_id: i32 [0+],
        /// 0 all records, 1 only those of no transaction or a committed one. Added in version 2 (KIP-98).
        isolation_level: i8 [2+],
        /// The topics.
        topics: Vec<ListOffsetsTopic> [0+],
        /// Milliseconds to wait for a remote storage. Added in version 10 (KIP-1075).
        timeout_ms: i32 [10+, ignorable],
    }
}

structure! {
    /// One topic.
    ListOffsetsTopic {
        /// Its name.
        name: String [0+],
        /// Its partitions.
        partitions: Vec<ListOffsetsPartition> [0+],
    }
}

structure! {
    /// One partition.
    ListOffsetsPartition {
        /// Its number.
        partition_index: i32 [0+],
        /// The leader's epoch as the client knows it, -1 unknown. Added in version 4 (KIP-320).
        current_leader_epoch: i32 [4+, default -1, ignorable],
        /// Unix milliseconds, or -1 the end, -2 the begin, -3 the record with the latest time (from version 7), -4 the
        /// begin of what is on the broker's own disk (8), -5 the last that is in remote storage (9), -6 the first that is
        /// not there yet (11).
        timestamp: i64 [0+],
        /// How many offsets to tell. In version 0 only.
        max_num_offsets: i32 [0-0, default 1],
    }
}

message! {
    /// The offsets.
    ///
    /// Version 3 is version 2 again; 5 and 7 to 11 carry what the one before them does.
    ListOffsetsResponse [0-11, flexible 6+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 2 (KIP-124).
        throttle_time_ms: i32 [2+, ignorable],
        /// The topics.
        topics: Vec<ListOffsetsTopicResponse> [0+],
    }
}

structure! {
    /// One topic.
    ListOffsetsTopicResponse {
        /// Its name.
        name: String [0+],
        /// Its partitions.
        partitions: Vec<ListOffsetsPartitionResponse> [0+],
    }
}

structure! {
    /// One partition.
    ListOffsetsPartitionResponse {
        /// Its number.
        partition_index: i32 [0+],
        /// 0, or why there is no offset.
        error_code: i16 [0+],
        /// The offsets, falling. In version 0 only.
        old_style_offsets: Vec<i64> [0-0],
        /// The record's time, Unix milliseconds; -1 where no record was looked for or found. Added in version 1 (KIP-79).
        timestamp: i64 [1+, default -1],
        /// The offset, -1 none. Added in version 1 (KIP-79).
        offset: i64 [1+, default -1],
        /// The epoch of the leader that wrote the record, -1 unknown. Added in version 4 (KIP-320).
        leader_epoch: i32 [4+, default -1],
    }
}
