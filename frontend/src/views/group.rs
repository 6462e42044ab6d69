//! One group: what is to be said of it, its facts, its members, latency, rebalances and events.

use std::sync::Arc;

use shared::board::{ApiLatency, Group, Seat};
use shared::event::{Change, GroupType, Source};
use shared::health::{self, Finding, Verdict};
use shared::ids::{GroupId, MemberId};
use shared::time::UnixMs;
use yew::prelude::*;

use super::latency::{Latency, untimed};
use super::members::facts::Why;
use super::parts::{fact, hint, link, member_name, pill, plain_id, seen_or, unseen};
use super::still::still;
use super::story;
use super::timeline::Lanes;
use super::tone::{Tone, plain};
use super::try_it::TryIt;
use super::words::{self, spelled};
use super::{Act, ByPointer, Now, coordinators, log, members, partitions, ping, rebalances};
use crate::model::Model;
use crate::model::address::Address;
use crate::model::look::{Timing, steady};

/// The view. Where faults can be played they stand beside all that shows what they do.
pub fn view(model: &Model, group: &Arc<Group>, findings: &[Finding], now: Now, act: &Act) -> Html {
    let at = now.shown.unwrap_or_default();
    let members = members::panel(model, group, now, act);
    let trips = trips(model, group);
    let seat = group.coordinator.as_ref().zip(model.board());
    let probe = seat.map(|(seat, board)| coordinators::heartbeats(board, &group.key.cluster, seat.node));
    let (probe, measured) = (probe.unwrap_or_default(), ping::block(model, group, now, act));
    let latency = still(Latency {
        group: ByPointer(Arc::clone(group)),
        trips,
        probe,
        ping: model.ping().clone(),
        measured,
        at,
    });
    let why = Why::of(model, group);
    let rebalances = html! { <>{ rebalances::panel(group, &why, now) }{ partitions::panel(group, at) }</> };
    let timeline = html! { <Lanes group={ByPointer(Arc::clone(group))} {at} local={now.local} /> };
    let log = log::panel(model, now, act);
    let head = head(model, group, findings, at, act);
    // What is played now would show nothing in the past.
    if model.faults().offer.has_any() && model.past().is_none() {
        let try_it = still(TryIt {
            faults: model.faults().clone(),
            timing: Timing::of(group),
            group: group.key.group.clone(),
            targets: targets(group),
            act: act.clone(),
        });
        return html! {
            <>
                { head }
                <div class="columns">
                    <div class="stack">{ timeline }{ members }{ latency }{ rebalances }</div>
                    { try_it }
                </div>
                { log }
            </>
        };
    }
    html! {
        <>
            { head }
            { timeline }
            <div class="columns">{ members }{ latency }</div>
            { rebalances }
            { log }
        </>
    }
}

/// What else its coordinator was asked, and how long that took.
fn trips(model: &Model, group: &Group) -> Vec<ApiLatency> {
    let seat = group.coordinator.as_ref();
    let row = seat.and_then(|seat| model.board()?.coordinator(&group.key.cluster, seat.node));
    row.map(|row| row.trips.clone()).unwrap_or_default()
}

/// A group that is not on the board.
pub fn missing(model: &Model, id: &GroupId, act: &Act) -> Html {
    html! {
        <section class="panel">
            <p class="nothing">
                { "There is no group " }<b>{ plain_id(id.as_str()) }</b>{ " here: it may not have been seen yet, or be gone. " }
                { link(act, &model.address().to(Address::default()), "underlined", false, html! { "All groups" }) }
            </p>
        </section>
    }
}

/// Whom a fault's answers can be kept to. Of a crowd only some: a longer list is of no use to choose from.
fn targets(group: &Group) -> Vec<(MemberId, String)> {
    const CROWD: usize = 50;
    group
        .members
        .values()
        .take(CROWD)
        .map(|member| {
            (
                member.id.clone(),
                words::shortened(&spelled(member.name()), log::CHOICE_MAX),
            )
        })
        .collect()
}

