//! One broker's seat: its connection, what is asked of it and not yet answered, which of its groups are due.

use std::collections::{BTreeMap, BTreeSet};

use shared::event::{Change, LinkFault};
use shared::ids::{GroupId, NodeId};
use shared::protocol::{ApiKey, BrokerVersions};
use shared::time::Timestamp;

use super::group::Known;
use super::same::Remembered;
use super::trips::Trips;
use crate::kafka::address::Address;
use crate::limits;
use crate::survey::line::Line;
use crate::survey::look::Describe;

/// A broker.
#[derive(Debug, Default)]
pub(super) struct Seat {
    /// Where it says it is reached; none where that is no address.
    pub(super) address: Option<Address>,
    /// When it answered last.
    pub(super) answered_at: Option<Timestamp>,
    /// Since when it does, and when it told of a group last.
    pub(super) back_at: Timestamp,
    pub(super) described_at: Timestamp,
    /// Whether it answers, as was told last.
    pub(super) standing: Standing,
    /// Whether the cluster counts it among its brokers.
    pub(super) named: bool,
    /// When it told all its groups last.
    pub(super) listed_at: Option<Timestamp>,
    /// And the three times before, the later ones first: what the log tells may have been written before the last list was made.
    pub(super) listed_before: [Option<Timestamp>; 3],
    /// Whether a group of others was on its last whole list.
    pub(super) coordinates: bool,
    /// How long it takes to answer.
    pub(super) trips: Trips,
    link: Line,
    asked: BTreeMap<u64, Asked>,
    /// By the call that tells of them: groups that are not asked about right now, the first to be due first.
    plan: BTreeMap<Describe, BTreeSet<(Timestamp, GroupId)>>,
    /// When to list its groups again; none while that is asked.
    list_due: Option<Timestamp>,
    /// What it answered last.
    pub(super) remembered: Remembered,
}

/// Whether a broker answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has not answered yet, nor failed to.
    #[default]
    Unheard,
    /// It does.
    Answers,
    /// It does not.
    Silent,
}

/// What is asked and not yet answered.
#[derive(Debug)]
pub(super) enum Asked {
    /// Who is there.
    Brokers,
    /// What we may do.
    Rights,
    /// Its groups.
    List,
    /// Nothing: only how long the answer takes.
    Trip,
    /// These groups.
    Describe(Describe, Vec<GroupId>),
}

impl Seat {
    pub(super) fn opening(&mut self) {
        self.link = Line::Opening;
    }

    pub(super) fn opened(&mut self, now: Timestamp, versions: BrokerVersions) {
        self.link = Line::Up(versions);
        self.list_due = Some(now);
        self.trips.opened(now);
    }

    /// Whether a connection stands, or is made.
    pub(super) const fn is_linked(&self) -> bool {
        self.link.is_linked()
    }

    /// It has told all its groups.
    pub(super) fn told_all(&mut self, now: Timestamp) {
        self.listed_before.rotate_right(1);
        self.listed_before[0] = self.listed_at.replace(now);
    }

    /// Whether it answers: all that can be known of its groups comes from it.
    pub(super) const fn is_up(&self) -> bool {
        self.link.is_up()
    }

    /// Whether it was asked such a thing.
    pub(super) fn asks(&self, such: impl Fn(&Asked) -> bool) -> bool {
        self.asked.values().any(such)
    }

    /// Its connection is no more: what was asked on it is due again, as soon as there is another.
    pub(super) fn unlinked(&mut self, now: Timestamp, groups: &mut BTreeMap<GroupId, Box<Known>>) {
        self.link = Line::Down {
            retry: now + limits::SURVEY_RETRY,
        };
        self.list_due = None;
        self.trips.unlinked();
        for asked in std::mem::take(&mut self.asked).into_values() {
            let Asked::Describe(_, batch) = asked else {
                continue;
            };
            for group in batch {
                if let Some(known) = groups.get_mut(&group).filter(|known| known.asked) {
                    known.asked = false;
                    known.due = now;
                    self.plan(&group, known);
                }
            }
        }
    }

    /// Puts a group where its next look is due.
    pub(super) fn plan(&mut self, group: &GroupId, known: &Known) {
        if let Some(call) = known.call()
            && !known.asked
        {
            let due = self.plan.entry(call).or_default();
            due.insert((known.due, group.clone()));
        }
    }

