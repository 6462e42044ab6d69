//! Rebalances without end: how many in what time, and what they have in common.

use super::group::{name_of, sources_of};
use super::late_sync::too_late_to_sync;
use super::thresholds::{PACE, STORM_EXCESS, STORM_FAST, STORM_FAST_MS};
use super::words::{because, count, many, span};
use super::{Finding, Verdict};
use crate::board::{Group, Run, is_membership, limits};
use crate::error_code;
use crate::event::{RebalanceCause, Source};
use crate::time::{Millis, UnixMs};

/// The run goes on, and more of it than comings, goings and their follow-ups explain.
pub(super) fn storm(group: &Group, now: UnixMs) -> Option<Finding> {
    let run = group.run.as_ref().filter(|run| {
        let goes_on = now.since(run.last) <= limits::RUN_GAP;
        goes_on && (excess(run) >= STORM_EXCESS || is_too_fast(run))
    })?;
    let from = run.from.map_or_else(String::new, |from| format!("{from} to "));
    let starter = match run.starters.as_slice() {
        [only] if run.by_others == 0 => Some(only),
        _ => None,
    };
    Some(Finding {
        verdict: Verdict::Storm,
        sentence: format!(
            "{} in {}{}, generation {from}{}: {}; {}.{}{}",
            many(run.turns, "rebalance", "rebalances"),
            span(run.last.since(run.since)),
            pace(run),
            run.to,
            why(group, run),
            who_moved(run),
            too_late_to_sync(group, run.since),
            after_a_move(group, run)
        ),
        evidence: evidence(group, run),
        member: starter.map(|starter| starter.member.clone()),
    })
}

/// How many of its rebalances nothing ordinary explains.
///
/// Ordinary: each member goes once and comes once, and each of these has one follow-up, as cooperative assignors make.
fn excess(run: &Run) -> u64 {
    let twice = |members: usize| 2 * members as u64;
    let moves = |starter: &crate::board::Starter| starter.memberships.min(twice(starter.most));
    let ordinary: u64 = run.starters.iter().map(moves).sum();
    let repeated: u64 = run
        .starters
        .iter()
        .map(|starter| starter.memberships - moves(starter))
        .sum();
    let unexplained = run.by_others.saturating_sub(twice(run.most));
    let of = |cause: RebalanceCause| run.causes.get(&cause).copied().unwrap_or(0);
    let failures = of(RebalanceCause::StorageFailed)
        + of(RebalanceCause::MemberEvicted)
        + of(RebalanceCause::MemberFenced);
    let follow_ups = run
        .starters
        .iter()
        .map(|starter| starter.others)
        .sum::<u64>()
        .saturating_sub(failures);
    repeated + unexplained + failures + follow_ups.saturating_sub(ordinary + 1)
}

/// Too fast for members to have taken part, and not because a group fills up.
fn is_too_fast(run: &Run) -> bool {
    let newest = run.recent.first();
    let before = run.recent.get(STORM_FAST as usize - 1);
    let fast = newest
        .zip(before)
        .is_some_and(|(newest, before)| newest.since(*before) <= Millis(STORM_FAST_MS));
    let lost = run.removed + run.left;
    fast && (lost > 0 || run.came + 1 < run.turns)
}

/// Gaps between rebalances that make a pace: five rebalances at the least.
const PACED: usize = 4;

/// ", one every 104 ms (9.6 a second)"; where it took a rest before, or went otherwise than those that are remembered, of how
/// many of the last that is so.
fn pace(run: &Run) -> String {
    let gaps: Vec<u64> = run
        .recent
        .iter()
        .zip(run.recent.iter().skip(1))
        .map(|(newer, older)| newer.since(*older).0)
        .collect();
    let mut sorted = gaps.clone();
    sorted.sort_unstable();
    let Some(median) = sorted.get(sorted.len() / 2).filter(|_| gaps.len() >= PACED) else {
        return String::new();
    };
    let usual = gaps.iter().take_while(|gap| **gap <= median.saturating_mul(PACE));
    let usual = usual.count();
    // Where they come in bursts there is no usual pace, but there is a mean.
    let even = if usual * 2 < gaps.len() { gaps.len() } else { usual };
    let (turns, took) = (even as u64, gaps.iter().take(even).sum::<u64>());
    if turns == 0 || took == 0 {
        return String::new();
    }
    let whole = run.last.since(run.since).0 / run.turns.max(1);
    let recent = took / turns;
    // Of all that the span is told of, where it went on like that from the beginning.
    let (each, which) = if turns + 1 == run.turns {
        (recent, String::new())
    } else if whole.abs_diff(recent) * 10 <= recent {
        (whole, String::new())
    } else {
        (recent, format!("the last {} ", turns + 1))
    };
    let (unit, length) = if each < 1000 {
        ("second", 10_000)
    } else {
        ("minute", 600_000)
    };
    let tenths = length / each.max(1);
    let rate = match (tenths / 10, tenths % 10) {
        (whole, tenth) if whole < 10 && tenth > 0 => format!("{whole}.{tenth}"),
        (whole, _) => whole.to_string(),
    };
    format!(
        ", {which}one every {} ({rate} a {unit})",
        span(Millis(each.max(1)))
    )
}

