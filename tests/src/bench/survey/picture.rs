//! The first complete picture: from the start of the program, connections included, to the event with which its board has
//! every group and every member.

use std::time::Duration;

use serde_json::Value;
use tokio::time::interval;

use super::{crowd, pass, unix_ms};
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
    pub(super) seconds: f64,
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
    let heartline = Heartline::start(&["--bootstrap-servers", &broker.address(), "--members", "0"]).await;
    pass(ALONE).await;
    let wanted = groups * crowd::MEMBERS;
    let mut ticks = interval(PACE);
    let mut tries = PATIENCE.as_millis() / PACE.as_millis();
    while assigned(&heartline).await < wanted {
        tries -= 1;
        if tries == 0 {
            return Err(format!(
                "{} of {wanted} members were seen in {PATIENCE:?}",
                assigned(&heartline).await
            ));
        }
        ticks.tick().await;
    }
    let rows = rows(&heartline).await;
    let whole = |row: &&Value| row["members"] == crowd::MEMBERS && row["state"] == "Stable";
    let there = rows.iter().filter(whole).count();
    if there != groups {
        return Err(format!("{there} of the {groups} groups are whole"));
    }
    // A member is told of with its part, in one look at its group; the oldest of these events may be forgotten by now.
    let events = heartline.events_after(0, "&kind=member_assigned").await;
    let last = events.last().ok_or("no member was told of")?;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
    let seconds = last.seen.0.saturating_sub(start) as f64 / 1e3;
    Ok(Picture {
        heartline,
        seconds,
        events: last.seq,
    })
}

/// All groups that the program shows.
pub(super) async fn rows(heartline: &Heartline) -> Vec<Value> {
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

/// Members that were told of.
async fn assigned(heartline: &Heartline) -> usize {
    let metrics = heartline.text("/metrics").await;
    let line = metrics
        .lines()
        .find(|line| line.starts_with("heartline_events_total") && line.contains("member_assigned"));
    let told = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    told.unwrap_or(0)
}
