//! Clients that are kept out by an answer: fenced instances, a full group, a coordinator that is none any more, rights.

use super::thresholds::{AFTERMATH_MS, LOAD_MS, LOOKED_UP_MS, REFUSED_MS, REFUSED_TIMES};
use super::words::{ago, at_least, escaped, listed, many, span};
use super::{Finding, Verdict};
use crate::board::{Departed, Group, RefusedRequest, limits};
use crate::error_code;
use crate::protocol::ApiKey;
use crate::time::UnixMs;

/// What is refused now, the most telling first.
pub(super) fn refused(group: &Group, now: UnixMs) -> Option<Finding> {
    let recent = |refused: &&RefusedRequest| now.since(refused.at).0 <= REFUSED_MS;
    let requests = || group.coordination.refused.iter().filter(recent);
    let of = |error: i16| requests().find(|refused| refused.error == error);
    let fatal = of(error_code::FENCED_INSTANCE_ID)
        .map(|refused| fenced(group, Some(refused), now))
        .or_else(|| of(error_code::GROUP_MAX_SIZE_REACHED).map(|refused| full(group, refused, now)));
    let sentence = fatal
        .or_else(|| fenced_lately(group, now).map(|_| fenced(group, None, now)))
        .or_else(|| former(group, now))
        .or_else(|| {
            requests()
                .filter(|refused| {
                    // What the group is read for is told as that.
                    let loads = group.coordination.loading.is_some();
                    !(loads && refused.error == error_code::COORDINATOR_LOAD_IN_PROGRESS)
                })
                .find(|refused| is_told_again_and_again(refused))
                .map(|refused| again(group, refused, now))
        })?;
    let member = requests().next().and_then(|refused| refused.member.clone());
    Some(Finding {
        verdict: Verdict::Refused,
        sentence,
        evidence: "Observed at our own coordinator: its answers. What the client makes of them is not visible from here.".to_owned(),
        member,
    })
}

/// A right is missing that a client of others asked for.
pub(super) fn not_authorized(group: &Group, now: UnixMs) -> Option<Finding> {
    let refused = group.coordination.refused.iter().find(|refused| {
        error_code::is_for_want_of_a_right(refused.error) && now.since(refused.at).0 <= REFUSED_MS
    })?;
    Some(Finding {
        verdict: Verdict::NotAuthorized,
        sentence: if refused.api == ApiKey::DescribeGroups.name() {
            listed_only(group, refused, now)
        } else {
            again(group, refused, now)
        },
        evidence: format!(
            "Observed at our own coordinator. {}",
            error_code::sentence(refused.error)
        ),
        member: refused.member.clone(),
    })
}

/// Answers that a client which keeps the protocol gets once, not again and again.
fn is_told_again_and_again(refused: &RefusedRequest) -> bool {
    let expected = matches!(
        refused.error,
        error_code::MEMBER_ID_REQUIRED | error_code::REBALANCE_IN_PROGRESS | error_code::NOT_COORDINATOR
    ) || refused.error == error_code::COORDINATOR_LOAD_IN_PROGRESS
        && refused.at.since(refused.since).0 <= LOAD_MS;
    !expected && !error_code::is_for_want_of_a_right(refused.error) && refused.times >= REFUSED_TIMES
}

/// A tool sees the group's name and no more.
fn listed_only(group: &Group, refused: &RefusedRequest, now: UnixMs) -> String {
    format!(
        "Listed, no right to describe it: {} Its members need another right (READ) and are not touched by that.",
        again(group, refused, now)
    )
}

fn client(refused: &RefusedRequest) -> String {
    format!("{} of {}", escaped(&refused.client_id), escaped(&refused.host))
}

/// What that client was answered, and all others that were answered alike lately.
fn again(group: &Group, refused: &RefusedRequest, now: UnixMs) -> String {
    let alike = group.coordination.refused.iter().filter(|other| {
        let same = other.api == refused.api && other.error == refused.error;
        same && now.since(other.at).0 <= REFUSED_MS
    });
    let alike: Vec<&RefusedRequest> = alike.collect();
    let since = alike.iter().map(|one| one.since).min().unwrap_or(refused.since);
    let last = alike.iter().map(|one| one.at).max().unwrap_or(refused.at);
    let times = alike.iter().fold(0_u64, |sum, one| sum.saturating_add(one.times));
    let length = match last.since(since) {
        length if length.0 > 0 => format!(" in {}", span(length)),
        _ => String::new(),
    };
    let who = match alike.len() {
        0 | 1 => client(refused),
        n => format!(
            "{}{n} clients ({})",
            at_least(group.coordination.refused.len() >= limits::REFUSED),
            listed(alike.iter().map(|one| client(one)), 3)
        ),
    };
    format!(
        "{} of {who} was answered {} {}{length}, the last {}.",
        refused.api,
        error_code::label(refused.error),
        many(times.max(refused.times), "time", "times"),
        ago(now.since(last))
    )
}

