//! The one place that reads a clock: a monotonic [`Timestamp`] for machines, mapped to [`UnixMs`] for events.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::time::{Timestamp, UnixMs};

/// Reads this process's monotonic clock and maps it to the time of day.
///
/// The time of day is read once, at the start: a step of the system clock while we run moves no event.
/// It reads tokio's clock, so that a test which pauses tokio's time moves this one too.
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
        Self::starting_at(UnixMs(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Starts a clock that takes this moment for `start_unix`: for tests, which choose the time of day.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn starting_at(start_unix: UnixMs) -> Self {
        Self {
            start: tokio::time::Instant::now().into_std(),
            start_unix,
        }
    }

    /// Now, on the monotonic clock.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn now(&self) -> Timestamp {
        self.at(tokio::time::Instant::now().into_std())
    }

    /// Now, as the time of day.
    #[must_use]
    pub fn now_unix(&self) -> UnixMs {
        self.unix(self.now())
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
        UnixMs(
            self.start_unix
                .0
                .saturating_add(at.0.saturating_sub(Self::OFFSET) / 1000),
        )
    }

    /// A time of day as tokio's timers want it; one before the clock's start is its start.
    #[must_use]
    pub fn instant_unix(&self, at: UnixMs) -> Instant {
        let micros = at.since(self.start_unix).as_micros();
        self.instant(Timestamp(micros.saturating_add(Self::OFFSET)))
    }

    /// The moment as tokio's timers want it; far moments are cut at a year.
    #[must_use]
    pub fn instant(&self, at: Timestamp) -> Instant {
        const YEAR: u64 = 365 * 24 * 3600 * 1_000_000;
        self.start + Duration::from_micros(at.0.saturating_sub(Self::OFFSET).min(YEAR))
    }
}
