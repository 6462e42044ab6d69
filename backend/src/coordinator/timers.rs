//! Deadlines as data: which alarm of which group or member rings next.
//!
//! A session is renewed far more often than it ends, so renewing one must cost next to nothing. An [`Alarm`] therefore
//! lives in the record it belongs to, and the queue holds at most one entry for it, which may lie *before* the alarm's
//! due time: when the entry comes up early it is put back. No entry outlives its alarm, so the queue is never larger
//! than the number of alarms, whatever strangers do.

use std::collections::BTreeSet;

use shared::ids::{GroupId, MemberId};
use shared::time::Timestamp;

/// What an alarm is about; the key under which it is queued (protocol.md trap 43).
///
/// Of those due at the same moment the ends of phases come first: who is put out by a phase is not put out by its session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// The join phase ends.
    JoinPhase(GroupId),
    /// The sync phase ends.
    SyncPhase(GroupId),
    /// An id that was handed out (79) was not used in time.
    Pending(GroupId, MemberId),
    /// A member's session ends.
    Session(GroupId, MemberId),
    /// An empty group is forgotten.
    Retention(GroupId),
}

impl Timer {
    /// Whose it is.
    pub(crate) const fn group(&self) -> &GroupId {
        match self {
            Self::Session(group, _)
            | Self::Pending(group, _)
            | Self::JoinPhase(group)
            | Self::SyncPhase(group)
            | Self::Retention(group) => group,
        }
    }
}

/// When something is due; kept by the record it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alarm {
    due: Option<Timestamp>,
    queued: Option<Timestamp>,
}

impl Alarm {
    /// When it is due, if it is set.
    pub(crate) const fn due(&self) -> Option<Timestamp> {
        self.due
    }
}

/// All alarms that are set, by the earliest moment each may be due.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    queue: BTreeSet<(Timestamp, Timer)>,
}

impl Timers {
    /// Sets or moves an alarm. `timer` is asked for only where the queue must change.
    pub(crate) fn set(&mut self, alarm: &mut Alarm, due: Timestamp, timer: impl FnOnce() -> Timer) {
        alarm.due = Some(due);
        match alarm.queued {
            Some(queued) if queued <= due => {}
            queued => {
                let mut key = timer();
                if let Some(queued) = queued {
                    let old = (queued, key);
                    self.queue.remove(&old);
                    key = old.1;
                }
                self.queue.insert((due, key));
                alarm.queued = Some(due);
            }
        }
    }

    /// Takes an alarm back; it will not ring.
    pub(crate) fn cancel(&mut self, alarm: &mut Alarm, timer: impl FnOnce() -> Timer) {
        alarm.due = None;
        if let Some(queued) = alarm.queued.take() {
            self.queue.remove(&(queued, timer()));
        }
    }

    /// The next entry that came up by `now`: whether its alarm rings is for [`Self::rings`] to say.
    pub(crate) fn pop(&mut self, now: Timestamp) -> Option<Timer> {
        if self.next()? > now {
            return None;
        }
        self.queue.pop_first().map(|(_, timer)| timer)
    }

    /// Whether the alarm whose entry came up rings; then it is unset. An entry that was early goes back to where the alarm
    /// is due, even if that has passed too: alarms ring in the order in which they are due, however late the caller is.
    pub(crate) fn rings(&mut self, alarm: &mut Alarm, timer: Timer) -> bool {
        let came_up = alarm.queued.take();
        match alarm.due {
            Some(due) if came_up.is_none_or(|at| at < due) => {
                self.set(alarm, due, || timer);
                false
            }
            due => {
                alarm.due = None;
                due.is_some()
            }
        }
    }

    /// The moment of the first entry: no alarm rings before it.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.queue.first().map(|(at, _)| *at)
    }

    /// How many alarms are set.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer() -> Timer {
        Timer::JoinPhase(GroupId::from("g"))
    }

    const fn at(ms: u64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn a_renewed_alarm_leaves_the_queue_alone_until_its_entry_comes_up() {
        let (mut timers, mut alarm) = (Timers::default(), Alarm::default());
        timers.set(&mut alarm, at(10), timer);
        timers.set(&mut alarm, at(25), || unreachable!("the queue need not change"));
        assert_eq!(timers.next(), Some(at(10)));
        let up = timers.pop(at(10)).unwrap();
        assert!(!timers.rings(&mut alarm, up));
        assert_eq!(timers.next(), Some(at(25)));
        let up = timers.pop(at(25)).unwrap();
        assert!(timers.rings(&mut alarm, up));
        assert_eq!((timers.len(), alarm.due()), (0, None));
    }

    #[test]
    fn alarms_ring_in_the_order_in_which_they_are_due_however_late_it_is() {
        let mut timers = Timers::default();
        let (mut renewed, mut other) = (Alarm::default(), Alarm::default());
        let session = || Timer::Session(GroupId::from("g"), MemberId::from("m"));
        timers.set(&mut renewed, at(5), session);
        timers.set(&mut renewed, at(20), session);
        timers.set(&mut other, at(10), timer);
        let mut rung = Vec::new();
        while let Some(up) = timers.pop(at(100)) {
            let alarm = if up == session() { &mut renewed } else { &mut other };
            if timers.rings(alarm, up.clone()) {
                rung.push(up);
            }
        }
        assert_eq!(rung, [timer(), session()]);
    }

    #[test]
    fn an_alarm_moved_forward_rings_at_the_earlier_moment() {
        let (mut timers, mut alarm) = (Timers::default(), Alarm::default());
        timers.set(&mut alarm, at(300), timer);
        timers.set(&mut alarm, at(5), timer);
        assert_eq!((timers.len(), timers.next()), (1, Some(at(5))));
    }

    #[test]
    fn a_cancelled_alarm_leaves_nothing_behind() {
        let (mut timers, mut alarm) = (Timers::default(), Alarm::default());
        timers.set(&mut alarm, at(5), timer);
        timers.set(&mut alarm, at(9), timer);
        timers.cancel(&mut alarm, timer);
        assert_eq!((timers.len(), alarm), (0, Alarm::default()));
        assert_eq!(timers.pop(at(100)), None);
    }
}
