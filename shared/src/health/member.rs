//! Members that were not heard in time.

use super::words::escaped;
use super::{Finding, Verdict};
use crate::board::{Group, Member, MemberState};
use crate::event::Source;
use crate::time::UnixMs;

/// Not heard within its session.
pub(super) fn silent(group: &Group, now: UnixMs) -> Option<Finding> {
    worst_of(group, now, MemberState::Overdue, Verdict::MemberSilent)
}

/// Not heard in time.
pub(super) fn late(group: &Group, now: UnixMs) -> Option<Finding> {
    worst_of(group, now, MemberState::Late, Verdict::MemberLate)
}

/// The member longest unheard among those in `state`, and how many others there are.
fn worst_of(group: &Group, now: UnixMs, state: MemberState, verdict: Verdict) -> Option<Finding> {
    let in_state: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| member.state(now) == state)
        .collect();
    let worst = in_state.iter().max_by_key(|member| member.age(now))?;
    let others = match in_state.len() - 1 {
        0 => String::new(),
        1 => format!(" 1 other member is {state} too."),
        n => format!(" {n} other members are {state} too."),
    };
    Some(Finding {
        verdict,
        sentence: format!("{} {}{others}", escaped(worst.name()), worst.beats_so_far(now)),
        evidence: evidence_of(worst).to_owned(),
        member: Some(worst.id.clone()),
    })
}

fn evidence_of(member: &Member) -> &'static str {
    let inferred = member.interval().is_some_and(|interval| interval.inferred);
    match (member.renewed.source(), inferred) {
        (Some(Source::Embedded), false) => "Observed at our own coordinator.",
        (Some(Source::Embedded), true) => {
            "Observed at our own coordinator; its interval is inferred from its beats."
        }
        (Some(Source::Probe), _) => "Observed by our own member.",
        (Some(Source::Survey) | None, _) => "Inferred from what the cluster tells.",
    }
}