fn head(model: &Model, group: &Group, findings: &[Finding], at: UnixMs, act: &Act) -> Html {
    let worst = findings.first();
    let verdict = worst_of(findings);
    html! {
        <section class="grouphead" data-testid="group-row" data-group={group.key.group.as_str().to_owned()}
            data-state={group.state.get().map(|state| state.as_str().to_owned())} data-verdict={verdict.as_str()}>
            if model.has_several_groups() {
                <p class="crumbs">{ link(act, &model.address().to(Address::default()), "", false, html! { "Overview" }) }{ " / " }{ plain_id(group.key.group.as_str()) }</p>
            }
            <div class="title">
                <h1>{ plain_id(group.key.group.as_str()) }</h1>
                { for findings.iter().map(|finding| verdict_pill(finding.verdict)) }
            </div>
            <ul class="says">{ for findings.iter().map(|finding| say(group, finding)) }</ul>
            <p class="evidence">{ worst.map(|finding| spelled(&finding.evidence)).unwrap_or_default() }</p>
            { facts(model, group, at) }
        </section>
    }
}

/// What is to be said of a group, the worst first. Where something is wrong, that it is also stable or empty stands among its
/// facts, and what cannot be seen of it matters less.
#[must_use]
pub fn findings(model: &Model, group: &Group, now: Now) -> Vec<Finding> {
    let at = now.for_group(group);
    let mut findings = model
        .board()
        .map_or_else(Vec::new, |board| health::verdicts(board, group, at));
    let calm = |finding: &Finding| {
        matches!(
            finding.verdict,
            Verdict::Stable | Verdict::Empty | Verdict::NotVisible
        )
    };
    if !findings.iter().all(calm) {
        findings.retain(|finding| !calm(finding));
    }
    findings
}

fn worst_of(findings: &[Finding]) -> Verdict {
    findings
        .first()
        .map_or(Verdict::NotVisible, |finding| finding.verdict)
}

/// A group and the worst that is to be said of it, for the browser's tab.
#[must_use]
pub fn title(group: &Group, findings: &[Finding]) -> String {
    let id = spelled(group.key.group.as_str());
    format!("{} · {id}", plain(worst_of(findings).as_str()))
}

/// A finding's sentence, with the member it is about set off: by its name, or by its id without the random tail.
fn say(group: &Group, finding: &Finding) -> Html {
    let sentence = spelled(&finding.sentence);
    let id = finding.member.as_ref().map_or("", |id| id.as_str());
    let name = finding
        .member
        .as_ref()
        .and_then(|id| group.members.get(id))
        .map_or("", |member| member.name());
    let split = |part: &str| {
        let part = spelled(part);
        let (before, after) = sentence.split_once(&part).filter(|_| !part.is_empty())?;
        Some((before.to_owned(), after.to_owned()))
    };
    let content = if let Some((before, after)) = split(id) {
        html! { <>{ before }{ member_name(id, None) }{ after }</> }
    } else if let Some((before, after)) = split(name) {
        html! { <>{ before }<b>{ spelled(name) }</b>{ after }</> }
    } else {
        html! { sentence.clone() }
    };
    html! { <li class="say">{ content }</li> }
}

/// A verdict as a pill.
pub fn verdict_pill(verdict: Verdict) -> Html {
    let (tone, sign) = verdict_tone(verdict);
    pill(tone, sign, &plain(verdict.as_str()))
}

/// A verdict's tone and sign.
#[must_use]
pub const fn verdict_tone(verdict: Verdict) -> (Tone, &'static str) {
    match verdict {
        Verdict::Stable => (Tone::Ok, "✓"),
        Verdict::Empty => (Tone::Dim, "○"),
        Verdict::Rebalancing => (Tone::Move, "⟳"),
        Verdict::Storm => (Tone::Bad, "⟳"),
        Verdict::Flapping => (Tone::Bad, "⇅"),
        Verdict::Refused => (Tone::Bad, "⊗"),
        Verdict::Waiting => (Tone::Late, "◔"),
        Verdict::MemberLate => (Tone::Late, "◔"),
        Verdict::MemberSilent => (Tone::Bad, "◕"),
        Verdict::CoordinatorSlow => (Tone::Late, "⇄"),
        Verdict::CoordinatorGone => (Tone::Bad, "✕"),
        Verdict::Loading => (Tone::Move, "…"),
        Verdict::NotAuthorized => (Tone::Bad, "⊖"),
        Verdict::UnownedPartitions => (Tone::Late, "◌"),
        Verdict::NotProgressing => (Tone::Late, "‖"),
        Verdict::NotVisible => (Tone::Dim, "?"),
    }
}