    /// Takes a group out, as it was planned.
    pub(super) fn unplan(&mut self, group: &GroupId, known: &Known) {
        if let Some(due) = known.call().and_then(|call| self.plan.get_mut(&call)) {
            due.remove(&(known.due, group.clone()));
        }
    }

    /// The version of a request that it and we understand.
    pub(super) fn version(&self, api: ApiKey) -> Option<i16> {
        self.link.version(api)
    }

    pub(super) fn ask(&mut self, token: u64, what: Asked) {
        if matches!(what, Asked::List) {
            self.list_due = None;
        }
        self.trips.asked(token, self.asked.len());
        self.asked.insert(token, what);
    }

    /// What was asked so.
    pub(super) fn asked(&self, token: u64) -> Option<&Asked> {
        self.asked.get(&token)
    }

    /// What an answer is to.
    pub(super) fn take(&mut self, token: u64) -> Option<Asked> {
        self.asked.remove(&token)
    }

    /// Its list is complete; when the next one is due.
    pub(super) const fn list_again(&mut self, due: Timestamp) {
        self.list_due = Some(due);
    }

    /// Whether it takes one more request: few at once, so that nobody else's wait behind ours.
    pub(super) fn has_room(&self) -> bool {
        self.is_up() && self.asked.len() < limits::SURVEY_UNANSWERED
    }

    /// Whether it answers and nothing is asked of it.
    pub(super) fn is_idle(&self) -> bool {
        self.is_up() && self.asked.is_empty()
    }

    /// Whether all its groups that were to be looked at by now have been.
    pub(super) fn is_caught_up(&self, now: Timestamp) -> bool {
        self.next_call(now).is_none() && !self.asks(|asked| matches!(asked, Asked::Describe(..)))
    }

    pub(super) fn connect_due(&self, now: Timestamp) -> bool {
        self.link.is_due(now) && self.address.is_some()
    }

    pub(super) fn list_due(&self, now: Timestamp) -> bool {
        self.is_up() && self.list_due.is_some_and(|due| due <= now)
    }

    /// The next groups to ask about in one request, where some are due and the broker has room.
    pub(super) fn batch(&mut self, now: Timestamp) -> Option<(Describe, Vec<GroupId>)> {
        if !self.has_room() {
            return None;
        }
        let soon = now + limits::SURVEY_SLACK;
        let call = self.next_call(now)?;
        let due = self.plan.get_mut(&call)?;
        let mut batch = Vec::new();
        while batch.len() < limits::SURVEY_BATCH
            && due.first().is_some_and(|(at, _)| *at <= soon)
            && let Some((_, group)) = due.pop_first()
        {
            batch.push(group);
        }
        Some((call, batch))
    }

    /// The call whose first group is due longest, of those that the broker understands.
    fn next_call(&self, now: Timestamp) -> Option<Describe> {
        let first = |(call, due): (&Describe, &BTreeSet<(Timestamp, GroupId)>)| {
            let (at, _) = due.first()?;
            (*at <= now && self.version(call.api()).is_some()).then_some((*at, *call))
        };
        self.plan.iter().filter_map(first).min().map(|(_, call)| call)
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        match &self.link {
            Line::Down { retry } => self.address.as_ref().map(|_| *retry),
            Line::Opening => None,
            Line::Up(_) => {
                let first = |(call, due): (&Describe, &BTreeSet<(Timestamp, GroupId)>)| {
                    self.version(call.api()).and(due.first()).map(|(at, _)| *at)
                };
                let describe = self.plan.iter().filter_map(first).min();
                let describe = describe.filter(|_| self.has_room());
                let trips = self.trips.deadline();
                [self.list_due, describe, trips].into_iter().flatten().min()
            }
        }
    }
}

/// That a broker does not answer.
pub(super) const fn silent(node: NodeId, cause: LinkFault, detail: String) -> Change {
    Change::BrokerSilent {
        node,
        cause,
        detail: Some(detail),
    }
}

/// That it answers, and where.
pub(super) fn answers(node: NodeId, address: Option<&Address>) -> Change {
    Change::BrokerAnswers {
        node,
        host: address.map(|address| address.host().to_owned()),
        port: address.map(Address::port),
    }
}
