//! Where the logs end: who leads a partition is told by any broker, where it ends by its leader alone.

use std::collections::{BTreeMap, VecDeque};

use shared::error_code;
use shared::ids::NodeId;
use shared::protocol::{
    ApiKey, ListOffsetsPartition, ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopic, MetadataRequest,
    MetadataRequestTopic, MetadataResponse,
};
use shared::time::Timestamp;

use super::committed::Standing;
use super::desk::{Desk, Question, What};
use super::hidden::Hidden;
use crate::limits;
use crate::survey::port::Output;

/// The first version of ListOffsets that tells one offset (KIP-79).
pub(super) const LIST_OFFSETS: i16 = 1;

/// The first version of Metadata that may forbid to make the topic asked for (KAFKA-5291): a topic that was deleted must not
/// come back because somebody has committed offsets of it.
const METADATA: i16 = 4;

/// ListOffsets: the end of a partition.
const END: i64 = -1;

/// The topics that groups have commits of.
#[derive(Debug, Default)]
pub(super) struct Ends {
    topics: BTreeMap<String, Topic>,
    /// Of which topics it is to be asked who leads them.
    unknown: VecDeque<String>,
    /// Those that may not be seen.
    hidden: Hidden,
}

#[derive(Debug, Default)]
struct Topic {
    /// In the order of their numbers.
    partitions: Vec<Partition>,
    /// When it was told who leads them; none where one of them is to be asked for again.
    known: Option<Timestamp>,
    /// Whether it may be seen.
    shown: bool,
}

#[derive(Debug)]
struct Partition {
    number: i32,
    leader: Option<NodeId>,
    /// As answered in this round.
    end: Option<i64>,
    /// How many times in a row it was answered that there is no such partition.
    lacking: u8,
}

impl Topic {
    fn find(&self, number: i32) -> Option<&Partition> {
        let place = self.partitions.binary_search_by_key(&number, |row| row.number);
        self.partitions.get(place.ok()?)
    }

    fn find_mut(&mut self, number: i32) -> Option<&mut Partition> {
        let place = self.partitions.binary_search_by_key(&number, |row| row.number);
        self.partitions.get_mut(place.ok()?)
    }
}

