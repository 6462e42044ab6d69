//! What Heartline shows of groups that are not its own, beside what Kafka says of them.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::event::Change;

use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

/// How far the end of a rebalance may stand from the broker's log, in milliseconds: two clocks of one machine, the record's own time
/// and the log line's.
const APART: u64 = 50;

/// A dashboard without members of its own, with these arguments on top: nothing is written to the cluster.
pub async fn watching(bootstrap: &str, further: &[&str]) -> Heartline {
    let arguments = ["--bootstrap-servers", bootstrap, "--members", "0"];
    Heartline::start(&[&arguments[..], further].concat()).await
}

/// The rows of all groups, by id.
///
/// # Panics
///
/// When Heartline does not answer.
pub async fn rows(heartline: &Heartline) -> BTreeMap<String, Value> {
    let (_, mut groups) = heartline.get("/api/groups").await;
    let rows = groups["groups"].as_array_mut().map(std::mem::take);
    let rows = rows.unwrap_or_default().into_iter();
    rows.map(|row| (row["group"].as_str().unwrap_or_default().to_owned(), row))
        .collect()
}

/// The group's row, once it is as it should be.
///
/// # Panics
///
/// When it does not become so.
pub async fn row(heartline: &Heartline, group: &str, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    wait_until(&format!("{group}: {what}"), async || {
        match rows(heartline).await.remove(group) {
            Some(row) if is_it(&row) => Ok(row),
            other => Err(other),
        }
    })
    .await
}

/// The group's row, once it is stable with so many members.
///
/// # Panics
///
/// When it does not become so.
pub async fn stable(heartline: &Heartline, group: &str, members: usize) -> Value {
    row(
        heartline,
        group,
        &format!("Stable with {members} members"),
        |row| row["members"] == members && row["state"] == "Stable",
    )
    .await
}

/// Waits until as many rebalances of a classic group as are in the brokers' logs, at least `least`, are told, and compares each
/// with the log: its generation, its end, and that there is none besides.
///
/// # Panics
///
/// Where they differ.
pub async fn rebalances_are_those_of_the_log(
    heartline: &Heartline,
    brokers: &[&Broker],
    group: &str,
    least: usize,
) {
    let (told, logged) = wait_until("each rebalance of the log", async || {
        let query = format!("&kind=rebalance_finished&group={group}");
        let events = heartline.events_after(0, &query).await;
        let ends = events.iter().filter_map(|event| match &event.what.change {
            Change::RebalanceFinished(what) => Some((what.generation.0, event.what.at.0)),
            _ => None,
        });
        let told: Vec<(i32, u64)> = ends.collect();
        let logged = ends_in_the_logs(brokers, group);
        let generations = told.iter().map(|(generation, _)| generation);
        if logged.len() >= least && generations.eq(logged.keys()) {
            Ok((told, logged))
        } else {
            Err((told, logged))
        }
    })
    .await;
    for ((generation, told), logged) in told.iter().zip(logged.values()) {
        assert!(
            told.abs_diff(*logged) <= APART,
            "generation {generation}: {told}, in the log {logged}"
        );
    }
}

/// What the brokers' logs tell of a group's rebalances: the generation, and when it was assigned or empty, in Unix milliseconds.
fn ends_in_the_logs(brokers: &[&Broker], group: &str) -> BTreeMap<i32, u64> {
    let assigned = format!("for group {group} for generation ");
    let empty = format!("Group {group} with generation ");
    let pick = |line: &str| {
        let is_empty = || {
            line.contains("is now empty")
                .then(|| line.split_once(&empty))
                .flatten()
        };
        let (_, rest) = line.split_once(&assigned).or_else(is_empty)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let (at, _) = line.split_once(' ')?;
        Some((digits.parse().ok()?, at.parse().ok()?))
    };
    brokers.iter().flat_map(|broker| broker.log_lines(pick)).collect()
}
