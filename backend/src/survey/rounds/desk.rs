//! One broker's desk: its connection, and what it is still to be asked in this round.

use std::collections::{BTreeMap, VecDeque};

use shared::ids::{GroupId, NodeId};
use shared::protocol::{AnyRequest, ApiKey};
use shared::time::Timestamp;

use super::{committed, ends, shares};
use crate::kafka::address::Address;
use crate::limits;
use crate::survey::line::Line;
use crate::survey::port::{Lane, Link};

/// A question: what it is, in which version, and its request.
pub(super) type Question = (What, i16, AnyRequest);

/// A broker.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) address: Option<Address>,
    pub(super) line: Line,
    /// Whether its last connection failed: no round waits for the next one.
    pub(super) failed: bool,
    pub(super) asked: BTreeMap<u64, Asked>,
    /// Groups it coordinates, whose commits are still to be asked for.
    pub(super) groups: VecDeque<GroupId>,
    /// How many of them go into one request: half as many after a request that ended the connection.
    pub(super) batch: usize,
    /// Share groups it coordinates, of which it is still to be asked how far they have come.
    pub(super) shares: VecDeque<GroupId>,
    /// Until when it is not asked that any more: it took so long that the connection ended.
    pub(super) shares_wait: Timestamp,
    /// How many groups the last round had no time to ask about.
    pub(super) put_off: usize,
    /// The last group answered about in a round whose time was up before all were; the next round begins behind it.
    after: Option<GroupId>,
    /// Partitions it leads, by topic, whose ends are still to be asked for.
    pub(super) ends: VecDeque<(String, Vec<i32>)>,
}

/// What is asked and not yet answered.
#[derive(Debug)]
pub(super) struct Asked {
    /// In which step.
    pub(super) step: u64,
    pub(super) what: What,
}

/// What was asked.
#[derive(Debug)]
pub(super) enum What {
    /// What these groups have committed.
    Groups(Vec<GroupId>),
    /// How far share groups have come.
    Shares,
    /// Who leads topics.
    Topics,
    /// Where partitions end.
    Ends,
    /// Who coordinates groups of certain names.
    Names,
    /// How these groups are set.
    Settings(Vec<GroupId>),
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            address: None,
            line: Line::default(),
            failed: false,
            asked: BTreeMap::new(),
            groups: VecDeque::new(),
            batch: limits::SURVEY_BATCH,
            shares: VecDeque::new(),
            shares_wait: Timestamp::default(),
            put_off: 0,
            after: None,
            ends: VecDeque::new(),
        }
    }
}

impl Desk {
    /// Its connection could not be made, or is no more; what was asked on it, which is returned, waits for the next round.
    pub(super) fn ended(&mut self, now: Timestamp) -> BTreeMap<u64, Asked> {
        let groups = |asked: &Asked| matches!(asked.what, What::Groups(_));
        if self.asked.values().any(groups) {
            // Perhaps the answer was larger than we take.
            self.batch = (self.batch / 2).max(1);
        }
        if self
            .asked
            .values()
            .any(|asked| matches!(asked.what, What::Shares))
        {
            // Its coordinator waits for others, who keep the state of share groups; nobody else's offsets wait with it again.
            self.shares_wait = now + limits::ROUND_SHARES_WAIT;
        }
        self.failed = true;
        self.line = Line::Down {
            retry: now + limits::SURVEY_RETRY,
        };
        std::mem::take(&mut self.asked)
    }

    pub(super) fn has_work(&self) -> bool {
        !self.groups.is_empty() || !self.shares.is_empty() || !self.ends.is_empty()
    }

    /// Whether it takes one more request: few at once, so that nobody else's wait behind ours.
    pub(super) fn has_room(&self) -> bool {
        self.line.is_up() && self.asked.len() < limits::SURVEY_UNANSWERED
    }

    pub(super) fn is_asked_in(&self, step: u64) -> bool {
        self.asked.values().any(|asked| asked.step == step)
    }

