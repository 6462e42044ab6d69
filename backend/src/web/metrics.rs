//! `GET /metrics`: Prometheus text (docs/contract.md, Metrics), from the board and the hub's own counts.
//!
//! Names of groups and clusters come from strangers: the board bounds their number and length, here they are escaped.

mod surveyed;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use shared::board::{Board, Cell, ErrorCounts, Group, GroupKey, Member};
use shared::error_code;
use shared::event::{GroupState, RebalanceCause};
use shared::ids::{ClusterId, NodeId};
use shared::time::{Millis, UnixMs};

use super::Web;
use super::answer::offload;
use super::error::ApiError;
use crate::survey::Figures;
use text::{Kind, Text, histogram, labels, seconds};

/// How far back `heartline_heartbeat_response_time_max_seconds` looks: two of Kafka's sample windows of 30 s.
const RECENT: Millis = Millis(60_000);

/// Heartbeats by cluster and by how they ended.
type Outcomes<'a> = BTreeMap<&'a ClusterId, BTreeMap<&'static str, u64>>;

/// `GET /metrics`.
pub(super) async fn get(State(web): State<Arc<Web>>) -> Result<Response, ApiError> {
    let snapshot = web.snapshot().await?;
    let now = web.site.clock.now_unix();
    let figures = match &web.site.survey {
        Some(survey) => survey.figures().await.unwrap_or_default(),
        None => Figures::default(),
    };
    let text = offload(move || {
        let mut text = Text::default();
        of_board(&mut text, &snapshot.board, now);
        of_server(&mut text, &web);
        surveyed::of_survey(&mut text, &figures);
        Ok(text.finish())
    });
    let mut response = text.await?.into_response();
    let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, format);
    Ok(response)
}

/// What the board tells.
fn of_board(text: &mut Text, board: &Board, now: UnixMs) {
    heartbeats(text, board, now);
    text.family(
        "heartline_rebalances_total",
        Kind::Counter,
        "Finished rebalances by cause, counted ten seconds after their end.",
    );
    for group in board.groups() {
        // A figure that only rises has those of which the cause is settled.
        let settling = group.rebalances.iter().filter(|row| row.settles(now));
        let settling: Vec<RebalanceCause> = settling.map(|row| row.cause()).collect();
        for (cause, count) in group.rebalances_total.iter() {
            let unsettled = settling.iter().filter(|of| *of == cause).count();
            let count = count.saturating_sub(u64::try_from(unsettled).unwrap_or(u64::MAX));
            let labels = labels(&[
                ("cluster", group.key.cluster.as_str()),
                ("group", group.key.group.as_str()),
                ("cause", cause.as_str()),
            ]);
            text.sample("heartline_rebalances_total", &labels, count);
        }
    }
    text.family(
        "heartline_members",
        Kind::Gauge,
        "Members of a group; absent where not visible.",
    );
    for group in board.groups() {
        if let Some(members) = group.member_count() {
            text.sample("heartline_members", &of_group(&group.key), members);
        }
    }
    text.family(
        "heartline_group_state",
        Kind::Gauge,
        "1 for the state a group is in; absent where not visible.",
    );
    for group in board.groups() {
        if let Some(state) = group.state.get() {
            text.sample("heartline_group_state", &with_state(&group.key, state), 1);
        }
    }
    text.family(
        "heartline_events_total",
        Kind::Counter,
        "Events by kind; a merged heartbeat counts as one.",
    );
    for (kind, count) in board.events() {
        text.sample("heartline_events_total", &labels(&[("kind", kind)]), count);
    }
}

/// Heartbeats of our own members, and those that the embedded coordinator received.
fn heartbeats(text: &mut Text, board: &Board, now: UnixMs) {
    const LATENCY: &str = "heartline_heartbeat_latency_seconds";
    text.family(
        LATENCY,
        Kind::Histogram,
        "Heartbeat sent to answer read, by our own members, behind no other request.",
    );
    for group in board.groups() {
        for node in &group.latency {
            let name = node_name(node.node);
            let labels = labels(&[
                ("cluster", group.key.cluster.as_str()),
                ("group", group.key.group.as_str()),
                ("node", &name),
            ]);
            histogram(text, LATENCY, &labels, &node.latency);
        }
    }
    round_trips(text, board);
    const LAST: &str = "heartline_heartbeat_last_seconds_ago";
    text.family(
        LAST,
        Kind::Gauge,
        "Since a member of ours was last answered: the longest of its group.",
    );
    for group in board.groups() {
        let ages = ours(group).filter_map(|member| member.age(now)).max();
        if let Some(Millis(age)) = ages {
            text.sample(LAST, &of_group(&group.key), seconds(age.saturating_mul(1000)));
        }
    }
    const SLOWEST: &str = "heartline_heartbeat_response_time_max_seconds";
    text.family(
        SLOWEST,
        Kind::Gauge,
        "The slowest answer to a member of ours in the last 60 s (of its last 40 beats).",
    );
    for group in board.groups() {
        if let Some(us) = ours(group).filter_map(|member| slowest_us(member, now)).max() {
            text.sample(SLOWEST, &of_group(&group.key), seconds(us));
        }
    }
    let (mut sent, mut received): (Outcomes<'_>, Outcomes<'_>) = Default::default();
    for group in board.groups() {
        let (cluster, totals) = (&group.key.cluster, &group.totals);
        let sent = sent.entry(cluster).or_default();
        outcomes(sent, totals.answered, &totals.answered_errors);
        add(sent, "no_answer", totals.failed);
        let received = received.entry(cluster).or_default();
        outcomes(received, totals.received, &totals.received_errors);
    }
    for (name, counts, help) in [
        (
            "heartline_heartbeats_total",
            sent,
            "Heartbeats of our own members by how they ended.",
        ),
        (
            "heartline_heartbeats_received_total",
            received,
            "Heartbeats that the embedded coordinator received, by how it answered.",
        ),
    ] {
        text.family(name, Kind::Counter, help);
        for (cluster, counts) in counts {
            for (outcome, count) in counts {
                let labels = labels(&[("cluster", cluster.as_str()), ("outcome", outcome)]);
                text.sample(name, &labels, count);
            }
        }
    }
}