impl Ends {
    /// Takes the partitions of which there are commits in this round, and no others.
    pub(super) fn begin<'a>(
        &mut self,
        now: Timestamp,
        groups: impl Iterator<Item = &'a Standing>,
        out: &mut VecDeque<Output>,
    ) {
        self.hidden.count(now, out);
        let mut wanted: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for group in groups {
            for (topic, partitions) in group.partitions() {
                wanted.entry(topic).or_default().extend(partitions);
            }
        }
        self.unknown.clear();
        let mut before = std::mem::take(&mut self.topics);
        for (name, mut numbers) in wanted {
            if numbers.is_empty() {
                continue;
            }
            numbers.sort_unstable();
            numbers.dedup();
            let old = before.remove(name).unwrap_or_default();
            let partitions = numbers.into_iter().map(|number| {
                let old = old.find(number);
                Partition {
                    number,
                    leader: old.and_then(|partition| partition.leader),
                    end: None,
                    lacking: old.map_or(0, |partition| partition.lacking),
                }
            });
            let partitions: Vec<Partition> = partitions.collect();
            let led = partitions.iter().all(|partition| partition.leader.is_some());
            let known = old
                .known
                .filter(|known| led && *known + limits::ROUND_LEADERS > now);
            if known.is_none() {
                self.unknown.push_back(name.to_owned());
            }
            let shown = old.shown;
            self.topics.insert(
                name.to_owned(),
                Topic {
                    partitions,
                    known,
                    shown,
                },
            );
        }
    }

    /// Whether it is to be asked who leads what.
    pub(super) fn wants(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// The next topics whose leaders are asked for.
    pub(super) fn next_topics(&mut self, desk: &Desk) -> Option<Question> {
        let version = desk.line.version(ApiKey::Metadata);
        let version = version.filter(|version| *version >= METADATA);
        let Some(version) = version else {
            // Nobody else in such a cluster will know better.
            self.unknown.clear();
            return None;
        };
        let many = limits::ROUND_TOPICS.min(self.unknown.len());
        let topics = self.unknown.drain(..many).map(|name| MetadataRequestTopic {
            name: Some(name),
            ..Default::default()
        });
        let topics: Vec<_> = topics.collect();
        if topics.is_empty() {
            return None;
        }
        let request = MetadataRequest {
            topics: Some(topics),
            allow_auto_topic_creation: false,
            ..Default::default()
        };
        Some((What::Topics, version, request.into()))
    }

    /// Takes in who leads what, as it was answered.
    pub(super) fn led(&mut self, now: Timestamp, answer: MetadataResponse, out: &mut VecDeque<Output>) {
        for told in answer.topics {
            let Some(name) = told.name else { continue };
            self.hidden.answered(now, &name, told.error_code, out);
            let Some(topic) = self.topics.get_mut(&name) else {
                continue;
            };
            topic.shown = told.error_code == error_code::NONE;
            let lacks = topic.shown || told.error_code == error_code::UNKNOWN_TOPIC_OR_PARTITION;
            for partition in &mut topic.partitions {
                partition.leader = None;
                partition.lacking = if lacks {
                    partition.lacking.saturating_add(1)
                } else {
                    0
                };
            }
            if topic.shown {
                for partition in told.partitions {
                    if let Some(row) = topic.find_mut(partition.partition_index) {
                        row.leader = (partition.leader_id >= 0).then_some(NodeId(partition.leader_id));
                        row.lacking = 0;
                    }
                }
            }
            topic.known = Some(now);
        }
    }

    /// Spreads the partitions over the desks of their leaders.
    pub(super) fn by_leader(&self, desks: &mut BTreeMap<NodeId, Desk>) {
        for (name, topic) in &self.topics {
            let mut led: BTreeMap<NodeId, Vec<i32>> = BTreeMap::new();
            for partition in &topic.partitions {
                if let Some(leader) = partition.leader {
                    led.entry(leader).or_default().push(partition.number);
                }
            }
            for (leader, numbers) in led {
                if let Some(desk) = desks.get_mut(&leader) {
                    desk.ends.push_back((name.clone(), numbers));
                }
            }
        }
    }

    /// Takes in where partitions end. Whose leader is another by now is asked for again in the next round.
    pub(super) fn ended(&mut self, now: Timestamp, answer: ListOffsetsResponse, out: &mut VecDeque<Output>) {
        for told in answer.topics {
            if let Some(first) = told.partitions.first() {
                self.hidden.answered(now, &told.name, first.error_code, out);
            }
            let Some(topic) = self.topics.get_mut(&told.name) else {
                continue;
            };
            for told in told.partitions {
                let end = (told.error_code == error_code::NONE && told.offset >= 0).then_some(told.offset);
                if end.is_none() {
                    topic.known = None;
                }
                if let Some(partition) = topic.find_mut(told.partition_index) {
                    partition.end = end;
                }
            }
        }
    }

    /// Whether a topic is there and may be seen.
    pub(super) fn shows(&self, topic: &str) -> bool {
        self.topics.get(topic).is_some_and(|topic| topic.shown)
    }

    /// Whether the cluster has no such partition: a broker that is just starting says so once of any.
    pub(super) fn lacks(&self, topic: &str, partition: i32) -> bool {
        let row = self.topics.get(topic).and_then(|topic| topic.find(partition));
        row.is_some_and(|row| row.lacking > 1)
    }

    /// Where a partition ends, as answered in this round.
    pub(super) fn of(&self, topic: &str, partition: i32) -> Option<i64> {
        self.topics.get(topic)?.find(partition)?.end
    }
}

/// The request for the ends of these partitions: all records count, those of transactions under way included, as for
/// Kafka's own ConsumerGroupCommand.
pub(super) fn request(partitions: Vec<(String, Vec<i32>)>) -> ListOffsetsRequest {
    let topics = partitions.into_iter().map(|(name, numbers)| {
        let partitions = numbers.into_iter().map(|partition_index| ListOffsetsPartition {
            partition_index,
            timestamp: END,
            ..Default::default()
        });
        ListOffsetsTopic {
            name,
            partitions: partitions.collect(),
        }
    });
    ListOffsetsRequest {
        replica_id: -1,
        topics: topics.collect(),
        ..Default::default()
    }
}
