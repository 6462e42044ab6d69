//! Whom a group waits for.

use super::given_up::{dangling, given_up};
use super::group::sources_of;
use super::thresholds::{UNSYNCED, WAITING_INTERVALS, WAITING_LEAST_MS, WAITING_MS};
use super::words::{ago, at_least, count, escaped, listed, span};
use super::{Finding, Verdict};
use crate::board::limits::PENDING;
use crate::board::{Departed, Group, Member, PendingId, Phase};
use crate::error_code;
use crate::event::{GroupState, Source};
use crate::ids::MemberId;
use crate::time::{Millis, UnixMs};

/// Somebody keeps the group from being Stable, or is not in step with it.
pub(super) fn waiting(group: &Group, now: UnixMs) -> Option<Finding> {
    let now_awaited = preparing(group, now)
        .or_else(|| completing(group, now))
        .or_else(|| unsynced(group, now));
    let (sentence, member) = match (now_awaited, given_up(group, now)) {
        // Who is awaited, and who has not waited for it.
        (Some((sentence, member)), Some((also, _))) => (format!("{sentence} {also}"), member),
        (one, other) => one.or(other)?,
    };
    Some(Finding {
        verdict: Verdict::Waiting,
        sentence,
        evidence: sources_of(group).to_owned(),
        member,
    })
}

pub(super) type Said = Option<(String, Option<MemberId>)>;

/// Why the first generation of an empty group takes its time.
pub(super) const INITIAL_DELAY: &str =
    "the group was empty, and a coordinator then waits for others to come (group.initial.rebalance.delay.ms)";

/// How long what is asked of these members may take before somebody is waited for: so many of their heartbeat intervals.
fn patience<'a>(members: impl Iterator<Item = &'a Member>, intervals: u64) -> Millis {
    let interval = |member: &Member| {
        let third = || member.session_timeout.get().map(|session| session.0 / 3);
        member.interval().map(|interval| interval.every.0).or_else(third)
    };
    let longest = members
        .map(interval)
        .try_fold(0, |most, every| Some(most.max(every?)));
    let known = longest
        .filter(|every| *every > 0)
        .map(|every| every.saturating_mul(intervals));
    Millis(known.map_or(WAITING_MS, |known| known.clamp(WAITING_LEAST_MS, WAITING_MS)))
}

/// In the join phase: ids handed out and not used, members that have not joined again.
fn preparing(group: &Group, now: UnixMs) -> Said {
    if group.state.get() != Some(&GroupState::PreparingRebalance) {
        return None;
    }
    let length = group.state_since.map(|since| now.since(since))?;
    let missing: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| is_missing(member))
        .collect();
    let pending = group.coordination.pending.first();
    let from_empty = group.open.as_ref().is_some_and(|open| open.from_empty);
    let patience = if from_empty && missing.is_empty() && pending.is_none() {
        Millis(WAITING_MS)
    } else {
        // Of one that comes for the first time no interval is told yet: it counts only where all have just come.
        let known = |member: &&Member| member.phase != Phase::Joining || member.interval().is_some();
        let members = || group.members.values().map(|member| &**member);
        let all_new = !members().any(|member| known(&member));
        patience(
            members().filter(|member| all_new || known(member)),
            WAITING_INTERVALS,
        )
    };
    if length < patience {
        return None;
    }
    let said = |rest: String| format!("PreparingRebalance for {}: {rest}", span(length));
    if !group.sources.contains(Source::Embedded) {
        let (rest, member) = from_a_seat(group);
        return Some((said(rest), member));
    }
    let left = missing.iter().copied().max_by_key(|member| silence(member, now));
    let abandoned = group.members.values().find(|member| member.abandoned.is_some());
    let sentence = match (pending, left, abandoned) {
        (Some(pending), _, _) => {
            let others = match missing.len() + group.coordination.pending.len() - 1 {
                0 => String::new(),
                n => format!(
                    " {}{} awaited too.",
                    at_least(group.coordination.pending.len() >= PENDING),
                    count(n, "other is", "others are")
                ),
            };
            format!("{}{others}", of_pending(group, pending, now))
        }
        (None, Some(member), _) => {
            format!("waiting for {}", of_members(&missing, member, length, now))
        }
        (None, None, Some(_)) => {
            let told = given_up(group, now).is_some();
            let dangling = dangling(group).filter(|_| !told).unwrap_or_default();
            format!("every member has joined.{dangling}")
        }
        (None, None, _) if !old_ids(group, now).is_empty() => {
            let names = old_ids(group, now).into_iter().map(|gone| escaped(gone.name()));
            format!(
                "waiting for {}: an answer has taken the old member id from each, and the coordinator has that until its session is \
                 over.",
                listed(names, 3)
            )
        }
        (None, None, None) if from_empty => format!("every member has joined; {INITIAL_DELAY}."),
        (None, None, None) => of_nobody(group, length),
    };
    let member = pending
        .map(|pending| pending.id.clone())
        .or_else(|| left.map(|member| member.id.clone()));
    Some((said(sentence), member))
}

