//! What no board can count: how often the hub had to spare itself. Everything else /metrics tells is on the board.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count that only rises.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The count so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts since the start.
#[derive(Debug, Default)]
pub struct Counters {
    /// Single heartbeats that got no number of their own because the hub was behind; their summaries hold them.
    pub merged: Counter,
    /// Single heartbeats that are in no summary, because too many members' seconds were open.
    pub unsummarised: Counter,
    /// Times that a viewer fell behind and was sent on to the present.
    pub lagged: Counter,
}
