//! What has just happened to a group at rest: the last rebalance where it was slow or made by a loss, members that did not
//! come back, a group left without any.

use super::Round;
use super::group::name_of;
use super::loading::just_loaded;
use super::member::compared;
use super::thresholds::{AFTERMATH_MS, LOADED_MS, SLOW_REBALANCE_MS};
use super::words::{ago, because, escaped, many, span, which_departure};
use crate::board::{AwaitedEnd, Departed, Group, Identity, MemberState, Rebalance};
use crate::time::{Millis, UnixMs};

/// Sentences, each with a space before it; none where there is nothing to tell.
pub(super) fn aftermath(round: &Round<'_>, group: &Group, now: UnixMs) -> String {
    let loaded = just_loaded(group, Millis(LOADED_MS), now);
    let said = [last_rebalance(group, now), loss(round, group, now), loaded];
    said.into_iter()
        .flatten()
        .map(|said| format!(" {said}"))
        .collect()
}

/// The last rebalance: what it was, and whom it waited for.
fn last_rebalance(group: &Group, now: UnixMs) -> Option<String> {
    let row = group.rebalances.front()?;
    let finished = *row.finished.get()?;
    let took = row.took()?;
    if now.since(finished).0 > AFTERMATH_MS {
        return None;
    }
    let who = row.member.get().map(|id| name_of(group, id));
    let why = because(row.cause(), who.as_deref());
    let generations = match (row.from_generation.get(), row.generation) {
        (Some(from), Some(to)) => format!(", generation {from} to {to}"),
        _ => String::new(),
    };
    Some(format!(
        "The last rebalance{generations}, {}: {why}; done in {}{}.",
        ago(now.since(finished)),
        span(took),
        waited_for(row, took)
    ))
}

/// Whom a slow one waited for.
fn waited_for(row: &Rebalance, took: Millis) -> String {
    let Some(awaited) = row.awaited.as_ref().filter(|_| took.0 >= SLOW_REBALANCE_MS) else {
        return String::new();
    };
    let name = awaited
        .name
        .as_ref()
        .map_or_else(|| escaped(awaited.member.as_str()), |name| escaped(name));
    let after = span(awaited.after);
    match awaited.end {
        AwaitedEnd::Joined => {
            format!(", because {name} was slow to join again ({after}), not because the coordinator was slow")
        }
        AwaitedEnd::NeverUsed => format!(
            ", waiting for pending id {}, issued to {name} and never used ({after})",
            escaped(awaited.member.as_str())
        ),
        AwaitedEnd::Removed => format!(", waiting for {name} until it was removed ({after})"),
    }
}

/// The last member that was lost, and whether it came back; of a group left empty, the last that went at all.
fn loss(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<String> {
    let empty = group.members.is_empty();
    let lost = |gone: &&Departed| {
        matches!(
            gone.end.state,
            MemberState::Expired | MemberState::Evicted | MemberState::Fenced | MemberState::Gone
        )
    };
    let mut departed = group.departed.iter().map(|gone| &**gone);
    let gone = if empty {
        departed.next()?
    } else {
        departed
            .find(lost)
            .filter(|gone| now.since(gone.end.at).0 <= AFTERMATH_MS)?
    };
    let host = gone
        .host
        .as_ref()
        .map_or_else(String::new, |host| format!(" of {}", escaped(host)));
    let expired = gone.end.state == MemberState::Expired;
    let never = if expired && gone.never_beat {
        " No heartbeat of it ever came: its connection for heartbeats never worked."
    } else {
        ""
    };
    let others = match gone.renewed.get() {
        Some(since) if expired && !gone.never_beat => {
            compared(round, group, gone.host.as_deref(), *since, now)
        }
        _ => String::new(),
    };
    let waits: u64 = group.progress.iter().filter_map(|row| row.left()).sum();
    let waits = match waits {
        n if empty && n > 0 => format!(" {} to be read.", many(n, "record waits", "records wait")),
        _ => String::new(),
    };
    Some(format!(
        "{}{host} {}{}{never}{}{others}{waits}",
        escaped(gone.name()),
        how_it_went(gone, now),
        whether_it_is_back(group, gone),
        instance(group, gone),
    ))
}

/// "expired 12 s ago (silent for 10 s, its session is 10 s)"
fn how_it_went(gone: &Departed, now: UnixMs) -> String {
    let verb = match gone.end.state {
        MemberState::Expired => "expired",
        MemberState::Evicted => "was evicted",
        MemberState::Fenced => "was fenced",
        MemberState::Left => "left",
        _ => "went",
    };
    let more = match (gone.end.state, gone.renewed.get(), gone.session_timeout) {
        (MemberState::Expired, Some(renewed), Some(session)) => format!(
            " (silent for {}, its session is {})",
            span(gone.end.at.since(*renewed)),
            span(session)
        ),
        (MemberState::Gone, ..) if !gone.end.possible.is_empty() => {
            format!(" ({} is not visible)", which_departure(&gone.end.possible))
        }
        _ => String::new(),
    };
    format!("{verb} {}{more}", ago(now.since(gone.end.at)))
}

/// Whether its like have come since.
fn whether_it_is_back(group: &Group, gone: &Departed) -> String {
    let identity = Identity {
        client_id: gone.client_id.clone(),
        host: gone.host.clone(),
        instance_id: gone.instance_id.clone(),
    };
    let back = group
        .members
        .values()
        .filter(|member| member.since >= gone.end.at && Identity::of(member) == identity)
        .min_by_key(|member| member.since);
    match back {
        Some(member) => format!(
            " and came back as {} after {}.",
            escaped(member.id.as_str()),
            span(member.since.since(gone.end.at))
        ),
        None => " and has not come back.".to_owned(),
    }
}

/// Where a static member is gone: how many ids held its instance shortly before.
fn instance(group: &Group, gone: &Departed) -> String {
    let Some(instance) = &gone.instance_id else {
        return String::new();
    };
    let held = |id: Option<&crate::ids::InstanceId>| id == Some(instance);
    if group
        .members
        .values()
        .any(|member| held(member.instance_id.get()))
    {
        return String::new();
    }
    let ids: Vec<UnixMs> = group
        .departed
        .iter()
        .filter(|other| held(other.instance_id.as_ref()))
        .filter_map(|other| other.since)
        .collect();
    match (ids.len(), ids.iter().min(), ids.iter().max()) {
        (n, Some(first), Some(last)) if n > 1 => format!(
            " Instance {}: {n} member ids within {}, and none now.",
            escaped(instance.as_str()),
            span(last.since(*first))
        ),
        _ => String::new(),
    }
}
