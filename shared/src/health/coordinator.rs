//! What the coordinator refuses, and whether it answers at all.

use std::sync::Arc;

use super::storage::explains_the_death;
use super::thresholds::CONTRADICTIONS;
use super::words::{ago, count, escaped, listed, many, span};
use super::{Finding, Round, Verdict};
use crate::board::{Group, Member, NotFound, Seat, limits};
use crate::error_code;
use crate::event::{DeathCause, LinkFault, Source};
use crate::time::{Millis, UnixMs};

/// A right is missing.
pub(super) fn not_authorized(group: &Group, now: UnixMs) -> Option<Finding> {
    let (refused, member) = group.refused_last()?;
    Some(Finding {
        verdict: Verdict::NotAuthorized,
        sentence: format!(
            "{} is missing: refused {} with {}.",
            escaped(&refused.right),
            ago(now.since(refused.at)),
            error_code::label(refused.error)
        ),
        evidence: format!(
            "Observed: the coordinator's answer. {}",
            error_code::sentence(refused.error)
        ),
        member: member.cloned(),
    })
}

/// It does not answer the survey, or not about the group, and has answered no member of ours since.
fn unanswered(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    let seat = group.coordinator.as_ref()?;
    let since = round.unanswered_since(group)?;
    let how = match &seat.unanswered {
        None => "which coordinates the group, is silent".to_owned(),
        Some(failure) if failure.is_of_the_run_before() => {
            "which coordinated the group before Heartline was restarted, has told nothing of it since"
                .to_owned()
        }
        Some(failure) => match failure.error {
            Some(code) => format!("asked about the group, answered {}", error_code::label(code)),
            None => "which coordinated the group last, tells nothing of it".to_owned(),
        },
    };
    Some(Finding {
        verdict: Verdict::CoordinatorGone,
        sentence: format!(
            "Not answered for {}: broker {}, {how}. All that is shown of the group is as it was before.",
            span(now.since(since)),
            seat.node
        ),
        evidence: "Observed: what the survey asked the broker got no answer.".to_owned(),
        member: None,
    })
}

/// It is taken for dead, or was never found.
pub(super) fn gone(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    let lookup = group.lookup_failure();
    if lookup.is_none() && (group.death().is_none() || explains_the_death(group)) {
        return contradicted(group, now).or_else(|| unanswered(round, group, now));
    }
    if let Some(finding) = contradicted(group, now) {
        return Some(finding);
    }
    let what = match (group.death(), lookup) {
        (Some(death), _) => {
            let seat = group.coordinator.as_ref()?;
            let place = match (&seat.host, seat.port) {
                (Some(host), Some(port)) => format!("broker {} ({}:{port})", seat.node, escaped(host)),
                _ => format!("broker {}", seat.node),
            };
            let detail = death
                .detail
                .as_ref()
                .map_or_else(String::new, |detail| format!(" ({})", escaped(detail)));
            let since = seat.lost_since.map_or(death.since, |lost| lost.min(death.since));
            let again = match seat.lost {
                0 | 1 => String::new(),
                times => format!(
                    " It was found {} meanwhile and lost again each time.",
                    many((times - 1).into(), "time", "times")
                ),
            };
            let unresolved = unresolved(&detail, seat);
            let unsent = match usize::try_from(death.unsent).unwrap_or(usize::MAX) {
                0 => String::new(),
                n => format!(" {} that waited for it failed.", count(n, "request", "requests")),
            };
            format!(
                "The coordinator, {place}, has not answered for {}: {}{detail}.{unresolved}{again}{unsent}",
                span(now.since(since)),
                why(death.cause)
            )
        }
        (None, Some(_)) if group.coordinator.is_none() => "No coordinator has been found yet.".to_owned(),
        _ => return unanswered(round, group, now),
    };
    let lookup = lookup.map_or_else(String::new, |failure| looked_up(failure, now));
    Some(Finding {
        verdict: Verdict::CoordinatorGone,
        sentence: format!("{what}{lookup}{}{}", together(round, group), tightest(group, now)),
        evidence: "Observed by our own members: none of them has it.".to_owned(),
        member: None,
    })
}

/// That the address it is advertised under means nothing here.
fn unresolved(detail: &str, seat: &Seat) -> String {
    if !detail.contains("cannot be resolved") {
        return String::new();
    }
    let host = escaped(seat.host.as_deref().unwrap_or("it"));
    format!(
        " Its advertised host {host} does not resolve here: an advertised listener must be a name that clients know."
    )
}

