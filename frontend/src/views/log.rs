//! The event log: newest first, each event once, each error code explained where it stands.

use std::sync::Arc;

use shared::board::GroupKey;
use shared::event::{Change, Event, Evidence, Source};
use shared::ids::{GroupId, MemberId};
use yew::prelude::*;

use super::parts::{Choosable, button, choice, choosable, explained, hint, link, member_name, plain_id};
use super::still::{Part, still, still_at};
use super::story::{self, Story};
use super::tone::plain;
use super::words::{self, LocalTime};
use super::{Act, ByPointer, Now, top};
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
        clients: clients(model, &listing),
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
    /// The client ids of members whose own ids say nothing.
    clients: Vec<(MemberId, String)>,
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
                client: self.client(event),
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

/// Of those in the events that are drawn, as far as the board knows them.
fn clients(model: &Model, listing: &Listing) -> Vec<(MemberId, String)> {
    let mut clients: Vec<(MemberId, String)> = Vec::new();
    for event in listing.events.iter().take(model.log_rows()) {
        let what = &event.what;
        let (Some(group), Some(member)) = (&what.group, &what.member) else {
            continue;
        };
        if clients.iter().any(|(known, _)| known == member) {
            continue;
        }
        let group = model
            .board()
            .and_then(|board| board.group(&GroupKey::new(&what.cluster, group)));
        let client = group.and_then(|group| story::client_of(group, member));
        clients.extend(client.map(|client| (member.clone(), client.to_owned())));
    }
    clients
}

impl Panel {
    fn client(&self, event: &Event) -> Option<String> {
        let member = event.what.member.as_ref()?;
        let (_, client) = self.clients.iter().find(|(id, _)| id == member)?;
        Some(client.clone())
    }
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

/// Each filter that the address holds can be seen and changed: all where the log has the page to itself, else those that are set.
fn filters(props: &Panel) -> Html {
    let Panel {
        filter,
        listing,
        address,
        act,
        ..
    } = props;
    let whole = address.view == View::Events;
    let named = |id: &str| (id.to_owned(), words::shortened(&words::spelled(id), CHOICE_MAX));
    let kinds = Change::KINDS.iter().map(|kind| ((*kind).to_owned(), plain(kind)));
    let members = listing
        .members
        .keys()
        .map(|id| (id.as_str().to_owned(), label(id)));
    let group = address.group.as_ref().map(|id| id.as_str());
    let member = filter.member.as_ref().map(|id| id.as_str());
    let (host, known) = (filter.host.as_deref(), filter.evidence.as_deref());
    let paused = filter.paused_at.is_some();
    html! {
        <>
            if whole {
                { pick(props, ("Group", "log-group", "all groups"), listing.groups.keys().map(|id| named(id)).collect(), group, of_group) }
            }
            { pick(props, ("Kind", "log-kind", "all changes"), kinds.collect(), filter.kind.as_deref(), |address, kind| address.kind = kind) }
            { pick(props, ("Member", "log-member", "all members"), members.collect(), member, |address, id| address.member = id.map(Into::into)) }
            if whole || host.is_some() {
                { pick(props, ("Host", "log-host", "all hosts"), listing.hosts.keys().map(|host| named(host)).collect(), host, |address, host| address.host = host) }
            }
            if whole || known.is_some() {
                { pick(props, ("Evidence", "log-evidence", "observed or inferred"), KNOWN.map(|known| choosable(evidence(known))).into(), known, |address, known| address.evidence = known) }
            }
            if whole {
                <a class="button" data-testid="export-jsonl" download="" href={props.exports.0.clone()}>{ "JSON lines" }</a>
                <a class="button" data-testid="export-csv" download="" href={props.exports.1.clone()}>{ "CSV" }</a>
            }
            if address.at.is_none() { { top::pause(paused, act) } }
        </>
    }
}

/// How a fact can be known.
const KNOWN: [Evidence; 2] = [Evidence::Observed, Evidence::Inferred];

/// Members are of one group.
fn of_group(address: &mut Address, group: Option<String>) {
    address.group = group.map(Into::into);
    (address.cluster, address.member) = (None, None);
}

/// One filter: what is chosen is there even where the log names it no more.
fn pick(
    props: &Panel,
    (name, testid, any): (&'static str, &'static str, &'static str),
    mut all: Vec<Choosable>,
    chosen: Option<&str>,
    set: fn(&mut Address, Option<String>),
) -> Html {
    let chosen = chosen.unwrap_or_default();
    if !chosen.is_empty() && all.iter().all(|(option, _)| option != chosen) {
        all.push((chosen.to_owned(), words::spelled(chosen)));
    }
    all.insert(0, (String::new(), any.to_owned()));
    let address = props.address.clone();
    let on_choose = props.act.reform(move |value: String| {
        let mut address = address.clone();
        set(&mut address, Some(value).filter(|value| !value.is_empty()));
        Action::Narrow(address)
    });
    choice(
        html! { <span class="sr">{ name }</span> },
        testid,
        all,
        chosen,
        &on_choose,
    )
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
    /// The client id of its member, where the member's own id says nothing.
    client: Option<String>,
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
                    if let Some(member) = &what.member { { member_name(member.as_str(), self.client.as_deref()) } }
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
