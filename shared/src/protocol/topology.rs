//! What a streams group computes, as StreamsGroupDescribe tells it (KIP-1071, KIP-1331).

use super::table::{default_of, field, structure, versions};

structure! {
    /// The topology that members and coordinator have agreed on.
    Topology {
        /// Its epoch.
        epoch: i32 [0+],
        /// Its parts; null while source topics are missing or have unfit numbers of partitions.
        subtopologies: Option<Vec<Subtopology>> [0+, nullable 0+, default null],
    }
}

structure! {
    /// A part of it that can be computed by itself.
    Subtopology {
        /// Its name.
        subtopology_id: String [0+],
        /// The topics it reads.
        source_topics: Vec<String> [0+],
        /// The repartition topics it writes.
        repartition_sink_topics: Vec<String> [0+],
        /// The changelogs of its state.
        state_changelog_topics: Vec<TopicInfo> [0+],
        /// The repartition topics it reads.
        repartition_source_topics: Vec<TopicInfo> [0+],
    }
}

structure! {
    /// A topic that the group makes itself.
    TopicInfo {
        /// Its name.
        name: String [0+],
        /// Its partitions, 0 where the number is not given.
        partitions: i32 [0+],
        /// Its copies, 0 for the broker's own number.
        replication_factor: i16 [0+],
        /// Its settings.
        topic_configs: Vec<KeyValue> [0+],
    }
}

structure! {
    /// A name and what stands behind it.
    KeyValue {
        /// The name.
        key: String [0+],
        /// What stands behind it.
        value: String [0+],
    }
}

structure! {
    /// The whole topology, down to its nodes.
    TopologyDescription {
        /// Its parts.
        subtopologies: Vec<TopologyDescriptionSubtopology> [1+],
        /// The state that all parts read.
        global_stores: Vec<TopologyDescriptionGlobalStore> [1+],
    }
}

structure! {
    /// A part of it.
    TopologyDescriptionSubtopology {
        /// Its name.
        subtopology_id: String [1+],
        /// Its nodes.
        nodes: Vec<TopologyDescriptionNode> [1+],
    }
}

structure! {
    /// A step of the computation.
    TopologyDescriptionNode {
        /// Its name, `KSTREAM-SOURCE-0000000000`.
        name: String [1+],
        /// 1 a source, 2 a processor, 3 a sink.
        node_type: i8 [1+],
        /// The topics a source reads.
        source_topics: Vec<String> [1+],
        /// The topic a sink writes; null where each record decides.
        sink_topic: Option<String> [1+, nullable 1+, default null],
        /// The state a processor uses.
        stores: Vec<String> [1+],
        /// The nodes behind it.
        successors: Vec<String> [1+],
    }
}

structure! {
    /// State that is read in by a source and a processor of its own.
    TopologyDescriptionGlobalStore {
        /// The source.
        source: TopologyDescriptionNode [1+],
        /// The processor.
        processor: TopologyDescriptionNode [1+],
    }
}
