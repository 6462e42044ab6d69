//! OffsetCommit, in memory, and what it does to membership (protocol.md 3.7; Kafka's `validateOffsetCommit`).

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::error_code as code;
use shared::event::Change;
use shared::ids::{Generation, MemberId};
use shared::protocol::offsets_log::{OffsetCommitKey, OffsetCommitValue, OffsetsRecord};
use shared::protocol::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitResponse, OffsetCommitResponsePartition,
    OffsetCommitResponseTopic, Uuid,
};

use super::append::append_error;
use super::{Desk, Group, State, Waiting};
use crate::coordinator::topics::{Topic, Topics};
use crate::coordinator::{Call, Ticket};
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

/// What of a commit is on its way into the log.
#[derive(Debug)]
pub(super) struct Committing {
    ticket: Ticket,
    by: CommitBy,
    /// The answer where it succeeds.
    response: OffsetCommitResponse,
    offsets: Vec<(String, i32, Committed)>,
    /// How many of them nothing was committed for before.
    pub(super) new: usize,
}

/// Who commits.
#[derive(Debug)]
struct CommitBy {
    member: Option<MemberId>,
    generation: Generation,
    /// No member at all, as tools and simple consumers do.
    from_outside: bool,
}

impl Committing {
    pub(super) fn bytes(&self) -> usize {
        self.offsets
            .iter()
            .map(|(_, _, committed)| committed.metadata.len())
            .sum()
    }

    #[cfg(any(test, feature = "fuzz"))]
    pub(super) const fn ticket(&self) -> Ticket {
        self.ticket
    }
}

/// What of a commit is taken so far.
#[derive(Debug, Default)]
struct Staged {
    offsets: Vec<(String, i32, Committed)>,
    new: usize,
    bytes: usize,
}

