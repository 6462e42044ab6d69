//! The brokers that coordinate groups, a line each: how long they take to answer.

use shared::board::{Board, Coordinator};
use shared::histogram::Histogram;
use shared::ids::{ClusterId, NodeId};
use shared::time::UnixMs;
use yew::prelude::*;

use super::parts::{Column, bare, cell, panel_head, seen_or, table_head, unseen};
use super::words::{self, spelled};

/// The columns of its table.
const COLUMNS: [Column; 6] = [
    ("", "Broker"),
    ("fill", "Address"),
    ("num", "Groups"),
    ("num", "Heartbeat"),
    ("num", "ApiVersions"),
    ("num", "DescribeGroups"),
];

/// What the groups tell of one broker.
#[derive(Debug, Default)]
pub struct Broker {
    /// How many it coordinates.
    groups: u64,
    /// How long it takes to answer the heartbeats of our own members, in whichever group they are.
    pub heartbeats: Histogram,
}

impl Broker {
    /// Of one broker.
    #[must_use]
    pub fn of(board: &Board, cluster: &ClusterId, node: NodeId) -> Self {
        let mut broker = Self::default();
        for group in board.groups() {
            if group.key.cluster != *cluster {
                continue;
            }
            let here = group.coordinator.as_ref().is_some_and(|seat| seat.node == node);
            broker.groups += u64::from(here);
            for row in &group.latency {
                if row.node == node {
                    broker.heartbeats.merge(&row.latency);
                }
            }
        }
        broker
    }
}

/// The panel; none where no coordinator is known.
pub fn panel(board: &Board, at: UnixMs) -> Html {
    if board.coordinators().len() == 0 {
        return Html::default();
    }
    let rows = board
        .coordinators()
        .map(|row| line(row, &Broker::of(board, &row.cluster, row.node), at));
    html! {
        <section class="panel" aria-labelledby="coordinators-title">
            { panel_head("coordinators-title", "Coordinators", "p99 of the round trips".to_owned()) }
            <table class="rows coordinators" role="table">
                { table_head(&COLUMNS) }
                <tbody role="rowgroup">{ for rows }</tbody>
            </table>
        </section>
    }
}

fn line(row: &Coordinator, broker: &Broker, at: UnixMs) -> Html {
    let p99 = |latency: &Histogram| {
        latency
            .percentile(99.0)
            .map(|micros| html! { words::latency(micros) })
    };
    let trip = |api: &str| {
        let row = row.trips.iter().find(|trip| trip.api == api);
        seen_or(
            row.and_then(|trip| p99(&trip.latency)),
            "no such request of Heartline was answered",
        )
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
            { cell("num", "heartbeat", p99(&broker.heartbeats).unwrap_or_else(|| unseen(UNTIMED))) }
            { cell("num", "ApiVersions", trip("ApiVersions")) }
            { cell("num", "DescribeGroups", trip("DescribeGroups")) }
        </tr>
    }
}

/// Why a broker's heartbeats are not timed.
pub const UNTIMED: &str = "no heartbeat of a member of Heartline's own was answered by this broker";
