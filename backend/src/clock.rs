//! The one place that reads a clock: a monotonic [`Timestamp`] for machines, mapped to [`UnixMs`] for events.
//!
//! A clock may run faster than life, so that a scenario of hours is played in minutes. Every time that the domain knows
//! (sessions, intervals, backoffs, request timeouts, delays, measured latencies, the time of day of events) is a time of
//! this clock, and so all of them are faster by the same rate. What guards sockets and viewers (`crate::limits`, given as
//! [`Duration`]) is real time and never asks this clock.

use std::num::NonZeroU32;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::time::{Millis, Timestamp, UnixMs};

/// Reads this process's monotonic clock and maps it to the time of day.
///
/// The time of day is read once, at the start: a step of the system clock while we run moves no event.
/// It reads tokio's clock, so that a test which pauses tokio's time moves this one too.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    start_unix: UnixMs,
    /// How many times faster than life it runs.
    rate: NonZeroU32,
}

impl Clock {
    /// Timestamps start here rather than at 0, so that a `Timestamp` of 0 is always in the past.
    const OFFSET: u64 = 1_000_000;

    /// Two readings this close count as one.
    const TOGETHER_MICROS: u64 = 10;
    /// How often that is tried on a machine so busy that it does not succeed.
    const TOGETHER_TRIES: u32 = 3;
    /// What is noted longer ago than this was noted by a clock that has been set since.
    const OLDEST: Duration = Duration::from_secs(60);

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
            rate: NonZeroU32::MIN,
        }
    }

    /// The same clock, running `rate` times faster than life from its start on.
    #[must_use]
    pub const fn with_rate(mut self, rate: NonZeroU32) -> Self {
        self.rate = rate;
        self
    }

    /// The same clock, set forward where it would otherwise be before `earliest`: the system's was set back since something was
    /// noted.
    #[must_use]
    pub fn not_before(mut self, earliest: UnixMs) -> Self {
        let late = earliest.0.saturating_sub(self.now_unix().0);
        self.start_unix = UnixMs(self.start_unix.0.saturating_add(late));
        self
    }

    /// How many times faster than life it runs; 1 is life.
    #[must_use]
    pub const fn rate(&self) -> NonZeroU32 {
        self.rate
    }

    /// How long a wait of this clock takes in life.
    #[must_use]
    pub fn real(&self, wait: Duration) -> Duration {
        wait / self.rate.get()
    }

    /// Waits for a time of this clock.
    pub async fn wait(&self, wait: Millis) {
        tokio::time::sleep(self.real(Duration::from_millis(wait.0))).await;
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
        Timestamp(self.micros(since).saturating_add(Self::OFFSET))
    }

    /// The moment that the system's own clock showed `noted`, such as a packet's time by the kernel; now, where that clock
    /// has been set since, so that the answer would make no sense.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    pub fn at_system(&self, noted: SystemTime) -> Timestamp {
        // Both clocks are read together: being put aside between the two would make it later than it was.
        let mut before = self.now();
        let mut system = SystemTime::now();
        let mut now = self.now();
        for _ in 0..Self::TOGETHER_TRIES {
            if now.micros_since(before) <= Self::TOGETHER_MICROS {
                break;
            }
            (before, system, now) = (now, SystemTime::now(), self.now());
        }
        match system.duration_since(noted) {
            Ok(age) if age <= Self::OLDEST => Timestamp(now.0.saturating_sub(self.micros(age))),
            Ok(_) | Err(_) => now,
        }
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
        // In whole nanoseconds and never early: who wakes before the moment would find nothing due.
        let since = at.0.saturating_sub(Self::OFFSET).min(YEAR);
        let nanos = (since * 1_000).div_ceil(u64::from(self.rate.get()));
        self.start + Duration::from_nanos(nanos)
    }

    /// A length of life in microseconds of this clock.
    fn micros(&self, length: Duration) -> u64 {
        let micros = length.as_nanos().saturating_mul(self.rate.get().into()) / 1_000;
        u64::try_from(micros).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_runs_faster_wakes_sooner_and_never_before_its_moment() {
        for rate in [1, 3, 20, 977] {
            let clock = Clock::starting_at(UnixMs(1_000)).with_rate(NonZeroU32::new(rate).unwrap());
            let (before, life) = (clock.now(), Clock::starting_at(UnixMs(0)));
            let due = before + Millis(3_600_001);
            let never = std::future::pending::<()>();
            let _elapsed = tokio::time::timeout_at(clock.instant(due).into(), never).await;
            assert!(clock.now() >= due);
            let passed = life.now_unix().0;
            let expected = 3_600_001 / u64::from(rate);
            assert!((expected..expected + 3).contains(&passed), "{passed} at {rate}");
            assert!(clock.now_unix() >= UnixMs(3_601_001));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_of_a_faster_clock_passes_on_it_in_full() {
        let clock = Clock::starting_at(UnixMs(0)).with_rate(NonZeroU32::new(20).unwrap());
        clock.wait(Millis(60_000)).await;
        assert!((60_000..60_040).contains(&clock.now_unix().0));
        assert_eq!(clock.real(Duration::from_secs(60)), Duration::from_secs(3));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is what is compared")]
    fn a_moment_noted_by_the_system_is_as_long_ago_on_our_scale() {
        let clock = Clock::start();
        let (before, noted) = (clock.now(), SystemTime::now() - Duration::from_secs(1));
        let at = clock.at_system(noted);
        assert!(Timestamp(at.0 + 1_000_000) >= before, "{at:?}, {before:?}");
        assert!(at < before);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is what is compared")]
    fn a_moment_noted_before_the_system_clock_was_set_is_now() {
        let clock = Clock::start();
        let hour = Duration::from_secs(3600);
        for noted in [SystemTime::now() + hour, SystemTime::now() - hour] {
            let before = clock.now();
            let at = clock.at_system(noted);
            assert!(before <= at && at <= clock.now());
        }
    }
}
