//! What an event says, in a sentence, and which error codes it carries.

mod coordinator;
mod fault;
mod group;
mod heartbeat;
mod membership;

use shared::error_code;
use shared::event::{Change, LinkFault, Source};
use shared::ids::MemberId;

pub use self::fault::fault_words;
pub use self::group::because;
use super::tone::Tone;
use super::words::{cut_tail, spelled};

/// An event in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// How it is coloured; its kind stands beside it in words.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
    /// The error codes it carries, each to be explained in place; 0 is none.
    pub codes: Vec<i16>,
}

impl Story {
    fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            tone,
            text: text.into(),
            codes: Vec::new(),
        }
    }

    fn with_code(mut self, code: Option<i16>) -> Self {
        self.codes.extend(code.filter(|code| *code != error_code::NONE));
        self
    }
}

/// Tells a change, as seen by a source.
#[must_use]
pub fn tell(change: &Change, source: Source) -> Story {
    use Change as C;
    match change {
        C::CoordinatorFound { node, host, port } => group::coordinator_found(*node, host, *port),
        C::CoordinatorNotFound { error, cause, detail } => {
            group::coordinator_not_found(*error, *cause, detail.as_deref())
        }
        C::CoordinatorDead {
            cause,
            detail,
            unsent,
            again,
            ..
        } => group::coordinator_dead(*cause, detail.as_deref(), *unsent, *again),
        C::HeartbeatAnswered {
            latency_us,
            error,
            behind,
            ..
        } => heartbeat::answered(*latency_us, *error, behind.as_deref()),
        C::HeartbeatFailed { cause, detail, .. } => heartbeat::failed(*cause, detail.as_deref()),
        C::HeartbeatWithheld { reason, .. } => heartbeat::withheld(*reason),
        C::HeartbeatReceived { error, .. } => heartbeat::received(*error),
        C::HeartbeatsSummarised(summary) => heartbeat::summarised(summary),
        C::RejoinNeeded {
            cause,
            error,
            member_id_cleared,
            detail,
        } => membership::must_rejoin(*cause, *error, *member_id_cleared, detail.as_deref()),
        C::MemberMoved { from, to, cause } => membership::moved(*from, *to, *cause),
        C::MemberFailed {
            error,
            sentence,
            again,
        } => membership::failed(*error, sentence, *again),
        C::NotAuthorized { error, right } => membership::not_authorized(*error, right),
        C::Authorized { right } => membership::authorized(right),
        C::MemberJoined(joined) => membership::came_in("Joined", joined, source),
        C::MemberRejoined(joined) => membership::came_in("Rejoined", joined, source),
        C::MemberReconciling(what) => membership::reconciling(what),
        C::MemberLeft { cause } => membership::ended(Tone::Dim, "It left", cause),
        C::MemberExpired { cause } => {
            membership::ended(Tone::Bad, "Its session was over at the coordinator", cause)
        }
        C::MemberFenced { cause } => membership::ended(Tone::Bad, "It was fenced", cause),
        C::MemberReplaced { cause, by } => membership::replaced(cause, by.as_ref()),
        C::MemberEvicted { cause } => membership::evicted(*cause),
        C::MemberGone { possible, why } => membership::gone(possible, why),
        C::RebalanceStarted {
            cause,
            member,
            from_generation,
        } => group::rebalance_started(*cause, member.as_ref(), *from_generation),
        C::RebalanceFinished(rebalanced) => group::rebalance_finished(rebalanced),
        C::GroupState { from, to } => group::state(from.as_ref(), to),
        C::GroupFound {
            group_type,
            protocol_type,
        } => group::found(group_type, protocol_type.as_deref()),
        C::GroupGone { group_type } => group::gone(group_type),
        C::FaultPlayed { fault } => Story::new(Tone::Late, format!("Played here: {}.", fault_words(fault))),
        C::Gap { what, from, to, why } => group::gap(what, to.since(*from), why),
        seen_there => coordinator::tell(seen_there),
    }
}

/// A member id without its random tail.
#[must_use]
pub fn name(id: &MemberId) -> String {
    spelled(cut_tail(id.as_str()).0)
}

/// A code that is part of normal life moves the group; another one is trouble.
#[must_use]
pub fn code_tone(code: i16) -> Tone {
    if code == error_code::NONE {
        return Tone::Ok;
    }
    match error_code::severity(code) {
        error_code::Severity::Normal => Tone::Move,
        error_code::Severity::Serious => Tone::Bad,
    }
}

/// How a request failed.
pub(super) const fn link_fault(cause: LinkFault) -> &'static str {
    match cause {
        LinkFault::Disconnect => "the connection ended",
        LinkFault::Timeout => "no answer by its deadline",
        LinkFault::Garbled => "what came cannot be an answer",
        LinkFault::Authentication => "the authentication failed",
    }
}

/// Words of a source, to be followed by our own full stop.
pub(super) fn sentence(text: &str) -> String {
    spelled(text.trim_end_matches('.'))
}

fn in_brackets(detail: Option<&str>) -> String {
    detail
        .map(|detail| format!(" ({})", spelled(detail)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