/// How long brokers take to answer a survey.
fn round_trips(text: &mut Text, board: &Board) {
    const TRIPS: &str = "heartline_request_latency_seconds";
    text.family(
        TRIPS,
        Kind::Histogram,
        "A survey's request sent to answer read, behind no other request.",
    );
    for row in board.coordinators() {
        let node = node_name(row.node);
        for trips in &row.trips {
            let labels = labels(&[
                ("cluster", row.cluster.as_str()),
                ("node", &node),
                ("api", &trips.api),
            ]);
            histogram(text, TRIPS, &labels, &trips.latency);
        }
    }
}

/// What the server tells of itself.
fn of_server(text: &mut Text, web: &Web) {
    let counters = web.site.hub.counters();
    text.family("heartline_viewers", Kind::Gauge, "Connected viewers.");
    text.sample("heartline_viewers", "", web.viewers());
    for (name, counter, help) in [
        (
            "heartline_merged_total",
            &counters.merged,
            "Heartbeats that went into their summary only, because the server was behind.",
        ),
        (
            "heartline_unsummarised_total",
            &counters.unsummarised,
            "Heartbeats in no summary, because too many members beat in one second.",
        ),
        (
            "heartline_viewers_lagged_total",
            &counters.lagged,
            "Times that a viewer fell behind and was sent on to the present.",
        ),
    ] {
        text.family(name, Kind::Counter, help);
        text.sample(name, "", counter.get());
    }
    text.family(
        "heartline_history_on_disk",
        Kind::Gauge,
        "1 while what happens is kept in the data directory, 0 while it is kept in memory only.",
    );
    text.sample("heartline_history_on_disk", "", u8::from(web.site.hub.is_kept()));
    text.family(
        "heartline_history_lost_total",
        Kind::Counter,
        "Events that are not in the data directory, because it could not be written, or not fast enough.",
    );
    text.sample("heartline_history_lost_total", "", web.site.hub.not_kept());
    const REQUESTS: &str = "heartline_requests_total";
    text.family(
        REQUESTS,
        Kind::Counter,
        "Requests sent to brokers; node is empty where it had not named itself yet.",
    );
    for (node, api, count) in web.site.hub.requests().snapshot() {
        let node = node.map(|node| node.to_string()).unwrap_or_default();
        text.sample(REQUESTS, &labels(&[("node", &node), ("api", api)]), count);
    }
}

fn ours(group: &Group) -> impl Iterator<Item = &Member> {
    group
        .members
        .values()
        .map(|member| &**member)
        .filter(|member| member.is_ours())
}

/// The slowest of a member's recent beats that waited behind no other request.
fn slowest_us(member: &Member, now: UnixMs) -> Option<u64> {
    let recent = member.cells.iter().filter(|cell| now.since(cell.at()) <= RECENT);
    recent
        .filter_map(|cell| match cell {
            Cell::Beat(beat) => beat.latency_us.filter(|_| !beat.behind).map(u64::from),
            Cell::Second(second) => second.slowest_us,
            Cell::Failed { .. } => None,
        })
        .max()
}

/// Counts answers under `ok` and under the names of their codes: a closed set of labels.
fn outcomes(counts: &mut BTreeMap<&'static str, u64>, all: u64, errors: &ErrorCounts) {
    add(counts, "ok", all.saturating_sub(errors.total()));
    for (code, count) in errors.by_code() {
        add(
            counts,
            error_code::find(code).map_or("unknown_code", |row| row.name),
            count,
        );
    }
    add(counts, "unknown_code", errors.unknown());
}

fn add(counts: &mut BTreeMap<&'static str, u64>, outcome: &'static str, more: u64) {
    if more > 0 {
        let count = counts.entry(outcome).or_default();
        *count = count.saturating_add(more);
    }
}

fn of_group(key: &GroupKey) -> String {
    labels(&[("cluster", key.cluster.as_str()), ("group", key.group.as_str())])
}

fn with_state(key: &GroupKey, state: &GroupState) -> String {
    labels(&[
        ("cluster", key.cluster.as_str()),
        ("group", key.group.as_str()),
        ("state", state.as_str()),
    ])
}

/// The board counts what it cannot lay at one node's door under -1.
fn node_name(node: NodeId) -> String {
    if node.0 < 0 {
        "unknown".to_owned()
    } else {
        node.to_string()
    }
}
