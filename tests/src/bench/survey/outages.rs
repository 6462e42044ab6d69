//! A broker that is frozen and one that is killed, with all groups on the board: the others' groups must not wait for it, its own
//! are told as not answered for, and are whole again soon after they have another coordinator.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use shared::event::Change;
use tokio::time::{MissedTickBehavior, interval};

use super::crowd::Crowd;
use super::{looks, pass, picture, unix_ms};
use crate::bench::capture::Capture;
use crate::bench::report;
use crate::folder::TempFolder;
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

/// How long a broker is frozen: its session with the controller is over by then, and others coordinate its groups.
const FROZEN: Duration = Duration::from_secs(12);
/// The oldest that a group may get.
const OLDEST: Duration = Duration::from_secs(2);
/// How soon groups are whole again after a broker has read them.
const WHOLE: u64 = 3_000;
/// How often the rows are counted meanwhile.
const PACE: Duration = Duration::from_millis(500);
/// After the frozen broker leads again, and before it is killed: until that is on the board.
const REST: Duration = Duration::from_secs(15);
/// A broker that has read a partition of the offsets log says so.
const LOADED: &str = "Finished loading of metadata from __consumer_offsets-";

/// Measures and prints; the last broker is dead then.
///
/// # Errors
///
/// A sentence where a process does not do what it should.
pub(super) async fn run(heartline: &Heartline, brokers: &mut [Broker], crowd: &Crowd) -> Result<(), String> {
    let (count, groups) = (brokers.len(), crowd.groups);
    let [others @ .., last] = brokers else {
        return Err("no brokers".to_owned());
    };
    let others = &*others;
    let first = others.first().map(Broker::address).ok_or("no other brokers")?;
    // A broker that coordinates nothing is missed by nobody.
    crowd.spread(&first, count).await;
    outage(heartline, others, last, groups, "frozen for 12 s", async |last| {
        last.freeze();
        pass(FROZEN).await;
        last.thaw();
    })
    .await?;
    crowd.spread(&first, count).await;
    pass(REST).await;
    outage(heartline, others, last, groups, "killed", async |last| {
        last.kill();
        pass(FROZEN).await;
    })
    .await
}

/// One outage of `last`, which `play` brings about.
async fn outage(
    heartline: &Heartline,
    others: &[Broker],
    last: &mut Broker,
    groups: usize,
    name: &str,
    play: impl AsyncFnOnce(&mut Broker),
) -> Result<(), String> {
    let ports: Vec<String> = others
        .iter()
        .map(|broker| format!("tcp dst port {}", broker.port()))
        .collect();
    let folder = TempFolder::new("looks");
    let capture = Capture::start(&ports.join(" or "), &folder.path().join("looks.pcap")).await?;
    let node = last.node();
    let from = heartline.get("/api/events?limit=1").await.1["seq"]
        .as_u64()
        .unwrap_or(0);
    let began = unix_ms();
    let fewest = Cell::new(usize::MAX);
    tokio::select! {
        () = count_rows(heartline, &fewest) => {}
        () = play(last) => {}
    }
    let silent = silent_after(heartline, node, from, began).await;
    let whole = whole_again(heartline, node, groups, from).await;
    let loaded = others.iter().flat_map(|broker| broker.log_lines(loaded_at));
    let loaded = loaded.filter(|at| (began..=whole.at).contains(at)).max();
    let (longest, seen) = looks::longest_wait(&capture.segments().await?);
    report::reach(
        &format!("one broker {name}: the others' groups"),
        format!("at most {} ms from look to look ({seen} groups)", longest / 1_000),
        "2 s",
        Duration::from_micros(longest) <= OLDEST && seen > 0,
    );
    report::reach(
        "its own",
        format!("told as not answered for after {silent} ms"),
        "2 s",
        Duration::from_millis(silent) <= OLDEST,
    );
    let after = loaded.map(|loaded| whole.at.saturating_sub(loaded));
    report::reach(
        "whole again after the last was read by another broker",
        format!(
            "{} groups moved; the last of their logs was read {} ms after the outage began, and all groups were shown at their \
             new coordinators {} ms after that",
            whole.moved,
            told(loaded.map(|loaded| loaded - began)),
            told(after),
        ),
        "3 s",
        after.is_some_and(|after| after <= WHOLE),
    );
    let fewest = fewest.get();
    report::reach("fewest groups shown meanwhile", fewest, "all", fewest >= groups);
    Ok(())
}

/// The fewest groups that are shown, for ever.
async fn count_rows(heartline: &Heartline, fewest: &Cell<usize>) {
    let mut ticks = interval(PACE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        fewest.set(fewest.get().min(picture::rows(heartline).await.len()));
    }
}

/// How many milliseconds after `began` the broker was told as silent.
async fn silent_after(heartline: &Heartline, node: i32, from: u64, began: u64) -> u64 {
    wait_until("broker_silent", async || {
        let events = heartline.events_after(from, "&kind=broker_silent").await;
        let silent = events.iter().find(
            |event| matches!(&event.what.change, Change::BrokerSilent { node: of, .. } if of.0 == node),
        );
        silent
            .map(|event| event.seen.0.saturating_sub(began))
            .ok_or(events)
    })
    .await
}

/// Groups that have found another coordinator.
#[derive(Debug)]
struct Moved {
    moved: usize,
    /// When the last of them was told of.
    at: u64,
}

/// Waits until all groups are shown whole and none at the broker `node`.
async fn whole_again(heartline: &Heartline, node: i32, groups: usize, from: u64) -> Moved {
    wait_until("all groups at other coordinators", async || {
        let rows = picture::rows(heartline).await;
        let whole = |row: &&Value| row["state"] == "Stable" && row["coordinator"]["node"] != node;
        let there = rows.iter().filter(whole).count();
        (there >= groups).then_some(()).ok_or(there)
    })
    .await;
    let events = heartline.events_after(from, "&kind=coordinator_found").await;
    let groups: BTreeSet<_> = events
        .iter()
        .filter_map(|event| event.what.group.as_ref())
        .collect();
    Moved {
        moved: groups.len(),
        at: events.last().map_or(0, |event| event.seen.0),
    }
}

/// When a line of a broker's log says that it has read a partition of the offsets log.
fn loaded_at(line: &str) -> Option<u64> {
    line.contains(LOADED)
        .then(|| line.split_whitespace().next()?.parse().ok())?
}

fn told(ms: Option<u64>) -> String {
    ms.map_or_else(|| "?".to_owned(), |ms| ms.to_string())
}
