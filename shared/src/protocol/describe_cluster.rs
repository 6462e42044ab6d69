//! DescribeCluster (60): the brokers of a cluster, for administrators.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Who are you all?"
    DescribeClusterRequest [0-2, flexible 0+] {
        /// Whether to say what the asking user may do with the cluster.
        include_cluster_authorized_operations: bool [0+],
        /// 1 brokers, 2 controllers. Added in version 1 (KIP-919).
        endpoint_type: i8 [1+, default 1],
        /// Whether to tell of fenced brokers too. Added in version 2 (KIP-1073).
        include_fenced_brokers: bool [2+],
    }
}

message! {
    /// The cluster.
    DescribeClusterResponse [0-2, flexible 0+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+],
        /// 0, or why it is not told.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+, default null],
        /// 1 brokers, 2 controllers. Added in version 1 (KIP-919).
        endpoint_type: i8 [1+, default 1],
        /// The cluster's id.
        cluster_id: String [0+],
        /// The node id of a controller, -1 unknown.
        controller_id: i32 [0+, default -1],
        /// The brokers.
        brokers: Vec<DescribeClusterBroker> [0+],
        /// A bit for each operation the asking user may do; `i32::MIN` where it was not asked.
        cluster_authorized_operations: i32 [0+, default -2147483648],
    }
}

structure! {
    /// One broker.
    DescribeClusterBroker {
        /// Its node id.
        broker_id: i32 [0+],
        /// Its host as clients reach it.
        host: String [0+],
        /// Its port as clients reach it.
        port: i32 [0+],
        /// Where it stands.
        rack: Option<String> [0+, nullable 0+, default null],
        /// Whether it is fenced. Added in version 2 (KIP-1073).
        is_fenced: bool [2+],
    }
}
