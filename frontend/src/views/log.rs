//! The event log: newest first, each event once, each error code explained where it stands.

use std::sync::Arc;

use shared::event::{Change, Event, Evidence, Source};
use shared::ids::{GroupId, MemberId};
use yew::prelude::*;

use super::parts::{button, choice, choosable, explained, hint, link, member_name, plain_id};
use super::still::{Part, still, still_at};
use super::story::{self, Story};
use super::tone::plain;
use super::words::{self, LocalTime};
use super::{Act, ByPointer, Now};
use crate::model::address::{Address, View};
pub use crate::model::log::evidence;
use crate::model::log::{Listing, LogFilter};
use crate::model::{Action, Model, Scope};

/// The panel.
pub fn panel(model: &Model, now: Now, act: &Act) -> Html {
    let filter = model.log_filter();
    let log = model.log();
    let listing = log.listing(&filter, model.board());
    let from = listing.events.last().map_or(0, |oldest| oldest.seq);
    still(Panel {
        exports: (model.export("jsonl", from), model.export("csv", from)),
        listing: ByPointer(listing),
        filter,
        address: model.address().clone(),
        query: model.log_query(),
        rows: model.log_rows(),
        several: *log.scope() == Scope::All && model.has_several_groups(),
        filling: model.log_is_filling(),
        whole_above: log.whole_above(),
        local: now.local,
        act: act.clone(),
    })
}

#[derive(PartialEq)]
struct Panel {
    listing: ByPointer<Listing>,
    filter: LogFilter,
    /// Where the viewer is.
    address: Address,
    /// Where what is listed is had as a file: as JSON lines, and as CSV.
    exports: (String, String),
    /// What `/api/events` answers with the same transitions.
    query: String,
    /// How many rows are drawn.
    rows: usize,
    /// Whether events of several groups are listed.
    several: bool,
    /// Whether earlier events are on their way.
    filling: bool,
    /// What happened up to this event is kept nowhere.
    whole_above: u64,
    local: LocalTime,
    act: Act,
}

impl Part for Panel {
    fn draw(&self) -> Html {
        let events = &self.listing.events;
        let (local, several) = (self.local, self.several);
        let here = self.address.to(Address::default());
        let rows = events.iter().take(self.rows).map(|event| {
            let row = Row {
                event: ByPointer(Arc::clone(event)),
                local,
                several,
                here: here.clone(),
                act: self.act.clone(),
            };
            still_at(event.seq, row)
        });
        html! {
            <section class="panel" aria-labelledby="log-title" data-testid="event-log" data-query={self.query.clone()}>
                <header>
                    <h2 id="log-title">{ "Events" }</h2>
                    <span class="faint">{ head_note(self) }</span>
                    <div class="right inline">{ filters(self) }</div>
                </header>
                if events.is_empty() {
                    <p class="nothing">{ nothing_note(self) }</p>
                } else {
                    <ol class="log">{ for rows }</ol>
                }
                { foot(self) }
            </section>
        }
    }
}

fn head_note(props: &Panel) -> String {
    let count = words::thousands(props.listing.events.len() as u64);
    if props.filter.paused_at.is_some() {
        let waiting = words::thousands(props.listing.waiting as u64);
        return format!("{count} · paused, {waiting} new");
    }
    if props.filling {
        return format!("{count} · earlier ones are on their way");
    }
    count
}

const fn nothing_note(props: &Panel) -> &'static str {
    if props.filling {
        "Earlier events are on their way."
    } else if props.address.narrows() {
        "No event passes this filter."
    } else {
        "Nothing has happened yet."
    }
}

fn foot(props: &Panel) -> Html {
    let hidden = props.listing.events.len().saturating_sub(props.rows);
    if hidden > 0 {
        let words = format!("show older ({} more)", words::thousands(hidden as u64));
        return html! { <div class="foot">{ button("log-more", None, &props.act, Action::MoreRows, &words) }</div> };
    }
    if props.whole_above > 0 {
        let last = words::thousands(props.whole_above);
        let why = match props.address.at {
            Some(_) => "is not listed here: an earlier moment lists it, as far as it is kept",
            None => "is no longer kept",
        };
        return html! { <p class="foot">{ format!("What happened up to event {last} {why}.") }</p> };
    }
    Html::default()
}

