//! Members that were not heard in time, and what the others' being heard says of it.

use super::words::{ago, count, escaped, micros, span};
use super::{Finding, Round, Verdict, own_word};
use crate::board::{Departed, Group, Member, MemberState};
use crate::error_code;
use crate::event::Source;
use crate::time::{Millis, UnixMs};

/// What is known of a member that never beat at the one place that sees the heartbeats of others.
pub(super) const NO_HEARTBEAT: &str = " No heartbeat of it ever came to our coordinator: its connection for heartbeats never worked, \
                                       or it sends none";

/// When our coordinator read the group from its log, where it knows the member from there: what it did before is not visible.
/// `since` is since when its row is there.
pub(super) fn restored(group: &Group, since: UnixMs) -> Option<UnixMs> {
    let read = group.coordination.loaded.as_ref()?.at;
    (read == since).then_some(read)
}

/// What is known of such a member that has not beaten in the time since.
pub(super) fn none_since_read(length: Millis) -> String {
    format!(
        " No heartbeat of it came to our coordinator in the {} after that had read the group from its log; whether any came before is \
         not visible.",
        span(length)
    )
}

/// Not heard within its session.
pub(super) fn silent(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    worst_of(round, group, now, MemberState::Overdue, Verdict::MemberSilent)
}

/// Not heard in time.
pub(super) fn late(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    worst_of(round, group, now, MemberState::Late, Verdict::MemberLate)
}

/// The member longest unheard among those in `state`, and how many others there are.
fn worst_of(
    round: &Round<'_>,
    group: &Group,
    now: UnixMs,
    state: MemberState,
    verdict: Verdict,
) -> Option<Finding> {
    let in_state: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| member.state(now) == state && !member.is_given_up())
        .collect();
    let worst = *in_state.iter().max_by_key(|member| member.age(now))?;
    let others = match in_state.len() - 1 {
        0 => String::new(),
        1 => format!(" 1 other member is {state} too."),
        n => format!(" {n} other members are {state} too."),
    };
    let never = if worst.never_beat() && !worst.is_ours() {
        match restored(group, worst.since) {
            Some(read) => none_since_read(now.since(read)),
            None => format!("{NO_HEARTBEAT}. It is removed one session after it joined."),
        }
    } else {
        String::new()
    };
    let behind = worst
        .last_answer
        .as_ref()
        .and_then(|answer| answer.behind.as_ref())
        .map_or_else(String::new, |api| {
            format!(
                " Its last heartbeat waited behind an unanswered {} on its own connection.",
                escaped(api)
            )
        });
    let odd = if worst.id.as_str() == group.key.group.as_str() {
        " Its member id is the group's id: no coordinator names members so."
    } else {
        ""
    };
    let since = worst.last_renewed()?;
    let host = worst.host.get().map(String::as_str);
    let compared = if worst.killed().is_some() {
        String::new()
    } else {
        own_word::of_member(worst, now)
            .or_else(|| refused_since(group, worst, since, now))
            .or_else(|| heard_elsewhere(round, group, worst, now))
            .unwrap_or_else(|| compared(round, group, host, since, None, now))
    };
    Some(Finding {
        verdict,
        sentence: format!(
            "{} {}{others}{never}{behind}{odd}{compared}",
            escaped(worst.name()),
            worst.beats_so_far(now)
        ),
        evidence: evidence_of(worst).to_owned(),
        member: Some(worst.id.clone()),
    })
}

/// That requests of it came since then and were refused: it lives, and its network works.
fn refused_since(group: &Group, member: &Member, since: UnixMs, now: UnixMs) -> Option<String> {
    let refused = group
        .coordination
        .refused
        .iter()
        .find(|refused| refused.member.as_ref() == Some(&member.id) && refused.at > since)?;
    Some(format!(
        " It is not silent: its {} was answered {}, the last {}.",
        refused.api,
        error_code::label(refused.error),
        ago(now.since(refused.at))
    ))
}

/// That other coordinators answer one of ours meanwhile: its process runs, and has a network.
fn heard_elsewhere(round: &Round<'_>, group: &Group, silent: &Member, now: UnixMs) -> Option<String> {
    let since = silent.last_renewed().filter(|_| silent.is_ours())?;
    let heard = |member: &Member| !member.is_late(now) && member.last_renewed() > Some(since);
    let node = group.coordinator.as_ref()?.node;
    let others = round.others_heard(&group.key.cluster, node, since);
    if others == 0 || group.death().is_some() || group.members.values().any(|member| heard(member)) {
        return None;
    }
    let survey = round.unanswered_since(group).map_or_else(String::new, |silent| {
        format!(
            " It has not answered a survey for {} either.",
            span(now.since(silent))
        )
    });
    Some(format!(
        " Meanwhile {} answered this process: it is the coordinator, broker {node}, or the way to it.{survey}",
        count(others, "other broker", "other brokers"),
    ))
}

