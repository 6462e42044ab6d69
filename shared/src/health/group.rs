//! What the group as a whole is doing.

use super::aftermath::aftermath;
use super::coordinator::loses_it;
use super::storage::unstored;
use super::waiting::INITIAL_DELAY;
use super::words::{because, count, escaped, lasting, span};
use super::{Finding, Round, Verdict};
use crate::board::{Group, Member, MemberState, Phase};
use crate::event::{GroupState, RebalanceCause, Source};
use crate::ids::MemberId;
use crate::time::UnixMs;

/// Rebalancing, stable, empty, or not visible: one of them is always so.
pub(super) fn at_work_or_at_rest(round: &Round<'_>, group: &Group, now: UnixMs) -> Finding {
    rebalancing(group, now).unwrap_or_else(|| at_rest(round, group, now))
}

fn rebalancing(group: &Group, now: UnixMs) -> Option<Finding> {
    let state = group.state.get().filter(|state| state.is_rebalancing());
    if state.is_none() && group.open.is_none() {
        return None;
    }
    let word = state.map_or("Rebalancing", GroupState::as_str);
    let whole = group.open.as_ref().and_then(|open| open.running(now)).map(span);
    let in_state = state.and(group.at_rest_since()).map(|since| lasting(since, now));
    let length = match (in_state, whole) {
        (Some(in_state), Some(whole)) if in_state != whole => {
            format!("{in_state}, {whole} after the rebalance began")
        }
        (Some(length), _) | (None, Some(length)) => length,
        (None, None) => "a time that is not visible".to_owned(),
    };
    let member = group.open.as_ref().and_then(|open| open.member.get());
    let cause = group
        .open
        .as_ref()
        .map_or(RebalanceCause::NotVisible, |open| open.cause());
    let because = because(cause, member.map(|id| name_of(group, id)).as_deref());
    Some(Finding {
        verdict: Verdict::Rebalancing,
        sentence: format!(
            "{word} for {length}: {because}.{}{}{}",
            awaited(group, now),
            loses_it(group, now),
            unstored(group, now).map_or_else(String::new, |said| format!(" {said}"))
        ),
        evidence: sources_of(group).to_owned(),
        member: member.cloned(),
    })
}

/// Who was told to join again and has not yet.
fn awaited(group: &Group, now: UnixMs) -> String {
    const NAMED: usize = 3;
    let names: Vec<String> = group
        .members
        .values()
        .filter(|member| member.state(now) == MemberState::Rebalancing)
        .map(|member| escaped(member.name()))
        .collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    match names.len() {
        0 if group.open.as_ref().is_some_and(|open| open.from_empty)
            && group.state.get() == Some(&GroupState::PreparingRebalance) =>
        {
            format!(" Nobody is slow: {INITIAL_DELAY}.")
        }
        0 => String::new(),
        1 => format!(" {} has not joined again yet.", names.join("")),
        n => {
            let named = names
                .iter()
                .take(NAMED)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            format!(" {n} members have not joined again yet: {named}{more}.")
        }
    }
}

/// What people call the member of that id, here or departed.
pub(super) fn name_of(group: &Group, id: &MemberId) -> String {
    let here = group.members.get(id).map(|member| member.name());
    let gone = || {
        group
            .departed
            .iter()
            .find(|gone| gone.id == *id)
            .map(|gone| gone.name())
    };
    escaped(here.or_else(gone).unwrap_or_else(|| id.as_str()))
}

/// Stable, empty, or not visible.
fn at_rest(round: &Round<'_>, group: &Group, now: UnixMs) -> Finding {
    let length = group
        .at_rest_since()
        .map(|since| format!(" for {}", lasting(since, now)))
        .unwrap_or_default();
    let generation = group
        .generation
        .get()
        .map(|generation| match group.has_left_its_generation() {
            true => format!(" in a generation above {generation}"),
            false => format!(" in generation {generation}"),
        })
        .unwrap_or_default();
    let members = group.member_count().map_or_else(
        || "members not visible".to_owned(),
        |n| {
            let coming = coming(group).min(n);
            // Of a group that only the joins of ours tell of, they are all that is known.
            let (n, coming) = if coming < n { (n - coming, coming) } else { (n, 0) };
            format!(
                "{}{}{}{}",
                count(n, "member", "members"),
                whose(group, n),
                match coming {
                    0 => String::new(),
                    1 => ", and 1 more on its way in".to_owned(),
                    coming => format!(", and {coming} more on their way in"),
                },
                ended(group)
            )
        },
    );
    let (verdict, sentence) = match group.state.get() {
        Some(GroupState::Stable) => (Verdict::Stable, format!("Stable{length}{generation}: {members}.")),
        Some(GroupState::Empty) => (Verdict::Empty, format!("Empty{length}{generation}: no members.")),
        Some(other) => (
            Verdict::NotVisible,
            format!("{}{length}: {members}.", escaped(other.as_str())),
        ),
        None => (
            Verdict::NotVisible,
            "The group's state is not visible from here.".to_owned(),
        ),
    };
    Finding {
        verdict,
        sentence: format!(
            "{sentence}{}{}",
            loses_it(group, now),
            aftermath(round, group, now)
        ),
        evidence: sources_of(group).to_owned(),
        member: None,
    }
}

/// Members that are in no generation yet: a group at rest is not theirs.
fn coming(group: &Group) -> usize {
    let coming = |member: &&std::sync::Arc<Member>| member.phase == Phase::Joining;
    group.members.values().filter(coming).count()
}

/// Members that an error has ended and that have not been removed yet; who never was in a generation is in no group.
fn ended(group: &Group) -> String {
    let ended = group
        .members
        .values()
        .filter(|member| matches!(member.phase, Phase::Failed { .. }));
    let (were_in, kept_out): (Vec<_>, Vec<_>) =
        ended.partition(|member| member.named && member.generation.get().is_some());
    let were_in = match were_in.len() {
        0 => String::new(),
        n => format!(", and {n} more that an error has ended: in the group until removed"),
    };
    match kept_out.len() {
        0 => were_in,
        1 => format!("{were_in}; 1 that an error ended was never in it"),
        n => format!("{were_in}; {n} that an error ended were never in it"),
    }
}

/// Which members are counted: where only our own see the group, perhaps no others are seen.
fn whose(group: &Group, counted: usize) -> String {
    if group.state.source() != Some(Source::Probe) {
        return String::new();
    }
    let ours = |member: &&std::sync::Arc<Member>| member.is_ours() && member.phase != Phase::Joining;
    match group.members.values().filter(ours).count() {
        ours if ours >= counted => " of ours".to_owned(),
        ours => format!(" seen, {ours} of them ours"),
    }
}

pub(super) fn sources_of(group: &Group) -> &'static str {
    match group.state.source().or_else(|| group.sources.iter().next()) {
        Some(Source::Embedded) => "Observed at our own coordinator.",
        Some(Source::Probe) => {
            "Observed from the seats of our own members: what others do shows only in what it does to them."
        }
        Some(Source::Survey) => "From what the cluster tells about the group.",
        None => "Nothing was seen of it yet.",
    }
}
