//! `heartline serve --data-dir` killed at any moment and started again: the history is there, and what may be missing is said.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use serde_json::Value;
use shared::board::Board;
use shared::event::{Change, Event};
use shared::time::UnixMs;
use tests::folder::TempFolder;
use tests::heartline::{Heartline, binary};
use tests::wait::wait_until;

/// Kills in a row: each a little later in the second in which the disk is written.
const KILLS: usize = 4;

fn path(folder: &TempFolder) -> &str {
    folder.path().to_str().expect("a path of ours is text")
}

/// Waits until events were seen for so long that the first of them must be on disk: what is said of a run is not only its start.
async fn live(heartline: &Heartline, after: u64, ms: u64) -> Vec<Event> {
    wait_until("members to beat for a while", async || {
        let events = heartline.events_after(after, "").await;
        let span = events.first().zip(events.last());
        let span = span.map_or(0, |(first, last)| last.seen.since(first.seen).0);
        if span >= ms { Ok(events) } else { Err(span) }
    })
    .await
}

async fn stream(heartline: &Heartline) -> String {
    let (_, answer) = heartline.get("/api/events?limit=1").await;
    answer["stream"].as_str().expect("it has one").to_owned()
}

/// The board at a moment, as `/api/board?at=` answers.
async fn board_at(heartline: &Heartline, at: UnixMs) -> (u64, Board) {
    let (status, mut answer) = heartline.get(&format!("/api/board?at={}", at.0)).await;
    assert!(status.is_success(), "{answer}");
    let seq = answer["seq"].as_u64().expect("a number");
    (
        seq,
        serde_json::from_value(answer["board"].take()).expect("a board"),
    )
}

/// The board as the events of the first run make it.
fn fold(events: &[Event]) -> Board {
    let mut board = Board::default();
    events.iter().for_each(|event| board.apply(event));
    board
}

/// What the gap says that a run begins with, and when it begins and ends.
fn gap(event: &Event) -> (UnixMs, UnixMs, &str) {
    let Change::Gap { from, to, why, .. } = &event.what.change else {
        unreachable!("a run that goes on begins with a gap: {event:?}");
    };
    (*from, *to, why)
}

#[tokio::test]
async fn killed_at_any_moment_it_goes_on_where_it_was_and_says_what_may_be_missing() {
    if binary().is_none() {
        return;
    }
    let folder = TempFolder::new("history-killed");
    let quick = ["--heartbeat-interval", "100", "--data-dir", path(&folder)];
    let mut heartline = Heartline::start(&quick).await;
    let mut known = live(&heartline, 0, 3_000).await;
    let first_run = known.clone();
    let mut streams = vec![stream(&heartline).await];
    for kill in 0..KILLS {
        let last = known.last().expect("there are events");
        let seen = live(&heartline, last.seq, 1_000 + 230 * kill as u64).await;
        known.extend(seen);
        heartline.process().kill();
        heartline.process().ended().await;
        heartline.start_again().await;
        streams.push(stream(&heartline).await);

        let again = heartline.events_after(0, "").await;
        let new = again
            .iter()
            .rposition(|event| matches!(event.what.change, Change::Gap { .. }))
            .expect("a run that goes on begins with a gap");
        let (from, to, why) = gap(&again[new]);
        assert!(
            why.contains("what it saw in its last second may be lost"),
            "{why}"
        );
        let kept = &again[new - 1];
        assert_eq!(again[new].seq, kept.seq + 1);
        assert!(from <= kept.seen && from <= to && to <= again[new].seen);
        let both = new.min(known.len());
        assert_eq!(again[..both], known[..both]);
        // Far more than a second on a machine that is very busy, far less than all.
        let lost = known.last().expect("there are events").seen.since(kept.seen);
        assert!(lost.0 < 10_000, "{} ms are lost", lost.0);
        known = again;
    }
    assert!(
        streams
            .iter()
            .all(|one| streams.iter().filter(|other| *other == one).count() == 1)
    );
    // The past of the first run, after all the others.
    let at = first_run[first_run.len() / 2].seen;
    let up_to = first_run.partition_point(|event| event.seen <= at);
    let (seq, board) = board_at(&heartline, at).await;
    assert_eq!((seq, board), (up_to as u64, fold(&first_run[..up_to])));
}

