//! OffsetFetch, in every version: one group in it or many (protocol.md 2.6, 3.7; Kafka's `OffsetMetadataManager.fetchOffsets`).
//!
//! No transaction commits offsets here, so `require_stable` never has to wait (KIP-447); and what a classic group has
//! committed anybody may ask for, whatever member id comes with it (`ClassicGroup.validateOffsetFetch`).

use std::collections::BTreeSet;

use shared::error_code as code;
use shared::protocol::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics, OffsetFetchResponse,
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic, OffsetFetchResponseTopics, Uuid,
};

use super::classic::{Committed, Group};
use super::{Call, Coordinator};

/// From this version on many groups can be asked for (KIP-709).
const MANY_GROUPS: i16 = 8;
/// From this version on topics go by their id (KIP-848).
const TOPICS_BY_ID: i16 = 10;

impl Coordinator {
    pub(super) fn offset_fetch(&mut self, call: Call<'_>, request: OffsetFetchRequest) {
        if call.version >= MANY_GROUPS {
            // Asked for twice, a group is told once: else a short question could have an answer without end.
            let mut told = BTreeSet::new();
            let asked = request.groups.iter();
            let asked = asked.filter(|group| told.insert(group.group_id.as_str()));
            let groups = asked.map(|group| self.fetch_group(call.version, group)).collect();
            return self.desk.reply(
                call.ticket,
                OffsetFetchResponse {
                    groups,
                    ..OffsetFetchResponse::default()
                },
            );
        }
        if let Some(error) = self.partitions.refusal(&request.group_id) {
            return self.refuse(call, request, error);
        }
        let topics = request.topics.map(|topics| {
            let asked = topics.into_iter().map(|topic| OffsetFetchRequestTopics {
                name: topic.name,
                topic_id: Uuid::ZERO,
                partition_indexes: topic.partition_indexes,
            });
            asked.collect()
        });
        let group = OffsetFetchRequestGroup {
            group_id: request.group_id,
            topics,
            ..OffsetFetchRequestGroup::default()
        };
        let answer = self.fetch_group(call.version, &group);
        let topics = answer.topics.into_iter().map(of_old).collect();
        self.desk.reply(
            call.ticket,
            OffsetFetchResponse {
                topics,
                error_code: answer.error_code,
                ..OffsetFetchResponse::default()
            },
        );
    }

    fn fetch_group(&self, version: i16, asked: &OffsetFetchRequestGroup) -> OffsetFetchResponseGroup {
        let group_id = asked.group_id.clone();
        if let Some(error_code) = self.partitions.refusal(&group_id) {
            return OffsetFetchResponseGroup {
                group_id,
                error_code,
                ..OffsetFetchResponseGroup::default()
            };
        }
        let group = self.groups.get(group_id.as_str());
        let topics = match &asked.topics {
            Some(topics) => topics
                .iter()
                .map(|topic| self.fetch_topic(version, group, topic))
                .collect(),
            None => group.map_or_else(Vec::new, |group| self.all_topics(version, group)),
        };
        OffsetFetchResponseGroup {
            group_id,
            topics,
            error_code: code::NONE,
        }
    }

    /// The partitions asked for. Where nothing is committed the offset is -1, whether there is such a partition or not.
    fn fetch_topic(
        &self,
        version: i16,
        group: Option<&Group>,
        asked: &OffsetFetchRequestTopics,
    ) -> OffsetFetchResponseTopics {
        let known = self
            .desk
            .topics
            .by_id(asked.topic_id)
            .map(|(name, _)| name.to_owned());
        let (name, error) = match known {
            _ if version < TOPICS_BY_ID => (asked.name.clone(), code::NONE),
            Some(name) => (name, code::NONE),
            None => (String::new(), code::UNKNOWN_TOPIC_ID),
        };
        let partition = |index: &i32| {
            let committed = group.and_then(|group| group.committed(&name, *index));
            row(*index, committed.filter(|_| error == code::NONE), error)
        };
        OffsetFetchResponseTopics {
            partitions: asked.partition_indexes.iter().map(partition).collect(),
            name,
            topic_id: asked.topic_id,
        }
    }

    /// All that is committed. By id only what has one: a topic that is no more has none.
    fn all_topics(&self, version: i16, group: &Group) -> Vec<OffsetFetchResponseTopics> {
        let topic = |(name, partitions): (&str, Vec<(i32, &Committed)>)| {
            let topic_id = self.desk.topics.by_name(name).map(|topic| topic.id);
            if version >= TOPICS_BY_ID && topic_id.is_none() {
                return None;
            }
            Some(OffsetFetchResponseTopics {
                name: name.to_owned(),
                topic_id: topic_id.unwrap_or(Uuid::ZERO),
                partitions: partitions
                    .into_iter()
                    .map(|(index, committed)| row(index, Some(committed), code::NONE))
                    .collect(),
            })
        };
        group.committed_by_topic().filter_map(topic).collect()
    }
}

fn row(
    partition_index: i32,
    committed: Option<&Committed>,
    error_code: i16,
) -> OffsetFetchResponsePartitions {
    OffsetFetchResponsePartitions {
        partition_index,
        committed_offset: committed.map_or(-1, |committed| committed.offset),
        committed_leader_epoch: committed.map_or(-1, |committed| committed.leader_epoch),
        metadata: Some(committed.map_or_else(String::new, |committed| committed.metadata.clone())),
        error_code,
    }
}

/// The same, as versions 0 to 7 have it.
fn of_old(topic: OffsetFetchResponseTopics) -> OffsetFetchResponseTopic {
    let partitions = topic
        .partitions
        .into_iter()
        .map(|row| OffsetFetchResponsePartition {
            partition_index: row.partition_index,
            committed_offset: row.committed_offset,
            committed_leader_epoch: row.committed_leader_epoch,
            metadata: row.metadata,
            error_code: row.error_code,
        });
    OffsetFetchResponseTopic {
        name: topic.name,
        partitions: partitions.collect(),
    }
}
