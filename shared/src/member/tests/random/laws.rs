//! What holds in every random life, after every input.

use super::storm::Storm;
use crate::error_code::{COORDINATOR_NOT_AVAILABLE, NONE, NOT_COORDINATOR};
use crate::event::{Change, DeathCause};
use crate::member::tests::world::Request;
use crate::member::{AnswerFault, Input, LinkId, State};
use crate::protocol::ApiKey;
use crate::rules::{Expiry, FirstHeartbeat, GroupRequest, Guard, Rules};

impl Storm {
    pub(super) fn note(&mut self, change: &Change, input: &Input, link: Option<LinkId>) {
        match change {
            Change::CoordinatorDead { cause, .. } => self.died_for_a_reason(*cause, input, link),
            // 0.10.0 asks for a generation above 0 first; 0 is one that only nonsense gives.
            Change::CoordinatorFound { .. } => {
                let joined = self.world.member.generation().0 > 0;
                if joined || self.rules.guard == Guard::JoinedOnly {
                    self.session_reset = self.latest;
                }
            }
            Change::HeartbeatAnswered { renews: true, .. } => self.received = Some(self.latest),
            Change::HeartbeatAnswered { renews: false, .. } | Change::HeartbeatFailed { .. } => {
                self.last_failure = Some(self.latest);
            }
            Change::MemberMoved {
                to: State::CompletingRebalance,
                ..
            } => {
                self.join_answered = Some(self.latest);
                if self.rules.first_heartbeat == FirstHeartbeat::AfterJoin {
                    self.session_reset = self.latest;
                }
            }
            Change::MemberMoved {
                to: State::Stable, ..
            } if self.rules.first_heartbeat == FirstHeartbeat::AfterSync => {
                self.session_reset = self.latest;
            }
            _ => {}
        }
    }

    /// A coordinator is declared dead only after silence, disconnect or 15/16.
    fn died_for_a_reason(&self, cause: DeathCause, input: &Input, link: Option<LinkId>) {
        let code = match input {
            Input::Answer {
                result: Ok(response), ..
            } => response.error_code(),
            _ => None,
        };
        match cause {
            DeathCause::SessionOver => {
                let renewed = self
                    .received
                    .map_or(self.session_reset, |at| at.max(self.session_reset));
                let end = renewed + self.world.member.config.session_timeout;
                let over = match self.rules.expiry {
                    Expiry::After => self.latest > end,
                    Expiry::At => self.latest >= end,
                };
                assert!(over, "{end:?} is not over at {:?}", self.latest);
            }
            DeathCause::Disconnect => assert!(
                matches!(
                    input,
                    Input::LinkDown { link: down, .. } if Some(*down) == link
                ) || matches!(
                    input,
                    Input::Answer { link: on, result: Err(AnswerFault::Garbled { .. }), .. } if Some(*on) == link
                )
            ),
            DeathCause::Timeout => assert!(matches!(
                input,
                Input::Answer { link: on, result: Err(AnswerFault::Timeout { .. }), .. } if Some(*on) == link
            )),
            DeathCause::CoordinatorNotAvailable => assert_eq!(code, Some(COORDINATOR_NOT_AVAILABLE)),
            DeathCause::NotCoordinator => assert_eq!(code, Some(NOT_COORDINATOR)),
            // Named by the answer to a lookup that went on beside it.
            DeathCause::Moved => assert!(
                code == Some(NONE) && matches!(input, Input::Answer { link: on, .. } if Some(*on) != link)
            ),
        }
    }

    pub(super) fn at_most_one_heartbeat_is_out(&self) {
        let beats = |request: &&Request| request.body.key() == ApiKey::Heartbeat;
        let out = self.world.waiting.iter().filter(beats).count();
        assert!(out <= 1, "{:?}", self.world.waiting);
        let known = self.world.member.coordinator.as_ref();
        let pending = known.is_some_and(|known| known.link.has(GroupRequest::Heartbeat));
        if !self.world.member.state().over() {
            assert_eq!(
                self.world.member.task.in_flight(),
                pending,
                "in flight is what is pending"
            );
        }
    }

    pub(super) fn it_waits_for_something(&self) {
        let world = &self.world;
        assert!(
            world.member.deadline().is_some() || !world.links.is_empty() || world.end.is_some(),
            "nothing will ever happen to it: {:?}",
            world.member
        );
    }

    /// While a stable member knows its coordinator and has no heartbeat out, the next is due no later than the latest of last
    /// send + interval, JoinGroup answer + interval, last failure + backoff cap.
    pub(super) fn the_next_heartbeat_is_not_forgotten(&self) {
        let member = &self.world.member;
        let waits_for_one =
            member.state() == State::Stable && member.coordinator.is_some() && !member.task.in_flight();
        if self.rules != Rules::MODERN || !waits_for_one {
            return;
        }
        let interval = member.config.heartbeat_interval;
        let cap = member.config.retry_backoff_max;
        let bound = [
            self.last_send.map(|at| at + interval),
            self.join_answered.map(|at| at + interval),
            self.last_failure.map(|at| at + cap),
        ];
        let bound = bound.into_iter().flatten().max().expect("it has joined");
        assert!(
            member.heartbeat.due_at() <= bound,
            "{:?} is after {bound:?}",
            member.heartbeat.due_at()
        );
        assert!(
            member.task.deadline().is_some_and(|at| at <= bound),
            "and it will be looked at"
        );
    }
}
