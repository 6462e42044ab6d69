//! Streams groups (KIP-1071) in the offsets log.

use crate::protocol::lend::{default_view_of, lent};
use crate::protocol::table::{default_of, field, message, structure, versions};

lent! {
    /// The group's epoch. A tombstone: the group is gone.
    message StreamsGroupMetadataValue as StreamsGroupMetadataValueView [0-0, flexible 0+] {
        /// Rises with every change of members, topology or topics.
        epoch: i32 [0+],
        /// A hash of all its topics.
        metadata_hash: i64 [0+],
        /// The topology whose topics were found to be there and fit, -1 none.
        validated_topology_epoch: i32 [0+, default -1, tag 0 0+],
        /// The settings of the last assignment.
        last_assignment_configs: Option<Vec<LastAssignmentConfig>> [0+, nullable 0+, tag 1 0+],
        /// The topology whose description the broker keeps, -1 none, -2 unsure. Added in Kafka 4.4 (KIP-1331).
        stored_description_topology_epoch: i32 [0+, default -1, tag 2 0+],
        /// The topology whose description it could not keep, -1 none. Added in Kafka 4.4 (KIP-1331).
        failed_description_topology_epoch: i32 [0+, default -1, tag 3 0+],
    }
}

lent! {
    /// One setting.
    structure LastAssignmentConfig as LastAssignmentConfigView {
        /// Its name.
        key: String [0+],
        /// What it was.
        value: String [0+],
    }
}

lent! {
    /// A member. A tombstone: it left, was fenced or expired; which of them is not said.
    message StreamsGroupMemberMetadataValue as StreamsGroupMemberMetadataValueView [0-0, flexible 0+] {
        /// The static member's own name.
        instance_id: Option<String> [0+, nullable 0+],
        /// Where it stands.
        rack_id: Option<String> [0+, nullable 0+],
        /// The client id of its first heartbeat.
        client_id: String [0+],
        /// Its address after a slash.
        client_host: String [0+],
        /// How long it may take to give tasks up, in milliseconds.
        rebalance_timeout_ms: i32 [0+, default -1],
        /// The topology it computes.
        topology_epoch: i32 [0+],
        /// The process it is in, which may have several members.
        process_id: String [0+],
        /// Where its state can be asked for.
        user_endpoint: Option<Endpoint> [0+, nullable 0+, default null],
        /// What its assignor knows of its place.
        client_tags: Vec<KeyValue> [0+],
    }
}

lent! {
    /// An address.
    structure Endpoint as EndpointView {
        /// Its host.
        host: String [0+],
        /// Its port.
        port: u16 [0+],
    }
}

lent! {
    /// A name and what stands behind it.
    structure KeyValue as KeyValueView {
        /// The name.
        key: String [0+],
        /// What stands behind it.
        value: String [0+],
    }
}

lent! {
    /// That an assignment was made.
    message StreamsGroupTargetAssignmentMetadataValue as StreamsGroupTargetAssignmentMetadataValueView
        [0-0, flexible 0+]
    {
        /// The group epoch it was made for.
        assignment_epoch: i32 [0+],
        /// When it was ready, Unix milliseconds, 0 unknown. Added in Kafka 4.3 (KIP-1263).
        assignment_timestamp: i64 [0+, tag 0 0+, ignorable],
    }
}

lent! {
    /// What a member is to have.
    message StreamsGroupTargetAssignmentMemberValue as StreamsGroupTargetAssignmentMemberValueView
        [0-0, flexible 0+]
    {
        /// What it is to compute.
        active_tasks: Vec<target::TaskIds> [0+],
        /// What it is to follow, to take over at once.
        standby_tasks: Vec<target::TaskIds> [0+],
        /// What it is to read in, to take over later.
        warmup_tasks: Vec<target::TaskIds> [0+],
    }
}

/// A target knows no epochs; Kafka calls both structures by one name.
pub mod target {
    use super::{default_of, default_view_of, field, lent, structure, versions};

