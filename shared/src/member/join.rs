//! Into the group: JoinGroup, its answer, and starting over.

use std::sync::Arc;

use super::Member;
use super::link::{Ask, Sent};
use super::membership::Membership;
use super::request::{ASSIGNOR, PROTOCOL_TYPE};
use super::response::Misfit;
use super::state::{MoveCause, State};
use crate::backoff::Backoff;
use crate::error_code;
use crate::event::{Change, RebalanceCause, RejoinCause};
use crate::ids::{Generation, MemberId};
use crate::protocol::JoinGroupResponse;
use crate::rules::{
    Effect, FirstHeartbeat, Forget, GroupRequest, JoinTimeout, JoinWaits, RejoinCleared, StaleAnswers,
};
use crate::time::{Millis, Timestamp};

/// The next JoinGroup.
#[derive(Debug)]
pub(super) struct Joining {
    /// Not before then.
    pub(super) not_before: Timestamp,
    /// For the coordinator's log.
    reason: &'static str,
    backoff: Backoff,
    /// How many joins in a row were started over at once.
    at_once: u32,
    /// The version of the last JoinGroup sent.
    pub(super) version: i16,
    /// The topics of the last JoinGroup made.
    pub(super) topics: Arc<[String]>,
}

impl Joining {
    /// How many joins in a row start over at once, as Kafka's clients do without end; then they back off, so that a
    /// coordinator that answers 25 or 79 to everything is not asked in a loop.
    const AT_ONCE_MAX: u32 = 5;

    pub(super) fn new(backoff: Backoff, now: Timestamp) -> Self {
        Self {
            not_before: now,
            reason: "first join",
            backoff,
            at_once: 0,
            version: 0,
            topics: Arc::default(),
        }
    }

    /// Again, at once.
    pub(super) fn again_at_once(&mut self, now: Timestamp) {
        self.at_once = self.at_once.saturating_add(1);
        self.not_before = if self.at_once > Self::AT_ONCE_MAX {
            now + self.backoff.delay()
        } else {
            now
        };
    }

    /// Again, after the backoff.
    pub(super) fn again_later(&mut self, now: Timestamp) {
        self.not_before = now + self.backoff.delay();
    }

    /// It worked.
    pub(super) fn succeeded(&mut self) {
        self.at_once = 0;
        self.backoff.reset();
    }
}

impl Member {
    /// When a JoinGroup goes out, if one must and nothing else keeps it back.
    pub(super) fn join_due(&self) -> Option<Timestamp> {
        let needed = match self.standing.state() {
            State::Unjoined => true,
            State::Stable => self.must_rejoin,
            State::PreparingRebalance | State::CompletingRebalance | State::Leaving | State::Ended => false,
        };
        let coordinator = self.coordinator.as_ref().filter(|_| needed)?;
        let link = &coordinator.link;
        let blocked = match self.config.rules.join_waits {
            JoinWaits::UntilNothingIsPending => !link.is_idle(),
            // A JoinGroup whose member was thrown out meanwhile is still awaited: two at once would be two members.
            JoinWaits::Never => link.has(GroupRequest::JoinGroup) || link.has(GroupRequest::SyncGroup),
        };
        (!blocked).then_some(self.joining.not_before)
    }

    /// Sends a JoinGroup where one is due.
    pub(super) fn join_if_due(&mut self, now: Timestamp) {
        if self.join_due().is_none_or(|due| due > now) {
            return;
        }
        self.joining.topics = Arc::clone(&self.topics);
        self.transition(State::PreparingRebalance, MoveCause::JoinSent);
        self.ask(
            now,
            Ask::JoinGroup {
                topics: Arc::clone(&self.topics),
                reason: self.joining.reason,
            },
        );
    }

