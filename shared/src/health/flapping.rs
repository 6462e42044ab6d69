//! Clients that come back again and again under new member ids.

use super::comeback::back;
use super::group::sources_of;
use super::late_sync::too_late_to_sync;
use super::member::restored;
use super::thresholds::{
    DISPLACED_MS, FLAPPING_EXPIRIES, FLAPPING_EXPIRIES_MS, FLAPPING_MS, FLAPPING_RETURNS,
};
use super::words::{ago, at_least, count, escaped, many, span};
use super::zombies::zombies;
use super::{Finding, Verdict};
use crate::board::{Departed, Group, Identity, MemberState, Party, RefusedRequest};
use crate::error_code;
use crate::ids::MemberId;
use crate::protocol::ApiKey;
use crate::time::{Millis, UnixMs};

/// Two that displace each other, one that comes back again and again, or what restarts left behind.
pub(super) fn flapping(group: &Group, now: UnixMs) -> Option<Finding> {
    let (sentence, member) = displacing(group, now)
        .or_else(|| zombies(group, now))
        .or_else(|| returning(group, now))?;
    Some(Finding {
        verdict: Verdict::Flapping,
        sentence,
        evidence: format!(
            "{} That members of one client id, host and instance id are one client is inferred.",
            sources_of(group)
        ),
        member,
    })
}

pub(super) type Said = Option<(String, Option<MemberId>)>;

fn name(identity: &Identity) -> String {
    let instance = identity.instance_id.as_ref().map(|id| id.as_str());
    escaped(
        identity
            .client_id
            .as_deref()
            .or(instance)
            .unwrap_or("a client without an id"),
    )
}

pub(super) fn named_with_host(identity: &Identity) -> String {
    match &identity.host {
        Some(host) => format!("{} of {}", name(identity), escaped(host)),
        None => name(identity),
    }
}

/// Each goes when the other comes.
fn displacing(group: &Group, now: UnixMs) -> Said {
    let recent = |at: UnixMs| now.since(at).0 <= FLAPPING_MS;
    // Who leaves by itself does not heartbeat afterwards.
    let knows_not = |one: &Party| {
        group.coordination.refused.iter().any(|refused| {
            refused.api == "Heartbeat"
                && refused.error == error_code::UNKNOWN_MEMBER_ID
                && refused.times >= 2
                && recent(refused.at)
                && one.identity.client_id.as_ref() == Some(&refused.client_id)
                && one.identity.host.as_ref() == Some(&refused.host)
        })
    };
    let pushed_out = |one: &Party, by: &Party| {
        one.goings
            .iter()
            .filter(|(at, how)| recent(*at) && (*how != MemberState::Left || knows_not(one)))
            .filter(|(at, _)| {
                by.comings
                    .iter()
                    .any(|(came, _)| came.since(*at).0 + at.since(*came).0 <= DISPLACED_MS)
            })
            .count()
    };
    let mut newest = group.parties.iter();
    let (one, other) = (newest.next()?, newest.next()?);
    let times = pushed_out(one, other).min(pushed_out(other, one));
    if times < 2 {
        return None;
    }
    let recent = group.run.as_ref().map(|run| &run.recent)?;
    let lasts =
        Millis(recent.first()?.since(*recent.last()?).0 / (recent.len() as u64).saturating_sub(1).max(1));
    let alone = match group.rebalances.first().and_then(|row| row.members) {
        Some(1) => ": each generation has one member and lasts about ",
        _ => ": a generation lasts about ",
    };
    let session = group
        .departed
        .first()
        .and_then(|gone| gone.session_timeout)
        .filter(|session| *session > lasts)
        .map_or_else(String::new, |session| {
            format!(
                ", too short for a session of {} to run out: a fault of the protocol or the broker, not of the network",
                span(session)
            )
        });
    Some((
        format!(
            "{} and {} displace each other, {}{} each way{alone}{}{session}.",
            named_with_host(&one.identity),
            named_with_host(&other.identity),
            at_least([one, other].iter().any(|party| party.is_cut())),
            count(times, "time", "times"),
            span(lasts)
        ),
        one.comings.first().map(|(_, id)| id.clone()),
    ))
}

