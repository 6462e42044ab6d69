//! The event log: what the stream brings and what `/api/events` knows from before, each event once, newest kept.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::Arc;

use shared::board::Board;
use shared::event::{Change, Event, Evidence};
use shared::ids::MemberId;
use shared::sorted::SortedMap;

use super::Scope;

/// How many transitions are kept.
pub const TRANSITIONS_MAX: usize = 5_000;
/// How many heartbeats that carry an error.
pub const REFUSED_MAX: usize = 500;
/// How many other heartbeats: they come by the thousand, and the board keeps what matters of them.
pub const BEATS_MAX: usize = 300;

/// What an event is to the log. The three are kept apart so that none crowds out another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Something changed.
    Transition,
    /// A heartbeat or commit that carries an error, or a second of heartbeats in which one did.
    Refused,
    /// A heartbeat, a second of them, or a commit.
    Beat,
}

impl Weight {
    /// What a change is to the log.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        match change {
            Change::HeartbeatAnswered { error, .. }
            | Change::HeartbeatReceived { error, .. }
            | Change::CommitReceived { error, .. }
                if *error != 0 =>
            {
                Self::Refused
            }
            Change::HeartbeatsSummarised(summary) if !summary.errors.is_empty() => Self::Refused,
            change if is_beat(change.kind()) => Self::Beat,
            _ => Self::Transition,
        }
    }
}

/// The kinds that come at every beat or commit, or every few seconds, not at a change. How far a group has read is one: a group
/// that is at rest, with clients that commit, is told of again and again.
pub const BEAT_KINDS: [&str; 6] = [
    "broker_latency",
    "group_progress",
    "heartbeat_answered",
    "heartbeat_received",
    "heartbeats_summarised",
    "commit_received",
];

/// Whether a kind comes at every beat or commit.
#[must_use]
pub fn is_beat(kind: &str) -> bool {
    BEAT_KINDS.contains(&kind)
}

/// Which events of a log are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Only this kind. Without one: all transitions, and those heartbeats that carry an error.
    pub kind: Option<String>,
    /// Only this member's.
    pub member: Option<MemberId>,
    /// Only those of members at this client host.
    pub host: Option<String>,
    /// Only those that are known this way, as the wire says it.
    pub evidence: Option<String>,
    /// None after this number: the list stands still.
    pub paused_at: Option<u64>,
}

impl LogFilter {
    /// Whether heartbeats without an error are asked for.
    fn shows_beats(&self) -> bool {
        self.kind.as_deref().is_some_and(is_beat)
    }

    /// Whether it is listed; `there` are the members at the host that is asked for.
    fn lets_through(&self, event: &Event, there: &SortedMap<MemberId, ()>) -> bool {
        let kind = event.what.change.kind();
        let member = event.what.member.as_ref();
        let known = evidence(event.what.evidence);
        let is_at = |host: &str| {
            event.what.change.host() == Some(host) || member.is_some_and(|member| there.contains_key(member))
        };
        self.kind.as_deref().is_none_or(|wanted| wanted == kind)
            && self.member.as_ref().is_none_or(|wanted| Some(wanted) == member)
            && self.evidence.as_deref().is_none_or(|wanted| wanted == known)
            && self.host.as_deref().is_none_or(is_at)
    }
}

/// How a fact is known, as the wire and `data-evidence` say it.
#[must_use]
pub const fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Observed => "observed",
        Evidence::Inferred => "inferred",
    }
}

/// What a filter lets through of a log.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Newest first; none after the number at which the list was paused.
    pub events: Vec<Arc<Event>>,
    /// How many came after that number.
    pub waiting: usize,
    /// The members that the log names, for the filter to choose from.
    pub members: SortedMap<MemberId, ()>,
    /// The client hosts that it names.
    pub hosts: SortedMap<String, ()>,
}

/// Events by their number, at most `max` of them; the oldest go first.
#[derive(Clone, Debug)]
struct Shelf {
    events: SortedMap<u64, Arc<Event>>,
    max: usize,
    /// The newest that went; 0 for none.
    forgotten: u64,
}

impl Shelf {
    const fn new(max: usize) -> Self {
        Self {
            events: SortedMap::new(),
            max,
            forgotten: 0,
        }
    }

    /// Whether it was not there before.
    fn add(&mut self, event: &Arc<Event>) -> bool {
        let new = self.events.insert(event.seq, Arc::clone(event)).is_none();
        while self.events.len() > self.max {
            let oldest = self.events.pop_first().map_or(0, |(seq, _)| seq);
            self.forgotten = self.forgotten.max(oldest);
        }
        new
    }
}