#[tokio::test]
async fn stopped_in_an_orderly_way_nothing_is_lost_and_the_gap_is_the_time_between() {
    if binary().is_none() {
        return;
    }
    let folder = TempFolder::new("history-stopped");
    let mut heartline = Heartline::start(&["--data-dir", path(&folder)]).await;
    let known = live(&heartline, 0, 1_000).await;
    let before = rebalances(&heartline, "a rebalance is over").await;
    heartline.process().signal("TERM");
    assert_eq!(heartline.process().ended().await.code(), Some(0));
    heartline.start_again().await;
    let again = heartline.events_after(0, "").await;
    assert_eq!(again[..known.len()], known[..]);
    let new = again
        .iter()
        .position(|event| matches!(event.what.change, Change::Gap { .. }))
        .expect("a gap");
    let (from, _, why) = gap(&again[new]);
    assert_eq!(why, "Heartline was stopped, and started again");
    assert!(from >= again[new - 1].seen);
    let left = again[..new]
        .iter()
        .filter(|event| event.what.change.kind() == "member_left");
    assert!(left.count() > 0, "the members left at the end of the first run");
    // The group's row has its history as soon as the group is there again.
    let after = rebalances(&heartline, "the group is there again with its rebalances").await;
    assert!(
        before.iter().all(|row| after.contains(row)),
        "{before:?}, {after:?}"
    );
}

/// When the rebalances of the group of our members ended, as soon as there are some.
async fn rebalances(heartline: &Heartline, what: &str) -> Vec<u64> {
    wait_until(what, async || {
        let (_, answer) = heartline.get("/api/group?group=demo").await;
        let rows = answer["rebalances"].as_array().cloned().unwrap_or_default();
        let ended: Vec<u64> = rows
            .iter()
            .filter_map(|row| row["finished"][0].as_u64())
            .collect();
        if ended.is_empty() { Err(answer) } else { Ok(ended) }
    })
    .await
}

/// What `/metrics` says of a family without labels.
async fn metric(heartline: &Heartline, name: &str) -> Option<String> {
    let text = heartline.text("/metrics").await;
    let sample = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    sample.map(str::to_owned)
}

/// A cluster that is not there: the history is kept all the same.
fn nobody(data_dir: &str) -> [&str; 4] {
    ["--bootstrap-servers", "127.0.0.1:1", "--data-dir", data_dir]
}

#[tokio::test]
async fn a_second_process_on_the_folder_keeps_its_history_in_memory_and_says_so() {
    if binary().is_none() {
        return;
    }
    let folder = TempFolder::new("history-second");
    let first = Heartline::start(&nobody(path(&folder))).await;
    let mut second = Heartline::start(&nobody(path(&folder))).await;
    assert_eq!(
        metric(&first, "heartline_history_on_disk").await.as_deref(),
        Some("1")
    );
    assert_eq!(
        metric(&second, "heartline_history_on_disk").await.as_deref(),
        Some("0")
    );
    let in_use = "is in use: another Heartline runs on this data directory";
    second
        .process()
        .says_once("that the folder is in use", |line| line.contains(in_use))
        .await;
    let (status, answer) = second.get("/api/events").await;
    assert!(status.is_success(), "{answer}");
    assert_ne!(answer["seq"], Value::Null);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_costs_the_history_and_nothing_else() {
    if binary().is_none() {
        return;
    }
    // Where nobody may write, whoever runs the tests.
    let mut heartline = Heartline::start(&nobody("/proc/heartline-of-a-test")).await;
    assert_eq!(
        metric(&heartline, "heartline_history_on_disk").await.as_deref(),
        Some("0")
    );
    heartline
        .process()
        .says_once("that the folder cannot be written", |line| {
            line.contains("/proc/heartline-of-a-test")
        })
        .await;
    assert!(heartline.get("/api/board").await.0.is_success());
}