/// "all because the leader, demo-1, joined again"
fn why(group: &Group, run: &Run) -> String {
    let Some((cause, times)) = run.causes.iter().max_by_key(|(_, times)| **times) else {
        return "why is not visible from here".to_owned();
    };
    let by: Vec<_> = run
        .starters
        .iter()
        .filter(|starter| starter.memberships > 0 || !is_membership(*cause))
        .collect();
    let who = match by.as_slice() {
        [only] if run.by_others == 0 => Some(name_of(group, &only.member)),
        _ => None,
    };
    let clause = match (*cause, &who) {
        (RebalanceCause::MemberJoined, None) if *times == run.turns => "each by a join".to_owned(),
        (RebalanceCause::MemberJoined, None) => "by a join".to_owned(),
        (cause, who) => because(cause, who.as_deref()),
    };
    let share = match (*times == run.turns, *cause) {
        (true, RebalanceCause::MemberJoined) if who.is_none() => String::new(),
        (false, RebalanceCause::MemberJoined) if who.is_none() => format!("{times} of them "),
        (true, _) => "all because ".to_owned(),
        (false, _) => format!("{times} of them because "),
    };
    format!("{share}{clause}{}", detail(group, *cause, run))
}

/// What more is known of that cause.
fn detail(group: &Group, cause: RebalanceCause, run: &Run) -> String {
    match (cause, &group.coordination.append_failed) {
        (RebalanceCause::StorageFailed, Some(failure)) => format!(
            " (__consumer_offsets-{}: {}); the members are innocent",
            failure.partition,
            error_code::label(failure.error)
        ),
        (RebalanceCause::LeaderRejoined, _) if refused_in(group, run) == 0 => {
            ", though each of its calls succeeded".to_owned()
        }
        _ => String::new(),
    }
}

fn refused_in(group: &Group, run: &Run) -> u64 {
    let in_it = |refused: &&crate::board::RefusedRequest| refused.at >= run.since;
    group
        .coordination
        .refused
        .iter()
        .filter(in_it)
        .map(|refused| refused.times)
        .sum()
}

/// "nobody came, left or was removed: the same 3 members" or how many did, in the same time.
fn who_moved(run: &Run) -> String {
    if run.came + run.left + run.removed + run.gone == 0 {
        return format!(
            "nobody came, left or was removed: the same {}",
            count(run.most, "member", "members")
        );
    }
    let removed = match run.removed {
        0 => "nobody was removed".to_owned(),
        n => format!("{} removed by the coordinator", many(n, "was", "were")),
    };
    let gone = match run.gone {
        0 => String::new(),
        n => format!(", how {n} went is not visible"),
    };
    let starters = match run.starters.len() {
        0 => String::new(),
        n => format!(
            "made by {}{}, ",
            count(n, "client", "clients"),
            if run.by_others == 0 { "" } else { " and others" }
        ),
    };
    let ids = many(run.came, "new member id", "new member ids");
    // Who is silent past its session is not displaced by anybody.
    let timed_out = run.causes.contains_key(&RebalanceCause::MemberTimedOut);
    let joins = run.causes.get(&RebalanceCause::MemberJoined);
    let evicting = if run.removed >= 2 && joins >= Some(&2) && !timed_out {
        ": members displace each other"
    } else {
        ""
    };
    format!("{starters}{ids}, {} left, {removed}{gone}{evicting}", run.left)
}

/// That it began when the coordinator moved or came back.
fn after_a_move(group: &Group, run: &Run) -> String {
    let seat = group.coordinator.as_ref().map(|seat| (seat.since, seat.node));
    let loaded = group
        .coordination
        .loaded
        .as_ref()
        .map(|load| (load.at, load.node));
    let moved = [seat, loaded]
        .into_iter()
        .flatten()
        .filter(|(at, _)| *at <= run.since && run.since.since(*at) <= limits::RUN_GAP && *at > group.since)
        .max();
    moved.map_or_else(String::new, |(at, node)| {
        format!(
            " It began {} after broker {node} became the coordinator.",
            span(run.since.since(at))
        )
    })
}

fn evidence(group: &Group, run: &Run) -> String {
    let all = run.starters.iter().all(|starter| starter.others == 0);
    let most = run.causes.iter().max_by_key(|(_, times)| **times);
    let hint = match most.map(|(cause, _)| cause) {
        Some(RebalanceCause::LeaderRejoined) if !all => {
            " Why it joins again is not visible in the protocol; a Kafka Connect worker that lacks the newest config offset does so."
        }
        Some(RebalanceCause::SubscriptionChanged | RebalanceCause::MetadataChanged) if !all => {
            " Why the assignment never settles is not visible from here: the assignor runs in the leader."
        }
        _ => "",
    };
    let shorter = match group.state.source() {
        Some(Source::Embedded) | None => "",
        Some(Source::Probe | Source::Survey) => " Shorter ones may have been missed.",
    };
    format!("{}{hint}{shorter}", sources_of(group))
}