/// Those of ours that find the coordinator and lose it again while others are answered; a space before it.
pub(super) fn loses_it(group: &Group, now: UnixMs) -> String {
    let Some(seat) = group.coordinator.as_ref().filter(|_| group.death().is_none()) else {
        return String::new();
    };
    let of = |member: &Arc<Member>| {
        let losses = member.losses.as_ref()?;
        let goes_on = now.since(losses.last) <= limits::RUN_GAP && !explains_the_death(group);
        Some((
            escaped(member.name()),
            goes_on.then(|| losses.words())??,
            losses.clone(),
        ))
    };
    let all: Vec<_> = group.members.values().filter_map(of).collect();
    let Some((_, words, losses)) = all.iter().max_by_key(|(_, _, losses)| losses.last) else {
        return String::new();
    };
    format!(
        " {} {words}: {}.{}",
        listed(all.iter().map(|(name, ..)| name.clone()), 3),
        why(losses.cause),
        unresolved(losses.detail.as_deref().unwrap_or_default(), seat)
    )
}

/// The lookup names a broker that says itself that it is not the coordinator.
fn contradicted(group: &Group, now: UnixMs) -> Option<Finding> {
    let seat = group.coordinator.as_ref()?;
    let since = seat.contradicted_since?;
    let answered = group.last_renewed().is_some_and(|renewed| renewed > since);
    (u64::from(seat.contradicted) >= CONTRADICTIONS && !answered).then(|| Finding {
        verdict: Verdict::CoordinatorGone,
        sentence: format!(
            "Coordinator lookup and coordinator disagree: the lookup names broker {node}, and broker {node} answers 16 NOT_COORDINATOR, \
             {times} in {}: some broker's metadata is stale, and no member can join.{}",
            span(now.since(since)),
            tightest(group, now),
            node = seat.node,
            times = count(seat.contradicted as usize, "time", "times"),
        ),
        evidence: "Observed by our own members. Which broker answered the lookup is not told.".to_owned(),
        member: None,
    })
}

/// That other groups of the same coordinator lost it at the same time, or have not lost it.
fn together(round: &Round<'_>, group: &Group) -> String {
    let Some(seat) = group.coordinator.as_ref().filter(|_| group.death().is_some()) else {
        return String::new();
    };
    let node = round.node(&group.key.cluster, seat.node);
    match (node.groups, node.lost, node.between) {
        (groups, lost, Some((first, last))) if groups > 1 && lost == groups => {
            let blame = if round.hears_other(&group.key.cluster, seat.node)
                || group.sources.contains(Source::Embedded)
            {
                "an outage of the coordinator, not of a client"
            } else {
                "no client's fault. No other broker is heard either, so it may as well be Heartline's own network as the brokers"
            };
            format!(
                " All {groups} groups on broker {} lost it within {}: {blame}.",
                seat.node,
                span(last.since(first))
            )
        }
        (groups, lost, Some(_)) if groups > 1 => {
            format!(" {lost} of the {groups} groups on broker {} lost it.", seat.node)
        }
        _ => String::new(),
    }
}

const fn why(cause: DeathCause) -> &'static str {
    match cause {
        DeathCause::SessionOver => "a whole session passed without an answer",
        DeathCause::Disconnect => "the connection to it ended",
        DeathCause::Timeout => "a request was not answered in time",
        DeathCause::CoordinatorNotAvailable => "it answered 15 COORDINATOR_NOT_AVAILABLE",
        DeathCause::NotCoordinator => "it answered 16 NOT_COORDINATOR",
        DeathCause::Moved => "another broker is the coordinator",
    }
}

fn looked_up(failure: &NotFound, now: UnixMs) -> String {
    let how = match (failure.error, failure.cause) {
        (Some(code), _) => format!("is answered {}", error_code::label(code)),
        (None, Some(LinkFault::Disconnect)) => "finds no broker that can be reached".to_owned(),
        (None, Some(LinkFault::Timeout)) => "is not answered in time".to_owned(),
        (None, Some(LinkFault::Garbled)) => "is answered by what cannot be an answer".to_owned(),
        (None, Some(LinkFault::Authentication)) => "fails at the authentication".to_owned(),
        (None, None) => "fails".to_owned(),
    };
    let detail = failure
        .detail
        .as_ref()
        .map_or_else(String::new, |detail| format!(" ({})", escaped(detail)));
    format!(
        " Looking it up {how} for {}{detail}.",
        span(now.since(failure.at))
    )
}

/// Whose session ends first.
fn tightest(group: &Group, now: UnixMs) -> String {
    let tightest = group
        .members
        .values()
        .filter_map(|member| Some((member.session_left(now)?, member)))
        .min_by_key(|(left, member)| (*left, member.last_renewed()));
    match tightest {
        Some((Millis(0), member)) => format!(
            " The session of {} is over, unless a coordinator has loaded the group meanwhile: that starts it anew.",
            escaped(member.name())
        ),
        Some((left, member)) => {
            let name = escaped(member.name());
            format!(" The tightest session, that of {name}, has {} left.", span(left))
        }
        None => String::new(),
    }
}
