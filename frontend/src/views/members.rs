//! The members of a group, each with its state, its heartbeats and what is left of its session; then those that are gone.
//!
//! - `row`: one member; `facts`: what is told of it, and why the rest is not

pub mod facts;
mod row;

use std::sync::Arc;

use shared::board::{Departed, Group, Member, MemberState};
use shared::event::{GroupType, Source};
use shared::fault::Fault;
use shared::time::{Millis, UnixMs};
use yew::prelude::*;

use self::facts::Why;
use self::row::Row;
use super::beats::{self, Mark};
use super::parts::{Column, bare, button, hint, member_name, pill, table_head, unseen};
use super::still::still_at;
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
    let why = Why::of(model, group);
    let blind = is_blind(group);
    // Others' members are not ours to silence.
    let ours = group.sources.contains(Source::Probe);
    let playable = ours && IN_ROW.iter().all(|name| model.can_play(name));
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
                <span class="faint">{ how_many(group) }</span>
                if blind { <span class="faint">{ "· heartbeats: " }{ unseen(blind_why(group)) }</span> }
                if (ours || group.members.is_empty()) && model.can_play("add") {
                    <div class="right">{ fault_button(&Fault::Add { count: 1 }, "+ add a member", act) }</div>
                }
            </header>
            { refusal_of_add(faults) }
            if group.members.is_empty() && gone.is_empty() {
                <p class="nothing">{ nobody(group) }</p>
            } else {
                <table class={classes!("rows", "members", blind.then_some("blind"))} role="table">
                    { head(blind, playable) }
                    <tbody role="rowgroup">
                        { for rows(group, &in_order(group, shown, now), &why, faults, (blind, playable), act, now) }
                        { for gone.into_iter().map(|gone| gone_row(gone, at, now, (blind, playable))) }
                    </tbody>
                </table>
                if !blind { { legend() } }
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

/// How many are in it: of a group that may not be looked at, or in which none of ours is yet, that is not visible.
fn how_many(group: &Group) -> String {
    match (group.member_count(), group.members.len()) {
        (Some(_), listed) => words::thousands(listed as u64),
        (None, 0) => "not visible".to_owned(),
        (None, listed) => format!("not visible: {listed} of ours not in it"),
    }
}

fn nobody(group: &Group) -> String {
    if group.member_count().is_some() {
        return "The group is empty: nobody is in it.".to_owned();
    }
    match group.refusal() {
        Some(missing) => format!(
            "Who is in it is not visible: {} is missing.",
            words::spelled(&missing.right)
        ),
        None => "No member has been seen yet.".to_owned(),
    }
}

/// The columns of its table.
const COLUMNS: [Column; 7] = [
    ("", "State"),
    ("", "Member"),
    ("fill", BEATS),
    ("num", "Last"),
    ("num", P50),
    ("num", P99),
    ("", "Session left"),
];
const BEATS: &str = "Heartbeats, last 40";
const P50: &str = "p50";
const P99: &str = "p99";

/// Those that only heartbeats fill.
const OF_BEATS: [&str; 3] = [BEATS, P50, P99];

/// Why no heartbeat of a group of others is shown.
const BLIND: &str = "They go from the members to the coordinator, which tells nobody of them: only of Heartline's own members, and on its own \
coordinator, are they seen. What shows that a member lives is its last commit.";

/// The same where members acknowledge records and commit nothing.
const BLIND_SHARE: &str = "They go from the members to the coordinator, which tells nobody of them.";

fn blind_why(group: &Group) -> &'static str {
    if group.group_type.get() == Some(&GroupType::Share) {
        BLIND_SHARE
    } else {
        BLIND
    }
}

/// Whether of no member a heartbeat is seen.
fn is_blind(group: &Group) -> bool {
    let seen = |member: &Arc<Member>| member.is_seen_beating() || !member.cells.is_empty();
    group.sources.iter().eq([Source::Survey])
        || !(group.members.is_empty() || group.members.values().any(seen))
}

fn head(blind: bool, playable: bool) -> Html {
    let mut columns = COLUMNS.to_vec();
    if blind {
        columns.retain(|(_, name)| !OF_BEATS.contains(name));
    }
    if playable {
        columns.push(("", "Play"));
    }
    table_head(&columns)
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

fn rows(
    group: &Group,
    members: &[&Arc<Member>],
    why: &Why,
    faults: &Faults,
    (blind, playable): (bool, bool),
    act: &Act,
    now: Now,
) -> Vec<Html> {
    let mut rows = Vec::new();
    for member in members {
        let id = &member.id;
        let here = |fault: &Fault| fault.member() == Some(id) && IN_ROW.contains(&fault.name());
        let refused = refusal(faults, here);
        let at = now.for_member(member);
        let row = Row {
            member: ByPointer(Arc::clone(member)),
            at,
            told: facts::of(member, why),
            committed: group.last_commit(member),
            blind,
            playable,
            act: act.clone(),
        };
        rows.push(still_at(id.as_str(), row));
        if refused != Html::default() {
            rows.push(html! {
                <tr key={format!("refused {}", id.as_str())} role="row" class="note"><td role="cell" colspan="8">{ refused }</td></tr>
            });
        }
    }
    rows
}

fn gone_row(gone: &Arc<Departed>, at: UnixMs, now: Now, (blind, playable): (bool, bool)) -> Html {
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
    let name = member_name(gone.id.as_str(), gone.client_id.as_deref());
    // Those between its name and the last one; of a group of others there is no room between them.
    let further = u8::from(playable);
    let (name, why, columns) = if blind {
        let told = html! { <>{ name }<span class="reason">{ reason.clone() }</span></> };
        (bare("why name bare", told), Html::default(), 2 + further)
    } else {
        let columns = 4 + further;
        let why = html! { <td role="cell" class="why whole bare" colspan={columns.to_string()}>{ reason.clone() }</td> };
        (bare("half name bare", name), why, 1)
    };
    html! {
        <tr key={format!("gone {} {}", gone.id.as_str(), gone.end.at.0)} role="row" class="over" data-testid="member-row"
            data-member={gone.id.as_str().to_owned()} data-state={state.as_str()} data-reason={reason}>
            { bare("half bare", state_pill(state)) }
            { name }{ why }
            <td role="cell" class="num bare" colspan={columns.to_string()}>{ hint("hint", exactly, html! { ago }) }</td>
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
    let hidden = words::thousands(hidden as u64);
    let words = format!("show more ({hidden} not shown)");
    button("members-more", None, act, Action::MoreMembers, &words)
}

/// Who saw a row, in words.
#[must_use]
pub fn seen_by(sources: impl Iterator<Item = Source>) -> String {
    let names: Vec<&str> = sources.map(super::log::source).collect();
    names.join(", ")
}
