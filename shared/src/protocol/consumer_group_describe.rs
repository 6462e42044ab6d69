//! ConsumerGroupDescribe (69): groups of the consumer protocol of KIP-848 with their members, from their
//! coordinator.

use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;

message! {
    /// "Tell me all about these groups."
    ///
    /// Version 1 is version 0 again. A group of another type, and one that is not there, is answered 69.
    ConsumerGroupDescribeRequest [0-1, flexible 0+] {
        /// The groups.
        group_ids: Vec<String> [0+],
        /// Whether to say what the asking user may do with each.
        include_authorized_operations: bool [0+],
    }
}

message! {
    /// The groups.
    ConsumerGroupDescribeResponse [0-1, flexible 0+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+],
        /// One for each group asked for.
        groups: Vec<DescribedGroup> [0+],
    }
}

structure! {
    /// One group.
    DescribedGroup {
        /// 0, or why it is not told; then all but the id and the message is empty.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+, default null],
        /// The group.
        group_id: String [0+],
        /// Its state by Kafka's name, `Reconciling`; or empty.
        group_state: String [0+],
        /// Rises with every change of members, subscriptions or topics.
        group_epoch: i32 [0+],
        /// The group epoch for which the target assignment was made.
        assignment_epoch: i32 [0+],
        /// The assignor that was chosen.
        assignor_name: String [0+],
        /// Its members.
        members: Vec<Member> [0+],
        /// What the asking user may do with it, a bit for each operation; `i32::MIN` if not asked for.
        authorized_operations: i32 [0+, default -2147483648],
    }
}

structure! {
    /// A member of it.
    Member {
        /// The id it gave itself, or got from the coordinator.
        member_id: String [0+],
        /// The static member's own name.
        instance_id: Option<String> [0+, nullable 0+, default null],
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+, default null],
        /// The epoch it has taken over; below the group's while it gives partitions up or is silent.
        member_epoch: i32 [0+],
        /// The client id of its heartbeats.
        client_id: String [0+],
        /// Where it comes from, `/127.0.0.1`.
        client_host: String [0+],
        /// The topics it wants.
        subscribed_topic_names: Vec<String> [0+],
        /// The topics it wants as an RE2J pattern.
        subscribed_topic_regex: Option<String> [0+, nullable 0+, default null],
        /// What it has.
        assignment: Assignment [0+],
        /// What it is to have.
        target_assignment: Assignment [0+],
        /// -1 unknown, 0 a member of the classic protocol, 1 one of the consumer protocol. Added in version 1
        /// (KIP-1099).
        member_type: i8 [1+, default -1, ignorable],
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
        /// Its name.
        topic_name: String [0+],
        /// Its partitions.
        partitions: Vec<i32> [0+],
    }
}
