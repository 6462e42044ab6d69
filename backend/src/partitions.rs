//! The partitions of the topics as logs in memory, a sans-IO machine: Produce, Fetch, ListOffsets and InitProducerId.
//!
//! What `--topics` names exists, with all its partitions, led by the one broker at epoch 0; nothing else is ever made
//! (`auto.create.topics.enable=false`). Batches are kept as they came, compressed ones unopened. All logs together are
//! bounded in bytes: the oldest batches go first, and the log's start moves behind them, as by Kafka's retention.
//!
//! [`Partitions::handle`] takes the moment and an input, [`Partitions::poll`] gives what follows from it,
//! [`Partitions::deadline`] says when it wants to be woken. A Fetch that waits is told [`Output::Ready`] when it need not
//! wait any more; its records are taken by [`Partitions::collect`] only then, when there is room for them.
//!
//! # Layout
//!
//! - here: the machine's surface; [`produce`], [`fetch`], [`list_offsets`]: its requests
//! - [`log`]: one partition; [`batch`], [`records`]: what is in it; [`producers`]: who wrote it
//! - [`waiting`]: the Fetches that wait

mod batch;
mod fetch;
mod list_offsets;
mod log;
mod produce;
mod producers;
mod records;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::error_code as code;
use shared::protocol::{AnyRequest, AnyResponse, InitProducerIdRequest, InitProducerIdResponse, Uuid};
use shared::time::{Timestamp, UnixMs};

use crate::coordinator::Ticket;
use crate::coordinator::topics::Topics;
use crate::limits;
use log::Log;
use waiting::Waiting;

/// The epoch of every partition's leader: there is one broker, and it leads from the beginning.
pub const LEADER_EPOCH: i32 = 0;

pub use batch::TIMESTAMP_AFTER_MAX_MS;

/// A topic's id and a partition's number.
type Key = (Uuid, i32);

/// The circumstances of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub ticket: Ticket,
    /// The version of its API; one that the API's schema table has.
    pub version: i16,
    /// Bytes of records for which the answer has room.
    pub room: usize,
}

/// What the machine is told.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once; a box would cost an allocation a request"
)]
pub enum Input {
    /// A request came. Each is answered at once, but for a Fetch that waits.
    Request(Call, AnyRequest),
    /// Whoever waited behind a ticket has gone.
    Gone(Ticket),
    /// Time passed.
    Tick,
}

/// What the machine says.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// The answer to a request.
    Reply { ticket: Ticket, response: AnyResponse },
    /// A Fetch that waited may be collected.
    Ready(Ticket),
}

/// Where one partition's log ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub topic: String,
    pub partition: i32,
    /// The offset of the next record.
    pub offset: i64,
}

/// All logs.
#[derive(Debug)]
pub struct Partitions {
    topics: Arc<Topics>,
    /// Name and number of partitions by id.
    by_id: BTreeMap<Uuid, (String, i32)>,
    /// Only those that were ever written to.
    logs: BTreeMap<Key, Log>,
    /// The partition of each batch that is kept, the oldest batch first.
    order: VecDeque<Key>,
    /// Bytes of the batches that are kept, with [`limits::LOG_BATCH_OVERHEAD`].
    bytes: usize,
    /// The most of them.
    most_bytes: usize,
    /// Idempotent producers and where they wrote, the first that came first.
    writers: VecDeque<(Key, i64)>,
    next_producer_id: i64,
    waiting: Waiting,
    now: Timestamp,
    out: VecDeque<Output>,
}

impl Partitions {
    /// Empty logs of all partitions. `seed` is all the randomness it ever has: producer ids begin there, so that those of
    /// an earlier run are not given out again.
    #[must_use]
    pub fn new(topics: Arc<Topics>, seed: u64) -> Self {
        let by_id = topics
            .iter()
            .map(|(name, topic)| (topic.id, (name.to_owned(), topic.partitions)))
            .collect();
        Self {
            topics,
            by_id,
            logs: BTreeMap::new(),
            order: VecDeque::new(),
            bytes: 0,
            most_bytes: limits::LOG_BYTES,
            writers: VecDeque::new(),
            // Half of 53 bits: what clients in JavaScript can count.
            next_producer_id: (seed >> 12).cast_signed() & ((1 << 52) - 1),
            waiting: Waiting::default(),
            now: Timestamp::default(),
            out: VecDeque::new(),
        }
    }

    /// Takes an input at a moment, which is `unix` on the wall; deadlines that have passed by then come first. Time does
    /// not run backwards: an earlier moment than the last counts as the last.
    pub fn handle(&mut self, now: Timestamp, unix: UnixMs, input: Input) {
        self.now = self.now.max(now);
        self.ring();
        match input {
            Input::Request(call, request) => self.request(call, unix, request),
            Input::Gone(ticket) => drop(self.waiting.take(ticket)),
            Input::Tick => {}
        }
    }

