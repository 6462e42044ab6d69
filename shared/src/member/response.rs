//! What happens to an answer before anybody looks at its code, and to a request that gets none.

use super::Member;
use super::beat::HeartbeatCompletionHandler;
use super::link::Sent;
use super::membership::Membership;
use super::port::AnswerFault;
use super::state::State;
use crate::error_code;
use crate::event::{DeathCause, LinkFault};
use crate::protocol::AnyResponse;
use crate::rules::{Effect, GroupRequest};
use crate::time::Timestamp;

/// An answer that cannot be: not what was asked for, or a success that says nonsense.
pub(super) struct Misfit(pub(super) String);

/// Kafka's `AbstractCoordinator.CoordinatorResponseHandler` (0.9.0.1 to today): disconnect, parse, handle.
///
/// - Disconnect (or a request timeout, which closes the connection): the coordinator is dead *first*; then the request fails.
/// - Parse and handle: an error in either fails this request and nothing else, unless it has already ended. That it ends only
///   once is in the types: [`Sent`] is consumed. Handlers check an answer before they change anything.
///
/// Changed since 0.10.0: the failure is told with what was wrong instead of being thrown.
pub(super) struct CoordinatorResponseHandler<'a> {
    pub(super) member: &'a mut Member,
    pub(super) now: Timestamp,
}

impl CoordinatorResponseHandler<'_> {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a request ends once: whoever completes it consumes it"
    )]
    pub(super) fn complete(self, sent: Sent, result: Result<AnyResponse, AnswerFault>) {
        match result {
            Ok(answer) => self.on_success(&sent, answer),
            Err(fault) => self.on_failure(&sent, fault),
        }
    }

    fn on_failure(self, sent: &Sent, fault: AnswerFault) {
        let (cause, fault, detail) = match fault {
            AnswerFault::Timeout { detail } => (DeathCause::Timeout, LinkFault::Timeout, detail),
            AnswerFault::Garbled { detail } => (DeathCause::Disconnect, LinkFault::Garbled, Some(detail)),
        };
        self.member.coordinator_dead(self.now, cause, detail.clone());
        self.member
            .request_failed(self.now, sent.request, &sent.by, fault, detail);
    }

    fn on_success(mut self, sent: &Sent, answer: AnyResponse) {
        let code = answer.error_code().unwrap_or(error_code::NONE);
        if self.member.config.rules.answers.effect(sent.request, code) != Effect::CoordinatorDead {
            self.member.coordinator_proven();
        }
        if let Err(Misfit(detail)) = self.handle(sent, answer) {
            let told = Some(format!("answer to {}: {detail}", sent.request));
            self.member
                .request_failed(self.now, sent.request, &sent.by, LinkFault::Garbled, told);
        }
    }

    fn handle(&mut self, sent: &Sent, answer: AnyResponse) -> Result<(), Misfit> {
        let (member, now) = (&mut *self.member, self.now);
        match (sent.request, answer) {
            (GroupRequest::Heartbeat, AnyResponse::Heartbeat(answer)) => {
                HeartbeatCompletionHandler { member, now }.handle(sent, answer.error_code);
                Ok(())
            }
            (GroupRequest::JoinGroup, AnyResponse::JoinGroup(answer)) => {
                member.join_group_answered(now, sent, answer)
            }
            (GroupRequest::SyncGroup, AnyResponse::SyncGroup(answer)) => {
                member.sync_group_answered(now, sent, &answer);
                Ok(())
            }
            (GroupRequest::LeaveGroup, AnyResponse::LeaveGroup(answer)) => {
                member.leave_group_answered(sent, answer)
            }
            (_, other) => Err(Misfit(format!("it is one to {}", other.key()))),
        }
    }
}

impl Member {
    /// A request to the coordinator got no answer that could be used, or could not even be sent.
    pub(super) fn request_failed(
        &mut self,
        now: Timestamp,
        request: GroupRequest,
        by: &Membership,
        fault: LinkFault,
        detail: Option<String>,
    ) {
        // A LeaveGroup that failed on the same connection has just ended the member.
        if self.standing.state() == State::Ended {
            return;
        }
        match request {
            GroupRequest::Heartbeat => self.heartbeat_unanswered(now, by, fault, detail),
            GroupRequest::JoinGroup => self.join_group_unanswered(now, detail),
            GroupRequest::SyncGroup => self.sync_group_unanswered(now, detail),
            GroupRequest::LeaveGroup => self.leave_group_unanswered(fault, detail),
            GroupRequest::FindCoordinator => {}
        }
    }
}
