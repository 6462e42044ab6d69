//! The event log: newest first, each event once, each error code explained where it stands.

use std::collections::BTreeSet;
use std::sync::Arc;

use shared::event::{Change, Event, Evidence, Source};
use shared::ids::MemberId;
use yew::prelude::*;

use super::parts::{choice, explained, member_name, plain_id};
use super::story::{self, Story};
use super::tone::plain;
use super::words::{self, LocalTime};
use super::{Act, ByPointer, Now};
use crate::model::log::LogFilter;
use crate::model::{Action, Model, Scope};

/// The panel.
pub fn panel(model: &Model, now: Now, act: &Act) -> Html {
    let filter = model.log_filter();
    let events = model.log().newest_first(&filter);
    let shown = model.log_rows().min(events.len());
    let several = matches!(model.log().scope(), Scope::All) && model.has_several_groups();
    let rows = events.iter().take(shown).map(|event| {
        html! { <Row key={event.seq} event={ByPointer(Arc::clone(event))} local={now.local} {several} /> }
    });
    html! {
        <section class="panel" aria-labelledby="log-title" data-testid="event-log" data-query={model.log_query()}>
            <header>
                <h2 id="log-title">{ "Events" }</h2>
                <span class="faint">{ head_note(model, &events, &filter) }</span>
                <div class="right inline">{ filters(model, &filter, act) }</div>
            </header>
            if events.is_empty() {
                <p class="nothing">{ nothing_note(model, &filter) }</p>
            } else {
                <ol class="log">{ for rows }</ol>
            }
            if shown < events.len() {
                <div class="foot">{ more_button(events.len() - shown, act) }</div>
            } else if model.log().whole_above() > 0 {
                <p class="foot">{ format!("What happened up to event {} is no longer kept.", words::thousands(model.log().whole_above())) }</p>
            }
        </section>
    }
}

fn head_note(model: &Model, events: &[Arc<Event>], filter: &LogFilter) -> String {
    let count = words::thousands(events.len() as u64);
    if let Some(seq) = filter.paused_at {
        let waiting = model.log().count_after(filter, seq);
        return format!("{count} · paused, {} new", words::thousands(waiting as u64));
    }
    if model.log_is_filling() {
        return format!("{count} · earlier ones are on their way");
    }
    count
}

fn nothing_note(model: &Model, filter: &LogFilter) -> &'static str {
    if model.log_is_filling() {
        "Earlier events are on their way."
    } else if filter.kind.is_some() || filter.member.is_some() {
        "No event passes this filter."
    } else {
        "Nothing has happened yet."
    }
}

fn filters(model: &Model, filter: &LogFilter, act: &Act) -> Html {
    let kinds = std::iter::once((String::new(), "all changes".to_owned()))
        .chain(Change::KINDS.iter().map(|kind| ((*kind).to_owned(), plain(kind))));
    let members = std::iter::once((String::new(), "all members".to_owned())).chain(
        model
            .log()
            .members()
            .into_iter()
            .chain(filter.member.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|id| (id.as_str().to_owned(), label(&id))),
    );
    let on_kind = act.reform(|kind: String| Action::FilterKind(Some(kind).filter(|kind| !kind.is_empty())));
    let on_member =
        act.reform(|id: String| Action::FilterMember(Some(id).filter(|id| !id.is_empty()).map(Into::into)));
    let paused = filter.paused_at.is_some();
    let on_pause = act.reform(move |_: MouseEvent| Action::Pause(!paused));
    let kind = filter.kind.as_deref().unwrap_or_default();
    let member = filter.member.as_ref().map_or("", |id| id.as_str());
    html! {
        <>
            { choice(html! { <span class="sr">{ "Kind" }</span> }, "log-kind", kinds, kind, &on_kind) }
            { choice(html! { <span class="sr">{ "Member" }</span> }, "log-member", members, member, &on_member) }
            <button class="button" type="button" aria-pressed={paused.to_string()} onclick={on_pause}>
                { if paused { "▶ resume" } else { "❚❚ pause" } }
            </button>
        </>
    }
}

/// How many characters of a name a choice shows.
pub const CHOICE_MAX: usize = 28;

/// A member by its name and the beginning of its random tail: several lives of one member have one name.
fn label(id: &MemberId) -> String {
    let (name, tail) = words::cut_tail(id.as_str());
    let tail: String = tail.chars().take(5).collect();
    let more = if tail.is_empty() { "" } else { "…" };
    format!(
        "{}{tail}{more}",
        words::shortened(&words::spelled(name), CHOICE_MAX)
    )
}

fn more_button(hidden: usize, act: &Act) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::MoreRows);
    let hidden = words::thousands(hidden as u64);
    html! { <button class="button" type="button" {onclick}>{ format!("show older ({hidden} more)") }</button> }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    event: ByPointer<Event>,
    local: LocalTime,
    several: bool,
}

#[component]
fn Row(props: &RowProps) -> Html {
    let event = &*props.event;
    let what = &event.what;
    let Story { tone, text, codes } = story::tell(&what.change);
    let kind = what.change.kind();
    let group = what.group.as_ref().filter(|_| props.several);
    html! {
        <li data-testid="event-row" data-seq={event.seq.to_string()} data-kind={kind}
            data-evidence={evidence(what.evidence)} data-tone={tone.name()}>
            <span class="when">{ when(event, props.local) }</span>
            <span class="kind">{ plain(kind) }</span>
            <span class="who">
                if let Some(group) = group { <span class="soft">{ plain_id(group.as_str()) }{ " " }</span> }
                if let Some(member) = &what.member { { member_name(member.as_str(), None) } }
            </span>
            <span class="said">{ text }{ for codes.into_iter().map(explained) }</span>
            <span class="seenby">{ format!("{} · {}", evidence(what.evidence), source(what.source)) }</span>
        </li>
    }
}

/// When it happened; where that is not exact, between which moments.
fn when(event: &Event, local: LocalTime) -> Html {
    let at = local.exact(event.what.at);
    match event.what.at_earliest {
        None => html! { at },
        Some(earliest) => {
            let between = format!("between {} and {at}", local.exact(earliest));
            html! { <span class="hint" tabindex="0" data-hint={between.clone()}>{ "≤ " }{ at }<span class="sr">{ between }</span></span> }
        }
    }
}

/// How a fact is known, as `data-evidence` says it.
#[must_use]
pub const fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Observed => "observed",
        Evidence::Inferred => "inferred",
    }
}

/// Who says so, in words.
#[must_use]
pub const fn source(source: Source) -> &'static str {
    match source {
        Source::Embedded => "coordinator",
        Source::Probe => "member",
        Source::Survey => "survey",
    }
}