    /// The next thing that follows from the inputs so far.
    pub fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When to give [`Input::Tick`] if nothing else comes first; none where nothing is due ever.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        self.waiting.deadline()
    }

    /// Where the logs end that were ever written to, by topic and partition: what a run leaves to the next.
    pub fn ends(&self) -> impl Iterator<Item = End> + '_ {
        self.logs.iter().filter_map(|((id, partition), log)| {
            let (name, _) = self.by_id.get(id)?;
            Some(End {
                topic: name.clone(),
                partition: *partition,
                offset: log.end(),
            })
        })
    }

    /// Takes up where an earlier run ended: the logs are empty and go on from there, as if retention had removed all
    /// records. Of several ends of one partition the last counts. What no longer is a partition is left out, as is one with
    /// records.
    pub fn resume(&mut self, ends: impl IntoIterator<Item = End>) {
        for end in ends {
            if let Ok(key) = self.key(false, &end.topic, Uuid::ZERO, end.partition) {
                self.logs.entry(key).or_default().resume(end.offset);
            }
        }
    }

    /// The offset of the next record of a partition; none where there is no such partition.
    #[must_use]
    pub fn end(&self, topic: &str, partition: i32) -> Option<i64> {
        let topic = self.topics.by_name(topic).filter(|topic| topic.has(partition))?;
        Some(self.logs.get(&(topic.id, partition)).map_or(0, Log::end))
    }

    fn request(&mut self, call: Call, unix: UnixMs, request: AnyRequest) {
        let response = match request {
            AnyRequest::Produce(request) => self.produce(call, unix, request).into(),
            AnyRequest::Fetch(request) => match self.fetch(call, request) {
                Some(response) => response.into(),
                None => return,
            },
            AnyRequest::ListOffsets(request) => self.list_offsets(call, &request).into(),
            AnyRequest::InitProducerId(request) => self.init_producer_id(&request).into(),
            other => other.error_response(call.version, code::UNSUPPORTED_VERSION),
        };
        self.out.push_back(Output::Reply {
            ticket: call.ticket,
            response,
        });
    }

    /// A producer without transactions gets the next id, whatever it held before (Kafka's `TransactionCoordinator`).
    fn init_producer_id(&mut self, request: &InitProducerIdRequest) -> InitProducerIdResponse {
        let error_code = match request.transactional_id.as_deref() {
            None => {
                let producer_id = self.next_producer_id;
                self.next_producer_id += 1;
                return InitProducerIdResponse {
                    producer_id,
                    ..InitProducerIdResponse::default()
                };
            }
            Some("") => code::INVALID_REQUEST,
            // There are no transactions here, and this is the code that producers do not try again after.
            Some(_) => code::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        };
        InitProducerIdResponse {
            error_code,
            producer_epoch: -1,
            ..InitProducerIdResponse::default()
        }
    }

    /// The partition that a request means: by the topic's name, or from the version on that has ids by its id.
    fn key(&self, by_id: bool, name: &str, id: Uuid, partition: i32) -> Result<Key, i16> {
        if by_id {
            let (_, partitions) = self.by_id.get(&id).ok_or(code::UNKNOWN_TOPIC_ID)?;
            let there = (0..*partitions).contains(&partition);
            return there
                .then_some((id, partition))
                .ok_or(code::UNKNOWN_TOPIC_OR_PARTITION);
        }
        let topic = self.topics.by_name(name).filter(|topic| topic.has(partition));
        topic
            .map(|topic| (topic.id, partition))
            .ok_or(code::UNKNOWN_TOPIC_OR_PARTITION)
    }

    /// Start and end of a partition's log.
    fn range(&self, key: Key) -> (i64, i64) {
        self.logs.get(&key).map_or((0, 0), |log| (log.start(), log.end()))
    }

    /// What was due by now happens.
    fn ring(&mut self) {
        while let Some(ticket) = self.waiting.pop_due(self.now) {
            self.out.push_back(Output::Ready(ticket));
        }
    }
}

/// Whether a client's view of who leads a partition is ours (KIP-320); -1 is no view.
const fn check_epoch(theirs: i32) -> Result<(), i16> {
    if theirs < 0 || theirs == LEADER_EPOCH {
        Ok(())
    } else if theirs < LEADER_EPOCH {
        Err(code::FENCED_LEADER_EPOCH)
    } else {
        Err(code::UNKNOWN_LEADER_EPOCH)
    }
}
