//! How members come, move and go, in words.

use shared::event::{Departure, EvictionCause, Joined, Reconciling, RejoinCause, Source};
use shared::health::words::which_departure;
use shared::ids::MemberId;
use shared::member::{MoveCause, State};
use shared::time::Millis;

use super::{Story, in_brackets, name, sentence};
use crate::views::tone::Tone;
use crate::views::words::{self, spelled};

pub(super) fn must_rejoin(
    cause: RejoinCause,
    error: Option<i16>,
    id_cleared: bool,
    detail: Option<&str>,
) -> Story {
    let because = match cause {
        RejoinCause::RebalanceInProgress => "the group rebalances",
        RejoinCause::IllegalGeneration => "its generation is no longer the group's",
        RejoinCause::UnknownMemberId => "the coordinator does not know it any more",
        RejoinCause::FencedInstanceId => "another member has its instance id",
        RejoinCause::JoinFailed => "its join failed",
        RejoinCause::SubscriptionChanged => "what it subscribes to changed",
        RejoinCause::Enforced => "it was told to, though nothing changed",
    };
    let id = if id_cleared {
        " It gives up its member id."
    } else {
        ""
    };
    let detail = in_brackets(detail);
    Story::new(Tone::Move, format!("It must join again: {because}{detail}.{id}")).with_code(error)
}

pub(super) fn moved(from: State, to: State, cause: MoveCause) -> Story {
    let because = match cause {
        MoveCause::JoinSent => "JoinGroup is sent",
        MoveCause::JoinAnswered => "JoinGroup was answered",
        MoveCause::SyncAnswered => "SyncGroup was answered",
        MoveCause::JoinFailed => "JoinGroup was refused or lost",
        MoveCause::MemberIdGiven => "JoinGroup was answered with the id to ask again with",
        MoveCause::SyncFailed => "SyncGroup was refused or lost",
        MoveCause::MembershipLost => "a heartbeat told that its membership is lost",
        MoveCause::LeaveAsked => "it was told to leave",
        MoveCause::LeaveEnded => "its leave is over",
        MoveCause::Fatal => "an error no retry can mend",
    };
    // Kafka's own names of the states, as Debug spells them.
    Story::new(Tone::Dim, format!("{from:?} → {to:?}: {because}."))
}

pub(super) fn failed(error: Option<i16>, why: &str, again: u32) -> Story {
    let times = match again {
        0 => String::new(),
        times => format!(", {times} times more"),
    };
    Story::new(Tone::Bad, format!("It ended{times}: {}.", sentence(why))).with_code(error)
}

pub(super) fn not_authorized(error: i16, right: &str) -> Story {
    Story::new(Tone::Bad, format!("A right is missing: {}.", sentence(right))).with_code(Some(error))
}

pub(super) fn authorized(right: &str) -> Story {
    Story::new(
        Tone::Ok,
        format!("A right that was missing is there: {}.", sentence(right)),
    )
}

pub(super) fn came_in(verb: &str, joined: &Joined, source: Source) -> Story {
    // The newer protocols have epochs and no JoinGroup; a survey times only their members.
    let newer = source == Source::Survey && (joined.took_ms.is_some() || joined.classic == Some(false));
    let (verb, counted, start) = match (newer, verb) {
        (true, "Rejoined") => ("It has", "", "the group came to it"),
        (true, verb) => (verb, " in", "the group came to it"),
        (false, verb) => (verb, " in", "its JoinGroup"),
    };
    let name = if newer { "epoch" } else { "generation" };
    let generation = joined
        .generation
        .map(|generation| format!("{counted} {name} {generation}"))
        .unwrap_or_default();
    let took = joined
        .took_ms
        .map(|ms| format!(", {} after {start}", words::took(Millis(ms))))
        .unwrap_or_default();
    let host = joined
        .host
        .as_deref()
        .map(|host| format!(", from {}", spelled(host)))
        .unwrap_or_default();
    Story::new(Tone::Ok, format!("{verb}{generation}{took}{host}."))
}

pub(super) fn reconciling(what: &Reconciling) -> Story {
    if what.is_over() {
        let epoch = what.epoch;
        return Story::new(Tone::Ok, format!("It has what it was given, epoch {epoch}."));
    }
    Story::new(Tone::Move, format!("It reconciles: {}.", what.words()))
}

pub(super) fn ended(tone: Tone, how: &str, cause: &str) -> Story {
    Story::new(tone, format!("{how}: {}.", sentence(cause)))
}

pub(super) fn replaced(cause: &str, by: Option<&MemberId>) -> Story {
    let by = by.map(|id| format!(" by {}", name(id))).unwrap_or_default();
    Story::new(Tone::Move, format!("It was replaced{by}: {}.", sentence(cause)))
}

pub(super) fn evicted(cause: EvictionCause) -> Story {
    let because = match cause {
        EvictionCause::RebalanceTimeout => "it did not join again within its rebalance timeout",
        EvictionCause::SyncTimeout => "it did not send SyncGroup in time",
        EvictionCause::GroupFull => "the group is full",
        EvictionCause::Displaced => "another member joined",
    };
    Story::new(Tone::Bad, format!("The coordinator removed it: {because}."))
}

pub(super) fn gone(possible: &[Departure], why: &str) -> Story {
    let which = which_departure(possible);
    let why = sentence(why);
    Story::new(
        Tone::Bad,
        format!("It is no longer listed; {which} is not visible: {why}."),
    )
}
