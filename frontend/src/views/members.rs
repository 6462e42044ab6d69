//! The members of a group, each with its state, its heartbeats and what is left of its session; then those that are gone.

use std::sync::Arc;

use shared::board::{Departed, Group, Member, MemberState};
use shared::event::Source;
use shared::fault::Fault;
use shared::ids::Generation;
use shared::time::{Millis, UnixMs};
use yew::prelude::*;

use super::beats::{self, Bar, Mark};
use super::parts::{member_name, none_yet, pill, unseen};
use super::tone::{Tone, plain};
use super::try_it::{fault_button, refusal};
use super::words;
use super::{Act, ByPointer, Now};
use crate::model::faults::Faults;
use crate::model::{Action, Model};

/// How long a member that is gone stays listed.
const GONE_FOR: Millis = Millis(10 * 60 * 1000);

/// What is played on a member from its row.
const IN_ROW: [&str; 3] = ["silence", "kill", "leave"];

/// The panel.
pub fn panel(model: &Model, group: &Group, now: Now, act: &Act) -> Html {
    let at = now.shown.unwrap_or_default();
    let faults = model.faults();
    let playable = IN_ROW.iter().all(|name| faults.offer.has(name));
    let shown = model.member_rows().min(group.members.len());
    let gone: Vec<_> = group
        .departed
        .iter()
        .filter(|gone| at.since(gone.end.at) <= GONE_FOR)
        .collect();
    html! {
        <section class="panel" aria-labelledby="members-title">
            <header>
                <h2 id="members-title">{ "Members" }</h2>
                <span class="faint">{ words::thousands(group.members.len() as u64) }</span>
                if faults.offer.has("add") {
                    <div class="right">{ fault_button(&Fault::Add { count: 1 }, "+ add a member", act) }</div>
                }
            </header>
            { refusal_of_add(faults) }
            if group.members.is_empty() && gone.is_empty() {
                <p class="nothing">{ nobody(group) }</p>
            } else {
                <table class="rows members" role="table">
                    { head(playable) }
                    <tbody role="rowgroup">
                        { for rows(&in_order(group, shown, now), faults, playable, act, now) }
                        { for gone.into_iter().map(|gone| gone_row(gone, at, now, playable)) }
                    </tbody>
                </table>
                { legend() }
            }
            if shown < group.members.len() {
                <div class="foot">{ more(group.members.len() - shown, act) }</div>
            }
        </section>
    }
}

fn refusal_of_add(faults: &Faults) -> Html {
    let note = refusal(faults, |fault| matches!(fault, Fault::Add { .. }));
    if note == Html::default() {
        return note;
    }
    html! { <div class="body">{ note }</div> }
}

fn nobody(group: &Group) -> &'static str {
    if group.member_count().is_some() {
        "The group is empty: nobody is in it."
    } else {
        "No member has been seen yet."
    }
}

fn head(playable: bool) -> Html {
    html! {
        <thead>
            <tr role="row">
                <th role="columnheader">{ "State" }</th>
                <th role="columnheader">{ "Member" }</th>
                <th role="columnheader" class="fill">{ format!("Heartbeats, last {}", beats::CELLS) }</th>
                <th role="columnheader" class="num">{ "Last" }</th>
                <th role="columnheader" class="num">{ "p50" }</th>
                <th role="columnheader" class="num">{ "p99" }</th>
                <th role="columnheader">{ "Session left" }</th>
                if playable { <th role="columnheader">{ "Play" }</th> }
            </tr>
        </thead>
    }
}

/// The members to be drawn: all by id where there is room, else those in trouble before the others, so that none is hidden.
fn in_order(group: &Group, shown: usize, now: Now) -> Vec<&Arc<Member>> {
    let mut members: Vec<&Arc<Member>> = group.members.values().collect();
    if members.len() > shown {
        members.sort_by_cached_key(|member| std::cmp::Reverse(look(member.state(now.for_member(member))).0));
        members.truncate(shown);
    }
    members
}

