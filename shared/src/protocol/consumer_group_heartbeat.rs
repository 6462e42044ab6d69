//! ConsumerGroupHeartbeat (68): the one request of the consumer protocol of KIP-848: join, stay, change,
//! leave.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "I am still here, and this has changed." Null and -1 mean "as before".
    ///
    /// From version 1 on the member makes its own id (KIP-1082); in version 0 the coordinator gives one to an
    /// empty id.
    ConsumerGroupHeartbeatRequest [0-1, flexible 0+] {
        /// The group.
        group_id: String [0+],
        /// The member's id, kept as long as its process lives.
        member_id: String [0+],
        /// The member's epoch; 0 joins, -1 leaves, -2 leaves as a static member that will be back.
        member_epoch: i32 [0+],
        /// The static member's own name.
        instance_id: Option<String> [0+, nullable 0+, default null],
        /// Where the member stands.
        rack_id: Option<String> [0+, nullable 0+, default null],
        /// Milliseconds the coordinator waits for the member to give partitions up.
        rebalance_timeout_ms: i32 [0+, default -1],
        /// The topics it wants.
        subscribed_topic_names: Option<Vec<String>> [0+, nullable 0+, default null],
        /// The topics it wants as an RE2J pattern. Added in version 1 (KIP-848).
        subscribed_topic_regex: Option<String> [1+, nullable 1+, default null],
        /// The assignor it wants the coordinator to use.
        server_assignor: Option<String> [0+, nullable 0+, default null],
        /// What it owns.
        topic_partitions: Option<Vec<TopicPartitions>> [0+, nullable 0+, default null],
    }
}

message! {
    /// The member's epoch, and its part where that has changed.
    ConsumerGroupHeartbeatResponse [0-1, flexible 0+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+],
        /// 0, or what is wrong.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+, default null],
        /// The member's id: in version 0 told on joining.
        member_id: Option<String> [0+, nullable 0+, default null],
        /// The member's epoch.
        member_epoch: i32 [0+],
        /// Milliseconds to the next heartbeat.
        heartbeat_interval_ms: i32 [0+],
        /// What the member may use at once; null where it has not changed.
        assignment: Option<Assignment> [0+, nullable 0+, default null],
    }
}

structure! {
    /// A member's part.
    Assignment {
        /// By topic.
        topic_partitions: Vec<TopicPartitions> [0+],
    }
}

structure! {
    /// Partitions of one topic.
    TopicPartitions {
        /// The topic.
        topic_id: Uuid [0+],
        /// Its partitions.
        partitions: Vec<i32> [0+],
    }
}
