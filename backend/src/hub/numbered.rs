//! An event with its number and its text: encoded once, however many viewers it goes to.

use std::sync::Arc;

use shared::event::{Change, Event};

/// A numbered event and its JSON.
#[derive(Debug)]
pub struct Numbered {
    pub event: Event,
    /// What viewers and `/api/events` get, word for word.
    pub json: Box<str>,
}

impl Numbered {
    /// Encodes an event. None where it cannot be put into JSON, which no event of ours can be: its maps have keys
    /// that are numbers, its numbers are whole.
    pub(super) fn new(event: Event) -> Option<Arc<Self>> {
        match serde_json::to_string(&event) {
            Ok(json) => Some(Arc::new(Self {
                event,
                json: json.into_boxed_str(),
            })),
            Err(error) => {
                tracing::error!(%error, "an event that is no JSON was left out");
                None
            }
        }
    }

    /// About how many bytes it holds in memory: its text, the strings the text was made of, and the rest.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + 2 * self.json.len()
    }

    /// How long it is worth keeping.
    pub(super) fn tier(&self) -> Tier {
        match &self.event.what.change {
            change if change.is_single_beat() => Tier::Beats,
            Change::HeartbeatsSummarised(_) => Tier::Summaries,
            _ => Tier::Transitions,
        }
    }
}

/// Kinds of events by how long they are kept, shortest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    Beats,
    Summaries,
    Transitions,
}

/// Events `from` to `to`, all of them: what one broadcast carries.
#[derive(Debug)]
pub struct Range {
    pub from: u64,
    pub to: u64,
    pub events: Vec<Arc<Numbered>>,
}
