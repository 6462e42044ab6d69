//! The offsets log as an ordinary reader without a group sees it: what each group's coordinator noted of it.
//!
//! - `seat`: one broker's seat: the connection over which its partitions are read
//! - `feed`: one partition: who leads it, how far it is read; `leaderless`: how many nobody leads
//! - `asking`: what each broker is asked next; `answers`: what became of that
//! - `reading`: bytes to records; `book`: what they say of each group; `classic`, `newer` (groups with epochs), `commits`: its parts
//! - `facts`: what the other parts of the survey want to know
//!
//! The end of each partition is read first, so that what happens is seen at once; then, beside it, all that was written
//! before, as fast as [`limits::LEDGER_PAST_RATE`] allows.

mod answers;
mod asking;
mod book;
mod classic;
mod commits;
mod facts;
mod feed;
mod leaderless;
mod newer;
mod reading;
mod seat;

use std::collections::{BTreeMap, VecDeque};

use shared::event::{LogAccess, Rebalanced};
use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::{Uuid, offsets_log};
use shared::time::{Millis, Timestamp, UnixMs};

use self::feed::Feed;
use self::leaderless::Leaders;
use self::reading::Desk;
use self::seat::{Seat, link};
use super::line::Line;
use super::port::{Input, Output};
use crate::kafka::cluster::Broker;
use crate::limits;

pub(super) use self::facts::{Committed, Course, Hidden, Sign, Stamp};
pub(super) use self::newer::Step;
pub use self::reading::Counts;

/// The topic.
const LOG: &str = "__consumer_offsets";

/// What is known from the offsets log, and how far it is read.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    seats: BTreeMap<NodeId, Seat>,
    feeds: BTreeMap<i32, Feed>,
    topic_id: Uuid,
    access: Access,
    /// How far it can be read, as told last.
    told: Option<LogAccess>,
    leaders: Leaders,
    /// When it was asked for last and was not there; none once it is.
    absent: Option<Timestamp>,
    /// When the right to read it was refused last; none while it is there.
    denied: Option<Timestamp>,
    tokens: u64,
    search: Search,
    desk: Desk,
    pace: Pace,
    /// Until when nothing is read where there is something of before our start to be read: what is written meanwhile waits.
    rests: Timestamp,
}

/// How fast what was written before our start is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Pace {
    /// As a guest that its brokers hardly notice: [`limits::LEDGER_PAST_RATE`].
    #[default]
    Background,
    /// As fast as they give it.
    Full,
}

impl Pace {
    /// How long to wait after so many bytes.
    fn pause(self, bytes: usize) -> Millis {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        match self {
            Self::Background => Millis(bytes.saturating_mul(1_000) / limits::LEDGER_PAST_RATE),
            Self::Full => Millis(0),
        }
    }

    /// Bytes of records in one answer.
    const fn fetch(self) -> i32 {
        match self {
            Self::Background => limits::LEDGER_FETCH,
            Self::Full => limits::LEDGER_FETCH_FULL,
        }
    }

    /// Whether the end of the log is looked at between two answers of what was written before.
    const fn looks_up(self) -> bool {
        matches!(self, Self::Background)
    }
}

/// Whether the log can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Access {
    #[default]
    Unknown,
    Absent,
    Denied,
    Open,
}

/// When to ask where the log's partitions are, and whom.
#[derive(Debug)]
struct Search {
    /// None while nothing calls for it.
    due: Option<Timestamp>,
    /// Who has been asked.
    asked: Option<NodeId>,
    /// Whom a connection was made to last for that.
    turn: Option<NodeId>,
    /// When it was answered last.
    answered: Timestamp,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            due: Some(Timestamp::default()),
            asked: None,
            turn: None,
            answered: Timestamp::default(),
        }
    }
}

/// What the end of the log told.
#[derive(Debug)]
pub(super) enum News {
    /// A rebalance has ended.
    Turned(Turned),
    /// Static members came back, each under another id, without a rebalance.
    Replaced {
        /// In which group.
        group: GroupId,
        /// When, by the broker's clock.
        at: UnixMs,
        /// The old ids and the new ones.
        heirs: Vec<(MemberId, MemberId)>,
    },
    /// There is no group of that name any more: it was deleted, or forgotten with its last offset.
    Ended(Ended),
    /// A group with epochs is a step further.
    Stepped {
        /// Which.
        group: GroupId,
        /// When, by the broker's clock.
        at: UnixMs,
        /// How.
        step: Step,
    },
}

/// A group that is there no more.
#[derive(Debug)]
pub(super) struct Ended {
    /// Which.
    pub(super) group: GroupId,
    /// The generation or epoch it was in, where that is known.
    pub(super) number: Option<i32>,
    /// When, by the broker's clock.
    pub(super) at: UnixMs,
    /// It was so after this, by ours.
    pub(super) since: Timestamp,
}

/// A rebalance that has ended.
#[derive(Debug)]
pub(super) struct Turned {
    /// Of which group.
    pub(super) group: GroupId,
    /// What is known of it.
    pub(super) rebalanced: Rebalanced,
    /// The end of its join phase, by the broker's clock.
    pub(super) formed_at: Option<UnixMs>,
    /// Its end, by the broker's clock.
    pub(super) at: UnixMs,
    /// It ended after this, by ours.
    pub(super) since: Timestamp,
}

