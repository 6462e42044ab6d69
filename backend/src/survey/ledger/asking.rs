//! What each broker is asked next, and whom there is to be a connection to.

use std::collections::VecDeque;

use shared::ids::NodeId;
use shared::protocol::{
    AnyRequest, ApiKey, FetchPartition, FetchRequest, FetchTopic, ListOffsetsPartition, ListOffsetsRequest,
    ListOffsetsTopic, MetadataRequest, MetadataRequestTopic, Uuid,
};
use shared::time::{Millis, Timestamp};

use super::feed::{Feed, Past};
use super::seat::{Asked, Seat, What, link};
use super::{LOG, Ledger};
use crate::limits;
use crate::survey::line::Line;
use crate::survey::port::Output;

/// The first version of Metadata that may forbid to make the topic asked for (KAFKA-5291).
const METADATA: i16 = 4;

/// From this version on Fetch names topics by their ids (KIP-516).
const FETCH_BY_ID: i16 = 13;

/// ListOffsets: the end of a partition.
const END: i64 = -1;
/// And its begin.
const BEGIN: i64 = -2;

impl Ledger {
    /// Connects and asks as far as that is due.
    pub(super) fn ask_on(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        if self.overdue().is_some_and(|overdue| overdue <= now) {
            self.look_for_leaders(now);
        }
        self.connect(now, out);
        let idle = self.seats.iter().filter(|(_, seat)| seat.is_idle(now));
        let idle: Vec<NodeId> = idle.map(|(node, _)| *node).collect();
        for node in idle {
            let Some((what, request, wait)) = self.question(now, node) else {
                continue;
            };
            let Some(seat) = self.seats.get_mut(&node) else {
                continue;
            };
            let Some(version) = version(seat, &request, self.topic_id) else {
                seat.rests = now + limits::LEDGER_RETRY;
                continue;
            };
            if what == What::Where {
                self.search.asked = Some(node);
            }
            let answer = if what == What::Where {
                limits::LEDGER_WHERE
            } else {
                limits::LEDGER_ANSWER
            };
            self.tokens += 1;
            let token = self.tokens;
            seat.turn = seat.turn.wrapping_add(1);
            seat.asked = Some(Asked { token, at: now, what });
            out.push_back(Output::Ask {
                link: link(node),
                token,
                version,
                request,
                timeout: Millis(answer.0.saturating_add(wait.0)),
                compare: None,
            });
        }
    }

    /// When an answer about what is new is so late that somebody else may lead what was asked for: not before that was last asked.
    pub(super) fn overdue(&self) -> Option<Timestamp> {
        let leads = |node: NodeId| self.feeds.values().any(|feed| feed.leader == Some(node));
        let late = self.seats.iter().filter_map(|(node, seat)| {
            let tail = seat.asked.as_ref().filter(|asked| asked.what == What::Tail)?;
            leads(*node).then(|| tail.at + limits::LEDGER_POLL + limits::LEDGER_OVERDUE)
        });
        let again = self.search.answered + limits::LEDGER_OVERDUE;
        Some(late.min()?.max(again)).filter(|_| self.search.due.is_none() && self.search.asked.is_none())
    }

    /// Connections to those that lead a partition; while it is not known who does, to anybody; and to nobody else.
    fn connect(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        let searching = self.search.due.is_some_and(|due| due <= now);
        if searching && self.has_nobody_to_ask() {
            let due = |node: &NodeId| self.seats.get(node).is_some_and(|seat| seat.is_due(now));
            let after = self.search.turn;
            let mut later = self.seats.keys().filter(|node| Some(**node) > after);
            let next = later.find(|node| due(node));
            let next = next.or_else(|| self.seats.keys().find(|node| due(node))).copied();
            if let Some(node) = next {
                self.search.turn = Some(node);
                self.open(node, out);
            }
        }
        let nodes: Vec<NodeId> = self.seats.keys().copied().collect();
        for node in nodes {
            let leads = self.feeds.values().any(|feed| feed.leader == Some(node));
            let settled = self.search.due.is_none() && self.search.asked.is_none();
            let Some(seat) = self.seats.get_mut(&node) else {
                continue;
            };
            if leads && seat.is_due(now) {
                self.open(node, out);
            } else if !leads && settled && seat.line.is_up() && seat.asked.is_none() {
                seat.line = Line::Down { retry: now };
                out.push_back(Output::Close { link: link(node) });
            }
        }
    }

    /// Whether nobody can be asked where the partitions are, and nobody is connected to for that: a leader that is frozen takes the
    /// connection and says nothing.
    pub(super) fn has_nobody_to_ask(&self) -> bool {
        let leads = |node: NodeId| self.feeds.values().any(|feed| feed.leader == Some(node));
        let mut seats = self.seats.iter();
        !seats.any(|(node, seat)| seat.line.is_up() || (seat.line.is_linked() && !leads(*node)))
    }

    fn open(&mut self, node: NodeId, out: &mut VecDeque<Output>) {
        if let Some(seat) = self.seats.get_mut(&node)
            && let Some(address) = seat.address.clone()
        {
            seat.line = Line::Opening;
            out.push_back(Output::Open {
                link: link(node),
                address,
            });
        }
    }