fn rows(members: &[&Arc<Member>], faults: &Faults, playable: bool, act: &Act, now: Now) -> Vec<Html> {
    let mut rows = Vec::new();
    for member in members {
        let id = &member.id;
        let here = |fault: &Fault| fault.member() == Some(id) && IN_ROW.contains(&fault.name());
        let refused = refusal(faults, here);
        let at = now.for_member(member);
        rows.push(html! {
            <Row key={id.as_str()} member={ByPointer(Arc::clone(member))} {at} {playable} act={act.clone()} />
        });
        if refused != Html::default() {
            rows.push(html! {
                <tr key={format!("refused {}", id.as_str())} role="row" class="note"><td role="cell" colspan="8">{ refused }</td></tr>
            });
        }
    }
    rows
}

#[derive(Properties, PartialEq)]
struct RowProps {
    member: ByPointer<Member>,
    at: UnixMs,
    /// Whether faults can be played on it.
    playable: bool,
    act: Act,
}

#[component]
fn Row(props: &RowProps) -> Html {
    let member = &*props.member;
    let state = member.state(props.at);
    let reason = words::spelled(&member.state_reason(props.at));
    let marks = beats::marks(&member.cells, member.interval(), due_until(state, props.at));
    let timed = |percent: f64| {
        let latency = member.latency.percentile(percent).map(words::latency);
        latency.map_or_else(|| untimed(member), |latency| html! { latency })
    };
    let age = member.age(props.at).map_or_else(
        || {
            if member.is_ours() || member.is_seen_beating() {
                none_yet("no answer that renews its session")
            } else {
                unseen("its heartbeats go to the coordinator, which tells nobody of them")
            }
        },
        |age| html! { format!("{} ago", words::span(age)) },
    );
    html! {
        <tr role="row" data-testid="member-row" data-member={member.id.as_str().to_owned()} data-state={state.as_str()}
            data-reason={reason.clone()}>
            <td role="cell" class="half bare"><span class="hint" tabindex="0" data-hint={reason}>{ state_pill(state) }</span></td>
            <td role="cell" class="half name bare">{ member_name(member.id.as_str(), member.client_id.get().map(String::as_str)) }{ owns(member) }</td>
            <td role="cell" class="fill whole bare"><Bar {marks} /></td>
            <td role="cell" class="num" data-label="last">{ age }</td>
            <td role="cell" class="num" data-label="p50">{ timed(50.0) }</td>
            <td role="cell" class="num" data-label="p99">{ timed(99.0) }</td>
            <td role="cell" class="whole" data-label="session left">{ session_left(member, state, props.at) }</td>
            if props.playable { <td role="cell" class="whole bare">{ play(member, &props.act) }</td> }
        </tr>
    }
}

/// What it owns, in a line that is cut; where nobody has told it there is no line.
fn owns(member: &Member) -> Html {
    let Some(owned) = &member.owned else {
        return Html::default();
    };
    let (Some(partitions), Some(count)) = (&owned.partitions, owned.count()) else {
        return Html::default();
    };
    let list = words::partitions(partitions);
    let short = if list.is_empty() {
        "no partition".to_owned()
    } else {
        list.clone()
    };
    let since = if owned.generation == Generation::NONE {
        String::new()
    } else {
        format!(" since generation {}", owned.generation)
    };
    let whole = format!(
        "Owns {}{since}{}{list}",
        words::count(count as u64, "partition", "partitions"),
        if list.is_empty() { "" } else { ": " },
    );
    html! { <span class="hint" tabindex="0" data-hint={whole}><span class="owns">{ short }</span></span> }
}

/// Until when heartbeats are due: while it joins or must join none is.
const fn due_until(state: MemberState, at: UnixMs) -> Option<UnixMs> {
    match state {
        MemberState::OnTime | MemberState::Late | MemberState::Overdue => Some(at),
        _ => None,
    }
}

fn untimed(member: &Member) -> Html {
    if member.is_ours() {
        none_yet("no answer to a heartbeat")
    } else {
        unseen("only a member itself can time the answers to its heartbeats")
    }
}