fn facts(model: &Model, group: &Group, at: UnixMs) -> Html {
    let why = Why::of(model, group);
    let timing = Timing::of(group);
    let latency = group.latency();
    let recent = group
        .members
        .values()
        .filter_map(|member| member.last_answer.as_ref())
        .max_by_key(|answer| answer.at);
    let state = group.state.get().map(|state| {
        let length = group.at_rest_since().map(|since| words::lasting(since, at));
        html! { <>{ spelled(state.as_str()) }{ length.map(|length| format!(" for {length}")).unwrap_or_default() }</> }
    });
    let heartbeat = latency
        .percentile(50.0)
        .zip(latency.percentile(99.0))
        .map(|(p50, p99)| {
            let now = recent.map_or_else(|| "–".to_owned(), |answer| words::latency(answer.latency_us));
            html! { format!("{now} / {} / {}", words::latency(p50), words::latency(p99)) }
        });
    let every = group.members.values().find_map(|member| member.interval());
    let (times_name, every) = every.map_or(("Session", String::new()), |every| {
        (
            "Interval / session",
            format!("{} / ", words::setting(steady(every))),
        )
    });
    let times = timing.session.map(|session| {
        let mut members = group.members.values();
        let told = members.find(|member| member.session_timeout.get() == Some(&session));
        let teller = told.map_or("nobody", |member| why.teller(member, &member.session_timeout));
        hint(
            "hint",
            format!("Told by {teller}."),
            html! { format!("{every}{}", words::setting(session)) },
        )
    });
    let assignor = group.coordination.protocol.as_deref();
    // What Connect's workers and the like agree on assigns no partitions.
    let agreed = match (group.group_type.get(), group.protocol_type.as_deref()) {
        (Some(GroupType::Classic), Some(word)) if !["", "consumer"].contains(&word) => "Protocol",
        _ => "Assignor",
    };
    html! {
        <dl class="facts">
            { fact("Type", seen_or(kind(group), "nobody has told the group's type")) }
            { fact("State", seen_or(state, why.or("a member's seat does not show the group's state"))) }
            { fact("Generation", seen_or(words::generation(group).map(|generation| html! { generation }), &why.generation)) }
            { fact("Members", members_fact(group, &why)) }
            { fact("Heartbeat, now / p50 / p99", heartbeat.unwrap_or_else(|| untimed(group))) }
            { fact(times_name, seen_or(times, if group.member_count() == Some(0) && group.hidden().is_none() { "no member has told its timeouts" } else { why.untold_of_all() })) }
            { fact(agreed, seen_or(assignor.map(|name| html! { spelled(name) }), why.untold_assignor())) }
            { fact("Lag", partitions::lag_fact(group, &why)) }
            { fact("Coordinator", coordinator(group, at)) }
        </dl>
    }
}

/// A group's type, with what its members speak.
pub fn kind(group: &Group) -> Option<Html> {
    let kind = words::kind(group.group_type.get()?, group.protocol_type.as_deref());
    Some(html! { kind })
}

/// Our own members see only themselves: what they alone tell is a lower bound.
fn members_fact(group: &Group, why: &Why) -> Html {
    let count = group.member_count().map(|count| {
        let blind = group.sources.iter().eq([Source::Probe]);
        html! { if blind { { format!("{count} of ours") } } else { { words::thousands(count as u64) } } }
    });
    seen_or(count, why.members())
}

fn coordinator(group: &Group, at: UnixMs) -> Html {
    let not_found = group.not_found.as_ref().map(|not| {
        let change = Change::CoordinatorNotFound {
            error: not.error,
            cause: not.cause,
            detail: not.detail.clone(),
        };
        story::tell(&change, Source::Probe).text
    });
    let embedded = group.sources.contains(Source::Embedded);
    let Some(seat) = &group.coordinator else {
        if embedded && not_found.is_none() {
            return html! { "embedded" };
        }
        return unseen(
            not_found
                .as_deref()
                .unwrap_or("no coordinator has been found yet"),
        );
    };
    let whose = if embedded {
        "embedded".to_owned()
    } else {
        format!("broker {}", seat.node)
    };
    match group.death() {
        Some(death) => {
            let length = words::span(at.since(death.since));
            let gone = format!("{whose}, gone for {length}");
            match not_found {
                Some(why) => hint("hint alarm", why, html! { gone }),
                None => html! { <span class="alarm">{ gone }</span> },
            }
        }
        None => {
            html! { <>{ whose }{ address(seat) }{ format!(", known for {}", words::span(at.since(seat.since))) }</> }
        }
    }
}

fn address(seat: &Seat) -> Html {
    match (&seat.host, seat.port) {
        (Some(host), Some(port)) => html! { <small>{ format!(" {}:{port}", spelled(host)) }</small> },
        _ => Html::default(),
    }
}
