//! Fetch (1): records from partitions.

use super::current_leader::{LeaderIdAndEpoch, NodeEndpoint};
use super::records::Records;
use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "What is there from these offsets on?"
    ///
    /// Versions 0 to 3 are gone since Kafka 4.0 (KIP-896). Version 4 is the first for record batches (KIP-98), 10 for
    /// Zstandard (KIP-110); 6, 8, 14 and 16 change the answer only.
    FetchRequest [0-18, flexible 12+] {
        /// The cluster the client believes to be talking to. Added in version 12 (KIP-595).
        cluster_id: Option<String> [12+, nullable 12+, default null, tag 0 12+, ignorable],
        /// The broker that fetches, -1 for a consumer. Replaced by `replica_state` in version 15.
        replica_id: i32 [0-14, default -1],
        /// The broker that fetches. Added in version 15 (KIP-903).
        replica_state: ReplicaState [15+, tag 1 15+],
        /// Milliseconds to wait while there are fewer than `min_bytes`.
        max_wait_ms: i32 [0+],
        /// Bytes of records below which the answer waits.
        min_bytes: i32 [0+],
        /// Bytes of records in the whole answer; the first batch comes whole even if it is longer. Added in version 3
        /// (KIP-74).
        max_bytes: i32 [3+, default 0x7fffffff, ignorable],
        /// 0 all records, 1 only those of no transaction or a committed one. Added in version 4 (KIP-98).
        isolation_level: i8 [4+, default 0, ignorable],
        /// The fetch session, 0 none. Added in version 7 (KIP-227).
        session_id: i32 [7+, default 0, ignorable],
        /// The turn of the session: 0 begins one, -1 ends it or does without. Added in version 7 (KIP-227).
        session_epoch: i32 [7+, default -1, ignorable],
        /// The topics; in a session those that are new or changed.
        topics: Vec<FetchTopic> [0+],
        /// What to remove from the session. Added in version 7 (KIP-227).
        forgotten_topics_data: Vec<ForgottenTopic> [7+],
        /// Where the consumer stands. Added in version 11 (KIP-392).
        rack_id: String [11+, ignorable],
    }
}

structure! {
    /// A broker that fetches.
    ReplicaState {
        /// Its node id, -1 for a consumer.
        replica_id: i32 [15+, default -1],
        /// Its epoch, -1 unknown.
        replica_epoch: i64 [15+, default -1],
    }
}

structure! {
    /// One topic.
    FetchTopic {
        /// Its name; replaced by its id in version 13.
        topic: String [0-12, ignorable],
        /// Its id. Added in version 13 (KIP-516).
        topic_id: Uuid [13+, ignorable],
        /// Its partitions.
        partitions: Vec<FetchPartition> [0+],
    }
}

structure! {
    /// One partition.
    FetchPartition {
        /// Its number.
        partition: i32 [0+],
        /// The leader's epoch as the client knows it, -1 unknown. Added in version 9 (KIP-320).
        current_leader_epoch: i32 [9+, default -1, ignorable],
        /// The first offset wanted.
        fetch_offset: i64 [0+],
        /// The epoch of the last record fetched, -1 unknown. Added in version 12 (KIP-595).
        last_fetched_epoch: i32 [12+, default -1],
        /// The first offset that a fetching broker still has, -1 from consumers. Added in version 5 (KIP-107).
        log_start_offset: i64 [5+, default -1, ignorable],
        /// Bytes of records from this partition; the first batch comes whole even if it is longer.
        partition_max_bytes: i32 [0+],
        /// The directory of a fetching broker. Added in version 17 (KIP-853).
        replica_directory_id: Uuid [17+, tag 0 17+, ignorable],
        /// The high watermark that a fetching broker knows. Added in version 18 (KIP-1166).
        high_watermark: i64 [18+, default 9223372036854775807, tag 1 18+, ignorable],
    }
}

structure! {
    /// One topic of which partitions leave the session.
    ForgottenTopic {
        /// Its name; replaced by its id in version 13.
        topic: String [7-12, ignorable],
        /// Its id. Added in version 13 (KIP-516).
        topic_id: Uuid [13+, ignorable],
        /// The numbers of the partitions.
        partitions: Vec<i32> [7+],
    }
}

message! {
    /// The records.
    ///
    /// Versions 2 and 3 are version 1 again; 6, 8 to 10, 13 to 15, 17 and 18 carry what the one before them does, but for
    /// the topic's id from 13 on.
    FetchResponse [0-18, flexible 12+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-13).
        throttle_time_ms: i32 [1+, ignorable],
        /// 0, or what is wrong with the request as a whole. Added in version 7 (KIP-227).
        error_code: i16 [7+, ignorable],
        /// The fetch session, 0 none. Added in version 7 (KIP-227).
        session_id: i32 [7+, default 0],
        /// The topics; in a session those with something new.
        responses: Vec<FetchableTopicResponse> [0+],
        /// Addresses of the leaders named. Added in version 16 (KIP-951).
        node_endpoints: Vec<NodeEndpoint> [16+, tag 0 16+],
    }
}

structure! {
    /// One topic.
    FetchableTopicResponse {
        /// Its name; replaced by its id in version 13.
        topic: String [0-12, ignorable],
        /// Its id. Added in version 13 (KIP-516).
        topic_id: Uuid [13+, ignorable],
        /// Its partitions.
        partitions: Vec<PartitionData> [0+],
    }
}

structure! {
    /// One partition.
    PartitionData {
        /// Its number.
        partition_index: i32 [0+],
        /// 0, or why there are no records.
        error_code: i16 [0+],
        /// The offset after the last record that consumers may see.
        high_watermark: i64 [0+],
        /// The offset before which every transaction is decided, -1 unknown. Added in version 4 (KIP-98).
        last_stable_offset: i64 [4+, default -1, ignorable],
        /// The offset of the first record that is still there, -1 unknown. Added in version 5 (KIP-107).
        log_start_offset: i64 [5+, default -1, ignorable],
        /// Where the client's log parts from the leader's. Added in version 12 (KIP-595).
        diverging_epoch: EpochEndOffset [12+, tag 0 12+],
        /// Who leads the partition, where it is not the broker asked. Added in version 12 (KIP-595).
        current_leader: LeaderIdAndEpoch [12+, tag 1 12+],
        /// The snapshot to fetch instead. Added in version 12 (KIP-630).
        snapshot_id: SnapshotId [12+, tag 2 12+],
        /// The transactions among the records that were aborted; null where all records were asked for. Added in
        /// version 4 (KIP-98).
        aborted_transactions: Option<Vec<AbortedTransaction>> [4+, nullable 4+, ignorable],
        /// The broker to fetch from instead, -1 none. Added in version 11 (KIP-392).
        preferred_read_replica: i32 [11+, default -1],
        /// Whole batches; the first may begin before the offset asked for.
        records: Option<Records> [0+, nullable 0+],
    }
}

structure! {
    /// Where an epoch ends.
    EpochEndOffset {
        /// The epoch, -1 none.
        epoch: i32 [12+, default -1],
        /// The offset after its last record, -1 none.
        end_offset: i64 [12+, default -1],
    }
}

structure! {
    /// A snapshot of a controller's log.
    SnapshotId {
        /// The offset after the last record in it, -1 none.
        end_offset: i64 [0+, default -1],
        /// The epoch of that record, -1 none.
        epoch: i32 [0+, default -1],
    }
}

structure! {
    /// A transaction that was aborted.
    AbortedTransaction {
        /// Its producer.
        producer_id: i64 [4+],
        /// Its first offset.
        first_offset: i64 [4+],
    }
}
