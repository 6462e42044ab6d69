//! Clients that come back again and again under new member ids, and what they leave behind.

use std::collections::BTreeMap;

use super::group::sources_of;
use super::late_sync::too_late_to_sync;
use super::thresholds::{
    DISPLACED_MS, FLAPPING_EXPIRIES, FLAPPING_EXPIRIES_MS, FLAPPING_MS, FLAPPING_RETURNS, TOGETHER_MS,
    ZOMBIE_SILENT_MS, ZOMBIES,
};
use super::words::{ago, count, escaped, many, span};
use super::{Finding, Verdict};
use crate::board::{Departed, Group, Identity, Member, MemberState, Party, Phase, RefusedRequest};
use crate::error_code;
use crate::ids::MemberId;
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

type Said = Option<(String, Option<MemberId>)>;

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

fn named_with_host(identity: &Identity) -> String {
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
        Millis(recent.front()?.since(*recent.back()?).0 / (recent.len() as u64).saturating_sub(1).max(1));
    let alone = match group.rebalances.front().and_then(|row| row.members) {
        Some(1) => ": each generation has one member and lasts about ",
        _ => ": a generation lasts about ",
    };
    let session = group
        .departed
        .front()
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
            "{} and {} displace each other, {} each way{alone}{}{session}.",
            named_with_host(&one.identity),
            named_with_host(&other.identity),
            count(times, "time", "times"),
            span(lasts)
        ),
        one.comings.front().map(|(_, id)| id.clone()),
    ))
}