    /// How long a JoinGroup may take. Java adds the 5 s in 32 bits and takes the sum only where it did not wrap.
    pub(super) fn join_timeout(&self) -> Millis {
        const LAPSE: u64 = 5000;
        match self.config.rules.join_timeout {
            JoinTimeout::Request => self.config.request_timeout,
            JoinTimeout::Rebalance => {
                let whole = self.config.rebalance_timeout.0.saturating_add(LAPSE);
                Millis(whole.min(i32::MAX as u64)).max(self.config.request_timeout)
            }
        }
    }

    /// The member must join again, and says why.
    pub(super) fn must_rejoin(&mut self, cause: RejoinCause, error: Option<i16>) {
        self.tell_must_rejoin(cause, error, false, None);
    }

    /// A stable member is told to join again though nothing has changed.
    pub(super) fn rejoin_asked(&mut self) {
        if self.standing.state() != State::Stable || self.must_rejoin {
            return;
        }
        if self.leads() {
            self.seen.caused_by_us(RebalanceCause::LeaderRejoined);
        }
        self.must_rejoin(RejoinCause::Enforced, None);
    }

    /// A request of a join got no usable answer, or was never sent: the join starts over.
    pub(super) fn rejoin_unanswered(&mut self, detail: Option<String>) {
        self.tell_must_rejoin(RejoinCause::JoinFailed, None, false, detail);
    }

    fn tell_must_rejoin(
        &mut self,
        cause: RejoinCause,
        error: Option<i16>,
        member_id_cleared: bool,
        detail: Option<String>,
    ) {
        self.must_rejoin = true;
        self.joining.reason = reason(cause);
        self.tell(Change::RejoinNeeded {
            cause,
            error,
            member_id_cleared,
            detail,
        });
    }

    /// An answer has told the member that its membership is not what it thought: what the table says is forgotten.
    pub(super) fn lose(&mut self, code: i16, forget: Forget, by: &Membership) {
        let cleared = forget.member_id() && !self.membership.member_id.is_empty();
        self.tell_must_rejoin(cause_of(code), Some(code), cleared, None);
        if code == error_code::UNKNOWN_MEMBER_ID {
            self.no_longer_known(&by.member_id);
        }
        self.membership.forget(forget);
        self.rename();
    }

    /// Kafka's `JoinGroupResponseHandler`.
    pub(super) fn join_group_answered(
        &mut self,
        now: Timestamp,
        sent: &Sent,
        answer: JoinGroupResponse,
    ) -> Result<(), Misfit> {
        // The member was thrown out while it waited: Java's UnjoinedGroupException. What it was given is not its own.
        if self.standing.state() != State::PreparingRebalance {
            self.joining.again_later(now);
            return Ok(());
        }
        let code = answer.error_code;
        let effect = self.config.rules.answers.effect(GroupRequest::JoinGroup, code);
        match effect {
            Effect::Accept => return self.join_accepted(now, answer),
            Effect::TakeMemberId => return self.member_id_given(now, answer.member_id),
            Effect::Fenced | Effect::Fatal => {
                self.refused(GroupRequest::JoinGroup, code);
                return Ok(());
            }
            Effect::CoordinatorDead => self.coordinator_refused(now, code),
            Effect::Rejoin(forget) => {
                let stale =
                    sent.by != self.membership && self.config.rules.stale_answers == StaleAnswers::Ignored;
                let forget = if stale { Forget::Nothing } else { forget };
                self.lose(code, forget, &sent.by);
            }
            Effect::Retry | Effect::Over => self.must_rejoin(RejoinCause::JoinFailed, Some(code)),
        }
        self.transition(State::Unjoined, MoveCause::JoinFailed);
        match effect {
            Effect::Rejoin(_) => self.joining.again_at_once(now),
            _ => self.joining.again_later(now),
        }
        Ok(())
    }