/// Comes back again and again.
fn returning(group: &Group, now: UnixMs) -> Said {
    let (party, returns) = group
        .parties
        .iter()
        .filter_map(|party| {
            let within = |at: &UnixMs, ms: u64| now.since(*at).0 <= ms;
            let lately = party
                .comings
                .iter()
                .filter(|(at, _)| within(at, FLAPPING_MS))
                .count();
            let returns = lately.min(returns(party, UnixMs(0))) as u64;
            let expired = party
                .goings
                .iter()
                .filter(|(at, how)| *how == MemberState::Expired && within(at, FLAPPING_EXPIRIES_MS));
            let came_back = |at: UnixMs| party.comings.iter().any(|(came, _)| *came >= at);
            let expired = expired.filter(|(at, _)| came_back(*at)).count() as u64;
            let most = party.most as u64;
            let flaps = returns >= FLAPPING_RETURNS * most || expired >= FLAPPING_EXPIRIES * most;
            flaps.then_some((party, returns.max(expired)))
        })
        .max_by_key(|(_, returns)| *returns)?;
    // What is told is told of these, from the coming before the first of them to the last.
    let comings: Vec<&(UnixMs, MemberId)> = party.comings.iter().take(returns as usize + 1).collect();
    let ((first, _), (latest, id)) = (comings.last()?, comings.first()?);
    let last = group
        .departed
        .iter()
        .find(|gone| is_of(gone, &party.identity))
        .map(|gone| &**gone);
    let told = comings.len() as u64 - 1;
    let times = if party.is_cut() && comings.len() == party.comings.len() {
        let all = party.ids.saturating_sub(party.most as u64);
        format!("{}, the last {told}", many(all, "time", "times"))
    } else {
        many(told, "time", "times")
    };
    Some((
        format!(
            "{} came back {times} in {} under new member ids, {}: {}{}.{}{}{}",
            named_with_host(&party.identity),
            span(latest.since(*first)),
            rhythm(&comings),
            ways(group, party, (*first, *latest), told, last, now),
            gap(group, party),
            learnt(group, last, id),
            own_share(group, &party.identity, Some((told, *first))),
            too_late_to_sync(group, *first)
        ),
        Some(id.clone()),
    ))
}

/// How many of its remembered comings since then were returns: not its first, and not the one before those that are remembered.
fn returns(party: &Party, since: UnixMs) -> usize {
    let since = match party.goings.last() {
        Some((first, _)) if !party.is_cut() => since.max(*first),
        _ => since,
    };
    let came = party.comings.iter().filter(|(at, _)| *at >= since).count();
    came.min(party.comings.len().saturating_sub(1))
}

pub(super) fn is_of(gone: &Departed, identity: &Identity) -> bool {
    gone.identity() == *identity
}

/// "every 15 s", "about every 15 s", "every 5 s to 3 min"
fn rhythm(comings: &[&(UnixMs, MemberId)]) -> String {
    let gaps: Vec<u64> = comings
        .iter()
        .zip(comings.iter().skip(1))
        .map(|(newer, older)| newer.0.since(older.0).0)
        .collect();
    let (Some(least), Some(most)) = (gaps.iter().min(), gaps.iter().max()) else {
        return "once".to_owned();
    };
    let mean = gaps.iter().sum::<u64>() / gaps.len().max(1) as u64;
    if *most * 2 <= *least * 3 {
        format!("about every {}", span(Millis(mean)))
    } else {
        format!("every {} to {}", span(Millis(*least)), span(Millis(*most)))
    }
}

/// How it went each time between those comings, and what that says.
fn ways(
    group: &Group,
    party: &Party,
    (first, latest): (UnixMs, UnixMs),
    returns: u64,
    last: Option<&Departed>,
    now: UnixMs,
) -> String {
    let went: Vec<MemberState> = party
        .goings
        .iter()
        .filter(|(at, _)| *at > first && *at <= latest)
        .map(|(_, how)| *how)
        .collect();
    let of = |state: MemberState| went.iter().filter(|how| **how == state).count();
    let all = went.len();
    let reason = last.map_or_else(String::new, |gone| {
        format!(
            " (the last {}: {})",
            ago(now.since(gone.end.at)),
            gone.reason().trim_end_matches('.')
        )
    });
    let clause = if all == 0 {
        "how it went is not visible".to_owned()
    } else if of(MemberState::Left) == all {
        "it left by itself each time, so it does not crash: a poll loop that stalls does that, as does a loop of restarts; which of \
         them is not visible from here"
            .to_owned()
    } else if of(MemberState::Expired) == all {
        if last.is_some_and(|gone| gone.sync_due.is_some()) {
            "each time its session ran out before its SyncGroup came: it sends no heartbeats while it computes or hangs".to_owned()
        } else if never_heard_once(group, party, (first, latest)) {
            "each time its session ran out without a single heartbeat of it: its connection for heartbeats does not work, or it sends \
             none"
            .to_owned()
        } else {
            "each time its session ran out: its heartbeats stop while it lives on, or it restarts without leaving".to_owned()
        }
    } else {
        let said: Vec<String> = [
            (MemberState::Left, "left"),
            (MemberState::Expired, "expired"),
            (MemberState::Evicted, "was evicted"),
            (MemberState::Fenced, "was fenced"),
            (MemberState::Gone, "was not known any more"),
        ]
        .into_iter()
        .filter_map(|(state, word)| match of(state) {
            0 => None,
            n => Some(format!("{word} {}", count(n, "time", "times"))),
        })
        .collect();
        let seen = if all as u64 == returns {
            ""
        } else {
            ", as far as its goings were seen"
        };
        format!("it {}{seen}", said.join(", "))
    };
    format!("{clause}{reason}")
}

