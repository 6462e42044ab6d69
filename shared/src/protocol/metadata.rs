//! Metadata (3): the brokers of a cluster, its topics and their partitions.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "Who are you all, and where are these topics?"
    ///
    /// Versions 2 and 3 are version 1 again, 5 to 7 are 4. Version 13 only changes the answer.
    MetadataRequest [0-13, flexible 9+] {
        /// The topics. All of them: empty in version 0, null from version 1 on; none: empty from version 1
        /// on.
        topics: Option<Vec<MetadataRequestTopic>> [0+, nullable 1+],
        /// Whether the broker may create the topics it misses. Added in version 4 (KAFKA-5291).
        allow_auto_topic_creation: bool [4+, default true],
        /// Whether to say what the asking user may do with the cluster. In versions 8 to 10 (KIP-430).
        include_cluster_authorized_operations: bool [8-10],
        /// Whether to say what the asking user may do with each topic. Added in version 8 (KIP-430).
        include_topic_authorized_operations: bool [8+],
    }
}

structure! {
    /// A topic asked for.
    MetadataRequestTopic {
        /// Its id, zero where it is named. Added in version 10 (KIP-516).
        topic_id: Uuid [10+, ignorable],
        /// Its name; null from version 10 on where it is asked for by its id.
        name: Option<String> [0+, nullable 10+],
    }
}

message! {
    /// The cluster.
    ///
    /// Version 4 is version 3 again, 6 is 5.
    MetadataResponse [0-13, flexible 9+] {
        /// How long the answer was held back by a quota, in milliseconds. Added in version 3 (KIP-124).
        throttle_time_ms: i32 [3+, ignorable],
        /// The brokers.
        brokers: Vec<MetadataResponseBroker> [0+],
        /// The cluster's id. Added in version 2 (KIP-78).
        cluster_id: Option<String> [2+, nullable 2+, default null, ignorable],
        /// The node id of a controller, -1 unknown. Added in version 1 (KIP-4).
        controller_id: i32 [1+, default -1, ignorable],
        /// The topics.
        topics: Vec<MetadataResponseTopic> [0+],
        /// A bit for each operation the asking user may do; `i32::MIN` where it was not asked. In versions 8
        /// to 10 (KIP-430).
        cluster_authorized_operations: i32 [8-10, default -2147483648],
        /// 0, or what is wrong with the request as a whole. Added in version 13 (KIP-1102).
        error_code: i16 [13+, ignorable],
    }
}

structure! {
    /// One broker.
    MetadataResponseBroker {
        /// Its node id.
        node_id: i32 [0+],
        /// Its host as clients reach it.
        host: String [0+],
        /// Its port as clients reach it.
        port: i32 [0+],
        /// Where it stands. Added in version 1 (KIP-36).
        rack: Option<String> [1+, nullable 1+, default null, ignorable],
    }
}

structure! {
    /// One topic.
    MetadataResponseTopic {
        /// 0, or why it is not told.
        error_code: i16 [0+],
        /// Its name; null from version 12 on where it was asked for by an id that no topic has.
        name: Option<String> [0+, nullable 12+],
        /// Its id, zero where it was asked for by a name that no topic has. Added in version 10 (KIP-516).
        topic_id: Uuid [10+, ignorable],
        /// Whether it is Kafka's own. Added in version 1 (KIP-4).
        is_internal: bool [1+, default false, ignorable],
        /// Its partitions.
        partitions: Vec<MetadataResponsePartition> [0+],
        /// A bit for each operation the asking user may do; `i32::MIN` where it was not asked. Added in
        /// version 8 (KIP-430).
        topic_authorized_operations: i32 [8+, default -2147483648],
    }
}

structure! {
    /// One partition.
    MetadataResponsePartition {
        /// 0, or what is wrong with it.
        error_code: i16 [0+],
        /// Its number.
        partition_index: i32 [0+],
        /// The node id of its leader, -1 none.
        leader_id: i32 [0+],
        /// The leader's epoch, -1 unknown. Added in version 7 (KIP-320).
        leader_epoch: i32 [7+, default -1, ignorable],
        /// The nodes that keep it.
        replica_nodes: Vec<i32> [0+],
        /// Those of them that are in sync.
        isr_nodes: Vec<i32> [0+],
        /// Those of them that are offline. Added in version 5 (KIP-112).
        offline_replicas: Vec<i32> [5+, ignorable],
    }
}
