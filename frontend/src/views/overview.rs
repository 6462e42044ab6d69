//! All groups: those that need attention first, as sentences; then the table.

use std::sync::Arc;

use shared::board::{Board, Group};
use shared::health::{Finding, Round, Verdict};
use shared::time::UnixMs;
use yew::prelude::*;

use super::group::{kind, verdict_pill, verdict_tone};
use super::parts::{Column, bare, cell, link, panel_head, plain_id, seen_or, short_id, table_head};
use super::still::{Part, still_at};
use super::{Act, ByPointer, Now, coordinators, log, partitions, words};
use crate::model::Model;
use crate::model::address::Address;

/// How many groups are told as sentences.
const TOLD: usize = 3;

/// How many rows are drawn.
const ROWS: usize = 500;

/// From which severity on a group needs attention: a rebalance is life, a late member is not.
const ATTENTION: Verdict = Verdict::MemberLate;

/// The columns of its table.
const COLUMNS: [Column; 11] = [
    ("", "Verdict"),
    ("fill", "Group"),
    ("", "Type"),
    ("", "State"),
    ("num", "Members"),
    ("num", "Generation"),
    ("", "Coordinator"),
    ("num", "Heartbeat p99"),
    ("num", "Rebalances"),
    ("num", "Lag"),
    ("num", "In state for"),
];

/// All groups with the worst that is to be said of each, the worst first.
#[derive(Debug)]
pub struct Ranking<'a> {
    groups: Vec<(Finding, &'a Arc<Group>)>,
    /// How many of them need attention.
    troubled: usize,
}

impl<'a> Ranking<'a> {
    /// Of a board at a moment.
    #[must_use]
    pub fn of(board: &'a Board, now: Now) -> Self {
        let round = Round::new(board, now.for_summaries());
        let mut groups: Vec<(Finding, &Arc<Group>)> = board
            .groups()
            .map(|group| (round.verdict(group), group))
            .collect();
        groups.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.verdict.severity()));
        let troubled = groups
            .iter()
            .take_while(|(finding, _)| needs_attention(finding))
            .count();
        Self { groups, troubled }
    }

    /// How many need attention, for the browser's tab; empty where none does.
    #[must_use]
    pub fn title(&self) -> String {
        match self.troubled {
            0 => String::new(),
            troubled => words::count(troubled as u64, "group needs attention", "groups need attention"),
        }
    }
}

/// The view.
pub fn view(model: &Model, ranking: &Ranking<'_>, now: Now, act: &Act) -> Html {
    let at = now.shown.unwrap_or_default();
    let Ranking { groups, troubled } = ranking;
    let cards = groups.iter().take(TOLD.min(*troubled)).map(|(finding, group)| {
        let card = Card {
            finding: finding.clone(),
            group: ByPointer(Arc::clone(group)),
            to: model.address_of(group),
            act: act.clone(),
        };
        still_at(key(group), card)
    });
    let rows = groups.iter().take(ROWS).map(|(finding, group)| {
        let row = Row {
            verdict: finding.verdict,
            group: ByPointer(Arc::clone(group)),
            to: model.address_of(group),
            at,
            act: act.clone(),
        };
        still_at(key(group), row)
    });
    html! {
        <>
            if *troubled > 0 {
                <h2>{ format!("Needs attention · {} of {}", words::thousands(*troubled as u64), words::count(groups.len() as u64, "group", "groups")) }</h2>
                <div class="attention">{ for cards }</div>
            }
            <section class="panel" aria-labelledby="groups-title">
                { panel_head("groups-title", "Groups", words::thousands(groups.len() as u64)) }
                <table class="rows groups" role="table">
                    { table_head(&COLUMNS) }
                    <tbody role="rowgroup">{ for rows }</tbody>
                </table>
                if groups.len() > ROWS {
                    <p class="foot">{ format!("{} more are not shown: the calmest.", words::thousands((groups.len() - ROWS) as u64)) }</p>
                }
            </section>
            { model.board().map(|board| coordinators::panel(board, at)) }
            { log::panel(model, now, act) }
        </>
    }
}

fn key(group: &Group) -> String {
    format!("{}/{}", group.key.cluster.as_str(), group.key.group.as_str())
}

const fn needs_attention(finding: &Finding) -> bool {
    finding.verdict.severity() >= ATTENTION.severity()
}

#[derive(PartialEq)]
struct Card {
    finding: Finding,
    group: ByPointer<Group>,
    to: Address,
    act: Act,
}

impl Part for Card {
    fn draw(&self) -> Html {
        let Finding {
            verdict,
            sentence,
            evidence,
            ..
        } = &self.finding;
        let name = plain_id(self.group.key.group.as_str());
        html! {
            <article class="panel card" data-tone={verdict_tone(*verdict).0.name()} data-verdict={verdict.as_str()}>
                <div class="cardhead"><h3>{ link(&self.act, &self.to, "", false, name) }</h3>{ verdict_pill(*verdict) }</div>
                <p>{ words::spelled(sentence) }</p>
                <p class="evidence">{ words::spelled(evidence) }</p>
            </article>
        }
    }
}

#[derive(PartialEq)]
struct Row {
    verdict: Verdict,
    group: ByPointer<Group>,
    to: Address,
    at: UnixMs,
    act: Act,
}

impl Part for Row {
    fn draw(&self) -> Html {
        let group = &*self.group;
        let state = group
            .state
            .get()
            .map(|state| state.as_str().to_owned())
            .unwrap_or_default();
        let shown = group.state.get().map(|state| state_name(state.as_str()));
        let number = |value: Option<String>, why: &str| seen_or(value.map(|value| html! { value }), why);
        let members = group.member_count().map(|count| words::thousands(count as u64));
        let generation = group
            .generation
            .get()
            .map(|generation| words::thousands_of(generation.0));
        let p99 = group.latency().percentile(99.0).map(words::latency);
        let seat = group
            .coordinator
            .as_ref()
            .map(|seat| format!("broker {}", seat.node));
        let since = group.at_rest_since().map(|since| {
            let bound = if since.at_latest { "≥ " } else { "" };
            format!("{bound}{}", words::span(self.at.since(since.at)))
        });
        let rebalances: u64 = group.rebalances_total.values().sum();
        html! {
            <tr role="row" data-testid="group-row" data-group={group.key.group.as_str().to_owned()} data-state={state}
                data-verdict={self.verdict.as_str()}>
                { bare("half bare", verdict_pill(self.verdict)) }
                { bare("half bare fill", link(&self.act, &self.to, "", false, short_id(group.key.group.as_str()))) }
                { cell("", "type", seen_or(kind(group), "nobody has told the group's type")) }
                { cell("", "state", seen_or(shown, "its state is not visible from here")) }
                { cell("num", "members", number(members, "nobody who sees the member list has told")) }
                { cell("num", "generation", number(generation, "no generation has been seen")) }
                { cell("", "coordinator", number(seat, "no coordinator has been found yet")) }
                { cell("num", "p99", number(p99, "no heartbeat has been timed")) }
                { cell("num", "rebalances", html! { words::thousands(rebalances) }) }
                { cell("num", "lag", partitions::lag_fact(group)) }
                { cell("num", "in state for", number(since, "its state is not visible from here")) }
            </tr>
        }
    }
}

/// A state by Kafka's name, which may be broken where its second word begins.
fn state_name(name: &str) -> Html {
    const SECOND: &str = "Rebalance";
    match name.strip_suffix(SECOND) {
        Some(first) => html! { <>{ words::spelled(first) }<wbr />{ SECOND }</> },
        None => html! { words::spelled(name) },
    }
}
