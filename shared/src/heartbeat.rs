//! When a heartbeat is due and when a session is over: the timing rules, nothing else.
//!
//! Kafka's `Heartbeat` (0.9 to today). It sends nothing and knows no coordinator; what it is asked about is a pair of moments
//! and a few facts about the past. Since Kafka 2.1 the Java class is three `Timer`s that cache the time; here every question
//! brings its `now`, so that a timer can not be reset from a stale one (protocol.md trap 4).

#[cfg(test)]
mod tests;

use crate::backoff::Backoff;
use crate::rules::{ClockRule, Expiry, FailedHeartbeat, Rules, SessionReset};
use crate::time::{Millis, Timestamp};

/// The timing of one member's heartbeats.
#[derive(Debug)]
pub struct Heartbeat {
    session_timeout: Millis,
    interval: Millis,
    expiry: Expiry,
    clock: ClockRule,
    session_reset: SessionReset,
    failed_heartbeat: FailedHeartbeat,
    backoff: Backoff,
    /// The latest moment seen, for [`ClockRule::NeverBack`].
    latest: Timestamp,
    last_send: Option<Timestamp>,
    last_receive: Option<Timestamp>,
    last_session_reset: Timestamp,
    due: Timestamp,
}

impl Heartbeat {
    /// A session that starts at `now`; the first heartbeat is due an interval later.
    ///
    /// # Errors
    /// The interval is not below the session timeout.
    pub fn new(
        rules: &Rules,
        session_timeout: Millis,
        interval: Millis,
        backoff: Backoff,
        now: Timestamp,
    ) -> Result<Self, IntervalNotBelowSession> {
        if interval >= session_timeout {
            return Err(IntervalNotBelowSession {
                interval,
                session_timeout,
            });
        }
        Ok(Self {
            session_timeout,
            interval,
            expiry: rules.expiry,
            clock: rules.clock,
            session_reset: rules.session_reset,
            failed_heartbeat: rules.failed_heartbeat,
            backoff,
            latest: now,
            last_send: None,
            last_receive: None,
            last_session_reset: now,
            due: now + interval,
        })
    }

    /// The moment that counts as now: `now` itself, or the latest seen where the rules let no clock step back.
    pub fn observe(&mut self, now: Timestamp) -> Timestamp {
        self.latest = self.at(now);
        self.latest
    }

    /// A heartbeat was sent: the next is due an interval from here. The answer does not move it.
    pub fn sent(&mut self, now: Timestamp) {
        let now = self.observe(now);
        self.last_send = Some(now);
        self.due = match self.session_reset {
            SessionReset::PostponesHeartbeat => now.max(self.last_session_reset) + self.interval,
            SessionReset::LeavesHeartbeat => now + self.interval,
        };
    }

    /// A heartbeat was answered by a coordinator that renewed the session.
    pub fn received(&mut self, now: Timestamp) {
        self.last_receive = Some(self.observe(now));
        self.backoff.reset();
    }

    /// A heartbeat failed: answered by an error, or not at all. Returns the end of the backoff.
    pub fn failed(&mut self, now: Timestamp) -> Timestamp {
        let now = self.observe(now);
        let retry = now + self.backoff.delay();
        if self.failed_heartbeat == FailedHeartbeat::SentAgain {
            self.due = retry;
        }
        retry
    }

    /// The session starts again, because the coordinator was found. Nothing was acknowledged by this (protocol.md trap 7).
    pub fn reset_session(&mut self, now: Timestamp) {
        let now = self.observe(now);
        self.last_session_reset = now;
        if self.session_reset == SessionReset::PostponesHeartbeat {
            self.due = self.last_send.map_or(now, |sent| sent.max(now)) + self.interval;
        }
    }

    /// Session and interval start again, because the coordinator took the member in.
    pub fn reset(&mut self, now: Timestamp) {
        self.reset_session(now);
        self.due = match self.session_reset {
            SessionReset::PostponesHeartbeat => self.due,
            SessionReset::LeavesHeartbeat => self.at(now) + self.interval,
        };
    }

    /// When the next heartbeat is due.
    #[must_use]
    pub const fn due_at(&self) -> Timestamp {
        self.due
    }

    /// Microseconds until the next heartbeat is due; 0 where it is due now. Above the interval where the clock stepped back
    /// and the rules allow it.
    #[must_use]
    pub fn time_to_next(&self, now: Timestamp) -> u64 {
        self.due.micros_since(self.at(now))
    }

    /// Whether a heartbeat is due: inclusive under all rules.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.time_to_next(now) == 0
    }

    /// The first moment at which the session is over, if nothing renews it until then.
    #[must_use]
    pub fn session_end(&self) -> Timestamp {
        let last = self.last_receive.map_or(self.last_session_reset, |received| {
            received.max(self.last_session_reset)
        });
        let timeout = last + self.session_timeout;
        match self.expiry {
            Expiry::After => Timestamp(timeout.0.saturating_add(1)),
            Expiry::At => timeout,
        }
    }

    /// Whether the session is over.
    #[must_use]
    pub fn session_over(&self, now: Timestamp) -> bool {
        self.at(now) >= self.session_end()
    }

    /// When the last heartbeat was sent; none before the first (Kafka's metric showed the years since 1970 here).
    #[must_use]
    pub const fn last_send(&self) -> Option<Timestamp> {
        self.last_send
    }

    /// When the coordinator last renewed the session; apart from [`Heartbeat::session_end`], which a discovery moves too.
    #[must_use]
    pub const fn last_receive(&self) -> Option<Timestamp> {
        self.last_receive
    }

    fn at(&self, now: Timestamp) -> Timestamp {
        match self.clock {
            ClockRule::AsGiven => now,
            ClockRule::NeverBack => now.max(self.latest),
        }
    }
}

/// The interval must be below the session timeout, or every session would end before its first heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "heartbeat interval {} ms: must be lower than the session timeout, {} ms",
    interval.0,
    session_timeout.0
)]
pub struct IntervalNotBelowSession {
    /// What was asked for.
    pub interval: Millis,
    /// What it must be below.
    pub session_timeout: Millis,
}
