//! The brokers that coordinate groups, side by side: what they coordinate, how long they take to answer, what was wrong with
//! them, and which groups are in trouble there now.

use std::sync::Arc;

use shared::board::{Board, Coordinator, Group, Load};
use shared::error_code::{self, Severity};
use shared::health::Finding;
use shared::histogram::Histogram;
use shared::ids::{ClusterId, NodeId};
use shared::time::UnixMs;
use yew::prelude::*;

use super::group::verdict_pill;
use super::parts::{Column, bare, cell, hint, link, panel_head, seen_or, short_id, table_head, unseen};
use super::words::{self, spelled};
use super::{Act, Now};
use crate::model::Model;
use crate::model::groups::Ranked;

/// The columns of its table.
const COLUMNS: [Column; 10] = [
    ("", "Broker"),
    ("fill", "Address"),
    ("num", "Groups"),
    ("num", "Heartbeat"),
    ("num", "Describe"),
    ("num", "ApiVersions"),
    ("num", "Errors"),
    ("num", "Moves"),
    ("num", "Loaded in"),
    ("", "Hit now"),
];

/// How many groups in trouble a broker names.
const NAMED: usize = 3;

/// What the groups tell of one broker.
struct Broker<'a> {
    row: &'a Coordinator,
    /// How many it coordinates.
    groups: u64,
    /// How long it takes to answer the heartbeats of our own members, in whichever group they are.
    heartbeats: Histogram,
    /// How many heartbeats of the groups it coordinates were seen, answered or not.
    beats: u64,
    /// Codes that heartbeats of groups it coordinates were answered with and that are not a normal part of life, and how often;
    /// those that got no answer have none.
    errors: Vec<(Option<i16>, u64)>,
    /// The last time it read a partition of `__consumer_offsets`.
    loaded: Option<&'a Load>,
    /// The groups that it coordinates and that need attention, the worst first.
    hit: Vec<(&'a Finding, &'a Arc<Group>)>,
}

/// All brokers, in one pass over the groups.
fn brokers<'a>(board: &'a Board, ranked: &'a Ranked) -> Vec<Broker<'a>> {
    let mut brokers: Vec<Broker<'a>> = board
        .coordinators()
        .map(|row| Broker {
            row,
            groups: 0,
            heartbeats: Histogram::default(),
            beats: 0,
            errors: Vec::new(),
            loaded: None,
            hit: Vec::new(),
        })
        .collect();
    for group in board.groups() {
        for timed in &group.latency {
            if let Some(broker) = of(&mut brokers, &group.key.cluster, timed.node) {
                broker.heartbeats.merge(&timed.latency);
            }
        }
        if let Some(load) = &group.coordination.loaded
            && let Some(broker) = of(&mut brokers, &group.key.cluster, load.node)
        {
            broker.loaded = broker.loaded.filter(|other| other.at >= load.at).or(Some(load));
        }
        let node = group.coordinator.as_ref().map(|seat| seat.node);
        if let Some(broker) = node.and_then(|node| of(&mut brokers, &group.key.cluster, node)) {
            broker.groups += 1;
            broker.count_errors(group);
        }
    }
    for (finding, key) in &ranked.worst {
        let Some(group) = board.group(key) else { continue };
        let node = group.coordinator.as_ref().map(|seat| seat.node);
        if let Some(broker) = node.and_then(|node| of(&mut brokers, &key.cluster, node)) {
            broker.hit.push((finding, group));
        }
    }
    brokers
}

fn of<'b, 'a>(
    brokers: &'b mut [Broker<'a>],
    cluster: &ClusterId,
    node: NodeId,
) -> Option<&'b mut Broker<'a>> {
    let is_meant = |broker: &&mut Broker<'a>| broker.row.node == node && broker.row.cluster == *cluster;
    brokers.iter_mut().find(is_meant)
}

impl Broker<'_> {
    fn count_errors(&mut self, group: &Group) {
        let totals = &*group.totals;
        self.beats += totals.answered + totals.received + totals.failed;
        // Our own coordinator sees those of our members too: each counts once.
        let counts = match totals.received {
            0 => &totals.answered_errors,
            _ => &totals.received_errors,
        };
        let serious = counts
            .by_code()
            .filter(|(code, _)| error_code::severity(*code) == Severity::Serious)
            .map(|(code, count)| (Some(code), count));
        for (code, count) in serious.chain([(None, totals.failed)]) {
            match self.errors.iter_mut().find(|(known, _)| *known == code) {
                Some((_, sum)) => *sum += count,
                None if count > 0 => self.errors.push((code, count)),
                None => {}
            }
        }
    }
}

/// How long a broker takes to answer the heartbeats of our own members, in whichever group they are.
pub fn heartbeats(board: &Board, cluster: &ClusterId, node: NodeId) -> Histogram {
    let mut all = Histogram::default();
    for group in board.groups().filter(|group| group.key.cluster == *cluster) {
        for row in group.latency.iter().filter(|row| row.node == node) {
            all.merge(&row.latency);
        }
    }
    all
}

