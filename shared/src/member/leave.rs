//! Out of the group: LeaveGroup, and ending without one.

use super::Member;
use super::coordinator::Coordinator;
use super::link::{Ask, Sent};
use super::membership::Membership;
use super::port::End;
use super::response::Misfit;
use super::state::{MoveCause, State};
use crate::error_code;
use crate::event::{Change, LinkFault};
use crate::protocol::{AnyResponse, LeaveGroupResponse};
use crate::rules::{Effect, GroupRequest, Guard};
use crate::time::Timestamp;

/// How many characters of a reason are sent (KIP-800).
const REASON_MAX: usize = 255;

impl Member {
    /// Kafka's `maybeLeaveGroup`, and then the end. It waits for no heartbeat in flight (KAFKA-16639).
    pub(super) fn leave(&mut self, now: Timestamp, reason: Option<String>) {
        if self.standing.state().over() {
            return;
        }
        if !self.is_in_group() {
            if self.seen.was(&self.membership.member_id) {
                return self.remain("it ended while it had to join again");
            }
            if self.joins_nameless() {
                return self.remain("it ended before its JoinGroup gave it a member id to leave by");
            }
            return self.end(End::Outside, MoveCause::LeaveEnded);
        }
        if !self.config.on_leave.leaves(self.config.instance.is_some()) {
            return self.remain("it ended without leaving, as it was told to");
        }
        if self.coordinator.is_none() {
            return self.remain("it ended while its coordinator was unknown");
        }
        let reason = reason.map(|reason| reason.chars().take(REASON_MAX).collect());
        self.transition(State::Leaving, MoveCause::LeaveAsked);
        self.pass_by_parked();
        self.ask(now, Ask::LeaveGroup { reason });
        self.task.unqueue();
        self.membership = Membership::none();
        self.must_rejoin = true;
    }

    /// Whether there is something to leave: 0.10.0 looks at the generation, today's at the state and the member id.
    fn is_in_group(&self) -> bool {
        match self.config.rules.guard {
            Guard::RejoinSilences => self.membership.generation.0 > 0,
            Guard::JoinedOnly => {
                self.standing.state() != State::Unjoined && !self.membership.member_id.is_empty()
            }
        }
    }

    /// Whether a JoinGroup is out that takes a member in before it is told its id: one of a static member, or of before
    /// KIP-394 (version 4).
    fn joins_nameless(&self) -> bool {
        let is_out = |known: &Coordinator| known.link.is_out(GroupRequest::JoinGroup);
        self.coordinator.as_ref().is_some_and(is_out)
            && (self.joining.version < 4 || self.config.instance.is_some())
    }

    /// Kafka's `LeaveGroupResponseHandler`. Whatever the code, the member is out on its own side.
    pub(super) fn leave_group_answered(
        &mut self,
        sent: &Sent,
        answer: LeaveGroupResponse,
    ) -> Result<(), Misfit> {
        if answer.members.len() > 1 {
            return Err(Misfit(format!(
                "it is about {} members, one was asked about",
                answer.members.len()
            )));
        }
        let code = AnyResponse::from(answer).error_code().unwrap_or(error_code::NONE);
        let accepted = self.config.rules.answers.effect(GroupRequest::LeaveGroup, code) == Effect::Accept;
        if accepted {
            self.tell(Change::MemberLeft {
                cause: "LeaveGroup was answered".to_owned(),
            });
            self.end(End::Left, MoveCause::LeaveEnded);
        } else if code == error_code::UNKNOWN_MEMBER_ID {
            self.no_longer_known(&sent.by.member_id);
            self.end(End::Left, MoveCause::LeaveEnded);
        } else {
            self.note_denied(code);
            self.remain(&format!("LeaveGroup was answered {}", error_code::label(code)));
        }
        Ok(())
    }

    /// No answer came, or none that is one.
    pub(super) fn leave_group_unanswered(&mut self, fault: LinkFault, detail: Option<String>) {
        let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
        self.remain(&match fault {
            LinkFault::Disconnect | LinkFault::Authentication => {
                format!("the connection ended before LeaveGroup was answered{detail}")
            }
            LinkFault::Timeout => format!("LeaveGroup was not answered in time{detail}"),
            LinkFault::Garbled => format!("LeaveGroup was answered with what cannot be an answer{detail}"),
        });
    }

    fn remain(&mut self, why: &str) {
        let why = format!("{why}; its coordinator keeps it until its session is over");
        self.end(End::Remains { why }, MoveCause::LeaveEnded);
    }
}
