//! Whether a heartbeat is sent now, and if not, why and when to look again.

use crate::event::WithheldReason;
use crate::heartbeat::Heartbeat;
use crate::ids::Generation;
use crate::rules::{ExpiryInFlight, Guard, Rules};
use crate::time::Timestamp;

/// What the guard looks at, beside the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) generation: Generation,
    /// Whether the state allows heartbeats; [`Guard::RejoinSilences`] knows no states.
    pub(super) joined: bool,
    pub(super) must_rejoin: bool,
    pub(super) coordinator_known: bool,
}

/// What the guard says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// None is sent, and none will be until something else changes.
    Withheld(WithheldReason),
    /// The session is over: the coordinator is dead.
    CoordinatorDead,
    /// None is sent; look again then.
    NotDue(Timestamp),
    /// One is out: the next waits for its end.
    InFlight,
    /// Send one.
    Send,
}

/// Kafka 0.10.0's `AbstractCoordinator.HeartbeatTask`: the guard before each heartbeat.
///
/// Changed since: 0.10.1 replaced the delayed task by `HeartbeatThread` (KIP-62), whose every lap is one run of
/// [`Guard::JoinedOnly`]; the queue entry became "wait until". In both, one heartbeat at most is in flight here (the Java
/// thread sends another after an interval; librdkafka, kafka-python and franz-go do not).
#[derive(Debug)]
pub(super) struct HeartbeatTask {
    guard: Guard,
    expiry_in_flight: ExpiryInFlight,
    /// When it runs next; none while nothing has queued it.
    queued: Option<Timestamp>,
    /// Java's `requestInFlight`.
    in_flight: bool,
    /// The reason last told.
    withheld: Option<WithheldReason>,
}

impl HeartbeatTask {
    pub(super) const fn new(rules: &Rules) -> Self {
        Self {
            guard: rules.guard,
            expiry_in_flight: rules.expiry_in_flight,
            queued: None,
            in_flight: false,
            // Before the first join none was due: that is no change.
            withheld: Some(WithheldReason::NoGeneration),
        }
    }

    /// When it runs next.
    pub(super) const fn deadline(&self) -> Option<Timestamp> {
        self.queued
    }

    #[cfg(any(test, feature = "fuzz"))]
    pub(super) const fn in_flight(&self) -> bool {
        self.in_flight
    }

    /// Whether it runs at `now`: 0.10.0's when its entry is due, today's always.
    pub(super) fn runs(&self, now: Timestamp) -> bool {
        match self.guard {
            Guard::RejoinSilences => self.queued.is_some_and(|queued| queued <= now),
            Guard::JoinedOnly => true,
        }
    }

    /// Java's `run`. [`Verdict::Send`] counts the heartbeat as in flight.
    pub(super) fn run(&mut self, now: Timestamp, heartbeat: &Heartbeat, seat: Seat) -> Verdict {
        let verdict = self.judge(now, heartbeat, seat);
        self.queued = match verdict {
            Verdict::Withheld(_) | Verdict::CoordinatorDead => None,
            Verdict::NotDue(again) => Some(again),
            Verdict::InFlight | Verdict::Send => match self.expiry_in_flight {
                ExpiryInFlight::Unnoticed => None,
                ExpiryInFlight::Noticed => Some(heartbeat.session_end()),
            },
        };
        if verdict == Verdict::Send {
            self.in_flight = true;
        }
        verdict
    }

    fn judge(&self, now: Timestamp, heartbeat: &Heartbeat, seat: Seat) -> Verdict {
        if let Some(reason) = self.withheld_because(seat) {
            return Verdict::Withheld(reason);
        }
        let looks_at_session = !self.in_flight || self.expiry_in_flight == ExpiryInFlight::Noticed;
        if looks_at_session && heartbeat.session_over(now) {
            return Verdict::CoordinatorDead;
        }
        if self.in_flight {
            return Verdict::InFlight;
        }
        if heartbeat.is_due(now) {
            return Verdict::Send;
        }
        Verdict::NotDue(match self.guard {
            Guard::RejoinSilences => heartbeat.due_at(),
            Guard::JoinedOnly => heartbeat.due_at().min(heartbeat.session_end()),
        })
    }

    fn withheld_because(&self, seat: Seat) -> Option<WithheldReason> {
        let outside = match self.guard {
            Guard::RejoinSilences => seat.must_rejoin,
            Guard::JoinedOnly => !seat.joined,
        };
        if seat.generation < Generation(0) {
            Some(WithheldReason::NoGeneration)
        } else if outside {
            Some(WithheldReason::RejoinNeeded)
        } else if !seat.coordinator_known {
            Some(WithheldReason::CoordinatorUnknown)
        } else {
            None
        }
    }

    /// Java's `reset`: the session has started again. While a heartbeat is out nothing is queued, or there would be two
    /// (protocol.md A20).
    pub(super) fn reset(&mut self, now: Timestamp) {
        self.queued = (!self.in_flight).then_some(now);
    }

    /// The heartbeat out has ended; `again` is when to look next.
    pub(super) fn ended(&mut self, again: Timestamp) {
        self.in_flight = false;
        self.queued = Some(again);
    }

    /// No more heartbeats: the member leaves.
    pub(super) fn unqueue(&mut self) {
        self.queued = None;
    }

    /// The reason to tell, if it is another than the last one told.
    pub(super) fn newly_withheld(&mut self, reason: Option<WithheldReason>) -> Option<WithheldReason> {
        let changed = self.withheld != reason;
        self.withheld = reason;
        reason.filter(|_| changed)
    }
}