fn session_left(member: &Member, state: MemberState, at: UnixMs) -> Html {
    const WIDTH: u64 = 46;
    let Some(session) = member.session_timeout.get().filter(|session| session.0 > 0) else {
        return if member.is_ours() {
            none_yet("no session")
        } else {
            unseen("its session timeout is not told")
        };
    };
    let Some(left) = member.session_left(at) else {
        if !member.is_seen_beating() {
            return unseen("when a heartbeat of it last came is not told");
        }
        return html! { <span class="faint">{ "none runs" }</span> };
    };
    let width = (WIDTH.saturating_mul(left.0) / session.0).min(WIDTH);
    let tone = match state {
        MemberState::Late => Tone::Late,
        MemberState::Overdue => Tone::Bad,
        _ => Tone::Ok,
    };
    html! {
        <span class="session" data-tone={tone.name()}>
            <svg width={WIDTH.to_string()} height="8" aria-hidden="true">
                <rect class="lane" x=".5" y=".5" width={(WIDTH - 1).to_string()} height="7" rx="2" />
                <rect class="level" width={width.to_string()} height="8" rx="2" />
            </svg>
            <output>{ words::span(left) }</output>
        </span>
    }
}

fn play(member: &Member, act: &Act) -> Html {
    let id = || member.id.clone();
    html! {
        <span class="inline">
            { fault_button(&Fault::Silence { member: id() }, "silence", act) }
            { fault_button(&Fault::Kill { member: id() }, "kill", act) }
            { fault_button(&Fault::Leave { member: id() }, "leave", act) }
        </span>
    }
}

fn gone_row(gone: &Arc<Departed>, at: UnixMs, now: Now, playable: bool) -> Html {
    let state = gone.end.state;
    let reason = words::spelled(&gone.reason());
    let ago = format!("{} ago", words::span(at.since(gone.end.at)));
    let exactly = match gone.end.at_earliest {
        None => now.local.exact(gone.end.at),
        Some(earliest) => format!(
            "between {} and {}",
            now.local.exact(earliest),
            now.local.exact(gone.end.at)
        ),
    };
    let columns = if playable { "5" } else { "4" };
    html! {
        <tr key={format!("gone {} {}", gone.id.as_str(), gone.end.at.0)} role="row" class="over" data-testid="member-row"
            data-member={gone.id.as_str().to_owned()} data-state={state.as_str()} data-reason={reason.clone()}>
            <td role="cell" class="half bare">{ state_pill(state) }</td>
            <td role="cell" class="half name bare">{ member_name(gone.id.as_str(), gone.client_id.as_deref()) }</td>
            <td role="cell" class="why whole bare" colspan={columns}>{ reason }</td>
            <td role="cell" class="num whole bare"><span class="hint" tabindex="0" data-hint={exactly}>{ ago }</span></td>
        </tr>
    }
}

/// A member's state as a pill.
pub fn state_pill(state: MemberState) -> Html {
    let (tone, sign) = look(state);
    pill(tone, sign, &plain(state.as_str()))
}

const fn look(state: MemberState) -> (Tone, &'static str) {
    match state {
        MemberState::Joining => (Tone::Move, "→"),
        MemberState::OnTime => (Tone::Ok, "✓"),
        MemberState::Late => (Tone::Late, "◔"),
        MemberState::Overdue => (Tone::Bad, "◕"),
        MemberState::Listed => (Tone::Dim, "●"),
        MemberState::Rebalancing => (Tone::Move, "⟳"),
        MemberState::Rejoining => (Tone::Move, "↩"),
        MemberState::Reconciling => (Tone::Move, "⇄"),
        MemberState::Expired => (Tone::Bad, "✕"),
        MemberState::Evicted => (Tone::Bad, "⊘"),
        MemberState::Left => (Tone::Dim, "←"),
        MemberState::Gone => (Tone::Bad, "?"),
        MemberState::Fenced => (Tone::Bad, "⊗"),
        MemberState::NotAuthorized => (Tone::Bad, "⊖"),
        MemberState::NotVisible => (Tone::Dim, "?"),
    }
}

fn legend() -> Html {
    let marks = Mark::BEATS.into_iter().chain([Mark::Rejoined]);
    html! {
        <div class="foot legend" aria-hidden="true">
            { for marks.map(|mark| html! { <span>{ beats::key(mark) }{ mark.words() }</span> }) }
        </div>
    }
}

fn more(hidden: usize, act: &Act) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::MoreMembers);
    let hidden = words::thousands(hidden as u64);
    html! { <button class="button" type="button" {onclick}>{ format!("show more ({hidden} not shown)") }</button> }
}

/// Who saw a row, in words.
#[must_use]
pub fn seen_by(sources: impl Iterator<Item = Source>) -> String {
    let names: Vec<&str> = sources.map(super::log::source).collect();
    names.join(", ")
}
