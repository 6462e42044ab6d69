//! OffsetCommit, in memory, and what it does to membership (protocol.md 3.7; Kafka's `validateOffsetCommit`).

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::error_code as code;
use shared::protocol::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitResponse, OffsetCommitResponsePartition,
    OffsetCommitResponseTopic, Uuid,
};

use super::{Desk, Group, State};
use crate::coordinator::topics::{Topic, Topics};
use crate::limits;

/// From this version on topics go by their id (KIP-848).
const TOPICS_BY_ID: i16 = 10;

/// Where a group has got to: topic -> partition -> what was committed.
#[derive(Debug, Default)]
pub(crate) struct Offsets {
    topics: BTreeMap<String, BTreeMap<i32, Committed>>,
}

/// One committed offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) offset: i64,
    /// -1 where the client did not say.
    pub(crate) leader_epoch: i32,
    pub(crate) metadata: String,
}

impl Offsets {
    pub(crate) fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }

    /// What is committed for a partition.
    pub(crate) fn get(&self, topic: &str, partition: i32) -> Option<&Committed> {
        self.topics.get(topic)?.get(&partition)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Committed> {
        self.topics.values().flat_map(BTreeMap::values)
    }
}

impl Group {
    /// A member, or somebody outside while the group is empty, commits how far it has read.
    pub(crate) fn commit(
        &mut self,
        desk: &mut Desk,
        version: i16,
        request: OffsetCommitRequest,
    ) -> OffsetCommitResponse {
        let checked = self.check_commit(desk, &request);
        if checked.is_ok() && matches!(self.state, State::Stable | State::PreparingRebalance) {
            // A commit proves that the member lives as well as a heartbeat does (KAFKA-3470).
            self.renew(desk, &request.member_id);
        }
        let response = answer_each(&Arc::clone(&desk.topics), version, request, |name, partition| {
            checked
                .and_then(|()| self.store(desk, name, partition))
                .err()
                .unwrap_or(code::NONE)
        });
        if checked.is_ok() {
            self.keep_or_forget_later(desk);
        }
        response
    }

    fn check_commit(&mut self, desk: &mut Desk, request: &OffsetCommitRequest) -> Result<(), i16> {
        let OffsetCommitRequest {
            member_id,
            group_instance_id,
            generation_id_or_member_epoch,
            ..
        } = request;
        let generation = *generation_id_or_member_epoch;
        if self.state == State::Dead {
            return Err(code::COORDINATOR_NOT_AVAILABLE);
        }
        if generation < 0 && self.state == State::Empty {
            return Ok(());
        }
        if generation < 0 && member_id.is_empty() && group_instance_id.is_none() {
            return Err(code::UNKNOWN_MEMBER_ID);
        }
        self.admit(desk, member_id, group_instance_id.as_deref())?;
        if generation != self.generation {
            Err(code::ILLEGAL_GENERATION)
        } else if self.state == State::CompletingRebalance {
            Err(code::REBALANCE_IN_PROGRESS)
        } else {
            Ok(())
        }
    }

    fn store(
        &mut self,
        desk: &mut Desk,
        topic: &str,
        partition: &OffsetCommitRequestPartition,
    ) -> Result<(), i16> {
        let metadata = partition.committed_metadata.clone().unwrap_or_default();
        if metadata.len() > desk.config.offset_metadata_max {
            return Err(code::OFFSET_METADATA_TOO_LARGE);
        }
        let known = self.offsets.get(topic, partition.partition_index);
        let (replaced, is_new) = (known.map_or(0, |known| known.metadata.len()), known.is_none());
        let full = is_new && desk.load.offsets >= limits::COORDINATOR_OFFSETS;
        if full || !desk.load.has_room_for_bytes(metadata.len()) {
            return Err(code::INVALID_COMMIT_OFFSET_SIZE);
        }
        desk.load.offsets += usize::from(is_new);
        desk.load.bytes = desk.load.bytes - replaced + metadata.len();
        let committed = Committed {
            offset: partition.committed_offset,
            leader_epoch: partition.committed_leader_epoch,
            metadata,
        };
        if !self.offsets.topics.contains_key(topic) {
            self.offsets.topics.insert(topic.to_owned(), BTreeMap::new());
        }
        if let Some(partitions) = self.offsets.topics.get_mut(topic) {
            partitions.insert(partition.partition_index, committed);
        }
        self.establish(desk);
        Ok(())
    }

    /// What the group has committed for a partition.
    pub(crate) fn committed(&self, topic: &str, partition: i32) -> Option<&Committed> {
        self.offsets.get(topic, partition)
    }

    pub(super) fn forget_offsets(&mut self, desk: &mut Desk) {
        let offsets = std::mem::take(&mut self.offsets);
        desk.load.offsets -= offsets.iter().count();
        desk.load.bytes -= offsets
            .iter()
            .map(|committed| committed.metadata.len())
            .sum::<usize>();
    }
}

/// Whether the request names at least one partition that is there.
pub(crate) fn names_a_partition(topics: &Topics, version: i16, request: &OffsetCommitRequest) -> bool {
    request.topics.iter().any(|asked| {
        let topic = find(topics, version, &asked.name, asked.topic_id);
        topic.is_some_and(|(_, topic)| asked.partitions.iter().any(|p| topic.has(p.partition_index)))
    })
}

/// Answers each partition: what is not there with 3 (by name) or 100 (by id), the others with what `judge` says.
pub(crate) fn answer_each(
    topics: &Topics,
    version: i16,
    request: OffsetCommitRequest,
    mut judge: impl FnMut(&str, &OffsetCommitRequestPartition) -> i16,
) -> OffsetCommitResponse {
    let mut response = OffsetCommitResponse::default();
    for asked in request.topics {
        let topic = find(topics, version, &asked.name, asked.topic_id);
        let answer = |partition: &OffsetCommitRequestPartition| OffsetCommitResponsePartition {
            partition_index: partition.partition_index,
            error_code: match topic {
                Some((name, topic)) if topic.has(partition.partition_index) => judge(name, partition),
                None if version >= TOPICS_BY_ID => code::UNKNOWN_TOPIC_ID,
                _ => code::UNKNOWN_TOPIC_OR_PARTITION,
            },
        };
        let partitions = asked.partitions.iter().map(answer).collect();
        response.topics.push(OffsetCommitResponseTopic {
            name: asked.name,
            topic_id: asked.topic_id,
            partitions,
        });
    }
    response
}

fn find<'a>(topics: &'a Topics, version: i16, name: &'a str, id: Uuid) -> Option<(&'a str, Topic)> {
    if version >= TOPICS_BY_ID {
        topics.by_id(id)
    } else {
        topics.by_name(name).map(|topic| (name, topic))
    }
}