impl Offsets {
    pub(crate) fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }

    /// What is committed for a partition.
    pub(crate) fn get(&self, topic: &str, partition: i32) -> Option<&Committed> {
        self.topics.get(topic)?.get(&partition)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = (String, i32)> {
        self.topics
            .iter()
            .flat_map(|(topic, partitions)| partitions.keys().map(|partition| (topic.clone(), *partition)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Committed> {
        self.topics.values().flat_map(BTreeMap::values)
    }
}

impl Group {
    /// A member, or somebody outside while the group is empty, commits how far it has read. It is answered when the log has
    /// what was committed.
    pub(crate) fn commit(&mut self, desk: &mut Desk, call: Call<'_>, request: OffsetCommitRequest) {
        let checked = self.check_commit(desk, &request);
        if checked.is_ok() && matches!(self.state, State::Stable | State::PreparingRebalance) {
            // A commit proves that the member lives as well as a heartbeat does (KAFKA-3470).
            self.renew(desk, &request.member_id);
        }
        let by = CommitBy {
            member: self
                .members
                .get(request.member_id.as_str())
                .map(|member| member.id.clone()),
            generation: Generation(request.generation_id_or_member_epoch),
            from_outside: request.member_id.is_empty(),
        };
        let mut staged = Staged::default();
        let topics = Arc::clone(&desk.topics);
        let response = answer_each(&topics, call.version, request, |name, partition| {
            checked
                .and_then(|()| self.stage(desk, &mut staged, name, partition))
                .err()
                .unwrap_or(code::NONE)
        });
        if staged.offsets.is_empty() {
            return self.answer_commit(desk, call.ticket, response, &by);
        }
        let records = self.commit_records(&staged.offsets);
        let commit = Committing {
            ticket: call.ticket,
            by,
            response,
            offsets: staged.offsets,
            new: staged.new,
        };
        self.append(desk, records, Waiting::Commit(commit));
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

    /// Takes one partition of a commit, if there is room for it.
    fn stage(
        &self,
        desk: &Desk,
        staged: &mut Staged,
        topic: &str,
        partition: &OffsetCommitRequestPartition,
    ) -> Result<(), i16> {
        let metadata = partition.committed_metadata.clone().unwrap_or_default();
        if metadata.len() > desk.config.offset_metadata_max {
            return Err(code::OFFSET_METADATA_TOO_LARGE);
        }
        let is_new = self.offsets.get(topic, partition.partition_index).is_none();
        let full = is_new && desk.load.offsets + staged.new >= limits::COORDINATOR_OFFSETS;
        if full || !desk.load.has_room_for_bytes(staged.bytes + metadata.len()) {
            return Err(code::INVALID_COMMIT_OFFSET_SIZE);
        }
        staged.new += usize::from(is_new);
        staged.bytes += metadata.len();
        let committed = Committed {
            offset: partition.committed_offset,
            leader_epoch: partition.committed_leader_epoch,
            metadata,
        };
        staged
            .offsets
            .push((topic.to_owned(), partition.partition_index, committed));
        Ok(())
    }

    fn commit_records(&self, offsets: &[(String, i32, Committed)]) -> Vec<OffsetsRecord> {
        let record = |(topic, partition, committed): &(String, i32, Committed)| {
            let key = OffsetCommitKey {
                group: self.id.as_str().into(),
                topic: topic.clone(),
                partition: *partition,
            };
            let value = OffsetCommitValue {
                offset: committed.offset,
                leader_epoch: committed.leader_epoch,
                metadata: committed.metadata.clone(),
                commit_timestamp: -1,
                ..OffsetCommitValue::default()
            };
            OffsetsRecord::Commit(key, Some(value))
        };
        offsets.iter().map(record).collect()
    }

    /// The log has the commit, or has not: then none of it counts.
    pub(super) fn committed_or_not(&mut self, desk: &mut Desk, commit: Committing, result: Result<(), i16>) {
        let Committing {
            ticket,
            by,
            mut response,
            offsets,
            ..
        } = commit;
        match result {
            Ok(()) => {
                for (topic, partition, committed) in offsets {
                    self.keep(desk, topic, partition, committed);
                }
                self.establish(desk, None);
                self.keep_or_forget_later(desk);
            }
            Err(error) => {
                let error = match append_error(error) {
                    code::UNKNOWN_SERVER_ERROR if error != code::UNKNOWN_SERVER_ERROR => {
                        code::INVALID_COMMIT_OFFSET_SIZE
                    }
                    error => error,
                };
                let partitions = response.topics.iter_mut().flat_map(|topic| &mut topic.partitions);
                for partition in partitions.filter(|partition| partition.error_code == code::NONE) {
                    partition.error_code = error;
                }
            }
        }
        self.answer_commit(desk, ticket, response, &by);
    }

    /// Answers a commit and tells of it. Of strangers nothing is told: their ids would fill the board.
    fn answer_commit(&self, desk: &mut Desk, ticket: Ticket, response: OffsetCommitResponse, by: &CommitBy) {
        let partitions = response.topics.iter().flat_map(|topic| &topic.partitions);
        let error = partitions
            .map(|partition| partition.error_code)
            .find(|error| *error != code::NONE);
        desk.reply(ticket, response);
        if by.member.is_some() || by.from_outside {
            let change = Change::CommitReceived {
                generation: by.generation,
                error: error.unwrap_or(code::NONE),
            };
            desk.observe(&self.id, by.member.as_ref(), change);
        }
    }

    fn keep(&mut self, desk: &mut Desk, topic: String, partition: i32, committed: Committed) {
        desk.load.offsets += 1;
        desk.load.bytes += committed.metadata.len();
        let partitions = self.offsets.topics.entry(topic).or_default();
        if let Some(before) = partitions.insert(partition, committed) {
            desk.load.offsets -= 1;
            desk.load.bytes -= before.metadata.len();
        }
    }

    /// An offset that the group's records have.
    pub(super) fn restore(&mut self, desk: &mut Desk, key: OffsetCommitKey, value: OffsetCommitValue) {
        let committed = Committed {
            offset: value.offset,
            leader_epoch: value.leader_epoch,
            metadata: value.metadata,
        };
        self.keep(desk, key.topic, key.partition, committed);
    }

    /// All that the group has committed, topic by topic.
    pub(crate) fn committed_by_topic(&self) -> impl Iterator<Item = (&str, Vec<(i32, &Committed)>)> {
        self.offsets.topics.iter().map(|(topic, partitions)| {
            let partitions = partitions.iter().map(|(index, committed)| (*index, committed));
            (topic.as_str(), partitions.collect())
        })
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
