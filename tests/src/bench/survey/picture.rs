//! The first complete picture: from the start of the program, connections included, to the event with which its board has
//! every group and every member.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use shared::event::{Change, Event};
use tokio::time::interval;

use super::{crowd, pass, unix_ms};
use crate::bench::process::usage;
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::PATIENCE;

/// How often the program is asked how far it is: rarely, since the answers cost it time.
const PACE: Duration = Duration::from_millis(500);

/// How long it is left alone first.
const ALONE: Duration = Duration::from_secs(3);

/// A program whose board is complete.
#[derive(Debug)]
pub(super) struct Picture {
    pub(super) heartline: Heartline,
    /// From its start to the last event that completed the board.
    pub(super) seconds: f64,
    /// From its first event: it had a connection then.
    pub(super) connected: f64,
    /// CPU time until some seconds after, the offsets log included.
    pub(super) cpu: f64,
    /// Events that its board was made of.
    pub(super) events: u64,
}

/// Starts the program against `broker` and waits until it knows so many groups of the crowd.
///
/// # Errors
///
/// Not all of them came.
pub(super) async fn take(broker: &Broker, groups: usize) -> Result<Picture, String> {
    let start = unix_ms();
    let mut heartline = begin(broker, groups).await?;
    let cpu = usage(heartline.process().pid())?.cpu.as_secs_f64();
    let rows = rows(&heartline).await;
    let whole = |row: &&Value| row["members"] == crowd::MEMBERS && row["state"] == "Stable";
    let there = rows.iter().filter(whole).count();
    if there < groups {
        return Err(format!("{there} of the {groups} groups are whole"));
    }
    let first = heartline.get("/api/events?limit=1").await.1;
    let first = first["events"][0]["seen"].as_u64().unwrap_or(start);
    // Members are told of with their parts, in one look at their group.
    let events = heartline.events_after(0, "&kind=group_described").await;
    let looks: Vec<&Event> = events.iter().filter(|event| has_members(event)).collect();
    let looked: BTreeSet<_> = looks
        .iter()
        .filter_map(|event| event.what.group.as_ref())
        .collect();
    let last = looks.last().filter(|_| looked.len() >= groups);
    let last = last.ok_or_else(|| format!("the members of {} groups were told of", looked.len()))?;
    Ok(Picture {
        seconds: seconds(start, last.seen.0),
        connected: seconds(first, last.seen.0),
        cpu,
        events: last.seq,
        heartline,
    })
}

/// Starts the program against `broker` and waits until it knows so many groups, asking for nothing that is large: what it is
/// asked for, it has in memory.
///
/// # Errors
///
/// Not all of them came.
pub(super) async fn begin(broker: &Broker, groups: usize) -> Result<Heartline, String> {
    let heartline = Heartline::start(&["--bootstrap-servers", &broker.address(), "--members", "0"]).await;
    pass(ALONE).await;
    // Listed, and looked at.
    told_of(&heartline, "group_described", 2 * groups).await?;
    Ok(heartline)
}

/// Whether it tells which members a group has, each with its part.
fn has_members(event: &Event) -> bool {
    let parts = event.what.parts();
    let assigned = parts.filter(|part| matches!(part.change, Change::MemberAssigned { .. }));
    assigned.count() == crowd::MEMBERS
}

/// Waits until the lag of so many groups was told; how long after `start` (Unix milliseconds) the last of them was, in seconds.
///
/// # Errors
///
/// It was not told of all.
pub(in crate::bench) async fn lag(heartline: &Heartline, start: u64, groups: usize) -> Result<f64, String> {
    told_of(heartline, "group_progress", groups).await?;
    let events = heartline.events_after(0, "&kind=group_progress").await;
    let mut told = BTreeSet::new();
    let last = events.iter().find(|event| {
        told.extend(event.what.group.as_ref());
        told.len() == groups
    });
    let last = last.ok_or_else(|| format!("the lag of {} groups was told", told.len()))?;
    Ok(seconds(start, last.seen.0))
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
fn seconds(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e3
}

/// Waits until so many events of a kind were told.
async fn told_of(heartline: &Heartline, kind: &str, wanted: usize) -> Result<(), String> {
    let mut ticks = interval(PACE);
    let mut tries = PATIENCE.as_millis() / PACE.as_millis();
    loop {
        let told = count(heartline, kind).await;
        if told >= wanted {
            return Ok(());
        }
        tries -= 1;
        if tries == 0 {
            return Err(format!("{told} of {wanted} {kind} were told in {PATIENCE:?}"));
        }
        ticks.tick().await;
    }
}

/// All groups that the program shows.
pub(in crate::bench) async fn rows(heartline: &Heartline) -> Vec<Value> {
    let (mut rows, mut after) = (Vec::new(), String::new());
    loop {
        let (_, mut page) = heartline.get(&format!("/api/groups?limit=10000{after}")).await;
        if let Value::Array(more) = page["groups"].take() {
            rows.extend(more);
        }
        let Some(next) = page["next"].as_str() else {
            return rows;
        };
        let next: String = next.bytes().map(|byte| format!("%{byte:02X}")).collect();
        after = format!("&after={next}");
    }
}

/// How many events of a kind were told.
async fn count(heartline: &Heartline, kind: &str) -> usize {
    let metrics = heartline.text("/metrics").await;
    let line = metrics
        .lines()
        .find(|line| line.starts_with("heartline_events_total") && line.contains(kind));
    let told = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    told.unwrap_or(0)
}
