//! An event with its number and its text: encoded when somebody wants it, and then once, however many viewers it goes to.

use std::sync::{Arc, OnceLock};

use shared::board::{clipped, limits};
use shared::event::{Change, Event};

/// A numbered event and its JSON.
#[derive(Debug)]
pub struct Numbered {
    pub event: Event,
    json: OnceLock<Box<str>>,
}

impl Numbered {
    pub(crate) fn new(event: Event) -> Self {
        Self {
            event,
            json: OnceLock::new(),
        }
    }

    /// From the text it once had; none where that is no event's.
    pub(super) fn read(json: &str) -> Option<Self> {
        let event = serde_json::from_str(json).ok()?;
        Some(Self {
            event,
            json: OnceLock::from(Box::from(json)),
        })
    }

    /// What viewers and `/api/events` get, word for word.
    pub fn json(&self) -> &str {
        #[expect(
            clippy::expect_used,
            reason = "an event always is JSON: its maps have keys that are numbers, its numbers are whole"
        )]
        self.json.get_or_init(|| {
            let json = serde_json::to_string(&self.event).expect("an event is JSON");
            json.into_boxed_str()
        })
    }

    /// Whether its group is one of those `is_wanted` knows: by its id, or by the shorter one that a board shows for it.
    pub fn is_of_group(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        let group = self.event.what.group.as_ref();
        group.is_some_and(|group| {
            is_wanted(group.as_str()) || (is_long(group.as_str()) && is_wanted(clipped(group).as_str()))
        })
    }

    /// Whether its member, or one of those that it tells of, is one of those `is_wanted` knows, likewise.
    pub fn is_of_member(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        let mut members = self.event.what.parts().filter_map(|part| part.member);
        members.any(|member| {
            is_wanted(member.as_str()) || (is_long(member.as_str()) && is_wanted(clipped(member).as_str()))
        })
    }

    /// How long it is worth keeping.
    pub(crate) fn tier(&self) -> Tier {
        match &self.event.what.change {
            change if change.is_single_beat() => Tier::Beats,
            Change::HeartbeatsSummarised(_) | Change::BrokerLatency { .. } => Tier::Summaries,
            _ => Tier::Transitions,
        }
    }
}

/// Whether a board shows a shorter id for this one.
const fn is_long(id: &str) -> bool {
    id.len() > limits::TEXT
}

/// Kinds of events by how long they are kept, shortest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    Beats,
    Summaries,
    Transitions,
}

impl Tier {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Beats, Self::Summaries, Self::Transitions];
}

/// Events `from` to `to`, all of them: what one broadcast carries.
#[derive(Debug)]
pub struct Range {
    pub from: u64,
    pub to: u64,
    pub events: Vec<Arc<Numbered>>,
}
