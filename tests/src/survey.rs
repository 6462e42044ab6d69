//! What Heartline shows of groups that are not its own, beside what Kafka says of them.
//!
//! - [`epochs`], [`log`]: rebalances of KIP-848 groups and of classic ones, beside the brokers' own log
//! - [`printed`]: groups at rest, beside what Kafka's own tools print
//! - [`life`]: whole lives of groups, beside all of that
//! - [`rights`]: who lacks a right

pub mod epochs;
pub mod life;
pub mod log;
pub mod printed;
pub mod rights;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::heartline::Heartline;
use crate::wait::wait_until;

pub use epochs::epochs_are_those_of_the_log;
pub use log::rebalances_are_those_of_the_log;
pub use printed::{Tool, at_rest, is_as_printed, lag_is_as_printed};

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
    let (_, mut groups) = heartline.get("/api/groups?limit=10000").await;
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
