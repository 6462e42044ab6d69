//! Fetch: records from logs, now or when there are enough.

use shared::error_code as code;
use shared::protocol::{FetchRequest, FetchResponse, FetchableTopicResponse, PartitionData, Records, Uuid};
use shared::time::Millis;

use super::{Call, Key, Partitions, check_epoch};
use crate::coordinator::Ticket;
use crate::limits;

/// From this version on topics are named by their ids.
const BY_ID: i16 = 13;

/// The turns of a fetch session with which a Fetch is whole in itself: it begins a session (0), or does without (-1).
const WHOLE: [i32; 2] = [0, -1];

/// What a Fetch asks for, as long as it may have to be kept.
#[derive(Debug)]
pub(super) struct Wanted {
    by_id: bool,
    /// Only records of no transaction or a committed one.
    committed: bool,
    max_bytes: usize,
    topics: Vec<WantedTopic>,
}

#[derive(Debug)]
struct WantedTopic {
    name: String,
    id: Uuid,
    partitions: Box<[WantedPartition]>,
}

#[derive(Clone, Copy, Debug)]
struct WantedPartition {
    partition: i32,
    offset: i64,
    leader_epoch: i32,
    max_bytes: usize,
}

impl Wanted {
    fn new(version: i16, request: FetchRequest) -> Self {
        let bytes = |bytes: i32| usize::try_from(bytes).unwrap_or(0);
        let topics = request.topics.into_iter().map(|topic| WantedTopic {
            name: topic.topic,
            id: topic.topic_id,
            partitions: (topic.partitions.iter())
                .map(|partition| WantedPartition {
                    partition: partition.partition,
                    offset: partition.fetch_offset,
                    leader_epoch: partition.current_leader_epoch,
                    max_bytes: bytes(partition.partition_max_bytes),
                })
                .collect(),
        });
        Self {
            by_id: version >= BY_ID,
            committed: request.isolation_level == 1,
            max_bytes: bytes(request.max_bytes),
            topics: topics.collect(),
        }
    }

    /// How many partitions.
    pub(super) fn len(&self) -> usize {
        self.topics.iter().map(|topic| topic.partitions.len()).sum()
    }
}

impl Partitions {
    /// The answer, or none where it has to wait.
    ///
    /// No fetch session is ever given: every answer has the session 0, after which clients go on asking in full (KIP-227).
    pub(super) fn fetch(&mut self, call: Call, request: FetchRequest) -> Option<FetchResponse> {
        if !WHOLE.contains(&request.session_epoch) {
            return Some(FetchResponse {
                error_code: code::FETCH_SESSION_ID_NOT_FOUND,
                ..FetchResponse::default()
            });
        }
        let wait = Millis(u64::try_from(request.max_wait_ms).unwrap_or(0));
        let enough = usize::try_from(request.min_bytes).unwrap_or(0);
        let wanted = Wanted::new(call.version, request);
        let count = wanted.len();
        let (there, keys) = self.look(&wanted, enough);
        let parks = wait > Millis(0) && there < enough && count > 0;
        match keys {
            Some(keys) if parks && self.waiting.has_room_for(count) => {
                let due = self.now + wait;
                self.waiting.park(call.ticket, wanted, &keys, enough - there, due);
                None
            }
            _ => Some(self.answer(&wanted, call.room)),
        }
    }

    /// The answer to a Fetch that was parked, of at most `room` bytes of records; none where there is none.
    pub fn collect(&mut self, ticket: Ticket, room: usize) -> Option<FetchResponse> {
        let wanted = self.waiting.take(ticket)?;
        Some(self.answer(&wanted, room))
    }

    /// Bytes there are to read, counted no further than `enough`, and the partitions; none where one of them is answered
    /// with an error, so that there is nothing to wait for.
    fn look(&self, wanted: &Wanted, enough: usize) -> (usize, Option<Vec<Key>>) {
        let mut bytes = 0_usize;
        let mut keys = Vec::new();
        for topic in &wanted.topics {
            for partition in &topic.partitions {
                let Ok(key) = self.readable(wanted, topic, partition) else {
                    return (bytes, None);
                };
                if bytes < enough {
                    let there = self
                        .logs
                        .get(&key)
                        .map_or(0, |log| log.readable(partition.offset, enough - bytes));
                    bytes = bytes.saturating_add(there);
                }
                keys.push(key);
            }
        }
        (bytes, Some(keys))
    }

    /// The partition, where it may be read from the offset asked for.
    fn readable(
        &self,
        wanted: &Wanted,
        topic: &WantedTopic,
        partition: &WantedPartition,
    ) -> Result<Key, i16> {
        let key = self.key(wanted.by_id, &topic.name, topic.id, partition.partition)?;
        check_epoch(partition.leader_epoch)?;
        let holds = match self.logs.get(&key) {
            Some(log) => log.holds(partition.offset),
            None => partition.offset == 0,
        };
        if holds {
            Ok(key)
        } else {
            Err(code::OFFSET_OUT_OF_RANGE)
        }
    }

    /// What there is. The first batch comes whole even if it is longer than asked for (KIP-74), if there is room for any
    /// batch.
    fn answer(&self, wanted: &Wanted, room: usize) -> FetchResponse {
        let mut left = wanted.max_bytes.min(limits::FETCH_BYTES).min(room);
        let mut first = room >= limits::LOG_BATCH_BYTES;
        let mut responses = Vec::with_capacity(wanted.topics.len());
        for topic in &wanted.topics {
            let mut partitions = Vec::with_capacity(topic.partitions.len());
            for partition in &topic.partitions {
                let aborted_transactions = wanted.committed.then(Vec::new);
                partitions.push(match self.readable(wanted, topic, partition) {
                    Err(error_code) => PartitionData {
                        partition_index: partition.partition,
                        error_code,
                        high_watermark: -1,
                        aborted_transactions,
                        ..PartitionData::default()
                    },
                    Ok(key) => {
                        let most = partition.max_bytes.min(left);
                        let log = self.logs.get(&key);
                        let read = log.map_or_else(Vec::new, |log| log.read(partition.offset, most, first));
                        left = left.saturating_sub(read.len());
                        first &= read.is_empty();
                        let (start, end) = self.range(key);
                        PartitionData {
                            partition_index: partition.partition,
                            high_watermark: end,
                            last_stable_offset: end,
                            log_start_offset: start,
                            aborted_transactions,
                            records: Some(Records(read)),
                            ..PartitionData::default()
                        }
                    }
                });
            }
            responses.push(FetchableTopicResponse {
                topic: topic.name.clone(),
                topic_id: topic.id,
                partitions,
            });
        }
        FetchResponse {
            responses,
            ..FetchResponse::default()
        }
    }
}