    /// Whether a question that is for anybody may be answered here.
    pub(super) const fn may_answer(&self) -> bool {
        self.line.is_up() || (self.line.is_linked() && !self.failed)
    }

    /// When a connection can be made that there is work for.
    pub(super) fn retry(&self) -> Option<Timestamp> {
        match self.line {
            Line::Down { retry } if self.has_work() && self.address.is_some() => Some(retry),
            _ => None,
        }
    }

    /// Takes the groups of a round, which are in order: those come first that the round before had no time for.
    pub(super) fn begin(&mut self) {
        if let Some(after) = &self.after {
            let first = self.groups.partition_point(|id| id <= after);
            self.groups.rotate_left(first);
        }
    }

    /// What these groups have committed was answered.
    pub(super) fn heard_of(&mut self, groups: &[GroupId]) {
        let unanswered = |asked: &Asked| matches!(asked.what, What::Groups(_));
        let more = !self.groups.is_empty() || self.asked.values().any(unanswered);
        self.after = groups.last().filter(|_| more).cloned();
    }

    /// Counts the groups there was no time for, when the commits of a round are over; `step` is that of commits.
    pub(super) fn count_put_off(&mut self, step: u64) {
        let unanswered = self.asked.values().filter(|asked| asked.step == step);
        let unanswered = unanswered.map(|asked| match &asked.what {
            What::Groups(groups) => groups.len(),
            _ => 0,
        });
        self.put_off = self.groups.len() + unanswered.sum::<usize>();
    }

    /// What there was no time for is not asked any more in this round.
    pub(super) fn drop_rest(&mut self) {
        self.groups.clear();
        self.shares.clear();
        self.ends.clear();
    }

    /// The next groups whose commits are asked for; where it does not understand that, none and no more of them.
    pub(super) fn next_groups(&mut self) -> Option<Question> {
        let version = self
            .line
            .version(ApiKey::OffsetFetch)
            .and_then(committed::version);
        let Some(version) = version else {
            self.groups.clear();
            return None;
        };
        let many = if committed::takes_many(version) {
            self.batch
        } else {
            1
        };
        let batch: Vec<GroupId> = self.groups.drain(..many.min(self.groups.len())).collect();
        if batch.is_empty() {
            return None;
        }
        let request = committed::request(version, &batch);
        Some((What::Groups(batch), version, request.into()))
    }

    /// The next share groups of which it is asked how far they have come; where it does not understand that, none and no more of
    /// them.
    pub(super) fn next_shares(&mut self) -> Option<Question> {
        let Some(version) = self.line.version(ApiKey::DescribeShareGroupOffsets) else {
            self.shares.clear();
            return None;
        };
        let many = limits::ROUND_SHARES.min(self.shares.len());
        let batch: Vec<GroupId> = self.shares.drain(..many).collect();
        (!batch.is_empty()).then(|| (What::Shares, version, shares::request(&batch).into()))
    }

    /// The next partitions whose ends are asked for; where it does not understand that, none and no more of them.
    pub(super) fn next_ends(&mut self) -> Option<Question> {
        let version = self.line.version(ApiKey::ListOffsets);
        let Some(version) = version.filter(|version| *version >= ends::LIST_OFFSETS) else {
            self.ends.clear();
            return None;
        };
        let mut room = limits::ROUND_ENDS;
        let mut batch = Vec::new();
        while room > 0
            && let Some((topic, mut partitions)) = self.ends.pop_front()
        {
            if partitions.len() > room {
                self.ends.push_front((topic.clone(), partitions.split_off(room)));
            }
            room -= partitions.len();
            batch.push((topic, partitions));
        }
        (!batch.is_empty()).then(|| (What::Ends, version, ends::request(batch).into()))
    }
}

/// The connection to a broker.
pub(super) const fn link(node: NodeId) -> Link {
    Link {
        node,
        lane: Lane::Rounds,
    }
}