    lent! {
        /// Tasks of one subtopology.
        structure TaskIds as TaskIdsView {
            /// The subtopology.
            subtopology_id: String [0+],
            /// The tasks, by the partition of the input that each computes.
            partitions: Vec<i32> [0+],
        }
    }
}

lent! {
    /// What a member has: a step of its way to what it is to have.
    message StreamsGroupCurrentMemberAssignmentValue as StreamsGroupCurrentMemberAssignmentValueView
        [0-0, flexible 0+]
    {
        /// The epoch that it must name in its heartbeats.
        member_epoch: i32 [0+],
        /// The epoch before, which it may still name.
        previous_member_epoch: i32 [0+],
        /// 1 stable, 2 it has tasks to give up, 3 it waits for others to give some up, 127 unknown (Kafka's
        /// `MemberState` of streams, one above that of consumers).
        state: i8 [0+],
        /// What it computes.
        active_tasks: Vec<TaskIds> [0+],
        /// What it follows to take over at once.
        standby_tasks: Vec<TaskIds> [0+],
        /// What it reads in to take over later.
        warmup_tasks: Vec<TaskIds> [0+],
        /// What it still computes and must give up.
        active_tasks_pending_revocation: Vec<TaskIds> [0+],
        /// What it still follows and must give up.
        standby_tasks_pending_revocation: Vec<TaskIds> [0+],
        /// What it still reads in and must give up.
        warmup_tasks_pending_revocation: Vec<TaskIds> [0+],
    }
}

lent! {
    /// Tasks of one subtopology.
    structure TaskIds as TaskIdsView {
        /// The subtopology.
        subtopology_id: String [0+],
        /// The tasks, by the partition of the input that each computes.
        partitions: Vec<i32> [0+],
        /// For each active task the epoch in which the member got it.
        assignment_epochs: Option<Vec<i32>> [0+, nullable 0+, tag 0 0+],
    }
}

lent! {
    /// What the group computes.
    message StreamsGroupTopologyValue as StreamsGroupTopologyValueView [0-0, flexible 0+] {
        /// Its epoch.
        epoch: i32 [0+],
        /// Its parts.
        subtopologies: Vec<Subtopology> [0+],
    }
}

lent! {
    /// A part of it that can be computed by itself.
    structure Subtopology as SubtopologyView {
        /// Its name.
        subtopology_id: String [0+],
        /// The topics it reads.
        source_topics: Vec<String> [0+],
        /// Patterns of topics it reads.
        source_topic_regex: Vec<String> [0+],
        /// The changelogs of its state.
        state_changelog_topics: Vec<TopicInfo> [0+],
        /// The repartition topics it writes.
        repartition_sink_topics: Vec<String> [0+],
        /// The repartition topics it reads.
        repartition_source_topics: Vec<TopicInfo> [0+],
        /// Topics that must have equally many partitions.
        copartition_groups: Vec<CopartitionGroup> [0+],
    }
}

lent! {
    /// Topics that must have equally many partitions, by their places in the subtopology's lists.
    structure CopartitionGroup as CopartitionGroupView {
        /// Among the topics it reads.
        source_topics: Vec<i16> [0+],
        /// Among the patterns.
        source_topic_regex: Vec<i16> [0+],
        /// Among the repartition topics it reads.
        repartition_source_topics: Vec<i16> [0+],
    }
}

lent! {
    /// A topic that the group makes itself.
    structure TopicInfo as TopicInfoView {
        /// Its name.
        name: String [0+],
        /// Its partitions, 0 where the number is not given.
        partitions: i32 [0+],
        /// Its copies, 0 for the broker's own number.
        replication_factor: i16 [0+],
        /// Its settings.
        topic_configs: Vec<TopicConfig> [0+],
    }
}

lent! {
    /// One setting.
    structure TopicConfig as TopicConfigView {
        /// Its name.
        key: String [0+],
        /// What it is.
        value: String [0+],
    }
}
