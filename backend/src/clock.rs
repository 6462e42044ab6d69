//! The one place that reads a clock: a monotonic [`Timestamp`] for machines, mapped to [`UnixMs`] for events.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::time::{Timestamp, UnixMs};

/// Reads this process's monotonic clock and maps it to the time of day.
///
/// The time of day is read once, at the start: a step of the system clock while we run moves no event.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    start_unix: UnixMs,
}

impl Clock {
    /// Timestamps start here rather than at 0, so that a `Timestamp` of 0 is always in the past.
    const OFFSET: u64 = 1_000_000;

    /// Starts a clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn start() -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        let start_unix = UnixMs(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX));
        Self {
            start: Instant::now(),
            start_unix,
        }
    }

    /// Now, on the monotonic clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn now(&self) -> Timestamp {
        self.at(Instant::now())
    }

    /// The moment a socket was read or written, on the same scale.
    #[must_use]
    pub fn at(&self, instant: Instant) -> Timestamp {
        let since = instant.saturating_duration_since(self.start);
        Timestamp(
            u64::try_from(since.as_micros())
                .unwrap_or(u64::MAX)
                .saturating_add(Self::OFFSET),
        )
    }

    /// The time of day of a moment.
    #[must_use]
    pub const fn unix(&self, at: Timestamp) -> UnixMs {
        UnixMs(self.start_unix.0 + at.0.saturating_sub(Self::OFFSET) / 1000)
    }

    /// The moment as tokio's timers want it; far moments are cut at a year.
    #[must_use]
    pub fn instant(&self, at: Timestamp) -> Instant {
        const YEAR: u64 = 365 * 24 * 3600 * 1_000_000;
        self.start + Duration::from_micros(at.0.saturating_sub(Self::OFFSET).min(YEAR))
    }
}
