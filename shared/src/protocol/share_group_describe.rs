//! ShareGroupDescribe (77): share groups (KIP-932) with their members, from their coordinator.

use super::consumer_group_describe::Assignment;
use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Tell me all about these groups."
    ///
    /// Version 0 was never stable and is gone since Kafka 4.1. A group of another type, and one that is not
    /// there, is answered 69.
    ShareGroupDescribeRequest [1-1, flexible 0+] {
        /// The groups.
        group_ids: Vec<String> [0+],
        /// Whether to say what the asking user may do with each.
        include_authorized_operations: bool [0+],
    }
}

message! {
    /// The groups.
    ShareGroupDescribeResponse [1-1, flexible 0+] {
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
        /// Its state by Kafka's name, `Stable`; or empty.
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
    /// A member of it. Share groups know no static members.
    Member {
        /// The id it gave itself.
        member_id: String [0+],
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+, default null],
        /// The epoch it has taken over.
        member_epoch: i32 [0+],
        /// The client id of its heartbeats.
        client_id: String [0+],
        /// Where it comes from, `/127.0.0.1`.
        client_host: String [0+],
        /// The topics it wants.
        subscribed_topic_names: Vec<String> [0+],
        /// What it has; other members may have the same partitions.
        assignment: Assignment [0+],
    }
}
