//! What groups of brokers in memory have committed, the topics they read, and how groups are set.

use std::collections::{BTreeMap, BTreeSet};

use shared::ids::NodeId;
use shared::protocol::{
    AnyResponse, DescribeConfigsRequest, DescribeConfigsResourceResult, DescribeConfigsResponse,
    DescribeConfigsResult, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopicResponse, MetadataResponsePartition, MetadataResponseTopic, OffsetFetchRequest,
    OffsetFetchResponse, OffsetFetchResponseGroup, OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions, OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};

/// A partition: who leads it, where it ends, with which code its leader refuses.
#[derive(Clone, Copy, Debug)]
pub(in crate::survey) struct End {
    pub(in crate::survey) leader: NodeId,
    pub(in crate::survey) end: i64,
    pub(in crate::survey) error: i16,
}

/// Offsets and settings.
#[derive(Debug, Default)]
pub(in crate::survey) struct Offsets {
    /// By group, topic and partition.
    pub(in crate::survey) committed: BTreeMap<String, BTreeMap<(String, i32), i64>>,
    /// By topic and partition.
    pub(in crate::survey) ends: BTreeMap<(String, i32), End>,
    /// Groups whose coordinator refuses to tell their commits, with the code.
    pub(in crate::survey) refused: BTreeMap<String, i16>,
    /// Topics that may not be seen: their commits are left out, their metadata is refused.
    pub(in crate::survey) hidden: BTreeSet<String>,
    /// Groups whose settings may not be read.
    pub(in crate::survey) sealed: BTreeSet<String>,
}

impl Offsets {
    /// A group that has read up to `committed` of `end`.
    pub(in crate::survey) fn put(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
        committed: i64,
        end: End,
    ) {
        let key = (topic.to_owned(), partition);
        let of_group = self.committed.entry(group.to_owned()).or_default();
        of_group.insert(key.clone(), committed);
        self.ends.insert(key, end);
    }

    fn topics<T>(&self, group: &str, row: impl Fn(i32, i64) -> T) -> BTreeMap<String, Vec<T>> {
        let mut topics: BTreeMap<String, Vec<T>> = BTreeMap::new();
        let all = self.committed.get(group).into_iter().flatten();
        for ((topic, partition), offset) in all.filter(|((topic, _), _)| !self.hidden.contains(topic)) {
            let rows = topics.entry(topic.clone()).or_default();
            rows.push(row(*partition, *offset));
        }
        topics
    }

    pub(super) fn fetch(&self, asked: OffsetFetchRequest) -> OffsetFetchResponse {
        assert!(!asked.require_stable, "open transactions hold nothing up");
        let error = |group: &str| self.refused.get(group).copied().unwrap_or(0);
        let row = |partition_index, committed_offset| OffsetFetchResponsePartition {
            partition_index,
            committed_offset,
            ..Default::default()
        };
        let topics = self.topics(&asked.group_id, row).into_iter();
        let groups = asked.groups.into_iter().map(|group| {
            let row = |partition_index, committed_offset| OffsetFetchResponsePartitions {
                partition_index,
                committed_offset,
                ..Default::default()
            };
            let topics = self.topics(&group.group_id, row).into_iter();
            let topics = topics.map(|(name, partitions)| OffsetFetchResponseTopics {
                name,
                partitions,
                ..Default::default()
            });
            OffsetFetchResponseGroup {
                error_code: error(&group.group_id),
                topics: topics.collect(),
                group_id: group.group_id,
            }
        });
        OffsetFetchResponse {
            groups: groups.collect(),
            error_code: error(&asked.group_id),
            topics: topics
                .map(|(name, partitions)| OffsetFetchResponseTopic { name, partitions })
                .collect(),
            ..Default::default()
        }
    }

    pub(super) fn topic(&self, name: &str) -> MetadataResponseTopic {
        let partitions = self.ends.iter().filter(|((topic, _), _)| topic == name);
        let partitions = partitions.map(|((_, number), end)| MetadataResponsePartition {
            partition_index: *number,
            leader_id: end.leader.0,
            ..Default::default()
        });
        let partitions: Vec<_> = partitions.collect();
        MetadataResponseTopic {
            error_code: match partitions.is_empty() {
                _ if self.hidden.contains(name) => 29,
                true => 3,
                false => 0,
            },
            name: Some(name.to_owned()),
            partitions,
            ..Default::default()
        }
    }

    pub(super) fn ends(&self, node: NodeId, asked: ListOffsetsRequest) -> ListOffsetsResponse {
        let topics = asked.topics.into_iter().map(|topic| {
            let partitions = topic.partitions.into_iter().map(|asked| {
                assert_eq!(asked.timestamp, -1, "the end");
                let end = self.ends.get(&(topic.name.clone(), asked.partition_index));
                let error_code = match end {
                    Some(end) if end.leader == node => end.error,
                    Some(_) => 6,
                    None => 3,
                };
                let end = end.filter(|_| error_code == 0).map(|end| end.end);
                ListOffsetsPartitionResponse {
                    partition_index: asked.partition_index,
                    error_code,
                    offset: end.unwrap_or(-1),
                    ..Default::default()
                }
            });
            ListOffsetsTopicResponse {
                partitions: partitions.collect(),
                name: topic.name,
            }
        });
        ListOffsetsResponse {
            topics: topics.collect(),
            ..Default::default()
        }
    }

    /// Every group has a session of 45 s and a heartbeat every 5 s, whatever its type.
    pub(super) fn settings(&self, asked: DescribeConfigsRequest) -> AnyResponse {
        let results = asked.resources.into_iter().map(|resource| {
            assert_eq!(resource.resource_type, 32, "a group");
            let sealed = self.sealed.contains(&resource.resource_name);
            let keys = resource.configuration_keys.into_iter().flatten();
            let configs = keys.map(|name| DescribeConfigsResourceResult {
                value: Some(
                    if name.ends_with("session.timeout.ms") {
                        "45000"
                    } else {
                        "5000"
                    }
                    .to_owned(),
                ),
                name,
                ..Default::default()
            });
            DescribeConfigsResult {
                error_code: if sealed { 30 } else { 0 },
                resource_type: 32,
                resource_name: resource.resource_name,
                configs: configs.filter(|_| !sealed).collect(),
                ..Default::default()
            }
        });
        DescribeConfigsResponse {
            results: results.collect(),
            ..Default::default()
        }
        .into()
    }
}