    /// 79: the id to ask again with. The group does not know the member yet (KIP-394).
    fn member_id_given(&mut self, now: Timestamp, given: String) -> Result<(), Misfit> {
        if given.is_empty() {
            return Err(Misfit("79 without a member id".to_owned()));
        }
        self.membership = Membership {
            member_id: MemberId::from(given),
            ..Membership::none()
        };
        self.rename();
        self.must_rejoin = true;
        self.joining.reason = "was given its member id";
        self.transition(State::Unjoined, MoveCause::MemberIdGiven);
        self.joining.again_at_once(now);
        Ok(())
    }

    fn join_accepted(&mut self, now: Timestamp, answer: JoinGroupResponse) -> Result<(), Misfit> {
        if let Some(wrong) = other_than(PROTOCOL_TYPE, answer.protocol_type.as_deref()) {
            self.inconsistent(GroupRequest::JoinGroup, "protocol type", wrong, PROTOCOL_TYPE);
            return Ok(());
        }
        if let Some(wrong) = other_than(ASSIGNOR, answer.protocol_name.as_deref()) {
            self.inconsistent(GroupRequest::JoinGroup, "assignor", wrong, ASSIGNOR);
            return Ok(());
        }
        if answer.generation_id < 0 || answer.member_id.is_empty() {
            return Err(Misfit(format!(
                "a success with generation {} and member id {:?}",
                answer.generation_id, answer.member_id
            )));
        }
        self.membership = Membership {
            generation: Generation(answer.generation_id),
            member_id: MemberId::from(answer.member_id.as_str()),
            protocol: answer.protocol_name.as_deref().map(Arc::from),
        };
        self.rename();
        if self.config.rules.rejoin_cleared == RejoinCleared::AtJoin {
            self.must_rejoin = false;
        }
        self.leading.reset();
        self.transition(State::CompletingRebalance, MoveCause::JoinAnswered);
        if self.config.rules.first_heartbeat == FirstHeartbeat::AfterJoin {
            self.restart_heartbeats(now);
        }
        let leads = answer.leader == answer.member_id;
        self.generation_formed(now, leads.then_some(answer.members.as_slice()));
        if leads {
            self.lead(now, answer.members, answer.skip_assignment);
        } else {
            self.ask(
                now,
                Ask::SyncGroup {
                    assignments: Vec::new(),
                },
            );
        }
        Ok(())
    }

    /// No answer came, or none that is one.
    pub(super) fn join_group_unanswered(&mut self, now: Timestamp, detail: Option<String>) {
        self.joining.again_later(now);
        if self.standing.state() == State::PreparingRebalance {
            // Where the coordinator died of it, its death has said so: the member still needs the join it needed before.
            if self.coordinator.is_some() {
                self.rejoin_unanswered(detail);
            }
            self.transition(State::Unjoined, MoveCause::JoinFailed);
        }
    }
}

/// What stands where `expected` should; nothing said is right.
pub(super) fn other_than<'a>(expected: &str, found: Option<&'a str>) -> Option<&'a str> {
    found.filter(|found| !found.is_empty() && *found != expected)
}

pub(super) fn cause_of(code: i16) -> RejoinCause {
    match code {
        error_code::REBALANCE_IN_PROGRESS => RejoinCause::RebalanceInProgress,
        error_code::ILLEGAL_GENERATION => RejoinCause::IllegalGeneration,
        error_code::UNKNOWN_MEMBER_ID => RejoinCause::UnknownMemberId,
        error_code::FENCED_INSTANCE_ID => RejoinCause::FencedInstanceId,
        _ => RejoinCause::JoinFailed,
    }
}

const fn reason(cause: RejoinCause) -> &'static str {
    match cause {
        RejoinCause::RebalanceInProgress => "told that the group rebalances",
        RejoinCause::IllegalGeneration => "its generation was over",
        RejoinCause::UnknownMemberId => "its member id was unknown",
        RejoinCause::FencedInstanceId => "its instance id was fenced",
        RejoinCause::JoinFailed => "the join before failed",
        RejoinCause::SubscriptionChanged => "its subscription changed",
        RejoinCause::Enforced => "told to rejoin",
    }
}
