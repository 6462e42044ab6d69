//! What needs attention, as sentences: an incident a card, with the groups it hits.

use std::sync::Arc;

use shared::board::{Board, Group};
use yew::prelude::*;

use super::group::{say, verdict_pill, verdict_tone};
use super::overview::place;
use super::parts::{button, link, plain_id};
use super::{Act, words};
use crate::model::address::Address;
use crate::model::groups::{Cause, Incident, Ranked};
use crate::model::{Action, Model};

/// How many groups of an incident are named.
const NAMED: usize = 6;

/// The incidents, and how many more there are. What is said of none takes the same line, so that nothing moves by it.
pub fn attention(model: &Model, board: &Board, ranked: &Ranked, act: &Act) -> Html {
    let all = words::count(ranked.all as u64, "group", "groups");
    let count = match ranked.troubled {
        0 => "none".to_owned(),
        troubled => words::thousands(troubled as u64),
    };
    let told = ranked.told.as_ref();
    let (shown, incidents, new) = told.map_or((&[][..], 0, 0), |told| (&told.shown[..], told.all, told.new));
    let incidents = if incidents == ranked.troubled {
        String::new()
    } else {
        [" · ", &words::count(incidents as u64, "incident", "incidents")].concat()
    };
    html! {
        <>
            <div class="inline attends">
                <h2>{ format!("Needs attention · {count} of {all}{incidents}") }</h2>
                if new > 0 { { button("news", None, act, Action::Reorder, &format!("{new} new")) } }
            </div>
            if !shown.is_empty() { <div class="attention">{ for shown.iter().filter_map(|incident| card(model, board, incident, act)) }</div> }
        </>
    }
}

/// None where its groups are gone.
fn card(model: &Model, board: &Board, incident: &Incident, act: &Act) -> Option<Html> {
    let Incident {
        cause,
        finding,
        groups,
    } = incident;
    let named: Vec<&Arc<Group>> = groups.iter().filter_map(|key| board.group(key)).collect();
    let first = *named.first()?;
    let to = |group: &Arc<Group>| {
        link(
            act,
            &model.address_of(group),
            "",
            false,
            plain_id(group.key.group.as_str()),
        )
    };
    let count = words::count(groups.len() as u64, "group", "groups");
    let (title, hits) = match cause {
        _ if groups.len() == 1 => (to(first), Html::default()),
        Cause::Broker(_, node, _) => (
            html! { format!("{count} on broker {node}") },
            hits(model, incident, &named, act),
        ),
        Cause::Host(_, host) => {
            let host = words::spelled(host);
            (
                html! { format!("{count} with members on {host}") },
                hits(model, incident, &named, act),
            )
        }
        Cause::Right(_) | Cause::Group(_) => (
            html! { format!("{count} without a right") },
            hits(model, incident, &named, act),
        ),
    };
    let verdict = finding.verdict;
    Some(html! {
        <article key={place(&first.key)} class="panel card" data-tone={verdict_tone(verdict).0.name()} data-verdict={verdict.as_str()}
            data-testid="incident" data-groups={groups.len().to_string()}>
            <div class="cardhead"><h3>{ title }</h3>{ verdict_pill(verdict) }</div>
            <p class="told">{ say(model, first, finding, act) }</p>
            { hits }
            <p class="evidence">{ words::spelled(&finding.evidence) }</p>
        </article>
    })
}

/// The groups that it hits: the first by name, and the way to all.
fn hits(model: &Model, incident: &Incident, named: &[&Arc<Group>], act: &Act) -> Html {
    let each = named.iter().take(NAMED).map(|group| {
        let name = plain_id(group.key.group.as_str());
        html! { <>{ link(act, &model.address_of(group), "underlined", false, name) }{ " " }</> }
    });
    let more = incident.groups.len().saturating_sub(NAMED);
    let mut all = model.address().to(Address::default());
    all.list.verdict = incident.finding.verdict.as_str().to_owned();
    html! {
        <p class="hits">
            { for each }
            if more > 0 { { link(act, &all, "underlined", false, html! { format!("and {} more", words::thousands(more as u64)) }) } }
        </p>
    }
}
