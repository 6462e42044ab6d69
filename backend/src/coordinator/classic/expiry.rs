//! What deadlines do (protocol.md 3.3-3.5; Kafka's `expireClassicGroupMemberHeartbeat` and `expirePendingSync`).

use shared::event::{Change, EvictionCause, RebalanceCause};
use shared::health::words::span;
use shared::ids::MemberId;
use shared::time::Millis;

use super::story::Cause;
use super::{Desk, Group, State};
use crate::coordinator::timers::{Alarm, Timer, Timers};

impl Group {
    /// The entry of a timer came up. Whatever it was about may be gone or have moved on since: then nothing happens
    /// (KAFKA-8896, KAFKA-7196).
    pub(crate) fn timer(&mut self, desk: &mut Desk, timer: Timer) {
        match timer.clone() {
            Timer::Session(_, id) => {
                let Some(member) = self.members.get_mut(&id) else {
                    return;
                };
                if desk.timers.rings(&mut member.session, timer) {
                    self.session_over(desk, &id);
                }
            }
            Timer::Pending(_, id) => {
                let Some(pending) = self.pending.get_mut(&id) else {
                    return;
                };
                if desk.timers.rings(&mut pending.alarm, timer) {
                    let waited_ms = desk.since(pending.since);
                    self.drop_pending(desk, id.as_str());
                    desk.observe(&self.id, Some(&id), Change::MemberIdExpired { waited_ms });
                    self.complete_join_if_the_last_left(desk);
                }
            }
            Timer::JoinPhase(_) => {
                if desk.timers.rings(&mut self.join_alarm, timer) {
                    self.join_phase_over(desk);
                }
            }
            Timer::SyncPhase(_) => {
                if desk.timers.rings(&mut self.sync_alarm, timer) {
                    self.sync_phase_over(desk);
                }
            }
            Timer::Retention(_) => {
                if desk.timers.rings(&mut self.retention, timer) && self.state == State::Empty {
                    self.forget_if_unused(desk);
                }
            }
        }
    }

    /// A member that is excused keeps its seat; its alarm is set again when its parked request is answered.
    fn session_over(&mut self, desk: &mut Desk, id: &MemberId) {
        let Some(member) = self.members.get(id) else {
            return;
        };
        if member.is_excused() {
            return;
        }
        let cause = if member.is_new {
            "its JoinGroup waited for longer than a new member's may".to_owned()
        } else {
            format!(
                "no heartbeat for its session timeout of {}",
                span(member.timeouts.session)
            )
        };
        self.remove(desk, id.as_str());
        desk.observe(&self.id, Some(id), Change::MemberExpired { cause });
        match self.state {
            State::Stable | State::CompletingRebalance => {
                self.rebalance_or_complete(desk, Cause::by(RebalanceCause::MemberTimedOut, id));
            }
            State::PreparingRebalance => self.complete_join_if_the_last_left(desk),
            State::Empty | State::Dead => {}
        }
    }

    /// Whoever was waited for is gone. Unlike a member that comes, this also ends the gathering of a group that was empty.
    fn complete_join_if_the_last_left(&mut self, desk: &mut Desk) {
        if self.state == State::PreparingRebalance && self.all_have_joined() {
            self.complete_join(desk);
        }
    }

    /// Members that were told the generation and never asked for their part are out, alive or not (KAFKA-12890).
    fn sync_phase_over(&mut self, desk: &mut Desk) {
        if !matches!(self.state, State::CompletingRebalance | State::Stable) || self.pending_sync.is_empty() {
            return;
        }
        let missing = std::mem::take(&mut self.pending_sync);
        for id in &missing {
            self.remove(desk, id.as_str());
            let cause = EvictionCause::SyncTimeout;
            desk.observe(&self.id, Some(id), Change::MemberEvicted { cause });
        }
        let member = missing.into_iter().next();
        self.rebalance(
            desk,
            Cause::Rebalance {
                why: RebalanceCause::MemberEvicted,
                member,
            },
        );
    }

    fn forget_if_unused(&mut self, desk: &mut Desk) {
        if self.pending.is_empty() && self.appends.is_empty() {
            self.append_tombstones(desk);
            self.forget_offsets(desk);
            self.transition(desk, State::Dead, Cause::Forgotten);
        } else {
            self.keep_or_forget_later(desk);
        }
    }

    /// The coordinator stood still for `pause`: what was due is due that much later, but every session starts over, as
    /// after Kafka has loaded a group (protocol.md 3.8).
    pub(crate) fn thaw(&mut self, desk: &mut Desk, pause: Millis) {
        let id = &self.id;
        let timers = &mut desk.timers;
        later(timers, &mut self.join_alarm, pause, || {
            Timer::JoinPhase(id.clone())
        });
        later(timers, &mut self.sync_alarm, pause, || {
            Timer::SyncPhase(id.clone())
        });
        later(timers, &mut self.retention, pause, || {
            Timer::Retention(id.clone())
        });
        for (member, pending) in &mut self.pending {
            later(timers, &mut pending.alarm, pause, || {
                Timer::Pending(id.clone(), member.clone())
            });
        }
        for (member, record) in &mut self.members {
            later(timers, &mut record.session, pause, || {
                Timer::Session(id.clone(), member.clone())
            });
            if !record.is_new {
                let due = desk.now + record.timeouts.session;
                timers.set(&mut record.session, due, || {
                    Timer::Session(id.clone(), member.clone())
                });
            }
        }
    }
}

fn later(timers: &mut Timers, alarm: &mut Alarm, pause: Millis, timer: impl Fn() -> Timer) {
    if let Some(due) = alarm.due() {
        timers.cancel(alarm, &timer);
        timers.set(alarm, due + pause, &timer);
    }
}