/// The panel; none where no coordinator is known.
pub fn panel(model: &Model, board: &Board, ranked: &Ranked, now: Now, act: &Act) -> Html {
    if board.coordinators().len() == 0 {
        return Html::default();
    }
    let at = now.shown.unwrap_or_default();
    let brokers = brokers(board, ranked);
    let rows = brokers.iter().map(|broker| line(model, broker, at, act));
    html! {
        <section class="panel" aria-labelledby="coordinators-title">
            { panel_head("coordinators-title", "Coordinators", "round trips: p50 / p99".to_owned()) }
            <table class="rows coordinators" role="table">
                { table_head(&COLUMNS) }
                <tbody role="rowgroup">{ for rows }</tbody>
            </table>
        </section>
    }
}

fn line(model: &Model, broker: &Broker<'_>, at: UnixMs, act: &Act) -> Html {
    let row = broker.row;
    // Each type of group is described by a request of its own.
    let trips = |api: &str| {
        let mut all = Histogram::default();
        for trip in row.trips.iter().filter(|trip| trip.api.contains(api)) {
            all.merge(&trip.latency);
        }
        seen_or(percentiles(&all), "no such request of Heartline was answered")
    };
    let address = row
        .host
        .as_ref()
        .zip(row.port)
        .map(|(host, port)| html! { format!("{}:{port}", spelled(host)) });
    let gone = row.silent.or(row.dead.map(|(since, _)| since));
    let gone = gone.map(|since| format!(" has not answered for {}", words::span(at.since(since))));
    html! {
        <tr role="row" data-testid="coordinator-row" data-node={row.node.to_string()}>
            { bare("bare", html! { <b>{ row.node.to_string() }</b> }) }
            { bare("fill whole bare", html! { <>{ seen_or(address, "nobody has told it") }<span class="alarm">{ gone }</span></> }) }
            { cell("num", "groups", html! { words::thousands(broker.groups) }) }
            { cell("num half", "heartbeat", percentiles(&broker.heartbeats).unwrap_or_else(|| unseen(UNTIMED))) }
            { cell("num half", "describe", trips("Describe")) }
            { cell("num half", "ApiVersions", trips("ApiVersions")) }
            { cell("num", "errors", errors(broker)) }
            { cell("num", "moves", moves(row, at)) }
            { cell("num", "loaded in", loaded(broker.loaded, at)) }
            { cell("why whole", "hit now", hit(model, broker, act)) }
        </tr>
    }
}

fn percentiles(latency: &Histogram) -> Option<Html> {
    let (p50, p99) = latency.percentile(50.0).zip(latency.percentile(99.0))?;
    Some(html! { [words::latency(p50), words::latency(p99)].join(" / ") })
}

/// What was wrong with heartbeats, their number first.
fn errors(broker: &Broker<'_>) -> Html {
    if broker.beats == 0 {
        return unseen("no heartbeat of a group that it coordinates is seen from here");
    }
    let sum: u64 = broker.errors.iter().map(|(_, count)| count).sum();
    if sum == 0 {
        return html! { "0" };
    }
    let each = broker.errors.iter().map(|(code, count)| {
        let what = code.map_or_else(|| "no answer".to_owned(), error_code::label);
        [&what, ": ", &words::thousands(*count)].concat()
    });
    hint(
        "hint",
        each.collect::<Vec<_>>().join("\n"),
        html! { words::thousands(sum) },
    )
}

/// How many groups came to it from other brokers, and went.
fn moves(row: &Coordinator, at: UnixMs) -> Html {
    let Some(last) = row.moved else {
        return html! { "0" };
    };
    let last = format!("The last {} ago.", words::span(at.since(last)));
    let word = format!(
        "{} in, {} out",
        words::thousands(row.came),
        words::thousands(row.went)
    );
    hint("hint", last, html! { word })
}

fn loaded(load: Option<&Load>, at: UnixMs) -> Html {
    let told = load.and_then(|load| {
        let when = format!(
            "Partition {} of __consumer_offsets, {} ago.",
            load.partition,
            words::span(at.since(load.at))
        );
        Some(hint("hint", when, html! { words::took(load.took?) }))
    });
    seen_or(
        told,
        "only Heartline's own coordinator tells how long it reads a partition",
    )
}

/// The groups that it coordinates and that need attention now: whether it is one broker or all of them shows side by side.
fn hit(model: &Model, broker: &Broker<'_>, act: &Act) -> Html {
    let named = broker.hit.iter().take(NAMED).map(|(finding, group)| {
        let name = short_id(group.key.group.as_str());
        html! { <span class="inline tight">{ verdict_pill(finding.verdict) }{ link(act, &model.address_of(group), "", false, name) }</span> }
    });
    let all = broker.hit.len();
    html! {
        <>
            { for named }
            if all == 0 { { "none" } }
            if all > NAMED { { format!("{} in all", words::thousands(all as u64)) } }
        </>
    }
}

/// Why a broker's heartbeats are not timed.
pub const UNTIMED: &str = "no heartbeat of a member of Heartline's own was answered by this broker";