    /// What to ask a broker that has answered all, and how long it may hold the answer back.
    fn question(&self, now: Timestamp, node: NodeId) -> Option<(What, AnyRequest, Millis)> {
        let seat = self.seats.get(&node)?;
        let searching = self.search.due.is_some_and(|due| due <= now);
        if searching && self.search.asked.is_none() && seat.can_locate() {
            return Some((What::Where, metadata().into(), Millis(0)));
        }
        let led = || {
            self.feeds
                .iter()
                .filter(move |(_, feed)| feed.leader == Some(node))
        };
        let numbers = |wanted: fn(&Feed) -> bool| -> Vec<i32> {
            led()
                .filter(|(_, feed)| wanted(feed))
                .map(|(number, _)| *number)
                .collect()
        };
        let endless = numbers(|feed| feed.tail.is_none());
        if !endless.is_empty() {
            return Some((What::Ends, list_offsets(&endless, END).into(), Millis(0)));
        }
        let unread = numbers(|feed| feed.past == Past::Unread);
        if !unread.is_empty() {
            return Some((What::Begins, list_offsets(&unread, BEGIN).into(), Millis(0)));
        }
        let past: Vec<(i32, i64)> = led()
            .filter_map(|(number, feed)| match feed.past {
                Past::Reading { next, .. } => Some((*number, next)),
                Past::Unread | Past::Read => None,
            })
            .collect();
        let more = !past.is_empty();
        if more && self.rests > now {
            return None;
        }
        let turn = seat.tail_last || !self.pace.looks_up();
        if more && turn && seat.past_due <= now {
            let request = self.fetch(past, seat.turn, Millis(0));
            return Some((What::Past, request.into(), Millis(0)));
        }
        let tails: Vec<(i32, i64)> = led()
            .filter_map(|(number, feed)| Some((*number, feed.tail?.next)))
            .collect();
        if tails.is_empty() {
            return None;
        }
        let wait = if more {
            Millis(seat.past_due.micros_since(now) / 1_000).min(limits::LEDGER_POLL)
        } else {
            limits::LEDGER_POLL
        };
        let request = self.fetch(tails, seat.turn, wait);
        Some((What::Tail, request.into(), wait))
    }

    /// All records, those of transactions under way included: what else stands behind them must not wait for their end.
    fn fetch(&self, mut from: Vec<(i32, i64)>, turn: usize, wait: Millis) -> FetchRequest {
        // What does not fit into one answer is what stands last.
        let first = turn.checked_rem(from.len()).unwrap_or(0);
        from.rotate_left(first);
        let partitions = from.into_iter().map(|(partition, fetch_offset)| FetchPartition {
            partition,
            fetch_offset,
            partition_max_bytes: self.pace.fetch(),
            ..FetchPartition::default()
        });
        FetchRequest {
            max_wait_ms: i32::try_from(wait.0).unwrap_or(0),
            min_bytes: 1,
            max_bytes: self.pace.fetch(),
            topics: vec![FetchTopic {
                topic: LOG.to_owned(),
                topic_id: self.topic_id,
                partitions: partitions.collect(),
            }],
            ..FetchRequest::default()
        }
    }
}

impl Seat {
    /// Whether a connection can be made now.
    fn is_due(&self, now: Timestamp) -> bool {
        self.line.is_due(now) && self.address.is_some()
    }

    /// When a connection can be made again.
    pub(super) fn retry(&self) -> Option<Timestamp> {
        match self.line {
            Line::Down { retry } => self.address.as_ref().map(|_| retry),
            Line::Opening | Line::Up(_) => None,
        }
    }

    /// Whether its broker can say where the log is.
    pub(super) fn can_locate(&self) -> bool {
        let version = self.line.version(ApiKey::Metadata);
        version.is_some_and(|version| version >= METADATA)
    }

    /// Whether its broker understands what reading takes.
    pub(super) fn can_read(&self) -> bool {
        [ApiKey::Fetch, ApiKey::ListOffsets]
            .iter()
            .all(|api| self.line.version(*api).is_some())
    }
}

/// The version to ask in.
fn version(seat: &Seat, request: &AnyRequest, topic_id: Uuid) -> Option<i16> {
    let version = seat.line.version(request.key())?;
    // Brokers that tell no topic ids take none.
    let unnamed = request.key() == ApiKey::Fetch && topic_id == Uuid::ZERO;
    Some(if unnamed {
        version.min(FETCH_BY_ID - 1)
    } else {
        version
    })
}

fn metadata() -> MetadataRequest {
    MetadataRequest {
        topics: Some(vec![MetadataRequestTopic {
            topic_id: Uuid::ZERO,
            name: Some(LOG.to_owned()),
        }]),
        allow_auto_topic_creation: false,
        ..MetadataRequest::default()
    }
}

fn list_offsets(partitions: &[i32], timestamp: i64) -> ListOffsetsRequest {
    let partitions = partitions.iter().map(|partition| ListOffsetsPartition {
        partition_index: *partition,
        timestamp,
        ..ListOffsetsPartition::default()
    });
    ListOffsetsRequest {
        replica_id: -1,
        topics: vec![ListOffsetsTopic {
            name: LOG.to_owned(),
            partitions: partitions.collect(),
        }],
        ..ListOffsetsRequest::default()
    }
}
