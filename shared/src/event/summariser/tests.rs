//! One summary a second for each member, source and generation; none before the second is over; none of it twice.

use proptest::prelude::*;

use super::*;
use crate::histogram::Histogram;
use crate::sorted::SortedMap;

/// A moment, in milliseconds after a whole second.
const fn at(ms: u64) -> UnixMs {
    UnixMs(1_764_417_600_000 + ms)
}

fn seen_by(source: Source, member: &str, ms: u64, change: Change) -> Observation {
    Observation {
        at: at(ms),
        at_earliest: None,
        source,
        evidence: Evidence::Observed,
        cluster: ClusterId::from("c"),
        group: Some(GroupId::from("demo")),
        member: Some(MemberId::from(member)),
        change,
    }
}

fn answered(member: &str, ms: u64, generation: i32, error: i16, latency_us: u64) -> Observation {
    let change = Change::HeartbeatAnswered {
        generation: Generation(generation),
        latency_us,
        error,
        renews: error == 0,
        behind: None,
    };
    seen_by(Source::Probe, member, ms, change)
}

fn received(member: &str, ms: u64, error: i16) -> Observation {
    let change = Change::HeartbeatReceived {
        generation: Generation(1),
        error,
    };
    seen_by(Source::Embedded, member, ms, change)
}

fn all(summariser: &mut Summariser, now: UnixMs) -> Vec<Observation> {
    std::iter::from_fn(|| summariser.poll(now)).collect()
}

fn summary_of(what: &Observation) -> &BeatSummary {
    match &what.change {
        Change::HeartbeatsSummarised(summary) => summary,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_summary_comes_once_its_second_is_over_and_only_once() {
    let mut summariser = Summariser::default();
    assert_eq!(summariser.deadline(), None);
    summariser.add(at(250), &answered("m", 249, 4, 0, 100));
    summariser.add(at(750), &answered("m", 749, 4, 0, 300));
    assert_eq!(summariser.deadline(), Some(at(1000)));
    assert_eq!(summariser.poll(at(999)), None);
    let found = all(&mut summariser, at(1000));
    assert_eq!(found.len(), 1);
    let what = &found[0];
    assert_eq!(
        (what.at, what.source, what.evidence),
        (at(749), Source::Probe, Evidence::Observed)
    );
    assert_eq!(what.member.as_ref().unwrap().as_str(), "m");
    let expected = BeatSummary {
        from: at(0),
        to: at(1000),
        generation: Generation(4),
        count: 2,
        behind: 0,
        errors: SortedMap::new(),
        renewed_at: Some(at(749)),
        commits: 0,
        committed_at: None,
        buckets: SortedMap::from([(bucket_of(100), 1), (bucket_of(300), 1)]),
    };
    assert_eq!(summary_of(what), &expected);
    assert_eq!(summariser.poll(at(9000)), None);
    assert_eq!(summariser.deadline(), None);
}

#[test]
fn the_second_is_that_of_seen_and_not_of_when_it_happened() {
    let mut summariser = Summariser::default();
    summariser.add(at(1001), &answered("m", 999, 4, 0, 100));
    let found = all(&mut summariser, at(2000));
    assert_eq!((summary_of(&found[0]).from, found[0].at), (at(1000), at(999)));
}

#[test]
fn members_sources_and_generations_are_summed_apart() {
    let mut summariser = Summariser::default();
    summariser.add(at(1), &answered("m", 1, 4, 0, 100));
    summariser.add(at(2), &answered("m", 2, 5, 0, 100));
    summariser.add(at(3), &answered("n", 3, 4, 0, 100));
    summariser.add(at(4), &received("m", 4, 0));
    let found = all(&mut summariser, at(1000));
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|what| summary_of(what).count == 1));
}

#[test]
fn errors_are_counted_by_code_and_only_what_renews_moves_the_renewal() {
    let mut summariser = Summariser::default();
    summariser.add(at(10), &received("m", 10, 0));
    summariser.add(at(20), &received("m", 20, 27));
    summariser.add(at(30), &received("m", 30, 25));
    summariser.add(at(40), &received("m", 40, 25));
    let found = all(&mut summariser, at(1000));
    let summary = summary_of(&found[0]);
    assert_eq!(summary.errors, SortedMap::from([(25, 2), (27, 1)]));
    assert_eq!(summary.renewed_at, Some(at(20)));
    assert!(summary.buckets.is_empty(), "what came in has no latency");
    assert_eq!(found[0].at, at(40));
}

#[test]
fn a_beat_behind_another_request_is_in_no_bucket() {
    let mut summariser = Summariser::default();
    let change = Change::HeartbeatAnswered {
        generation: Generation(4),
        latency_us: 9_000_000,
        error: 0,
        renews: true,
        behind: Some("SyncGroup".into()),
    };
    summariser.add(at(10), &seen_by(Source::Probe, "m", 10, change));
    let found = all(&mut summariser, at(1000));
    let summary = summary_of(&found[0]);
    assert_eq!((summary.count, summary.behind, summary.buckets.len()), (1, 1, 0));
}

