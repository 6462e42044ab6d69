//! The coordinator reads the group from its log, or has given it up.

use super::words::{ago, escaped, many, span};
use super::{Finding, Verdict};
use crate::board::{Group, Member};
use crate::error_code;
use crate::time::{Millis, UnixMs};

/// It is being read, as the coordinator says or as a member of ours is answered.
pub(super) fn loading(group: &Group, now: UnixMs) -> Option<Finding> {
    let finding = |sentence, evidence: &str, member: Option<&Member>| Finding {
        verdict: Verdict::Loading,
        sentence,
        evidence: evidence.to_owned(),
        member: member.map(|member| member.id.clone()),
    };
    if let Some(load) = &group.coordination.loading {
        let refused = refusals(group, load.at);
        return Some(finding(
            format!(
                "The coordinator, broker {}, has been reading the group from __consumer_offsets-{} for {}: requests but heartbeats \
                 are answered 14 COORDINATOR_LOAD_IN_PROGRESS.{refused}",
                load.node,
                load.partition,
                span(now.since(load.at))
            ),
            "Observed at our own coordinator. How much is left to read is not visible.",
            None,
        ));
    }
    let told = group.members.values().find(|member| {
        member.last_answer.as_ref().is_some_and(|answer| {
            answer.error == error_code::COORDINATOR_LOAD_IN_PROGRESS
                && member.last_renewed().is_none_or(|renewed| renewed < answer.at)
        })
    })?;
    let at = told.last_answer.as_ref()?.at;
    Some(finding(
        format!(
            "The coordinator answered {} 14 COORDINATOR_LOAD_IN_PROGRESS {}: it reads the group from its log.",
            escaped(told.name()),
            ago(now.since(at))
        ),
        "Observed by our own member. Since when, and how much is left to read, is not visible from a member's seat.",
        Some(told),
    ))
}

/// The coordinator gave the group up, and requests still come to it.
pub(super) fn unloaded(group: &Group, now: UnixMs) -> Option<Finding> {
    let all = &group.coordination;
    let moved = all.unloaded.as_ref()?;
    let back = [&all.loading, &all.loaded]
        .into_iter()
        .flatten()
        .any(|load| load.at >= moved.at);
    (!back).then(|| Finding {
        verdict: Verdict::CoordinatorGone,
        sentence: format!(
            "Broker {} gave the group up {} ago: __consumer_offsets-{} went to another broker, and requests here are answered 16 \
             NOT_COORDINATOR.{}",
            moved.node,
            span(now.since(moved.at)),
            moved.partition,
            refusals(group, moved.at)
        ),
        evidence: "Observed at our own coordinator. What the group does at its new coordinator is not visible from here."
            .to_owned(),
        member: None,
    })
}

/// How many requests were refused since, and when the last of them.
fn refusals(group: &Group, since: UnixMs) -> String {
    let refused = group
        .coordination
        .refused
        .iter()
        .filter(|refused| refused.at >= since);
    let (times, last) = refused.fold((0_u64, since), |(times, last), refused| {
        (times.saturating_add(refused.times), last.max(refused.at))
    });
    match times {
        0 => String::new(),
        n => format!(
            " {} refused so far, the last {} after it.",
            many(n, "was", "were"),
            span(last.since(since))
        ),
    }
}

/// That it was read just now, as far as it explains what follows.
pub(super) fn just_loaded(group: &Group, within: Millis, now: UnixMs) -> Option<String> {
    let load = group.coordination.loaded.as_ref()?;
    let since = now.since(load.at);
    (since <= within).then(|| {
        let took = load
            .took
            .map_or_else(String::new, |took| format!(", which took {}", span(took)));
        format!(
            "Broker {} read the group from its log {}{took}: each member has one session from then to show itself.",
            load.node,
            ago(since)
        )
    })
}
