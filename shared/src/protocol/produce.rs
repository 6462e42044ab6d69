//! Produce (0): records for the end of partitions.

use super::current_leader::{LeaderIdAndEpoch, NodeEndpoint};
use super::records::Records;
use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "Append these records."
    ///
    /// Versions 0 to 2 are gone since Kafka 4.0 (KIP-896), though its brokers go on naming them for the sake of
    /// librdkafka (KAFKA-18659). Version 3 is the first with record batches (KIP-98), 7 may be compressed by Zstandard
    /// (KIP-110); 4 to 6, 8 and 10 to 12 change the answer only.
    ProduceRequest [0-13, flexible 9+] {
        /// The transaction the records belong to. Added in version 3 (KIP-98).
        transactional_id: Option<String> [3+, nullable 3+, default null],
        /// How many brokers must have the records before the answer: 0 none and no answer comes at all, 1 the leader,
        /// -1 all that are in sync.
        acks: i16 [0+],
        /// Milliseconds to wait for them.
        timeout_ms: i32 [0+],
        /// The topics.
        topic_data: Vec<TopicProduceData> [0+],
    }
}

structure! {
    /// One topic.
    TopicProduceData {
        /// Its name; replaced by its id in version 13.
        name: String [0-12, ignorable],
        /// Its id. Added in version 13 (KIP-516).
        topic_id: Uuid [13+, ignorable],
        /// Its partitions.
        partition_data: Vec<PartitionProduceData> [0+],
    }
}

structure! {
    /// One partition.
    PartitionProduceData {
        /// Its number.
        index: i32 [0+],
        /// What to append; from version 3 on exactly one batch.
        records: Option<Records> [0+, nullable 0+],
    }
}

message! {
    /// Where they are.
    ///
    /// Versions 3, 4, 6 and 7 carry what the one before them does, 11 to 12 what 10 does; what is new in them is a code.
    ProduceResponse [0-13, flexible 9+] {
        /// The topics.
        responses: Vec<TopicProduceResponse> [0+],
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-13).
        throttle_time_ms: i32 [1+, default 0, ignorable],
        /// Addresses of the leaders named. Added in version 10 (KIP-951).
        node_endpoints: Vec<NodeEndpoint> [10+, tag 0 10+],
    }
}

structure! {
    /// One topic.
    TopicProduceResponse {
        /// Its name; replaced by its id in version 13.
        name: String [0-12, ignorable],
        /// Its id. Added in version 13 (KIP-516).
        topic_id: Uuid [13+, ignorable],
        /// Its partitions.
        partition_responses: Vec<PartitionProduceResponse> [0+],
    }
}

structure! {
    /// One partition.
    PartitionProduceResponse {
        /// Its number.
        index: i32 [0+],
        /// 0, or why nothing was appended.
        error_code: i16 [0+],
        /// The offset of the first record; -1 where nothing was appended.
        base_offset: i64 [0+],
        /// When the broker appended them, Unix milliseconds; -1 where the records keep their producer's times. Added in
        /// version 2 (KIP-32).
        log_append_time_ms: i64 [2+, default -1, ignorable],
        /// The offset of the first record that is still there, -1 unknown. Added in version 5 (KIP-107).
        log_start_offset: i64 [5+, default -1, ignorable],
        /// The records for which the batch was refused. Added in version 8 (KIP-467).
        record_errors: Vec<BatchIndexAndErrorMessage> [8+, ignorable],
        /// What is wrong with the batch, for people. Added in version 8 (KIP-467).
        error_message: Option<String> [8+, nullable 8+, default null, ignorable],
        /// Who leads the partition, where it is not the broker asked. Added in version 10 (KIP-951).
        current_leader: LeaderIdAndEpoch [10+, tag 0 10+],
    }
}

structure! {
    /// One record for which its batch was refused.
    BatchIndexAndErrorMessage {
        /// Its place in the batch, from 0.
        batch_index: i32 [8+],
        /// What is wrong with it, for people.
        batch_index_error_message: Option<String> [8+, nullable 8+, default null],
    }
}
