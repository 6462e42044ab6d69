//! What has just happened to a group at rest: the last rebalance where it was slow or made by a loss, members that did not
//! come back, a group left without any.

use std::slice;

use super::comeback::{back, whether_it_is_back};
use super::flapping::{never_heard, own_share, unknown};
use super::group::name_of;
use super::late_sync::too_late_to_sync;
use super::loading::just_loaded;
use super::member::{NO_HEARTBEAT, compared, none_since_read, refused_until_it_went, restored};
use super::partitions::is_cut;
use super::round::was_silent;
use super::storage::unstored;
use super::thresholds::{AFTERMATH_MS, LOADED_MS, ONE_BY_ONE, SLOW_REBALANCE_MS, WAITING_LEAST_MS};
use super::waiting::INITIAL_DELAY;
use super::words::{ago, at_least, because, between, count, escaped, many, span, which_departure};
use super::{Round, own_word};
use crate::board::{Awaited, AwaitedEnd, Departed, Group, MemberState, Rebalance, Starter, Told};
use crate::error_code;
use crate::event::{Departure, RebalanceCause, Source};
use crate::ids::MemberId;
use crate::time::{Millis, UnixMs};

/// Sentences, each with a space before it; none where there is nothing to tell.
pub(super) fn aftermath(round: &Round<'_>, group: &Group, now: UnixMs) -> String {
    let loaded = just_loaded(group, Millis(LOADED_MS), now);
    let said = [
        last_rebalance(group, now),
        unstored(group, now),
        one_by_one(group, now),
        loss(round, group, now),
        loaded,
    ];
    said.into_iter()
        .flatten()
        .map(|said| format!(" {said}"))
        .collect()
}

/// The last rebalance: what it was, and whom it waited for.
fn last_rebalance(group: &Group, now: UnixMs) -> Option<String> {
    let row = group.rebalances.first()?;
    let finished = *row.finished.get()?;
    let took = row.took_between()?;
    if now.since(finished).0 > AFTERMATH_MS {
        return None;
    }
    let why = why_it_began(group, row);
    let generations = match (row.from_generation.get(), row.generation) {
        (Some(from), Some(to)) => format!(", generation {from} to {to}"),
        _ => String::new(),
    };
    Some(format!(
        "The last rebalance{generations}, {}: {why}; done in {}{}.",
        ago(now.since(finished)),
        between(took, span),
        waited_for(group, row, took.0)
    ))
}

/// Why it began; of one that went, though how is not visible, that it did.
fn why_it_began(group: &Group, row: &Rebalance) -> String {
    let member = row.member.get();
    let who = member.map(|id| name_of(group, id));
    match (row.cause(), &who) {
        (RebalanceCause::NotVisible, Some(who))
            if row.left.get().map(Vec::as_slice) == member.map(slice::from_ref) =>
        {
            format!("{who} went, how is not visible from here")
        }
        (cause, who) => because(cause, who.as_deref()),
    }
}

/// What a slow one waited for: who came last is its reason only where most of its time went by until then.
fn waited_for(group: &Group, row: &Rebalance, took: Millis) -> String {
    let most = |after: Millis| after.0.saturating_mul(2) >= took.0;
    let explains = |after: Millis| took.0 >= SLOW_REBALANCE_MS && most(after);
    // An id that nobody uses, or uses any more, is no slowness of anybody, so that a wait for it is told however short it was.
    let unused = |awaited: &Awaited| {
        let waited = awaited.after.0 >= WAITING_LEAST_MS && most(awaited.after);
        let old = awaited.end == AwaitedEnd::Removed && disowned(group, &awaited.member);
        waited && (old || awaited.end == AwaitedEnd::NeverUsed)
    };
    let told = |awaited: &&Awaited| unused(awaited) || explains(awaited.after);
    let Some(awaited) = row.awaited.as_ref().filter(told) else {
        let phase = |ms: &Told<u64>| ms.get().is_some_and(|ms| explains(Millis(*ms)));
        return if took.0 < SLOW_REBALANCE_MS {
            String::new()
        } else if row.from_empty && phase(&row.join_ms) {
            format!(", because {INITIAL_DELAY}: nobody was slow")
        } else if !row.sources.contains(Source::Embedded) {
            ", and what it waited for is not visible from here".to_owned()
        } else if phase(&row.sync_ms) {
            ", most of it waiting for the leader's assignment".to_owned()
        } else {
            String::new()
        };
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
        AwaitedEnd::NeverUsed if awaited.unused_too > 0 => format!(
            ", waiting for {} pending ids, the last {}, issued to {name} and never used ({after})",
            awaited.unused_too.saturating_add(1),
            escaped(awaited.member.as_str())
        ),
        AwaitedEnd::NeverUsed => format!(
            ", waiting for pending id {}, issued to {name} and never used ({after})",
            escaped(awaited.member.as_str())
        ),
        AwaitedEnd::Removed if disowned(group, &awaited.member) => {
            format!(", waiting for the old id of {name} until it was removed ({after})")
        }
        AwaitedEnd::Removed => format!(", waiting for {name} until it was removed ({after})"),
        AwaitedEnd::NeverSynced => {
            format!(", waiting for SyncGroup of {name}, the leader, until it was removed ({after})")
        }
    }
}

