//! Errors no retry can mend, missing rights, and the end.

use super::Member;
use super::coordinator::Lookup;
use super::port::{End, Fatal, Output};
use super::state::MoveCause;
use super::state::State;
use crate::error_code::{self, CLUSTER_AUTHORIZATION_FAILED, FENCED_INSTANCE_ID, TOPIC_AUTHORIZATION_FAILED};
use crate::event::Change;
use crate::rules::GroupRequest;

impl Member {
    /// An answer that ends the member.
    pub(super) fn refused(&mut self, request: GroupRequest, code: i16) {
        let sentence = format!(
            "{request} was answered {}: {}",
            error_code::label(code),
            error_code::sentence(code)
        );
        self.note_denied(code);
        if code == FENCED_INSTANCE_ID {
            self.tell(Change::MemberFenced {
                cause: sentence.clone(),
            });
        } else {
            self.tell(Change::MemberFailed {
                error: Some(code),
                sentence: sentence.clone(),
                again: 0,
            });
        }
        self.end_fatally(Some(code), sentence);
    }

    /// An answer that belongs to another kind of group: Kafka raises 23 for it itself (KIP-559).
    pub(super) fn inconsistent(&mut self, request: GroupRequest, what: &str, found: &str, expected: &str) {
        let code = error_code::INCONSISTENT_GROUP_PROTOCOL;
        self.failed(
            Some(code),
            format!("{request} was answered with the {what} {found:?}; this member takes part with {expected:?} only"),
        );
    }

    /// The member cannot go on, for a reason that no answer's code stands for.
    pub(super) fn failed(&mut self, code: Option<i16>, sentence: String) {
        self.tell(Change::MemberFailed {
            error: code,
            sentence: sentence.clone(),
            again: 0,
        });
        self.end_fatally(code, sentence);
    }

    fn end_fatally(&mut self, code: Option<i16>, sentence: String) {
        self.end(End::Fatal(Fatal { code, sentence }), MoveCause::Fatal);
    }

    /// Nothing comes after this.
    pub(super) fn end(&mut self, end: End, cause: MoveCause) {
        if self.standing.state() == State::Ended {
            return;
        }
        let links = self.coordinator.take().map(|coordinator| coordinator.link.id);
        let lookup = match std::mem::replace(&mut self.lookup, Lookup::Idle) {
            Lookup::Asking(link) => Some(link.id),
            Lookup::Idle | Lookup::Waiting { .. } => None,
        };
        for link in links.into_iter().chain(lookup) {
            self.outputs.push_back(Output::Disconnect { link });
        }
        self.task.unqueue();
        self.transition(State::Ended, cause);
        self.outputs.push_back(Output::Ended(end));
    }

    /// Whether a code says that a right is missing. Told once, until a request is granted.
    pub(super) fn note_denied(&mut self, code: i16) -> bool {
        let Some(right) = missing_right(code, self.config.group.as_str()) else {
            return false;
        };
        if self.denied.replace(code) != Some(code) {
            self.tell(Change::NotAuthorized { error: code, right });
        }
        true
    }

    /// A request was granted: a right that was missing no longer is.
    pub(super) const fn granted(&mut self) {
        self.denied = None;
    }
}

/// The right that an answer says is missing, as `kafka-acls` names it.
fn missing_right(code: i16, group: &str) -> Option<String> {
    match code {
        // To find its coordinator DESCRIBE would do, which READ includes; to be a member it would not.
        error_code::GROUP_AUTHORIZATION_FAILED => Some(format!("READ on group {group}")),
        TOPIC_AUTHORIZATION_FAILED => Some("READ on a topic it subscribes to".to_owned()),
        CLUSTER_AUTHORIZATION_FAILED => Some("CLUSTER_ACTION on the cluster".to_owned()),
        _ => None,
    }
}
