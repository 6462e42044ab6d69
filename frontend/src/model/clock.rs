//! The server's time of day, estimated from what its frames say.

use std::collections::VecDeque;

use shared::time::{Millis, Timestamp, UnixMs};

/// How many samples the estimate rests on.
const SAMPLES: usize = 16;

/// How far the shown moment runs ahead of the last word from the server, which says the time every second.
const AHEAD_MAX: Millis = Millis(1_100);

/// Maps the browser's monotonic clock to the server's time of day.
///
/// A frame says a time that is already past when it is read, never one to come. The sample with the least delay is the
/// best of the recent ones.
#[derive(Clone, Debug, Default)]
pub struct ServerClock {
    /// Server time minus browser clock, in milliseconds, of the last frames that told the time.
    offsets: VecDeque<i128>,
    /// The time last told.
    told: Option<UnixMs>,
}

impl ServerClock {
    /// Takes the time a frame told, read at `now`.
    pub fn hear(&mut self, now: Timestamp, told: UnixMs) {
        if self.offsets.len() == SAMPLES {
            self.offsets.pop_front();
        }
        self.offsets
            .push_back(i128::from(told.0) - i128::from(now.as_millis()));
        self.told = self.told.max(Some(told));
    }

    /// Forgets all: another server, perhaps with another clock.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The time last told; `None` before the first.
    #[must_use]
    pub const fn told(&self) -> Option<UnixMs> {
        self.told
    }

    /// Server time by the browser's clock, however long the link has been quiet.
    #[must_use]
    pub fn estimate(&self, now: Timestamp) -> Option<UnixMs> {
        let told = self.told?;
        let offset = self.offsets.iter().max()?;
        let estimate = u64::try_from(i128::from(now.as_millis()) + offset).unwrap_or(0);
        Some(UnixMs(estimate).max(told))
    }

    /// The moment the shown board is true for: the estimate, held near the last word from the server. While the link is not
    /// `live` it stands still: what happens meanwhile cannot be known, so that nothing on show may grow late on its own.
    #[must_use]
    pub fn shown(&self, now: Timestamp, live: bool) -> Option<UnixMs> {
        let told = self.told?;
        if !live {
            return Some(told);
        }
        let limit = UnixMs(told.0.saturating_add(AHEAD_MAX.0));
        self.estimate(now).map(|estimate| estimate.min(limit))
    }

    /// How old the last word from the server is.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Option<Millis> {
        Some(self.estimate(now)?.since(self.told?))
    }
}

#[cfg(test)]
mod tests;
