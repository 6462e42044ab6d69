//! One viewer on simulated time: its socket is two channels, its clock jumps.

mod page;
mod resume;

use std::time::Duration;

use axum::extract::ws::{Message, close_code};
use shared::time::UnixMs;
use shared::wire::{Watch, WatchWord};
use tokio::time::advance;

use super::*;
use crate::hub::fixtures::{answered, left};
use crate::hub::{self, Reporter};
use page::Page;

/// 700 ms before a whole second, so that ticks and summaries do not fall together.
const START: UnixMs = UnixMs(1_764_417_600_300);

/// A hub and a clock on simulated time.
fn server() -> (Reporter, Hub, Clock) {
    let clock = Clock::starting_at(START);
    let (reporter, hub) = hub::start(clock);
    (reporter, hub, clock)
}

fn hello(hub: &Hub, resume: Option<u64>, watch: Watch) -> ClientMessage {
    ClientMessage::Hello {
        version: VERSION,
        stream: Some(hub.stream().to_owned()),
        resume,
        watch,
    }
}

/// A page that said hello and was welcomed.
async fn welcomed(hub: &Hub, clock: Clock, watch: Watch) -> Page {
    let mut page = Page::open(hub, clock);
    page.say(&hello(hub, None, watch)).await;
    let welcome = page.next().await;
    assert!(matches!(welcome, ServerMessage::Welcome { .. }), "{welcome:?}");
    page
}

fn group(name: &str) -> Watch {
    Watch::Groups(vec![name.into()])
}

/// Bounds and event numbers of the next frame that is no tick.
async fn range(page: &mut Page) -> (u64, u64, Vec<u64>) {
    loop {
        match page.next().await {
            ServerMessage::Events { from, to, events } => {
                return (from, to, events.iter().map(|event| event.seq).collect());
            }
            ServerMessage::Tick { .. } => {}
            other => panic!("no range but {other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_hello_a_viewer_knows_the_stream_and_gets_what_comes_after_the_present() {
    let (reporter, hub, clock) = server();
    reporter.report(left("g", "a")).await;
    let mut page = Page::open(&hub, clock);
    page.say(&hello(&hub, None, Watch::OVERVIEW)).await;
    let welcome = ServerMessage::Welcome {
        version: VERSION,
        stream: hub.stream().to_owned(),
        seq: 1,
        now: START,
        resumed: false,
        rate: std::num::NonZeroU32::MIN,
        scenario: None,
        page: None,
    };
    assert_eq!(page.next().await, welcome);
    reporter.report(left("g", "b")).await;
    assert_eq!(range(&mut page).await, (2, 2, vec![2]));
}

#[tokio::test(start_paused = true)]
async fn another_streams_numbers_are_not_resumed() {
    let (reporter, hub, clock) = server();
    reporter.report(left("g", "a")).await;
    let mut page = Page::open(&hub, clock);
    page.say(&ClientMessage::Hello {
        version: VERSION,
        stream: Some("another".into()),
        resume: Some(0),
        watch: Watch::OVERVIEW,
    })
    .await;
    let welcome = page.next().await;
    assert!(
        matches!(
            welcome,
            ServerMessage::Welcome {
                resumed: false,
                seq: 1,
                ..
            }
        ),
        "{welcome:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_event_leaves_at_once_when_the_line_is_idle_and_waits_for_the_next_frame_otherwise() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    advance(Duration::from_millis(100)).await;
    let idle = clock.now();
    reporter.report(left("g", "a")).await;
    assert_eq!(range(&mut page).await.1, 1);
    assert_eq!(clock.now(), idle, "no time passed before the first frame");
    reporter.report(left("g", "b")).await;
    reporter.report(left("g", "c")).await;
    assert_eq!(range(&mut page).await, (2, 3, vec![2, 3]));
    let waited = clock.now().micros_since(idle);
    assert!((16_000..=18_000).contains(&waited), "{waited} us");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_events_a_second_come_in_at_most_60_frames_a_second() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    for _ in 0..1000 {
        reporter.report(left("g", "a")).await;
        advance(Duration::from_millis(1)).await;
    }
    let (mut frames, mut events, mut last) = (0, 0, 0);
    while last < 1000 {
        let (from, to, shown) = range(&mut page).await;
        assert_eq!(from, last + 1);
        (frames, events, last) = (frames + 1, events + shown.len(), to);
    }
    assert_eq!(events, 1000);
    assert!((50..=61).contains(&frames), "{frames} frames");
}

#[tokio::test(start_paused = true)]
async fn an_overview_gets_no_single_heartbeat_but_its_summary_and_no_number_is_skipped() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    assert_eq!(range(&mut page).await, (1, 3, vec![3]), "two beats, one summary");
}

#[tokio::test(start_paused = true)]
async fn a_watched_group_gets_each_heartbeat_and_the_others_none() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, group("g")).await;
    reporter.report(answered("other", "a", 100, 0)).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    assert_eq!(range(&mut page).await, (1, 2, vec![2]));
}

#[tokio::test(start_paused = true)]
async fn numbers_without_events_for_a_viewer_come_with_the_tick() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    advance(Duration::from_millis(800)).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    let (from, to, events) = (1, 1, vec![]);
    assert_eq!(page.next().await, ServerMessage::Events { from, to, events });
    let now = UnixMs(START.0 + 1000);
    assert_eq!(page.next().await, ServerMessage::Tick { now, seq: 1 });
}