#[test]
fn commits_are_summed_apart_from_beats_and_only_the_accepted_ones_renew() {
    let mut summariser = Summariser::default();
    let committed = |ms, generation, error| {
        let change = Change::CommitReceived {
            generation: Generation(generation),
            error,
        };
        seen_by(Source::Embedded, "m", ms, change)
    };
    summariser.add(at(10), &received("m", 10, 0));
    summariser.add(at(20), &committed(20, 1, 0));
    summariser.add(at(30), &committed(30, 1, 22));
    let found = all(&mut summariser, at(1000));
    let summary = summary_of(&found[0]);
    assert_eq!((summary.count, summary.commits), (1, 2));
    assert_eq!(
        (summary.renewed_at, summary.committed_at),
        (Some(at(10)), Some(at(20)))
    );
    assert!(summary.errors.is_empty(), "those are of heartbeats");
    summariser.add(at(1010), &committed(1010, -1, 0));
    let found = all(&mut summariser, at(2000));
    let summary = summary_of(&found[0]);
    assert_eq!(
        (summary.count, summary.commits, summary.committed_at),
        (0, 1, None),
        "one from outside the group renews nobody's session"
    );
}

#[test]
fn what_is_no_single_heartbeat_is_left_alone() {
    let mut summariser = Summariser::default();
    let failed = Change::HeartbeatFailed {
        generation: Generation(1),
        cause: crate::event::LinkFault::Timeout,
        detail: None,
    };
    summariser.add(at(1), &seen_by(Source::Probe, "m", 1, failed));
    let mut nobody = answered("m", 1, 4, 0, 1);
    nobody.member = None;
    summariser.add(at(1), &nobody);
    assert_eq!(summariser.deadline(), None);
}

#[test]
fn older_seconds_come_first() {
    let mut summariser = Summariser::default();
    summariser.add(at(1500), &answered("a", 1500, 4, 0, 1));
    summariser.add(at(500), &answered("z", 500, 4, 0, 1));
    let from: Vec<UnixMs> = all(&mut summariser, at(5000))
        .iter()
        .map(|what| summary_of(what).from)
        .collect();
    assert_eq!(from, [at(0), at(1000)]);
}

#[test]
fn beats_beyond_the_bound_are_counted_and_those_of_open_seconds_still_summed() {
    let mut summariser = Summariser::default();
    let mut beat = answered("m", 1, 0, 0, 1);
    for member in 0..Summariser::OPEN + 3 {
        beat.member = Some(MemberId::from(member.to_string()));
        summariser.add(at(1), &beat);
    }
    assert_eq!(summariser.overflow(), 3);
    beat.member = Some(MemberId::from("0"));
    summariser.add(at(2), &beat);
    assert_eq!(summariser.overflow(), 3);
    let found = all(&mut summariser, at(1000));
    assert_eq!(found.len(), Summariser::OPEN);
    assert_eq!(
        found
            .iter()
            .map(|what| u64::from(summary_of(what).count))
            .sum::<u64>(),
        Summariser::OPEN as u64 + 1
    );
}

proptest! {
    #[test]
    fn every_beat_is_in_exactly_one_summary(
        beats in prop::collection::vec((0..5000_u64, 0..3_u8, 1..3_i32, any::<bool>(), 0..1_000_000_u64), 0..200),
    ) {
        let mut summariser = Summariser::default();
        let mut beats = beats;
        beats.sort_unstable();
        let mut found = Vec::new();
        let mut latency = Histogram::default();
        for (ms, member, generation, error, latency_us) in &beats {
            found.extend(all(&mut summariser, at(*ms)));
            let code = if *error { 14 } else { 0 };
            summariser.add(at(*ms), &answered(&member.to_string(), *ms, *generation, code, *latency_us));
            latency.record(*latency_us);
        }
        found.extend(all(&mut summariser, at(6000)));
        let mut keys = std::collections::BTreeSet::new();
        let (mut count, mut errors, mut summed) = (0, 0, Histogram::default());
        for what in &found {
            let summary = summary_of(what);
            prop_assert!(keys.insert((summary.from, what.member.clone(), summary.generation)));
            prop_assert_eq!(summary.to.since(summary.from).0, 1000);
            count += summary.count;
            errors += summary.errors.get(&14).copied().unwrap_or_default();
            for (bucket, n) in summary.buckets.iter() {
                summed.add(*bucket, u64::from(*n));
            }
        }
        prop_assert_eq!(count as usize, beats.len());
        prop_assert_eq!(errors as usize, beats.iter().filter(|beat| beat.3).count());
        prop_assert_eq!(summed, latency);
    }
}