/// Whom it waits for as far as that shows without its coordinator's word: one of ours that ended in it, which knows of no call to join.
fn from_a_seat(group: &Group) -> (String, Option<MemberId>) {
    let mut members = group.members.values();
    match members.find(|member| member.killed().is_some()) {
        Some(member) => (
            format!(
                "waiting for {}, which ended without leaving: its coordinator has it until its session is over.",
                escaped(member.name())
            ),
            Some(member.id.clone()),
        ),
        None => (
            "whom it waits for is not visible from a member's seat.".to_owned(),
            None,
        ),
    }
}

/// Ids that ours have lost and that the coordinator has told nothing of: it waits for them as for members.
fn old_ids(group: &Group, now: UnixMs) -> Vec<&Departed> {
    let still = |gone: &&Departed| {
        let session = gone.session_timeout.unwrap_or_default();
        gone.end.source == Source::Probe
            && gone.sources.contains(Source::Embedded)
            && gone.disowned.is_some_and(|at| now.since(at) <= session)
    };
    group.departed.iter().map(|gone| &**gone).filter(still).collect()
}

/// Everybody has joined, and still the join phase goes on.
fn of_nobody(group: &Group, length: Millis) -> String {
    let full = group.coordination.refused.iter().find(|refused| {
        refused.error == error_code::GROUP_MAX_SIZE_REACHED
            && group.state_since.is_some_and(|since| refused.at >= since)
    });
    let Some(full) = full else {
        return "every member has joined; what its coordinator waits for is not visible.".to_owned();
    };
    let timeouts = group
        .members
        .values()
        .filter_map(|member| member.rebalance_timeout.get());
    let until = timeouts.max().map_or_else(String::new, |timeout| {
        let left = Millis(timeout.0.saturating_sub(length.0));
        format!(" of {}, {} from now", span(*timeout), span(left))
    });
    format!(
        "every member has joined, but for {} of {}, which was awaited and then refused with {}: a coordinator goes on when somebody \
         else joins, or at the rebalance timeout{until}.",
        escaped(&full.client_id),
        escaped(&full.host),
        error_code::label(full.error)
    )
}

/// Whether its JoinGroup is awaited: a coordinator waits for each member of the last generation.
fn is_missing(member: &Member) -> bool {
    let on_its_way = matches!(member.phase, Phase::Rejoining | Phase::Joining);
    let failed = matches!(member.phase, Phase::Failed { .. });
    member.sources.contains(Source::Embedded) && member.join_since.is_none() && !on_its_way && !failed
}

fn silence(member: &Member, now: UnixMs) -> Millis {
    member.age(now).unwrap_or(Millis(u64::MAX))
}

/// "waiting for pending id X, issued to client C (host) 2 ms before Y and never used."
fn of_pending(group: &Group, pending: &PendingId, now: UnixMs) -> String {
    let twin = group
        .members
        .values()
        .filter(|member| {
            member.client_id.get() == Some(&pending.client_id) && member.host.get() == Some(&pending.host)
        })
        .filter_map(|member| Some((member.issued?, member)))
        .min_by_key(|(issued, _)| issued.since(pending.at).0 + pending.at.since(*issued).0);
    let whom = match twin {
        Some((issued, member)) => {
            let (apart, order) = if issued >= pending.at {
                (issued.since(pending.at), "before")
            } else {
                (pending.at.since(issued), "after")
            };
            format!(
                "issued to the same client ({} of {}) {} {order} {}",
                escaped(&pending.client_id),
                escaped(&pending.host),
                span(apart),
                escaped(member.id.as_str())
            )
        }
        None => format!(
            "issued to {} of {}",
            escaped(&pending.client_id),
            escaped(&pending.host)
        ),
    };
    format!(
        "waiting for pending id {}, {whom} {} and never used: it is awaited until its session is over.",
        escaped(pending.id.as_str()),
        ago(now.since(pending.at))
    )
}

