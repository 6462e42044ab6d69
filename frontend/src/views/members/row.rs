//! One member's row.

use shared::board::{Member, MemberState};
use shared::fault::Fault;
use shared::time::UnixMs;
use yew::prelude::*;

use super::facts::{self, Facts};
use super::state_pill;
use crate::views::beats::{self, Bar};
use crate::views::parts::{bare, cell, hint, member_name, none_yet, unseen};
use crate::views::still::{Part, still};
use crate::views::tone::Tone;
use crate::views::try_it::fault_button;
use crate::views::words::{self, described};
use crate::views::{Act, ByPointer};

#[derive(PartialEq)]
pub(super) struct Row {
    pub member: ByPointer<Member>,
    pub at: UnixMs,
    /// What is told of it.
    pub told: Facts,
    /// When it last committed.
    pub committed: Option<UnixMs>,
    /// Whether no heartbeat in its group is visible, so that nothing of them is drawn.
    pub blind: bool,
    /// Whether faults can be played on it.
    pub playable: bool,
    pub act: Act,
}

impl Part for Row {
    fn draw(&self) -> Html {
        let member = &*self.member;
        let state = member.state(self.at);
        let reason = words::spelled(&member.state_reason(self.at));
        let marks = beats::marks(&member.cells, member.interval(), due_until(state, self.at));
        let timed = |percent: f64| {
            let latency = member.latency.percentile(percent).map(words::latency);
            latency.map_or_else(|| untimed(member), |latency| html! { latency })
        };
        let age = last(member, self);
        html! {
            <tr role="row" data-testid="member-row" data-member={member.id.as_str().to_owned()} data-state={state.as_str()}
                data-reason={reason.clone()}>
                { bare("half bare", hint("hint", reason, state_pill(state))) }
                <td role="cell" class="half name bare">{ member_name(member.id.as_str(), member.client_id.get().map(String::as_str)) }{ facts::view(&self.told) }{ owns(member) }{ works(member) }</td>
                if !self.blind { { bare("fill whole bare", still(Bar { marks })) } }
                { cell("num", "last", age) }
                if !self.blind {
                    { cell("num", "p50", timed(50.0)) }
                    { cell("num", "p99", timed(99.0)) }
                }
                { cell("whole", "session left", session_left(member, state, self)) }
                if self.playable {
                    <td role="cell" class="whole bare">if member.is_ours() { { play(member, &self.act) } }</td>
                }
            </tr>
        }
    }
}

/// When an answer last renewed its session; of one whose heartbeats are not seen, when it last committed.
fn last(member: &Member, props: &Row) -> Html {
    if let Some(age) = member.age(props.at) {
        return html! { format!("{} ago", words::span(age)) };
    }
    if member.is_ours() || member.is_seen_beating() {
        return none_yet("no answer that renews its session");
    }
    let Some(committed) = props.committed else {
        return unseen(&props.told.silent);
    };
    let ago = format!("{} ago", words::span(props.at.since(committed)));
    let behind = "Its last commit, as the offsets log tells: it ran then. Its heartbeats go to the coordinator, which tells nobody of them.";
    hint(
        "hint",
        behind.to_owned(),
        html! { <>{ ago }<span class="owns">{ "commit" }</span></> },
    )
}

/// What it works on beside partitions, in a line that is cut, and what it asked for.
fn works(member: &Member) -> Html {
    let Some(what) = member.described.as_deref() else {
        return Html::default();
    };
    let lines = described::lines(what);
    let short = described::short(what).or_else(|| lines.first().cloned());
    hint(
        "hint",
        lines.join("\n"),
        html! { <span class="owns">{ short.unwrap_or_default() }</span> },
    )
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
    let since = owned.generation.map_or_else(String::new, |generation| {
        format!(" since generation {generation}")
    });
    let whole = format!(
        "Owns {}{since}{}{list}",
        words::count(count as u64, "partition", "partitions"),
        if list.is_empty() { "" } else { ": " },
    );
    hint("hint", whole, html! { <span class="owns">{ short }</span> })
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

fn session_left(member: &Member, state: MemberState, props: &Row) -> Html {
    const WIDTH: u64 = 46;
    let at = props.at;
    let Some(session) = member.session_timeout.get().filter(|session| session.0 > 0) else {
        return if member.is_ours() {
            none_yet("no session")
        } else {
            unseen(&props.told.untold)
        };
    };
    let Some(left) = member.session_left(at) else {
        if !member.is_seen_beating() {
            let of = format!("of {}", words::setting(*session));
            return html! { <>{ unseen("when a heartbeat of it last came is not told") }<span class="owns">{ of }</span></> };
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