#[tokio::test(start_paused = true)]
async fn what_is_watched_anew_is_in_force_from_the_next_range_on() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    hub.board().await.unwrap();
    advance(Duration::from_millis(20)).await;
    page.say(&ClientMessage::Watch { watch: group("g") }).await;
    // The beat that was left out lies in a range of its own, before those that hold every beat.
    assert_eq!(range(&mut page).await, (1, 1, vec![]));
    reporter.report(answered("g", "a", 100, 0)).await;
    assert_eq!(range(&mut page).await, (2, 2, vec![2]));
    page.say(&ClientMessage::Watch {
        watch: Watch::Word(WatchWord::Overview),
    })
    .await;
    advance(Duration::from_millis(20)).await;
    reporter.report(answered("g", "a", 100, 0)).await;
    reporter.report(left("g", "a")).await;
    let (from, _, shown) = range(&mut page).await;
    assert_eq!((from, shown), (3, vec![4]));
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_spoken_is_told_so_whatever_else_it_says() {
    let (_reporter, hub, clock) = server();
    let mut page = Page::open(&hub, clock);
    page.text(r#"{"type":"hello","version":2,"since":"always"}"#)
        .await;
    assert_eq!(page.next().await, ServerMessage::Unsupported { version: VERSION });
    let (code, _) = page.closed().await;
    assert_eq!(code, close_code::POLICY);
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_says_what_it_may_not_is_told_why_and_closed() {
    let many: Vec<String> = (0..=limits::WATCHED_GROUPS)
        .map(|group| format!("\"g{group}\""))
        .collect();
    let many = format!(r#"{{"type":"watch","watch":[{}]}}"#, many.join(","));
    let (_reporter, hub, clock) = server();
    for (text, why) in [
        ("no json", "not a message"),
        (r#"{"type":"stop"}"#, "not a message"),
        (
            r#"{"type":"hello","version":1,"stream":null,"resume":null,"watch":"overview"}"#,
            "a second hello",
        ),
        (many.as_str(), "at most 1024"),
    ] {
        let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
        page.text(text).await;
        let (code, reason) = page.closed().await;
        assert_eq!(code, close_code::POLICY);
        assert!(reason.contains(why), "{reason} does not say {why}");
    }
    for text in ["", "{}", r#"{"type":"watch","watch":"overview"}"#, "[1]"] {
        let mut page = Page::open(&hub, clock);
        page.text(text).await;
        let (_, reason) = page.closed().await;
        assert!(reason.contains("first frame must be a hello"), "{reason}");
    }
    let mut page = Page::open(&hub, clock);
    page.send(Message::Binary(vec![1].into())).await;
    assert!(page.closed().await.1.contains("binary"));
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_never_says_hello_is_let_go() {
    let (_reporter, hub, clock) = server();
    let page = Page::open(&hub, clock);
    assert_eq!(page.ended().await, Ended::Silent);
    assert!(clock.now().as_millis() >= 10_000);
}

#[tokio::test(start_paused = true)]
async fn a_viewer_lives_while_it_answers_pings_and_is_let_go_after_30_s_without() {
    let (_reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    for _ in 0..10 {
        page.pinged().await;
        page.send(Message::Pong(Default::default())).await;
    }
    let answered = clock.now_unix();
    assert_eq!(page.ended().await, Ended::Silent);
    let silent = clock.now_unix().since(answered).0;
    assert!((30_000..=41_000).contains(&silent), "{silent} ms");
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_takes_no_frames_is_cut_after_10_s() {
    let (_reporter, hub, clock) = server();
    let mut page = Page::with_room(&hub, clock, 2);
    page.say(&hello(&hub, None, Watch::OVERVIEW)).await;
    assert_eq!(page.stuck().await, Ended::Stuck);
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_fell_behind_is_told_so_and_goes_on_from_the_present() {
    let (reporter, hub, clock) = server();
    let mut page = Page::with_room(&hub, clock, 1);
    page.say(&hello(&hub, None, Watch::OVERVIEW)).await;
    page.next().await;
    let events = limits::RANGES_BEHIND as u64 + 10;
    for _ in 0..events {
        reporter.report(left("g", "a")).await;
        // Each in a range of its own.
        hub.board().await.unwrap();
    }
    let mut last = 0;
    let lagged = loop {
        match page.next().await {
            ServerMessage::Events { from, to, .. } => {
                assert_eq!(from, last + 1);
                last = to;
            }
            ServerMessage::Lagged { seq } => break seq,
            _ => {}
        }
    };
    assert_eq!(lagged, events);
    assert_eq!(hub.counters().lagged.get(), 1);
    reporter.report(left("g", "b")).await;
    assert_eq!(range(&mut page).await, (events + 1, events + 1, vec![events + 1]));
}

#[tokio::test(start_paused = true)]
async fn when_the_server_ends_its_viewers_get_the_last_events_and_a_close() {
    let (reporter, hub, clock) = server();
    let mut page = welcomed(&hub, clock, Watch::OVERVIEW).await;
    reporter.report(left("g", "a")).await;
    reporter.report(left("g", "b")).await;
    drop(reporter);
    assert_eq!(range(&mut page).await.1, 2);
    let (code, reason) = page.closed().await;
    assert_eq!(
        (code, reason.as_str()),
        (close_code::AWAY, "the server is ending")
    );
}
