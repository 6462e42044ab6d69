//! Places in the stream: whoever subscribes, whenever, from wherever, misses nothing and gets nothing twice.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// What a viewer is given from a place on, until the hub ends: the ranges' bounds and the events' numbers.
async fn rest(place: Subscription) -> (Vec<(u64, u64)>, Vec<u64>) {
    let (mut bounds, mut seqs) = (Vec::new(), Vec::new());
    let mut ranges = place.ranges;
    let mut backlog = place.backlog;
    loop {
        let range = match backlog.pop_front() {
            Some(range) => range,
            None => match ranges.recv().await {
                Ok(range) => range,
                Err(_ended) => return (bounds, seqs),
            },
        };
        bounds.push((range.from, range.to));
        seqs.extend(range.events.iter().map(|event| event.event.seq));
    }
}

/// One step of a random run.
#[derive(Clone, Debug)]
enum Step {
    Report { beat: bool },
    Advance { millis: u64 },
    Subscribe { resume_back: Option<u64> },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => any::<bool>().prop_map(|beat| Step::Report { beat }),
        1 => (1..1500_u64).prop_map(|millis| Step::Advance { millis }),
        2 => proptest::option::of(0..40_u64).prop_map(|resume_back| Step::Subscribe { resume_back }),
    ]
}

async fn run(steps: Vec<Step>) {
    let (reporter, hub) = hub();
    let mut viewers = Vec::new();
    for step in steps {
        match step {
            Step::Report { beat: true } => reporter.report(answered("g", "a", 100, 0)).await,
            Step::Report { beat: false } => reporter.report(left("g", "a")).await,
            Step::Advance { millis } => advance(Duration::from_millis(millis)).await,
            Step::Subscribe { resume_back } => {
                let seq = hub.board().await.unwrap().seq;
                let resume = resume_back.map(|back| Resume {
                    seq: seq.saturating_sub(back),
                    with_beats: true,
                });
                let place = hub.subscribe(resume).await.unwrap();
                assert_eq!(place.resumed, resume.is_some());
                let start = resume.map_or(place.seq, |resume| resume.seq);
                viewers.push((start, tokio::spawn(rest(place))));
            }
        }
    }
    reporter.report(left("g", "last")).await;
    let last = hub.board().await.unwrap().seq;
    drop(reporter);
    for (start, viewer) in viewers {
        let (bounds, seqs) = viewer.await.unwrap();
        let whole: Vec<u64> = (start + 1..=last).collect();
        assert_eq!(seqs, whole, "each event once, in order, from {start} on");
        let mut next = start + 1;
        for (from, to) in bounds {
            assert_eq!(from, next, "a range follows the last one without a hole");
            assert!(to >= from);
            next = to + 1;
        }
        assert_eq!(next, last + 1);
    }
}

#[test]
fn a_viewer_that_resumes_anywhere_sees_each_event_exactly_once() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config::with_cases(200));
    let runs = runner.run(&proptest::collection::vec(step(), 1..80), |steps| {
        runtime.block_on(run(steps));
        Ok(())
    });
    runs.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_place_that_never_was_is_not_resumed() {
    let (reporter, hub) = hub();
    reporter.report(left("g", "a")).await;
    let resume = Resume {
        seq: 2,
        with_beats: false,
    };
    let place = hub.subscribe(Some(resume)).await.unwrap();
    assert_eq!((place.seq, place.resumed), (1, false));
    assert!(place.backlog.is_empty());
}

#[tokio::test(start_paused = true)]
async fn more_than_a_viewer_resumes_over_is_left_to_the_board() {
    let (reporter, hub) = hub();
    for _ in 0..=limits::RESUME_EVENTS {
        reporter.report(left("g", "a")).await;
    }
    let resume = |seq| {
        let with_beats = false;
        hub.subscribe(Some(Resume { seq, with_beats }))
    };
    assert!(!resume(0).await.unwrap().resumed);
    let place = resume(1).await.unwrap();
    let missed: usize = place.backlog.iter().map(|range| range.events.len()).sum();
    assert_eq!((place.resumed, missed), (true, limits::RESUME_EVENTS));
}