/// Whether one of ours that had that id went on under another before its coordinator removed it.
fn disowned(group: &Group, id: &MemberId) -> bool {
    let mut departed = group.departed.iter();
    departed.any(|gone| gone.id == *id && gone.disowned.is_some())
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
    if let Some(at) = gone.disowned.filter(|_| expired) {
        return Some(format!(
            "{}{host} was told {} that its member id is not known, and went on under a new one; the coordinator knew the old one until \
             its session was over, {}: it is what it was answered, neither its process nor its network.",
            escaped(gone.name()),
            ago(now.since(at)),
            ago(now.since(gone.end.at))
        ));
    }
    let refused = refused_until_it_went(group, gone, now).filter(|_| expired);
    let lives = refused.is_some();
    let own = own_word::of_departed(gone).filter(|_| expired).or(refused);
    let never = match expired && own.is_none() {
        true if gone.sync_due.is_some() => Some(too_late_to_sync(group, gone.end.at))
            .filter(|late| !late.is_empty())
            .unwrap_or_else(|| nothing_since(gone)),
        true if never_heard(group, gone) => match gone.since.and_then(|since| restored(group, since)) {
            Some(read) => none_since_read(gone.end.at.since(read)),
            None => format!("{NO_HEARTBEAT}; it went one session after it had joined."),
        },
        _ => String::new(),
    };
    let others = match gone.renewed.get() {
        Some(_) if expired && own.is_none() && !was_silent(gone) => {
            " It was not silent: what it was answered meanwhile did not renew its session.".to_owned()
        }
        Some(since) if expired && !never_heard(group, gone) => own
            .unwrap_or_else(|| compared(round, group, gone.host.as_deref(), *since, Some(gone.end.at), now)),
        _ => own.unwrap_or_default(),
    };
    let waits: u64 = group.progress.iter().filter_map(|row| row.left()).sum();
    let waits = match waits {
        n if empty && n > 0 => format!(
            " {} to be read{}.",
            many(n, "record waits", "records wait"),
            if is_cut(group) { ", or more" } else { "" }
        ),
        _ => String::new(),
    };
    Some(format!(
        "{}{host} {}{}{never}{}{}{others}{waits}",
        escaped(gone.name()),
        how_it_went(gone, lives, now),
        whether_it_is_back(group, gone),
        what_it_was_told(group, gone),
        instance(group, gone),
    ))
}

/// "expired 12 s ago (silent for 10 s, its session is 10 s)"
/// What came of one that expired after its JoinGroup was answered: nothing.
fn nothing_since(gone: &Departed) -> String {
    let Some(answered) = gone.sync_due else {
        return String::new();
    };
    let given_up = match gone.abandoned {
        Some(given_up) if given_up <= answered => {
            format!(
                ", {} after its client had given it up",
                span(answered.since(given_up))
            )
        }
        _ => String::new(),
    };
    format!(
        " Its JoinGroup was answered {} before that{given_up}; neither a SyncGroup nor a heartbeat of it has come to our coordinator \
         since.",
        span(gone.end.at.since(answered))
    )
}

fn how_it_went(gone: &Departed, lives: bool, now: UnixMs) -> String {
    let verb = match gone.end.state {
        MemberState::Expired => "expired",
        MemberState::Evicted => "was evicted",
        MemberState::Fenced if gone.end.possible == [Departure::Replaced] => {
            "was replaced under its instance id"
        }
        MemberState::Fenced => "was fenced",
        MemberState::Left => "left",
        _ => "went",
    };
    let more = match (gone.end.state, gone.renewed.get(), gone.session_timeout) {
        (MemberState::Expired, Some(renewed), Some(session)) => {
            let silent = gone.end.at.since(*renewed);
            // Not every answer that a member takes for one renews its session at the coordinator.
            let (what, before) = if silent < session {
                ("answered", " before")
            } else if lives {
                ("not heard by its coordinator for", "")
            } else {
                ("silent for", "")
            };
            format!(
                " ({what} {}{before}, its session is {})",
                span(silent),
                span(session)
            )
        }
        (MemberState::Gone, ..) if !gone.end.possible.is_empty() => {
            format!(" ({} is not visible)", which_departure(&gone.end.possible))
        }
        _ => String::new(),
    };
    format!("{verb} {}{more}", ago(now.since(gone.end.at)))
}

/// That it was told to join again and did not, and how it learnt that it was removed.
fn what_it_was_told(group: &Group, gone: &Departed) -> String {
    let removed = matches!(gone.end.state, MemberState::Expired | MemberState::Evicted);
    let told = if gone.told && removed {
        " It had been told to join again (27) and did not."
    } else {
        ""
    };
    let learnt = unknown(group, gone).map_or_else(String::new, |refused| {
        format!(
            " It learnt so {} later from an answer to its {}, {}.",
            span(refused.at.since(gone.end.at)),
            refused.api,
            error_code::label(refused.error)
        )
    });
    let share = back(group, gone).map_or_else(String::new, |_| own_share(group, &gone.identity(), None));
    format!("{told}{learnt}{share}")
}

/// Rebalances that belong together because clients went and came one after another.
fn one_by_one(group: &Group, now: UnixMs) -> Option<String> {
    let run = group.run.as_ref()?;
    let known = |starter: &Starter| starter.others == 0 && starter.memberships <= 2 * starter.most as u64;
    let belongs = run.removed == 0
        && run.by_others == 0
        && run.left > 0
        && run.starters.len() as u64 >= ONE_BY_ONE
        && run.starters.iter().all(known)
        && now.since(run.last).0 <= AFTERMATH_MS;
    belongs.then(|| {
        format!(
            "The last {} belong together, within {}: {} left or joined one after another, as in a rolling restart, and the coordinator \
             removed nobody.",
            many(run.turns, "rebalance", "rebalances"),
            span(run.last.since(run.since)),
            count(run.starters.len(), "client", "clients")
        )
    })
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
            " Instance {}: {}{n} member ids within {}, and none now.",
            escaped(instance.as_str()),
            at_least(group.forgotten > 0),
            span(last.since(*first))
        ),
        _ => String::new(),
    }
}
