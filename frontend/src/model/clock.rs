//! The server's time of day, estimated from what its frames say.

use std::num::NonZeroU32;

use shared::time::{Millis, Timestamp, UnixMs};

/// How many samples the estimate rests on.
const SAMPLES: usize = 16;

/// How far the shown moment runs ahead of the last word from the server, which says the time every second; of life, and so
/// further on a clock that runs faster.
const AHEAD_MAX: Millis = Millis(1_100);

/// How long what is told of a second that is over may be on its way, of life: the server's numbering, at most a frame's wait
/// (60 frames a second), and the network.
const DELIVERY: Millis = Millis(500);

/// What a summary of beats covers, in the server's time (docs/contract.md).
const SUMMARY: u64 = 1_000;

/// Maps the browser's monotonic clock to the server's time of day.
///
/// A frame says a time that is already past when it is read, never one to come. The sample with the least delay is the
/// best of the recent ones. While a scenario is played the server's clock may run faster than life, and this one with it.
#[derive(Clone, Debug)]
pub struct ServerClock {
    /// How many times faster than life the server's clock runs.
    rate: NonZeroU32,
    /// Server time minus browser clock (times the rate), in milliseconds, of the last frames that told the time.
    offsets: Vec<i64>,
    /// The time last told.
    told: Option<UnixMs>,
}

impl Default for ServerClock {
    fn default() -> Self {
        Self {
            rate: NonZeroU32::MIN,
            offsets: Vec::new(),
            told: None,
        }
    }
}

impl ServerClock {
    /// Takes how fast the server says its clock runs.
    pub fn run_at(&mut self, rate: NonZeroU32) {
        if self.rate != rate {
            self.offsets.clear();
            self.rate = rate;
        }
    }

    /// How many times faster than life the server's clock runs.
    #[must_use]
    pub const fn rate(&self) -> NonZeroU32 {
        self.rate
    }

    /// The browser's clock as the server's would have run since its start.
    fn running(&self, now: Timestamp) -> i64 {
        // Microseconds since the page was opened: at the highest rate, 1000, that is enough for 500 years.
        (now.0.saturating_mul(u64::from(self.rate.get())) / 1000).cast_signed()
    }

    /// Takes the time a frame told, read at `now`.
    pub fn hear(&mut self, now: Timestamp, told: UnixMs) {
        if self.offsets.len() == SAMPLES {
            self.offsets.remove(0);
        }
        self.offsets
            .push(told.0.cast_signed().saturating_sub(self.running(now)));
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
        let estimate = u64::try_from(self.running(now).saturating_add(*offset)).unwrap_or(0);
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
        let ahead = AHEAD_MAX.0 * u64::from(self.rate.get());
        let limit = UnixMs(told.0.saturating_add(ahead));
        self.estimate(now).map(|estimate| estimate.min(limit))
    }

    /// Whether a moment is later than any that may be on show: the server has not come to it.
    #[must_use]
    pub fn is_to_come(&self, at: UnixMs) -> bool {
        let ahead = AHEAD_MAX.0 * u64::from(self.rate.get());
        self.told.is_some_and(|told| at.since(told).0 > ahead)
    }

    /// Up to when beats are known at a shown moment where they come as summaries: the end of the last second whose summary
    /// must be here. Of what came after it nothing is known yet, so nobody is late by it.
    #[must_use]
    pub fn summarised(&self, UnixMs(shown): UnixMs) -> UnixMs {
        let told = shown.saturating_sub(DELIVERY.0 * u64::from(self.rate.get()));
        UnixMs(told - told % SUMMARY)
    }

    /// How old the last word from the server is, in life.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> Option<Millis> {
        let age = self.estimate(now)?.since(self.told?);
        Some(Millis(age.0 / u64::from(self.rate.get())))
    }
}

#[cfg(test)]
mod tests;