fn filters(props: &Panel) -> Html {
    let Panel {
        filter, address, act, ..
    } = props;
    let mut kinds = vec![(String::new(), "all changes".to_owned())];
    kinds.extend(Change::KINDS.iter().map(|kind| ((*kind).to_owned(), plain(kind))));
    // The one that is chosen is there even where the log names it no more.
    let mut named = props.listing.members.clone();
    if let Some(member) = &filter.member {
        named.insert(member.clone(), ());
    }
    let mut members = vec![(String::new(), "all members".to_owned())];
    members.extend(named.keys().map(|id| (id.as_str().to_owned(), label(id))));
    let narrow = |set: fn(&mut Address, Option<String>)| {
        let address = address.clone();
        act.reform(move |value: String| {
            let mut address = address.clone();
            set(&mut address, Some(value).filter(|value| !value.is_empty()));
            Action::Narrow(address)
        })
    };
    let on_kind = narrow(|address, kind| address.kind = kind);
    let on_member = narrow(|address, id| address.member = id.map(Into::into));
    let paused = filter.paused_at.is_some();
    let pause = if paused { "▶ resume" } else { "❚❚ pause" };
    let kind = filter.kind.as_deref().unwrap_or_default();
    let member = filter.member.as_ref().map_or("", |id| id.as_str());
    html! {
        <>
            { choice(html! { <span class="sr">{ "Kind" }</span> }, "log-kind", kinds, kind, &on_kind) }
            { choice(html! { <span class="sr">{ "Member" }</span> }, "log-member", members, member, &on_member) }
            if address.view == View::Events {
                { more_filters(props, &narrow(|address, host| address.host = host), &narrow(|address, word| address.evidence = word)) }
            }
            { button("log-pause", Some(paused), act, Action::Pause(!paused), pause) }
        </>
    }
}

/// What there is room for where the log has the page to itself.
fn more_filters(props: &Panel, on_host: &Callback<String>, on_evidence: &Callback<String>) -> Html {
    let Panel {
        filter,
        listing,
        address,
        act,
        ..
    } = props;
    let (host, known) = (
        filter.host.as_deref().unwrap_or_default(),
        filter.evidence.as_deref().unwrap_or_default(),
    );
    let mut hosts = vec![(String::new(), "all hosts".to_owned())];
    hosts.extend(listing.hosts.keys().map(|host| choosable(host)));
    if hosts.iter().all(|(option, _)| option != host) {
        hosts.push(choosable(host));
    }
    let evidences = vec![
        (String::new(), "observed or inferred".to_owned()),
        choosable(evidence(Evidence::Observed)),
        choosable(evidence(Evidence::Inferred)),
    ];
    let of_all = Address {
        group: None,
        cluster: None,
        ..address.clone()
    };
    html! {
        <>
            { choice(html! { <span class="sr">{ "Host" }</span> }, "log-host", hosts, host, on_host) }
            { choice(html! { <span class="sr">{ "Evidence" }</span> }, "log-evidence", evidences, known, on_evidence) }
            if let Some(group) = &address.group {
                { link(act, &of_all, "button", false, html! { <>{ "group " }{ plain_id(group.as_str()) }{ " ✕" }</> }) }
            }
            <a class="button" data-testid="export-jsonl" download="" href={props.exports.0.clone()}>{ "JSON lines" }</a>
            <a class="button" data-testid="export-csv" download="" href={props.exports.1.clone()}>{ "CSV" }</a>
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

#[derive(PartialEq)]
struct Row {
    event: ByPointer<Event>,
    local: LocalTime,
    several: bool,
    /// Where the viewer is, as far as another view keeps it.
    here: Address,
    act: Act,
}

impl Part for Row {
    fn draw(&self) -> Html {
        let event = &*self.event;
        let what = &event.what;
        let Story { tone, text, codes } = story::tell(&what.change, what.source);
        let kind = what.change.kind();
        let group = what.group.as_ref().filter(|_| self.several);
        html! {
            <li data-testid="event-row" data-seq={event.seq.to_string()} data-kind={kind}
                data-evidence={evidence(what.evidence)} data-tone={tone.name()}>
                <span class="when">{ when(event, self.local) }</span>
                <span class="kind">{ plain(kind) }</span>
                <span class="who">
                    if let Some(group) = group {
                    <span class="soft">{ link(&self.act, &self.here.to(events_of(group)), "", false, plain_id(group.as_str())) }{ " " }</span>
                }
                    if let Some(member) = &what.member { { member_name(member.as_str(), None) } }
                </span>
                <span class="said">{ text }{ for codes.into_iter().map(explained) }</span>
                <span class="seenby">{ format!("{} · {}", evidence(what.evidence), source(what.source)) }</span>
            </li>
        }
    }
}

/// The log of a group.
fn events_of(group: &GroupId) -> Address {
    Address {
        view: View::Events,
        ..Address::of_group(group, None)
    }
}

/// When it happened; where that is not exact, between which moments.
fn when(event: &Event, local: LocalTime) -> Html {
    let at = local.exact(event.what.at);
    match event.what.at_earliest {
        None => html! { at },
        Some(earliest) => {
            let between = format!("between {} and {at}", local.exact(earliest));
            hint(
                "hint",
                between.clone(),
                html! { <>{ "≤ " }{ at }<span class="sr">{ between }</span></> },
            )
        }
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