/// "demo-2: told to join again (27), it has not for 40 s, though it heartbeats (last 1.2 s ago); ..."
fn of_members(missing: &[&Member], worst: &Member, length: Millis, now: UnixMs) -> String {
    let names = listed(missing.iter().map(|member| escaped(member.name())), 3);
    // Its next heartbeat tells it. Without one since the join phase began it knows nothing, whatever its interval is.
    let told =
        matches!(worst.phase, Phase::Rebalancing { .. }) || worst.age(now).is_some_and(|age| age < length);
    let beats = match (told && !worst.is_late(now), worst.age(now)) {
        (true, Some(age)) => format!("it heartbeats (last {}), so it lives and does not join", ago(age)),
        (false, Some(age)) => format!(
            "it has been silent for {}{}{}",
            span(age),
            if told { "" } else { ", so that it was not told" },
            worst.session_left(now).map_or_else(String::new, |left| format!(
                ", and is removed when its session is over, in {}",
                span(left)
            ))
        ),
        (_, None) => "it was never heard".to_owned(),
    };
    let until = worst.rebalance_timeout.get().map_or_else(String::new, |timeout| {
        let left = Millis(timeout.0.saturating_sub(length.0));
        format!(
            "; its rebalance timeout of {} leaves it {}",
            span(*timeout),
            span(left)
        )
    });
    match missing.len() {
        1 => format!(
            "{names} of {}, which {} for {}: {beats}{until}.",
            host_of(worst),
            if told {
                "was told to join again and has not"
            } else {
                "has not joined again"
            },
            span(length)
        ),
        n => format!(
            "{n} members to join again: {names}. Of {}: {beats}{until}.",
            escaped(worst.name())
        ),
    }
}

fn host_of(member: &Member) -> String {
    member
        .host
        .get()
        .map_or_else(|| "a host that is not visible".to_owned(), |host| escaped(host))
}

/// In the sync phase: the leader's assignment, or the SyncGroup of somebody.
fn completing(group: &Group, now: UnixMs) -> Said {
    let state = group.state.get()?;
    let completing = *state == GroupState::CompletingRebalance;
    if !completing && *state != GroupState::Stable {
        return None;
    }
    // A leader may compute for a while. Once its assignment is there, all others have had their answers as long as it.
    let intervals = if completing { WAITING_INTERVALS } else { 1 };
    let due: Vec<(&Member, Millis)> = group
        .members
        .values()
        .filter_map(|member| Some((&**member, now.since(member.sync_due?))))
        .filter(|(member, due)| *due >= patience(std::iter::once(*member), intervals))
        .collect();
    let leader = group.coordination.leader.as_ref();
    let of_leader = due.iter().find(|(member, _)| Some(&member.id) == leader);
    let (member, length) = match of_leader {
        Some(found) => found,
        None => due.iter().max_by_key(|(_, due)| *due)?,
    };
    let unanswered = member
        .unanswered
        .as_ref()
        .filter(|out| !out.sync && out.until.is_none());
    let heard = match (member.is_late(now), member.age(now)) {
        _ if unanswered.is_some() => "by its own word its JoinGroup is not answered yet".to_owned(),
        (false, Some(age)) => format!("it heartbeats, last {}", ago(age)),
        (true, Some(age)) => format!("it has been silent for {}", span(age)),
        (_, None) => "it was never heard".to_owned(),
    };
    let gives_up = member.session_left(now).filter(|_| member.age(now).is_none());
    let heard = match (gives_up, member.abandoned) {
        (None, _) => heard,
        (Some(left), None) => format!("{heard}, and its session runs out in {}", span(left)),
        (Some(left), Some(_)) => format!(
            "{heard}: its client had given its JoinGroup up, and its session runs out in {}",
            span(left)
        ),
    };
    let name = escaped(member.name());
    let others = match due.len() - 1 {
        0 => String::new(),
        n => format!(" {} not sent one either.", count(n, "other has", "others have")),
    };
    let sentence = match (completing, of_leader) {
        (true, Some(_)) => format!(
            "CompletingRebalance for {}: waiting for SyncGroup of {name}, the leader ({heard}): all {} wait for its assignment.{others}",
            span(*length),
            count(group.members.len(), "member", "members")
        ),
        (true, None) => format!(
            "CompletingRebalance for {}: waiting for SyncGroup of {name} ({heard}).{others}",
            span(*length)
        ),
        (false, _) => format!(
            "Stable without {name}: it has joined generation {} and its SyncGroup has not come for {} ({heard}), so it owns nothing.{others}",
            group.generation.get().map_or(-1, |generation| generation.0),
            span(*length)
        ),
    };
    Some((sentence, Some(member.id.clone())))
}

/// A member that joins and never syncs, generation after generation.
fn unsynced(group: &Group, now: UnixMs) -> Said {
    let worst = group.members.values().max_by_key(|member| member.unsynced)?;
    if u64::from(worst.unsynced) < UNSYNCED {
        return None;
    }
    let heard = worst.age(now).map_or_else(
        || "never heard".to_owned(),
        |age| format!("last heard {}", ago(age)),
    );
    Some((
        format!(
            "{} ({heard}) has joined but not synced {} generations in a row: what it takes for its own is as old as that.",
            escaped(worst.name()),
            worst.unsynced
        ),
        Some(worst.id.clone()),
    ))
}
