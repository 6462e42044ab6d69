//! A page that loses its connection again and again sees each event exactly once.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Report { beat: bool, watched: bool },
    Advance { millis: u64 },
    Read { frames: usize },
    Reconnect,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<(bool, bool)>().prop_map(|(beat, watched)| Step::Report { beat, watched }),
        2 => (1..1500_u64).prop_map(|millis| Step::Advance { millis }),
        3 => (1..4_usize).prop_map(|frames| Step::Read { frames }),
        1 => Just(Step::Reconnect),
    ]
}

/// A page with what it has seen so far.
struct Reader {
    page: Page,
    last: u64,
    seen: Vec<u64>,
}

impl Reader {
    async fn connect(hub: &Hub, clock: Clock, last: u64) -> Page {
        let mut page = Page::open(hub, clock);
        page.say(&hello(hub, Some(last), group("watched"))).await;
        let welcome = page.next().await;
        assert!(
            matches!(welcome, ServerMessage::Welcome { resumed: true, .. }),
            "{welcome:?}"
        );
        page
    }

    async fn read(&mut self) {
        match self.page.next().await {
            ServerMessage::Events { from, to, events } => {
                assert_eq!(from, self.last + 1, "a range without a hole");
                assert!(events.iter().all(|event| (from..=to).contains(&event.seq)));
                self.last = to;
                self.seen.extend(events.iter().map(|event| event.seq));
            }
            ServerMessage::Tick { seq, .. } => assert_eq!(seq, self.last),
            other => panic!("{other:?}"),
        }
    }
}

async fn run(steps: Vec<Step>) {
    let (reporter, hub, clock) = server();
    let page = Reader::connect(&hub, clock, 0).await;
    let mut reader = Reader {
        page,
        last: 0,
        seen: Vec::new(),
    };
    for step in steps {
        match step {
            Step::Report { beat, watched } => {
                let group = if watched { "watched" } else { "other" };
                let what = if beat {
                    answered(group, "a", 100, 0)
                } else {
                    left(group, "a")
                };
                reporter.report(what).await;
            }
            Step::Advance { millis } => advance(Duration::from_millis(millis)).await,
            Step::Read { frames } => {
                for _ in 0..frames {
                    reader.read().await;
                }
            }
            Step::Reconnect => {
                let again = Reader::connect(&hub, clock, reader.last).await;
                std::mem::replace(&mut reader.page, again).leave().await;
            }
        }
    }
    reporter.report(left("other", "last")).await;
    let end = hub.board().await.unwrap().seq;
    while reader.last < end {
        reader.read().await;
    }
    let kept = hub.events(0, usize::MAX).await.unwrap().events;
    let wanted = kept.iter().filter(|event| {
        let what = &event.event.what;
        let watched = what
            .group
            .as_ref()
            .is_some_and(|group| group.as_str() == "watched");
        event.event.seq <= reader.last && (watched || !what.change.is_single_beat())
    });
    let wanted: Vec<u64> = wanted.map(|event| event.event.seq).collect();
    assert_eq!(reader.seen, wanted);
}

#[test]
fn a_page_that_reconnects_at_random_sees_each_event_it_watches_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config::with_cases(200));
    let runs = runner.run(&proptest::collection::vec(step(), 1..60), |steps| {
        runtime.block_on(run(steps));
        Ok(())
    });
    runs.unwrap();
}
