//! Heartbeats: sending them, and what their answers do.

use super::Member;
use super::link::{Ask, Sent};
use super::membership::Membership;
use super::state::{MoveCause, State};
use super::task::{Seat, Verdict};
use crate::error_code;
use crate::event::{Change, DeathCause, LinkFault, WithheldReason};
use crate::rules::{Effect, FirstHeartbeat, Forget, GroupRequest, RebalanceInProgress, StaleAnswers};
use crate::time::Timestamp;

impl Member {
    /// Runs the task if it is its time, and does what it says.
    pub(super) fn run_heartbeat_task(&mut self, now: Timestamp) {
        if self.standing.state().over() || !self.task.runs(now) {
            return;
        }
        let seat = self.seat();
        match self.task.run(now, &self.heartbeat, seat) {
            Verdict::Withheld(reason) => self.tell_withheld(Some(reason)),
            Verdict::CoordinatorDead => {
                self.coordinator_dead(now, DeathCause::SessionOver, None);
                self.tell_withheld(Some(WithheldReason::CoordinatorUnknown));
            }
            Verdict::NotDue(_) | Verdict::InFlight => self.tell_withheld(None),
            Verdict::Send => {
                self.tell_withheld(None);
                self.heartbeat.sent(now);
                self.ask(now, Ask::Heartbeat);
            }
        }
    }

    fn seat(&self) -> Seat {
        let state = self.standing.state();
        Seat {
            generation: self.membership.generation,
            joined: match self.config.rules.first_heartbeat {
                FirstHeartbeat::AfterSync => state == State::Stable,
                FirstHeartbeat::AfterJoin => state.joined(),
            },
            must_rejoin: self.must_rejoin,
            coordinator_known: self.coordinator.is_some(),
        }
    }

    fn tell_withheld(&mut self, reason: Option<WithheldReason>) {
        if let Some(reason) = self.task.newly_withheld(reason) {
            self.tell(Change::HeartbeatWithheld { reason, for_ms: None });
        }
    }

    /// Kafka 0.10.0's `HeartbeatTask.reset` (today `HeartbeatThread.enable`): session and interval start again.
    pub(super) fn restart_heartbeats(&mut self, now: Timestamp) {
        self.heartbeat.reset(now);
        self.task.reset(now);
    }

    /// The heartbeat counts: the coordinator has renewed the session.
    fn heartbeat_succeeded(&mut self, now: Timestamp) {
        self.heartbeat.received(now);
        self.task.ended(self.heartbeat.due_at());
    }

    fn heartbeat_failed(&mut self, now: Timestamp) {
        let again = self.heartbeat.failed(now);
        self.task.ended(again);
    }

    /// No answer came, or none that is one.
    pub(super) fn heartbeat_unanswered(
        &mut self,
        now: Timestamp,
        by: &Membership,
        cause: LinkFault,
        detail: Option<String>,
    ) {
        self.tell(Change::HeartbeatFailed {
            generation: by.generation,
            cause,
            detail,
        });
        if !self.standing.state().over() {
            self.heartbeat_failed(now);
        }
    }
}

/// Kafka 0.10.0's `AbstractCoordinator.HeartbeatCompletionHandler` (today `HeartbeatResponseHandler`): what the code in an
/// answer to a Heartbeat does, by the table [`crate::rules::Answers`].
///
/// Changed since 0.10.0: 27 is a success and obeyed in `Stable` only (KIP-62, KAFKA-10134); 22, 25 and 82 count only while the
/// membership is the one that was sent (KAFKA-9823); 22 keeps the member id and both reset the generation (KAFKA-13419); 30 and
/// 82 end the member.
pub(super) struct HeartbeatCompletionHandler<'a> {
    pub(super) member: &'a mut Member,
    pub(super) now: Timestamp,
}

impl HeartbeatCompletionHandler<'_> {
    /// The latency is told before the code is looked at: an error, too, took its time.
    pub(super) fn handle(self, sent: &Sent, code: i16) {
        let Self { member, now } = self;
        let verdict = Self::judge(member, sent, code);
        member.tell(Change::HeartbeatAnswered {
            generation: sent.by.generation,
            latency_us: now.micros_since(sent.at),
            error: code,
            renews: verdict.renews,
            behind: sent.behind.map(|earlier| earlier.to_string()),
        });
        // On its way out a member's answers are only measured: an older one must not revive it.
        if member.standing.state().over() {
            return;
        }
        if verdict.renews {
            member.heartbeat_succeeded(now);
        }
        match verdict.effect {
            Effect::Accept => member.granted(),
            Effect::CoordinatorDead => member.coordinator_refused(now, code),
            Effect::Rejoin(forget) => member.heartbeat_lost_membership(now, sent, code, forget),
            Effect::Retry => {
                member.note_denied(code);
            }
            Effect::Fenced | Effect::Fatal => return member.refused(GroupRequest::Heartbeat, code),
            // Neither set has these for a Heartbeat; they change nothing.
            Effect::TakeMemberId | Effect::Over => {}
        }
        if !verdict.renews {
            member.heartbeat_failed(now);
        }
    }

    /// What the code means here: the table's effect, unless the rules ignore it as stale or outdated.
    fn judge(member: &Member, sent: &Sent, code: i16) -> Judgement {
        let rules = &member.config.rules;
        let effect = rules.answers.effect(GroupRequest::Heartbeat, code);
        let ignored = Judgement {
            effect: Effect::Accept,
            renews: true,
        };
        if code == error_code::REBALANCE_IN_PROGRESS {
            return match rules.rebalance_in_progress {
                RebalanceInProgress::FailsTheHeartbeat => Judgement {
                    effect,
                    renews: false,
                },
                RebalanceInProgress::RenewsTheSession if member.standing.state() == State::Stable => {
                    Judgement { effect, renews: true }
                }
                RebalanceInProgress::RenewsTheSession => ignored,
            };
        }
        let about_membership = matches!(effect, Effect::Rejoin(_) | Effect::Fenced);
        let stale = sent.by != member.membership;
        if about_membership && stale && rules.stale_answers == StaleAnswers::Ignored {
            return ignored;
        }
        Judgement {
            effect,
            renews: effect == Effect::Accept,
        }
    }
}

/// What a code does here and now.
struct Judgement {
    effect: Effect,
    /// Whether the heartbeat is a success: the session starts again.
    renews: bool,
}

impl Member {
    /// 27, 22 or 25: the member must join again.
    fn heartbeat_lost_membership(&mut self, now: Timestamp, sent: &Sent, code: i16, forget: Forget) {
        if code == error_code::REBALANCE_IN_PROGRESS {
            self.rebalance_seen(now);
        }
        self.lose(code, forget, &sent.by);
        if forget.generation() && self.standing.state() != State::Unjoined {
            self.transition(State::Unjoined, MoveCause::MembershipLost);
        }
    }
}