impl Ledger {
    /// Nothing read; what was written before our start is read at this pace.
    pub(super) fn at_pace(pace: Pace) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// Takes in what happened; of a connection's happenings only those of its own lane.
    pub(super) fn handle(&mut self, now: Timestamp, input: Input, out: &mut VecDeque<Output>) {
        match input {
            Input::Same { .. } | Input::Found { .. } | Input::NotFound { .. } | Input::Time => {}
            Input::Opened { link, versions } => {
                if let Some(seat) = self.seats.get_mut(&link.node) {
                    seat.line = Line::Up(versions);
                }
            }
            Input::Ended { link, .. } => self.ended(now, link.node),
            Input::Answered {
                link,
                token,
                response,
                ..
            } => self.answered(now, link.node, token, response, out),
        }
        self.ask_on(now, out);
    }

    /// The brokers there are.
    pub(super) fn found(&mut self, now: Timestamp, brokers: &[Broker], out: &mut VecDeque<Output>) {
        for broker in brokers.iter().take(limits::BROKERS) {
            let Ok(address) = &broker.address else { continue };
            let seat = self.seats.entry(broker.node).or_default();
            let before = seat.address.replace(address.clone());
            if before.is_some_and(|before| before != *address) && seat.line.is_linked() {
                out.push_back(Output::Close {
                    link: link(broker.node),
                });
                self.ended(now, broker.node);
            }
        }
    }

    /// Reads nothing of before our start until then; where that is over, what there is to ask is asked at once.
    pub(super) fn rest(&mut self, now: Timestamp, until: Timestamp, out: &mut VecDeque<Output>) {
        let over = self.rests > now && until <= now;
        self.rests = until;
        if over {
            self.ask_on(now, out);
        }
    }

    /// What the end of the log has told since this was asked last.
    pub(super) fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.desk.news)
    }

    /// How many partitions the log has, and who leads each, where somebody does.
    pub(super) fn leaders(&self) -> (i32, BTreeMap<i32, NodeId>) {
        let led = self
            .feeds
            .iter()
            .filter_map(|(partition, feed)| Some((*partition, feed.leader?)));
        let partitions = i32::try_from(self.feeds.len()).unwrap_or(i32::MAX);
        (partitions, led.collect())
    }

    /// Who leads the partition that a group's records stand in, where that is known.
    pub(super) fn leader_of(&self, group: &GroupId) -> Option<NodeId> {
        self.feed_of(group)?.leader
    }

    fn feed_of(&self, group: &GroupId) -> Option<&Feed> {
        let partitions = i32::try_from(self.feeds.len()).ok().filter(|count| *count > 0)?;
        self.feeds
            .get(&offsets_log::partition_of(group.as_str(), partitions))
    }

    /// Whether lists of all brokers at `at` say that there was no such group: not where nobody led its partition then, or somebody
    /// who may not have read it, as far as the log may be seen.
    pub(super) fn was_listed(&self, group: &GroupId, at: Timestamp) -> bool {
        !matches!(self.access, Access::Open)
            || self
                .feed_of(group)
                .is_some_and(|feed| feed.leader.is_some() && feed.led_since <= at)
    }

    /// Whether nobody that answers leads the partition that a group's records stand in, as far as the log may be seen: then no
    /// broker lists the group, though it is as it was.
    pub(super) fn is_led_by_nobody(&self, group: &GroupId) -> bool {
        let leads = |leader: NodeId| self.seats.get(&leader).is_some_and(|seat| seat.line.is_up());
        matches!(self.access, Access::Open) && !self.leader_of(group).is_some_and(leads)
    }

    /// What was read, and what could not be.
    pub(super) const fn counts(&self) -> Counts {
        self.desk.counts
    }

    /// When something is due.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let idle = |seat: &&Seat| seat.line.is_up() && seat.asked.is_none();
        let search = self.search.due.filter(|_| self.search.asked.is_none());
        let search = search.and_then(|due| {
            let able = self.seats.values().filter(idle).filter(|seat| seat.can_locate());
            let asked = able.map(|seat| seat.rests).min();
            let ready = if self.has_nobody_to_ask() {
                self.seats.values().filter_map(Seat::retry).min()?
            } else {
                asked?
            };
            Some(due.max(ready))
        });
        let leaders = self
            .feeds
            .values()
            .filter_map(|feed| self.seats.get(&feed.leader?));
        let leaders = leaders.filter_map(|seat| match seat.line {
            Line::Down { .. } => seat.retry(),
            Line::Up(_) if seat.asked.is_none() && seat.can_read() => Some(seat.rests.max(self.rests)),
            _ => None,
        });
        leaders.chain(search).chain(self.overdue()).min()
    }

    /// A connection is no more.
    fn ended(&mut self, now: Timestamp, node: NodeId) {
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        seat.line = Line::Down {
            retry: now + limits::LEDGER_RETRY,
        };
        seat.asked = None;
        if self.search.asked == Some(node) {
            self.search.asked = None;
        }
        if self.feeds.values().any(|feed| feed.leader == Some(node)) {
            self.look_for_leaders(now);
        }
    }

    /// Somebody else may lead a partition now: asked at once, but not again and again.
    fn look_for_leaders(&mut self, now: Timestamp) {
        let soon = now.max(self.search.answered + limits::LEDGER_RETRY);
        self.search.due = Some(self.search.due.map_or(soon, |due| due.min(soon)));
    }
}

#[cfg(test)]
mod tests;
