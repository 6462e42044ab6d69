//! Into the generation: SyncGroup and its answer.

use super::Member;
use super::join::other_than;
use super::link::Sent;
use super::request::{ASSIGNOR, PROTOCOL_TYPE};
use super::state::{MoveCause, State};
use crate::error_code;
use crate::event::RejoinCause;
use crate::protocol::SyncGroupResponse;
use crate::rules::{Effect, FirstHeartbeat, Forget, GroupRequest, RejoinCleared, StaleAnswers};
use crate::time::Timestamp;

impl Member {
    /// Kafka's `SyncGroupResponseHandler`. A sync that fails starts over at the join, never at the sync.
    pub(super) fn sync_group_answered(&mut self, now: Timestamp, sent: &Sent, answer: &SyncGroupResponse) {
        // Thrown out while it waited: the join that follows brings another assignment.
        if self.standing.state() != State::CompletingRebalance {
            return;
        }
        let code = answer.error_code;
        let effect = self.config.rules.answers.effect(GroupRequest::SyncGroup, code);
        match effect {
            Effect::Accept => return self.sync_accepted(now, answer),
            Effect::Fenced | Effect::Fatal => return self.refused(GroupRequest::SyncGroup, code),
            Effect::CoordinatorDead => {
                self.coordinator_refused(now, code);
                self.must_rejoin(RejoinCause::JoinFailed, Some(code));
            }
            Effect::Rejoin(forget) => {
                if code == error_code::REBALANCE_IN_PROGRESS {
                    self.seen.abandon();
                }
                let stale =
                    sent.by != self.membership && self.config.rules.stale_answers == StaleAnswers::Ignored;
                let forget = if stale { Forget::Nothing } else { forget };
                self.lose(code, forget, &sent.by);
            }
            Effect::Retry | Effect::TakeMemberId | Effect::Over => {
                self.must_rejoin(RejoinCause::JoinFailed, Some(code));
            }
        }
        self.transition(State::Unjoined, MoveCause::SyncFailed);
        match effect {
            Effect::Rejoin(_) => self.joining.again_at_once(now),
            _ => self.joining.again_later(now),
        }
    }

    fn sync_accepted(&mut self, now: Timestamp, answer: &SyncGroupResponse) {
        if let Some(wrong) = other_than(PROTOCOL_TYPE, answer.protocol_type.as_deref()) {
            return self.inconsistent(GroupRequest::SyncGroup, "protocol type", wrong, PROTOCOL_TYPE);
        }
        let chosen = self.membership.protocol.clone();
        let chosen = chosen
            .as_deref()
            .filter(|name| !name.is_empty())
            .unwrap_or(ASSIGNOR);
        if let Some(wrong) = other_than(chosen, answer.protocol_name.as_deref()) {
            return self.inconsistent(GroupRequest::SyncGroup, "assignor", wrong, chosen);
        }
        if self.config.rules.rejoin_cleared == RejoinCleared::AtSync {
            self.must_rejoin = false;
        }
        self.transition(State::Stable, MoveCause::SyncAnswered);
        self.joining.succeeded();
        self.granted();
        if self.config.rules.first_heartbeat == FirstHeartbeat::AfterSync {
            self.restart_heartbeats(now);
        }
        self.generation_stable(now);
        self.rejoin_if_changed();
    }

    /// No answer came, or none that is one.
    pub(super) fn sync_group_unanswered(&mut self, now: Timestamp, detail: Option<String>) {
        self.joining.again_later(now);
        if self.standing.state() == State::CompletingRebalance {
            self.rejoin_unanswered(detail);
            self.transition(State::Unjoined, MoveCause::SyncFailed);
        }
    }
}