fn full(group: &Group, refused: &RefusedRequest, now: UnixMs) -> String {
    format!(
        "The group is full: it has {}, and {}",
        super::words::count(group.member_count().unwrap_or_default(), "member", "members"),
        again(group, refused, now)
    )
}

/// The member that lost its instance id and was told so by an 82, while it is worth telling. One that is only replaced, as
/// when a static member restarts, asks no more.
fn fenced_lately(group: &Group, now: UnixMs) -> Option<&Departed> {
    group.departed.iter().map(|gone| &**gone).find(|gone| {
        gone.fenced_at
            .is_some_and(|told| now.since(told).0 <= AFTERMATH_MS)
    })
}

/// Two processes with one instance id: who was fenced by whom, and from where each comes.
fn fenced(group: &Group, refused: Option<&RefusedRequest>, now: UnixMs) -> String {
    let gone = group
        .departed
        .iter()
        .map(|gone| &**gone)
        .find(|gone| gone.end.state == crate::board::MemberState::Fenced && gone.instance_id.is_some());
    let instance = gone.and_then(|gone| gone.instance_id.as_ref());
    let holder = group
        .members
        .values()
        .find(|member| instance.is_some() && member.instance_id.get() == instance);
    let who = match refused {
        Some(refused) => again(group, refused, now),
        None => String::new(),
    };
    let Some((gone, instance)) = gone.zip(instance) else {
        return format!(
            "{who} Another process holds the same group.instance.id; which is not visible from here."
        );
    };
    let mut said = vec![format!(
        "Instance {}: {} of {} was fenced {}",
        escaped(instance.as_str()),
        escaped(gone.name()),
        escaped(gone.host.as_deref().unwrap_or("a host that is not visible")),
        ago(now.since(gone.end.at))
    )];
    match holder {
        Some(holder) => {
            let since = holder.since.max(holder.issued.unwrap_or(holder.since));
            // What is not told is not the same, nor another.
            let is_same = |one: Option<&String>, other: Option<&String>| Some(one? == other?);
            let hosts = is_same(holder.host.get(), gone.host.as_ref());
            let clients = is_same(holder.client_id.get(), gone.client_id.as_ref());
            let (same_host, same) = (hosts == Some(true), hosts.zip(clients) == Some((true, true)));
            let host = holder
                .host
                .get()
                .map_or_else(|| "a host that is not visible".to_owned(), |host| escaped(host));
            let from = match holder.client_id.get() {
                _ if same => "the same host and client id".to_owned(),
                Some(name) if same_host => format!("the same host, client id {}", escaped(name)),
                Some(name) => format!("{host}, client id {}", escaped(name)),
                None => host,
            };
            let selfish = if same {
                ": it fenced itself, or was started again before it had gone"
            } else if hosts == Some(false) || clients == Some(false) {
                ": two processes are given one instance id"
            } else {
                ": whether that is the same process started again or a second one is not visible"
            };
            said.push(format!(
                ", by {} from {from}, in since {}{selfish}.",
                escaped(holder.id.as_str()),
                ago(now.since(since))
            ));
        }
        None => {
            said.push(", and nobody holds the instance now: the one that took it has gone too.".to_owned())
        }
    }
    if !who.is_empty() {
        said.push(format!(" {who}"));
    }
    said.concat()
}

/// Requests still come to the coordinator that the group has left.
fn former(group: &Group, now: UnixMs) -> Option<String> {
    let moved = group.coordination.unloaded.as_ref()?;
    let late: Vec<&RefusedRequest> = group
        .coordination
        .refused
        .iter()
        .filter(|refused| {
            refused.error == error_code::NOT_COORDINATOR && refused.at.since(moved.at).0 > LOOKED_UP_MS
        })
        .filter(|refused| now.since(refused.at).0 <= REFUSED_MS)
        .collect();
    let last = late.iter().map(|refused| refused.at).max()?;
    let clients = listed(late.iter().map(|refused| client(refused)), 3);
    Some(format!(
        "Requests still reach the former coordinator, broker {}, {} after the move: {clients}{} did not look it up again.",
        moved.node,
        span(last.since(moved.at)),
        if group.coordination.refused.len() >= limits::REFUSED {
            " and perhaps others"
        } else {
            ""
        }
    ))
}