/// Comes back again and again.
fn returning(group: &Group, now: UnixMs) -> Said {
    let (party, returns) = group
        .parties
        .iter()
        .filter_map(|party| {
            let within = |at: &UnixMs, ms: u64| now.since(*at).0 <= ms;
            let all = usize::try_from(party.ids).is_ok_and(|ids| ids <= party.comings.len());
            let came = party
                .comings
                .iter()
                .filter(|(at, _)| within(at, FLAPPING_MS))
                .count();
            let first = if all && came == party.comings.len() {
                party.most
            } else {
                0
            };
            let returns = came.saturating_sub(first) as u64;
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
    let newest = party.comings.front()?;
    let oldest = party.comings.iter().take(returns as usize + 1).next_back()?;
    let last = group
        .departed
        .iter()
        .find(|gone| is_of(gone, &party.identity))
        .map(|gone| &**gone);
    Some((
        format!(
            "{} came back {} in {} under new member ids, {}: {}{}.{}{}{}",
            named_with_host(&party.identity),
            many(returns, "time", "times"),
            span(newest.0.since(oldest.0)),
            rhythm(party, returns as usize),
            ways(group, party, last, now),
            gap(party),
            learnt(group, last, &newest.1),
            what_it_costs(group, party, returns),
            too_late_to_sync(group, oldest.0)
        ),
        Some(newest.1.clone()),
    ))
}

fn is_of(gone: &Departed, identity: &Identity) -> bool {
    gone.identity() == *identity
}

/// "every 15 s", "about every 15 s", "every 5 s to 3 min"
fn rhythm(party: &Party, returns: usize) -> String {
    let times: Vec<UnixMs> = party
        .comings
        .iter()
        .take(returns + 1)
        .map(|(at, _)| *at)
        .collect();
    let gaps: Vec<u64> = times.windows(2).map(|pair| pair[0].since(pair[1]).0).collect();
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

/// How it went each time, and what that says.
fn ways(group: &Group, party: &Party, last: Option<&Departed>, now: UnixMs) -> String {
    let of = |state: MemberState| party.goings.iter().filter(|(_, how)| *how == state).count();
    let all = party.goings.len();
    let reason = last.map_or_else(String::new, |gone| {
        format!(
            " (the last {}: {})",
            ago(now.since(gone.end.at)),
            gone.reason().trim_end_matches('.')
        )
    });
    let clause = if of(MemberState::Left) == all {
        "it left by itself each time, so it does not crash: a poll loop that stalls does that, as does a loop of restarts; which of \
         them is not visible from here"
            .to_owned()
    } else if of(MemberState::Expired) == all {
        if last.is_some_and(|gone| gone.sync_due.is_some()) {
            "each time its session ran out before its SyncGroup came: it sends no heartbeats while it computes or hangs".to_owned()
        } else if last.is_some_and(|gone| never_heard(group, gone)) {
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
        format!("it {}", said.join(", "))
    };
    format!("{clause}{reason}")
}

/// Whether nothing of it ever came: no heartbeat while it was a member, and none later.
pub(super) fn never_heard(group: &Group, gone: &Departed) -> bool {
    gone.never_beat && unknown(group, gone).is_none()
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
        .filter(|member| member.since >= refused.at)
        .map_or_else(String::new, |member| {
            format!(
                ", and asked to join under a new id {} later",
                span(member.since.since(refused.at))
            )
        });
    format!(
        " The last time it learnt so from an answer to its {}, {}{silent}{anew}.",
        refused.api,
        error_code::label(refused.error)
    )
}

/// How soon it was back the last time.
fn gap(party: &Party) -> String {
    let came = party.comings.front();
    let went = party
        .goings
        .iter()
        .find(|(at, _)| came.is_some_and(|(came, _)| at <= came));
    match (came, went) {
        (Some((came, id)), Some((went, _))) => format!(
            "; it was back in the group as {} after {}",
            escaped(id.as_str()),
            span(came.since(*went))
        ),
        _ => String::new(),
    }
}

/// How many of the group's rebalances are its own.
fn what_it_costs(group: &Group, party: &Party, returns: u64) -> String {
    let Some(run) = group.run.as_ref() else {
        return String::new();
    };
    let own = run
        .starters
        .iter()
        .find(|starter| starter.identity == party.identity)
        .map_or(0, |starter| starter.memberships + starter.others);
    match own {
        0 | 1 => String::new(),
        own => format!(
            " It made {own} of the last {}{}.",
            many(run.turns, "rebalance", "rebalances"),
            match own.checked_div(returns) {
                Some(each) if each > 1 => format!(", {each} for each return"),
                _ => String::new(),
            }
        ),
    }
}

/// Members that look alike: how many, how many of them silent, whose session ends first, and when they were last heard.
#[derive(Default)]
struct Look {
    all: u64,
    silent: u64,
    next: Option<Millis>,
    between: Option<(UnixMs, UnixMs)>,
}

/// Members of one client of which at most the newest is heard.
fn zombies(group: &Group, now: UnixMs) -> Said {
    let is_silent = |member: &Member| {
        let quiet = member.age(now).is_none_or(|age| age.0 >= ZOMBIE_SILENT_MS);
        // One whose request is parked at the coordinator has nothing to say meanwhile.
        let waits =
            member.join_since.is_some() || member.phase == Phase::Rejoining && member.sync_due.is_none();
        member.abandoned.is_some() || quiet && !waits && member.is_seen_beating()
    };
    let silent = group.members.values().filter(|member| is_silent(member)).count() as u64;
    if silent + 1 < ZOMBIES {
        return None;
    }
    let mut clients: BTreeMap<Identity, Look> = BTreeMap::new();
    for member in group.members.values() {
        let identity = Identity::of(member);
        if !identity.is_known() {
            continue;
        }
        let look = clients.entry(identity).or_default();
        look.all += 1;
        if is_silent(member) {
            look.silent += 1;
            look.next = [look.next, member.session_left(now)].into_iter().flatten().min();
            let left = member.abandoned.or_else(|| member.last_renewed());
            let last = left.unwrap_or(member.since);
            let (first, newest) = look.between.unwrap_or((last, last));
            look.between = Some((first.min(last), newest.max(last)));
        }
    }
    // Those that fell silent at one moment were not left by one restart after the other.
    let one_by_one = |look: &Look| {
        look.between
            .is_some_and(|(first, newest)| newest.since(first).0 > TOGETHER_MS)
    };
    let (
        identity,
        Look {
            all, silent, next, ..
        },
    ) = clients
        .into_iter()
        .filter(|(_, look)| look.all >= ZOMBIES && look.silent + 1 >= look.all && one_by_one(look))
        .max_by_key(|(_, look)| look.all)?;
    let next = next.map_or_else(
        || "when they expire is not visible".to_owned(),
        |left| format!("the next expires in {}", span(left)),
    );
    Some((
        format!(
            "{all} of {} come from the same host and client id, {}, and {silent} of them are silent: left by restarts without \
             LeaveGroup; {next}.",
            count(group.members.len(), "member", "members"),
            named_with_host(&identity)
        ),
        None,
    ))
}
