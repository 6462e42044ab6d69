//! The hub as its users see it: numbers, summaries, places in the stream, the past.

mod ended;
mod kept;
mod stream;

use std::time::Duration;

use shared::event::{BeatSummary, Change, Event, Source};
use shared::split_mix;
use shared::time::UnixMs;
use tokio::time::{advance, timeout};

use super::fixtures::{answered, left, observation};
use super::*;

/// A moment that is a whole second.
const START: UnixMs = UnixMs(1_764_417_600_000);

/// A hub whose clock starts at [`START`].
fn hub() -> (Reporter, Hub) {
    start(Clock::starting_at(START))
}

/// All that the hub has numbered and kept.
async fn all(hub: &Hub) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.seq);
        let page = hub.events(after, usize::MAX).await.unwrap();
        if page.events.is_empty() {
            return events;
        }
        events.extend(page.events.iter().map(|numbered| numbered.event.clone()));
    }
}

fn summaries(events: &[Event]) -> Vec<&BeatSummary> {
    events
        .iter()
        .filter_map(|event| match &event.what.change {
            Change::HeartbeatsSummarised(summary) => Some(summary),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn events_are_numbered_from_1_in_the_order_they_came_and_stamped_when_they_did() {
    let (reporter, hub) = hub();
    reporter.report(left("g", "a")).await;
    reporter.report(left("g", "b")).await;
    assert_eq!(hub.board().await.unwrap().seq, 2);
    advance(Duration::from_millis(1500)).await;
    reporter.report(left("g", "c")).await;
    let numbers: Vec<_> = all(&hub)
        .await
        .iter()
        .map(|event| (event.seq, event.seen.0 - START.0))
        .collect();
    assert_eq!(numbers, [(1, 0), (2, 0), (3, 1500)]);
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_numbered_once_its_second_is_over_and_before_anything_later() {
    let (reporter, hub) = hub();
    advance(Duration::from_millis(400)).await;
    reporter.report(answered("g", "a", 250, 0)).await;
    reporter.report(answered("g", "a", 350, 27)).await;
    assert_eq!(summaries(&all(&hub).await).len(), 0);
    advance(Duration::from_millis(599)).await;
    assert_eq!(summaries(&all(&hub).await).len(), 0);
    advance(Duration::from_millis(1)).await;
    reporter.report(answered("g", "a", 450, 0)).await;
    let events = all(&hub).await;
    let [summary] = summaries(&events)[..] else {
        panic!("one summary, not {events:?}")
    };
    assert_eq!((summary.from, summary.count), (START, 2));
    assert_eq!(summary.errors.iter().next(), Some((&27, &1)));
    assert_eq!(
        events[2].what.change,
        Change::HeartbeatsSummarised(summary.clone())
    );
    assert_eq!(
        events[3].seen.0, summary.to.0,
        "the next beat is of the next second"
    );
}

#[tokio::test(start_paused = true)]
async fn a_summary_needs_no_later_event_to_come() {
    let (reporter, hub) = hub();
    let mut place = hub.subscribe(None).await.unwrap();
    reporter.report(answered("g", "a", 250, 0)).await;
    let beat = place.ranges.recv().await.unwrap();
    let summary = place.ranges.recv().await.unwrap();
    assert_eq!((beat.from, beat.to, summary.from, summary.to), (1, 1, 2, 2));
    assert_eq!(summary.events[0].event.seen.0, START.0 + 1000);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_makes_a_source_wait_and_loses_nothing() {
    let (reporter, mut reports) = Reporter::channel(2);
    reporter.report(left("g", "a")).await;
    reporter.report(left("g", "b")).await;
    let mut third = Box::pin(reporter.report(left("g", "c")));
    assert!(timeout(Duration::from_secs(9), third.as_mut()).await.is_err());
    assert_eq!(reports.recv().await, Some(left("g", "a")));
    third.await;
}

#[tokio::test(start_paused = true)]
async fn behind_its_reports_the_hub_merges_heartbeats_into_their_summary_and_counts_them() {
    let (reporter, reports) = Reporter::channel(limits::REPORTS);
    let beats = limits::REPORTS - 2;
    for _ in 0..beats {
        reporter.report(answered("g", "a", 250, 0)).await;
    }
    reporter.report(left("g", "b")).await;
    let (questions, asked) = mpsc::channel(1);
    let hub = Hub {
        questions,
        stream: "s".into(),
        requests: reporter.requests(),
        counters: Arc::default(),
        disk: Disk::Nothing,
    };
    let counters = Arc::clone(&hub.counters);
    let task = Task::new(
        Clock::starting_at(START),
        counters,
        Beginning::of(Keeping::Nothing, START),
    );
    tokio::spawn(task.run(reports, asked));
    hub.board().await.unwrap();
    advance(Duration::from_millis(1000)).await;
    reporter.report(left("g", "c")).await;

    let events = all(&hub).await;
    let is_beat = |event: &&Event| event.what.change.is_single_beat();
    let single = events.iter().filter(is_beat).count();
    let merged = hub.counters().merged.get() as usize;
    assert!(merged > 0 && single > 0, "{merged} merged, {single} single");
    assert_eq!(merged + single, beats);
    let left = events
        .iter()
        .filter(|event| event.what.change.kind() == "member_left");
    assert_eq!(left.count(), 2, "transitions are never merged");
    let counted: u32 = summaries(&events).iter().map(|summary| summary.count).sum();
    assert_eq!(counted as usize, beats, "every latency reaches the summary");
}

#[tokio::test(start_paused = true)]
async fn the_hub_ends_when_its_last_source_has_and_what_was_reported_is_still_told() {
    let (reporter, hub) = hub();
    let mut place = hub.subscribe(None).await.unwrap();
    reporter.report(left("g", "a")).await;
    drop(reporter);
    assert_eq!(place.ranges.recv().await.unwrap().to, 1);
    assert!(place.ranges.recv().await.is_err());
    assert!(hub.board().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_past_is_the_board_that_was_as_far_back_as_it_is_kept() {
    let (reporter, hub) = hub();
    let mut moments = Vec::new();
    let events = limits::KEYFRAME_EVENTS * (limits::KEYFRAMES as u64 + 3);
    let mut noise = 7;
    for number in 0..events {
        // What cannot be packed well.
        let cause: String = (0..16)
            .map(|_| format!("{:016x}", split_mix::next(&mut noise)))
            .collect();
        let change = Change::MemberLeft { cause };
        reporter
            .report(observation(Source::Embedded, "g", "a", change))
            .await;
        if number % 3_000 == 0 {
            let board = hub.board().await.unwrap();
            moments.push((UnixMs(START.0 + number), board));
            // Long enough for the hub to pack what it has.
            advance(Duration::from_millis(3_000)).await;
        }
    }
    // So many events are more than is kept: the oldest moments are gone, and said to be.
    let oldest = hub.past(START).await.unwrap().unwrap_err().oldest;
    let (gone, kept): (Vec<_>, Vec<_>) = moments.iter().partition(|(at, _)| *at < oldest);
    assert!(
        !gone.is_empty() && kept.len() > 10,
        "{} gone, {} kept",
        gone.len(),
        kept.len()
    );
    for (at, _) in gone {
        assert_eq!(hub.past(*at).await.unwrap().unwrap_err(), TooOld { oldest });
    }
    for (at, then) in kept {
        let past = hub.past(*at).await.unwrap().unwrap().fold().unwrap();
        assert_eq!((past.seq, &past.board), (then.seq, &then.board));
    }
}