/// That requests of one that expired came meanwhile and were refused. The answer 25 is what its end brings, not what it was told
/// before; one that asks its former coordinator (16) does so whenever that began.
pub(super) fn refused_until_it_went(group: &Group, gone: &Departed, now: UnixMs) -> Option<String> {
    let renewed = *gone.renewed.get()?;
    let refused = group.coordination.refused.iter().find(|refused| {
        let asks_former = refused.error == error_code::NOT_COORDINATOR;
        refused.member.as_ref() == Some(&gone.id)
            && refused.at > renewed
            && refused.error != error_code::UNKNOWN_MEMBER_ID
            && (asks_former || refused.since <= gone.end.at)
    })?;
    let former = if refused.error == error_code::NOT_COORDINATOR {
        ": it asks a broker that is its coordinator no more"
    } else {
        ""
    };
    Some(format!(
        " It lives: its {} was answered {}, the last {}{former}.",
        refused.api,
        error_code::label(refused.error),
        ago(now.since(refused.at))
    ))
}

/// What it means that one is silent since then, or was until it went: who of its host was silent too, and who was heard
/// meanwhile. Of a time that is past it is known only who was in the group before it and was heard after it.
pub(super) fn compared(
    round: &Round<'_>,
    group: &Group,
    host: Option<&str>,
    since: UnixMs,
    went: Option<UnixMs>,
    now: UnixMs,
) -> String {
    // While the coordinator itself does not answer, a member's silence says nothing of the member.
    let away = group.death().is_some() || group.coordination.loading.is_some();
    if away || went.is_none() && round.is_stopped(group) {
        return String::new();
    }
    let heard: Vec<&Member> = group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| match went {
            None => !member.is_late(now) && member.last_renewed() > Some(since),
            Some(went) => member.since <= since && member.last_renewed() >= Some(went),
        })
        .collect();
    let elsewhere = heard
        .iter()
        .filter(|member| member.host.get().map(String::as_str) != host)
        .count();
    let together = host.map_or_else(Vec::new, |host| {
        round.silent_together(&group.key.cluster, host, since)
    });
    if together.len() > 1 {
        let mut groups: Vec<&str> = together
            .iter()
            .map(|silence| silence.group.key.group.as_str())
            .collect();
        groups.sort_unstable();
        groups.dedup();
        let first = together
            .iter()
            .map(|silence| silence.since)
            .min()
            .unwrap_or(since);
        let last = together
            .iter()
            .map(|silence| silence.since)
            .max()
            .unwrap_or(since);
        let others = match elsewhere {
            0 => String::new(),
            n => format!(
                " while {} heard",
                count(n, "member on another host is", "members on other hosts are")
            ),
        };
        let or_coordinator = if heard.is_empty() {
            ", or the coordinator: nobody else is heard to compare with,"
        } else {
            ","
        };
        let apart = match last.since(first) {
            Millis(0) => "at the same moment".to_owned(),
            apart => format!("within {}", span(apart)),
        };
        return format!(
            " {} of {} from {} fell silent {apart}{others}: that process or host was paused (GC, CPU) or cut \
             off{or_coordinator} which of these is not visible from here.",
            count(together.len(), "member", "members"),
            count(groups.len(), "group", "groups"),
            escaped(host.unwrap_or_default()),
        );
    }
    let all_elsewhere = elsewhere == heard.len() && host.is_some();
    meanwhile(
        group,
        &heard,
        if all_elsewhere { " on other hosts" } else { "" },
        went,
        now,
    )
}

/// That others were heard, or kept their seats, while one was silent.
fn meanwhile(
    group: &Group,
    heard: &[&Member],
    where_from: &str,
    went: Option<UnixMs>,
    now: UnixMs,
) -> String {
    let Some(latest) = heard.iter().filter_map(|member| member.last_renewed()).max() else {
        return String::new();
    };
    let others = count(heard.len(), "other", "others");
    let measured = measured(group);
    let heard = match went {
        None => format!(
            "answered {others}{where_from} (last {}{}{measured})",
            ago(now.since(latest)),
            if measured.is_empty() { "" } else { ", " }
        ),
        Some(_) if measured.is_empty() => format!("kept {others}{where_from}"),
        Some(_) => format!("kept {others}{where_from} ({measured})"),
    };
    format!(
        " Meanwhile the coordinator {heard}: it is this member's process or its network; whether GC or CPU is not visible from here."
    )
}

/// How long the coordinator takes over heartbeats, where members of ours measure it.
fn measured(group: &Group) -> String {
    let latency = group.latency();
    match (latency.percentile(50.0), latency.percentile(99.0)) {
        (Some(half), Some(most)) => format!(
            "half of all heartbeats of ours within {}, 99 of 100 within {}",
            micros(half),
            micros(most)
        ),
        _ => String::new(),
    }
}

fn evidence_of(member: &Member) -> &'static str {
    let inferred = member.interval().is_some_and(|interval| interval.inferred);
    match (member.renewed.source(), inferred) {
        (Some(Source::Embedded), false) => "Observed at our own coordinator.",
        (Some(Source::Embedded), true) => {
            "Observed at our own coordinator; its interval is inferred from its beats."
        }
        (Some(Source::Probe), _) => "Observed by our own member.",
        (Some(Source::Survey) | None, _) => "Inferred from what the cluster tells.",
    }
}
