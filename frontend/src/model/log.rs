//! The event log: what the stream brings and what `/api/events` knows from before, each event once, newest kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::event::{Change, Event};
use shared::ids::MemberId;

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
    /// A heartbeat that carries an error, or a second of them in which one did.
    Refused,
    /// A heartbeat, or a second of them.
    Beat,
}

impl Weight {
    /// What a change is to the log.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        match change {
            Change::HeartbeatAnswered { error, .. } | Change::HeartbeatReceived { error, .. }
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

/// The kinds that come at every beat, not at a change.
pub const BEAT_KINDS: [&str; 3] = [
    "heartbeat_answered",
    "heartbeat_received",
    "heartbeats_summarised",
];

/// Whether a kind comes at every beat.
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
    /// None after this number: the list stands still.
    pub paused_at: Option<u64>,
}

impl LogFilter {
    fn lets_through(&self, event: &Event) -> bool {
        self.kind
            .as_deref()
            .is_none_or(|kind| kind == event.what.change.kind())
            && self
                .member
                .as_ref()
                .is_none_or(|member| event.what.member.as_ref() == Some(member))
            && self.paused_at.is_none_or(|seq| event.seq <= seq)
    }
}

/// Events by their number, at most `max` of them; the oldest go first.
#[derive(Clone, Debug)]
struct Shelf {
    events: BTreeMap<u64, Arc<Event>>,
    max: usize,
    /// The newest that went; 0 for none.
    forgotten: u64,
}

impl Shelf {
    const fn new(max: usize) -> Self {
        Self {
            events: BTreeMap::new(),
            max,
            forgotten: 0,
        }
    }

    fn add(&mut self, event: &Arc<Event>) {
        self.events.insert(event.seq, Arc::clone(event));
        while self.events.len() > self.max {
            let oldest = self.events.pop_first().map_or(0, |(seq, _)| seq);
            self.forgotten = self.forgotten.max(oldest);
        }
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
        match Weight::of(&event.what.change) {
            Weight::Transition => self.transitions.add(event),
            Weight::Refused => self.refused.add(event),
            Weight::Beat => self.beats.add(event),
        }
    }

    /// The events that a filter lets through, newest first.
    #[must_use]
    pub fn newest_first(&self, filter: &LogFilter) -> Vec<Arc<Event>> {
        let beats = filter.kind.as_deref().is_some_and(is_beat).then_some(&self.beats);
        let mut chosen: Vec<Arc<Event>> = [&self.transitions, &self.refused]
            .into_iter()
            .chain(beats)
            .flat_map(|shelf| shelf.events.values())
            .filter(|event| filter.lets_through(event))
            .cloned()
            .collect();
        chosen.sort_unstable_by_key(|event| Reverse(event.seq));
        chosen
    }

    /// How many events that a filter would let through came after a number.
    #[must_use]
    pub fn count_after(&self, filter: &LogFilter, seq: u64) -> usize {
        let unpaused = LogFilter {
            paused_at: None,
            ..filter.clone()
        };
        self.newest_first(&unpaused)
            .iter()
            .take_while(|event| event.seq > seq)
            .count()
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

    /// The members that events of this log name, for the filter to choose from.
    #[must_use]
    pub fn members(&self) -> BTreeSet<MemberId> {
        [&self.transitions, &self.refused, &self.beats]
            .into_iter()
            .flat_map(|shelf| shelf.events.values())
            .filter_map(|event| event.what.member.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests;