/// The log of one scope: a group, or all of them.
#[derive(Clone, Debug)]
pub struct Log {
    scope: Scope,
    transitions: Shelf,
    refused: Shelf,
    beats: Shelf,
    whole_above: u64,
    /// The listing handed out last: a page is drawn more often than its log changes.
    listing: RefCell<Option<(LogFilter, Arc<Listing>)>>,
}

impl Log {
    /// An empty log.
    #[must_use]
    pub const fn new(scope: Scope) -> Self {
        Self {
            scope,
            transitions: Shelf::new(TRANSITIONS_MAX),
            refused: Shelf::new(REFUSED_MAX),
            beats: Shelf::new(BEATS_MAX),
            whole_above: 0,
            listing: RefCell::new(None),
        }
    }

    /// Which events it holds.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Takes the number above which the server still had every transition when it was asked.
    pub fn set_whole_above(&mut self, seq: u64) {
        self.whole_above = self.whole_above.max(seq);
    }

    /// The number above which no transition is missing: what was before, neither server nor page keeps. 0 where all is there.
    #[must_use]
    pub fn whole_above(&self) -> u64 {
        self.whole_above.max(self.transitions.forgotten)
    }

    /// Takes an event, in any order, as often as it comes; those out of its scope it leaves.
    pub fn add(&mut self, event: &Arc<Event>) {
        if !self.scope.covers(&event.what) {
            return;
        }
        let weight = if self.is_told_already(event) {
            Weight::Beat
        } else {
            Weight::of(&event.what.change)
        };
        let new = match weight {
            Weight::Transition => self.transitions.add(event),
            Weight::Refused => self.refused.add(event),
            Weight::Beat => self.beats.add(event),
        };
        let listed = self.listing.get_mut();
        let shows = |(filter, _): &(LogFilter, _)| weight != Weight::Beat || filter.shows_beats();
        if new && listed.as_ref().is_some_and(shows) {
            *listed = None;
        }
    }

    /// Whether it sums up heartbeats of which those with an error are listed one by one.
    fn is_told_already(&self, event: &Event) -> bool {
        let Change::HeartbeatsSummarised(summary) = &event.what.change else {
            return false;
        };
        let second = summary.from..summary.to;
        let single = |earlier: &Event| {
            earlier.what.change.is_single_beat()
                && second.contains(&earlier.seen)
                && earlier.what.source == event.what.source
                && earlier.what.member == event.what.member
                && earlier.what.group == event.what.group
        };
        let recent = self.refused.events.values().rev();
        recent
            .take_while(|earlier| earlier.seen >= summary.from)
            .any(|earlier| single(earlier))
    }

    /// What a filter lets through; at which hosts members are the board tells. The same listing is handed out until an event
    /// changes it.
    #[must_use]
    pub fn listing(&self, filter: &LogFilter, board: Option<&Board>) -> Arc<Listing> {
        let mut kept = self.listing.borrow_mut();
        if let Some((_, listing)) = kept.as_ref().filter(|(of, _)| of == filter) {
            return Arc::clone(listing);
        }
        let listing = Arc::new(self.list(filter, board));
        *kept = Some((filter.clone(), Arc::clone(&listing)));
        listing
    }

    fn list(&self, filter: &LogFilter, board: Option<&Board>) -> Listing {
        let there = filter.host.as_ref().zip(board);
        let there = there.map(|(host, board)| board.members_at(|other| other == host));
        let there = there.unwrap_or_default();
        let shelves = [&self.transitions, &self.refused];
        let beats = filter.shows_beats().then_some(&self.beats);
        let mut events: Vec<Arc<Event>> = shelves
            .into_iter()
            .chain(beats)
            .flat_map(|shelf| shelf.events.values())
            .filter(|event| filter.lets_through(event, &there))
            .cloned()
            .collect();
        events.sort_unstable_by_key(|event| Reverse(event.seq));
        let waiting = filter
            .paused_at
            .map_or(0, |seq| events.partition_point(|event| event.seq > seq));
        events.drain(..waiting);
        let mut listing = Listing {
            events,
            waiting,
            ..Listing::default()
        };
        for event in shelves.into_iter().flat_map(|shelf| shelf.events.values()) {
            if let Some(member) = &event.what.member {
                listing.members.insert(member.clone(), ());
            }
            if let Some(host) = event.what.change.host() {
                listing.hosts.insert(host.to_owned(), ());
            }
        }
        listing
    }

    /// The number of the newest event in it; 0 for none.
    #[must_use]
    pub fn last_seq(&self) -> u64 {
        [&self.transitions, &self.refused, &self.beats]
            .into_iter()
            .filter_map(|shelf| shelf.events.last_key_value())
            .map(|(seq, _)| *seq)
            .max()
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