/// Whether none of those it was meanwhile ever sent a heartbeat.
fn never_heard_once(group: &Group, party: &Party, (first, latest): (UnixMs, UnixMs)) -> bool {
    let meanwhile = |gone: &&&Departed| gone.end.at > first && gone.end.at <= latest;
    let mut known = group
        .departed
        .iter()
        .map(|gone| &**gone)
        .filter(|gone| is_of(gone, &party.identity))
        .peekable();
    known.peek().is_some()
        && known
            .filter(|gone| meanwhile(&gone))
            .all(|gone| never_heard(group, gone) && !is_restored(group, gone))
}

/// Whether no heartbeat of it ever came: none while it was a member, and none later. A JoinGroup with its old id is none.
pub(super) fn never_heard(group: &Group, gone: &Departed) -> bool {
    gone.never_beat && unknown(group, gone).is_none_or(|refused| refused.api != ApiKey::Heartbeat.name())
}

/// Whether it is known from the group's log alone: whether it beat before that was read is not visible.
fn is_restored(group: &Group, gone: &Departed) -> bool {
    gone.since.is_some_and(|since| restored(group, since).is_some())
}

/// Its last heartbeat or join that came when it was not known any more.
pub(super) fn unknown<'a>(group: &'a Group, gone: &Departed) -> Option<&'a RefusedRequest> {
    group.coordination.refused.iter().find(|refused| {
        matches!(refused.api.as_str(), "Heartbeat" | "JoinGroup")
            && refused.error == error_code::UNKNOWN_MEMBER_ID
            && refused.member.as_ref() == Some(&gone.id)
    })
}

/// How it learnt that it was removed, and how soon it asked to join as somebody else.
fn learnt(group: &Group, last: Option<&Departed>, newest: &MemberId) -> String {
    let Some((gone, refused)) = last.and_then(|gone| Some((gone, unknown(group, gone)?))) else {
        return String::new();
    };
    let silent = gone.renewed.get().map_or_else(String::new, |renewed| {
        format!(", {} after it was last heard", span(refused.at.since(*renewed)))
    });
    let anew = group
        .members
        .get(newest)
        .map(|member| member.issued.unwrap_or(member.since))
        .filter(|asked| *asked >= refused.at)
        .map_or_else(String::new, |asked| {
            format!(
                ", and asked to join under a new id {} later",
                span(asked.since(refused.at))
            )
        });
    format!(
        " The last time it learnt so from an answer to its {}, {}{silent}{anew}.",
        refused.api,
        error_code::label(refused.error)
    )
}

/// How soon it was back the last time.
fn gap(group: &Group, party: &Party) -> String {
    let mut gone = group.departed.iter().filter(|gone| is_of(gone, &party.identity));
    let last = gone.find_map(|gone| Some((gone.end.at, back(group, gone)?)));
    last.map_or_else(String::new, |(went, (came, id))| {
        format!(
            "; it was back in the group as {} after {}",
            escaped(id.as_str()),
            span(came.since(went))
        )
    })
}

/// How many of the rebalances that followed each other are that client's. Told beside returns, so many since that coming:
/// how many that is for each of these, and nothing where they are not all of the same time.
pub(super) fn own_share(group: &Group, identity: &Identity, told: Option<(u64, UnixMs)>) -> String {
    let Some(run) = group.run.as_ref() else {
        return String::new();
    };
    let own = run
        .starters
        .iter()
        .find(|starter| starter.identity == *identity)
        .map_or(0, |starter| starter.memberships + starter.others);
    let party = group.parties.iter().find(|party| party.identity == *identity);
    let each = match (told, party) {
        (Some((_, first)), Some(party)) if party.is_cut() && first < run.since => return String::new(),
        (Some(_), Some(party)) if party.is_cut() => String::new(),
        (Some((told, _)), Some(party)) if (returns(party, run.since) as u64) < told => return String::new(),
        (Some((told, first)), Some(_)) => for_each_return(own, told, first >= run.since),
        _ => String::new(),
    };
    match own {
        0 | 1 => String::new(),
        own => format!(
            " It made {own} of the last {}{each}.",
            many(run.turns, "rebalance", "rebalances")
        ),
    }
}

/// ", 2 for each return" where that adds up; its first coming is no return and made one as well.
fn for_each_return(own: u64, returns: u64, came_in_it: bool) -> String {
    let (first, own) = if came_in_it {
        ("1 when it came and ", own.saturating_sub(1))
    } else {
        ("", own)
    };
    match (own.checked_div(returns), own.checked_rem(returns)) {
        (Some(each), Some(0)) if each > 1 => format!(", {first}{each} for each return"),
        _ => String::new(),
    }
}
