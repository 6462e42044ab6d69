//! What happens to a group and its coordinator, in words.

use shared::error_code;
use shared::event::{DeathCause, GroupState, GroupType, LinkFault, RebalanceCause, Rebalanced};
use shared::health::words::between;
use shared::ids::{Generation, MemberId, NodeId};
use shared::time::Millis;

use super::{Story, in_brackets, link_fault, name, sentence};
use crate::views::tone::{self, Tone, plain};
use crate::views::words::{self, spelled};

pub(super) fn coordinator_found(node: NodeId, host: &str, port: u16) -> Story {
    let text = format!("The coordinator is node {node} at {}:{port}.", spelled(host));
    Story::new(Tone::Move, text)
}

pub(super) fn coordinator_not_found(
    error: Option<i16>,
    cause: Option<LinkFault>,
    detail: Option<&str>,
) -> Story {
    let because = because(None, cause, detail);
    Story::new(Tone::Bad, format!("The coordinator was not found{because}.")).with_code(error)
}

/// Why somebody was not found, behind a sentence that says so.
pub fn because(error: Option<i16>, cause: Option<LinkFault>, detail: Option<&str>) -> String {
    let code = error.map(|code| format!(": answered {code}")).unwrap_or_default();
    let fault = cause
        .map(|cause| format!(": {}", link_fault(cause)))
        .unwrap_or_default();
    format!("{code}{fault}{}", in_brackets(detail))
}

pub(super) fn coordinator_dead(cause: DeathCause, detail: Option<&str>, unsent: u32, again: u32) -> Story {
    let (because, code) = match cause {
        DeathCause::SessionOver => ("the session passed without an answer that renews it", None),
        DeathCause::Disconnect => ("the connection ended", None),
        DeathCause::Timeout => ("a request was not answered in time", None),
        DeathCause::CoordinatorNotAvailable => {
            ("it answered 15", Some(error_code::COORDINATOR_NOT_AVAILABLE))
        }
        DeathCause::NotCoordinator => ("it answered 16", Some(error_code::NOT_COORDINATOR)),
        DeathCause::Moved => ("another broker is the coordinator", None),
    };
    let times = match again {
        0 => String::new(),
        times => format!(
            " It was found and lost again {}.",
            words::count(u64::from(times), "time", "times")
        ),
    };
    let failed = match unsent {
        0 => String::new(),
        count => format!(
            " {} failed with it.",
            words::count(u64::from(count), "waiting request", "waiting requests")
        ),
    };
    let detail = in_brackets(detail);
    Story::new(
        Tone::Bad,
        format!("The coordinator is taken for dead: {because}{detail}.{times}{failed}"),
    )
    .with_code(code)
}

pub(super) fn rebalance_started(
    cause: RebalanceCause,
    member: Option<&MemberId>,
    from: Option<Generation>,
) -> Story {
    let from = from
        .map(|generation| format!(" from generation {generation}"))
        .unwrap_or_default();
    let who = member.map(|id| format!(" ({})", name(id))).unwrap_or_default();
    let cause = why(cause);
    Story::new(Tone::Move, format!("A rebalance started{from}: {cause}{who}."))
}

fn why(cause: RebalanceCause) -> String {
    if cause == RebalanceCause::NotVisible {
        return "why is not visible".to_owned();
    }
    plain(cause.as_str())
}

pub(super) fn rebalance_finished(rebalanced: &Rebalanced) -> Story {
    let exact = rebalanced.took_ms.map(|ms| (ms, Some(ms)));
    let took = exact
        .or(rebalanced.took_between_ms)
        .map(|(least, most)| {
            let took = (Millis(least), most.map(Millis));
            format!(" after {}", between(took, words::took))
        })
        .unwrap_or_default();
    let who = rebalanced
        .member
        .as_ref()
        .map(|id| format!(" ({})", name(id)))
        .unwrap_or_default();
    let cause = why(rebalanced.cause);
    let mut extras = String::new();
    for (ids, verb) in [(&rebalanced.joined, "came in"), (&rebalanced.left, "gone")] {
        if let Some(ids) = ids.as_ref().filter(|ids| !ids.is_empty()) {
            extras.push_str(&format!("; {} {verb}", ids.len()));
        }
    }
    for (count, verb) in [
        (rebalanced.abandoned, "abandoned on the way"),
        (rebalanced.missed, "never seen"),
    ] {
        if count > 0 {
            extras.push_str(&format!(
                "; {} {verb}",
                words::count(u64::from(count), "generation", "generations")
            ));
        }
    }
    let generation = rebalanced.generation;
    let text = format!("Generation {generation} stands{took}: {cause}{who}{extras}.");
    Story::new(tone::of_cause(rebalanced.cause), text)
}

pub(super) fn state(from: Option<&GroupState>, to: &GroupState) -> Story {
    let from = from
        .map(|state| format!("{} → ", spelled(state.as_str())))
        .unwrap_or_default();
    Story::new(Tone::Dim, format!("{from}{}.", spelled(to.as_str())))
}

pub(super) fn found(group_type: &GroupType, protocol_type: Option<&str>) -> Story {
    let text = format!(
        "The group is there, of type {}.",
        words::kind(group_type, protocol_type)
    );
    Story::new(Tone::Dim, text)
}

pub(super) fn gone(group_type: &GroupType) -> Story {
    let text = format!("The group of type {} is gone.", spelled(group_type.as_str()));
    Story::new(Tone::Dim, text)
}

pub(super) fn gap(what: &str, length: Millis, why: &str) -> Story {
    let length = words::span(length);
    Story::new(
        Tone::Dim,
        format!("{} not seen for {length}: {}.", spelled(what), sentence(why)),
    )
}
