//! StreamsGroupDescribe (89): streams groups (KIP-1071) with their members, tasks and topology, from their
//! coordinator.

use super::table::{default_of, field, message, structure, versions};
use super::topology::{KeyValue, Topology, TopologyDescription};

message! {
    /// "Tell me all about these groups."
    ///
    /// A group of another type, and one that is not there, is answered 69.
    StreamsGroupDescribeRequest [0-1, flexible 0+] {
        /// The groups.
        group_ids: Vec<String> [0+],
        /// Whether to say what the asking user may do with each.
        include_authorized_operations: bool [0+],
        /// Whether to tell the whole topology, where the broker keeps it. Added in version 1 (KIP-1331).
        include_topology_description: bool [1+],
    }
}

message! {
    /// The groups.
    StreamsGroupDescribeResponse [0-1, flexible 0+] {
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
        /// Its state by Kafka's name, `NotReady`; or empty.
        group_state: String [0+],
        /// Rises with every change of members, topology or topics.
        group_epoch: i32 [0+],
        /// The group epoch for which the target assignment was made.
        assignment_epoch: i32 [0+],
        /// What it computes; null where the group is not told.
        topology: Option<Topology> [0+, nullable 0+, default null],
        /// Its members.
        members: Vec<Member> [0+],
        /// What the asking user may do with it, a bit for each operation; `i32::MIN` if not asked for.
        authorized_operations: i32 [0+, default -2147483648],
        /// The whole topology, where the status says that it is told. Added in version 1 (KIP-1331).
        topology_description: Option<TopologyDescription> [1+, nullable 1+, default null],
        /// 0 not asked for, 1 not kept, 2 the broker could not read it, 3 told. Added in version 1 (KIP-1331).
        topology_description_status: i8 [1+],
        /// The assignor of the next assignment, which need not be that of the present one. Added in version 1
        /// (KIP-1357).
        assignor_name: Option<String> [1+, nullable 1+, default null, ignorable],
    }
}

structure! {
    /// A member of it.
    Member {
        /// The id it gave itself.
        member_id: String [0+],
        /// The epoch it has taken over; below the group's while it gives tasks up or is silent.
        member_epoch: i32 [0+],
        /// The static member's own name.
        instance_id: Option<String> [0+, nullable 0+, default null],
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+, default null],
        /// The client id of its heartbeats.
        client_id: String [0+],
        /// Where it comes from, `/127.0.0.1`.
        client_host: String [0+],
        /// The epoch of the topology it computes.
        topology_epoch: i32 [0+],
        /// The process it is in, which may have several members.
        process_id: String [0+],
        /// Where its state can be asked for.
        user_endpoint: Option<Endpoint> [0+, nullable 0+, default null],
        /// What its assignor knows of its place.
        client_tags: Vec<KeyValue> [0+],
        /// How far its changelogs are read.
        task_offsets: Vec<TaskOffset> [0+],
        /// How far its changelogs reach.
        task_end_offsets: Vec<TaskOffset> [0+],
        /// What it has.
        assignment: Assignment [0+],
        /// What it is to have.
        target_assignment: Assignment [0+],
        /// Whether it is still of the classic protocol.
        is_classic: bool [0+],
    }
}

structure! {
    /// An address.
    Endpoint {
        /// Its host.
        host: String [0+],
        /// Its port.
        port: u16 [0+],
    }
}

structure! {
    /// How far one task is.
    TaskOffset {
        /// Its subtopology.
        subtopology_id: String [0+],
        /// Its partition.
        partition: i32 [0+],
        /// The sum of its changelogs' offsets.
        offset: i64 [0+],
    }
}

structure! {
    /// A member's part.
    Assignment {
        /// What it computes.
        active_tasks: Vec<TaskIds> [0+],
        /// What it follows to take over at once.
        standby_tasks: Vec<TaskIds> [0+],
        /// What it reads in to take over later.
        warmup_tasks: Vec<TaskIds> [0+],
    }
}

structure! {
    /// Tasks of one subtopology.
    TaskIds {
        /// The subtopology.
        subtopology_id: String [0+],
        /// The tasks, by the partition of the input that each computes.
        partitions: Vec<i32> [0+],
    }
}
