//! The log: each event once, newest first, bounded.

use shared::event::{BeatSummary, Evidence, Joined, Lag, Observation, Source};
use shared::ids::Generation;
use shared::sorted::SortedMap;
use shared::time::UnixMs;

use super::*;

fn event(seq: u64, group: &str, change: Change) -> Arc<Event> {
    Arc::new(Event {
        seq,
        seen: UnixMs(seq),
        what: Observation {
            at: UnixMs(seq),
            at_earliest: None,
            source: Source::Probe,
            evidence: Evidence::Observed,
            cluster: "c".into(),
            group: Some(group.into()),
            member: Some(if seq.is_multiple_of(2) { "even" } else { "odd" }.into()),
            change,
        },
    })
}

fn left() -> Change {
    Change::MemberLeft {
        cause: "closed".into(),
    }
}

fn beat(error: i16) -> Change {
    Change::HeartbeatReceived {
        generation: Generation(1),
        error,
    }
}

fn seqs(log: &Log, filter: &LogFilter) -> Vec<u64> {
    let listing = log.listing(filter, None);
    listing.events.iter().map(|event| event.seq).collect()
}

#[test]
fn an_event_that_comes_twice_and_out_of_order_is_listed_once_in_its_place() {
    let mut log = Log::new(Scope::All);
    for seq in [5, 3, 4, 3, 5, 1] {
        log.add(&event(seq, "g", left()));
    }
    assert_eq!(seqs(&log, &LogFilter::default()), [5, 4, 3, 1]);
}

#[test]
fn how_far_a_group_has_read_is_listed_where_it_is_asked_for() {
    let mut log = Log::new(Scope::All);
    let progress = Change::GroupProgress {
        lag: Lag::default(),
        partitions: Vec::new(),
        unnamed: 0,
    };
    log.add(&event(1, "g", progress));
    log.add(&event(2, "g", left()));
    assert_eq!(seqs(&log, &LogFilter::default()), [2]);
    let asked = LogFilter {
        kind: Some("group_progress".to_owned()),
        ..LogFilter::default()
    };
    assert_eq!(seqs(&log, &asked), [1]);
}

#[test]
fn heartbeats_are_listed_where_they_carry_an_error_or_are_asked_for() {
    let mut log = Log::new(Scope::All);
    log.add(&event(1, "g", beat(0)));
    log.add(&event(2, "g", beat(27)));
    log.add(&event(3, "g", left()));
    assert_eq!(seqs(&log, &LogFilter::default()), [3, 2]);
    let beats = LogFilter {
        kind: Some("heartbeat_received".to_owned()),
        ..LogFilter::default()
    };
    assert_eq!(seqs(&log, &beats), [2, 1]);
}

#[test]
fn beats_crowd_out_no_transition() {
    let mut log = Log::new(Scope::All);
    log.add(&event(1, "g", left()));
    for seq in 2..20_000 {
        log.add(&event(seq, "g", beat(i16::from(seq % 3 == 0) * 27)));
    }
    let listed = seqs(&log, &LogFilter::default());
    assert_eq!(listed.len(), REFUSED_MAX + 1);
    assert_eq!(listed.last(), Some(&1));
}

#[test]
fn the_oldest_transitions_go_first() {
    let mut log = Log::new(Scope::All);
    let last = TRANSITIONS_MAX as u64 + 10;
    for seq in 1..=last {
        log.add(&event(seq, "g", left()));
    }
    let listed = seqs(&log, &LogFilter::default());
    assert_eq!(listed.len(), TRANSITIONS_MAX);
    assert_eq!((listed.first(), listed.last()), (Some(&last), Some(&11)));
    assert_eq!(log.whole_above(), 10);
}

#[test]
fn a_scope_keeps_other_groups_out() {
    let mut log = Log::new(Scope::Group("g".into(), None));
    log.add(&event(1, "g", left()));
    log.add(&event(2, "other", left()));
    assert_eq!(seqs(&log, &LogFilter::default()), [1]);
}

#[test]
fn filters_narrow_by_member_and_hold_the_list_still() {
    let mut log = Log::new(Scope::All);
    for seq in 1..=6 {
        log.add(&event(seq, "g", left()));
    }
    let of_even = LogFilter {
        member: Some("even".into()),
        ..LogFilter::default()
    };
    assert_eq!(seqs(&log, &of_even), [6, 4, 2]);
    let paused = LogFilter {
        paused_at: Some(4),
        ..of_even
    };
    assert_eq!(seqs(&log, &paused), [4, 2]);
}

#[test]
fn a_listing_is_made_anew_only_when_an_event_changes_it() {
    let mut log = Log::new(Scope::All);
    log.add(&event(1, "g", left()));
    let before = log.listing(&LogFilter::default(), None);
    log.add(&event(2, "g", beat(0)));
    log.add(&event(1, "g", left()));
    let after = log.listing(&LogFilter::default(), None);
    assert!(Arc::ptr_eq(&before, &after), "neither shows in it");
    log.add(&event(3, "g", left()));
    assert_eq!(seqs(&log, &LogFilter::default()), [3, 1]);
    let beats = LogFilter {
        kind: Some("heartbeat_received".to_owned()),
        ..LogFilter::default()
    };
    assert_eq!(seqs(&log, &beats), [2]);
    log.add(&event(4, "g", beat(0)));
    assert_eq!(seqs(&log, &beats), [4, 2]);
}

#[test]
fn a_second_whose_errors_are_listed_one_by_one_is_not_listed_again() {
    let summary = |seq: u64, from: u64| {
        let change = Change::HeartbeatsSummarised(BeatSummary {
            from: UnixMs(from),
            to: UnixMs(from + 1000),
            generation: Generation(1),
            count: 1,
            behind: 0,
            errors: SortedMap::from([(27, 1)]),
            renewed_at: None,
            commits: 0,
            committed_at: None,
            buckets: SortedMap::new(),
        });
        event(seq, "g", change)
    };
    let mut log = Log::new(Scope::All);
    log.add(&event(500, "g", beat(27)));
    log.add(&summary(1_000, 0));
    log.add(&summary(2_000, 1_000));
    assert_eq!(
        seqs(&log, &LogFilter::default()),
        [2_000, 500],
        "nobody saw the beats of the other second"
    );
}

#[test]
fn events_are_listed_by_how_they_are_known_and_by_the_host_of_their_member() {
    let mut log = Log::new(Scope::All);
    let mut board = Board::default();
    let joined = Joined {
        host: Some("10.0.3.8".to_owned()),
        ..Joined::default()
    };
    let came = event(2, "g", Change::MemberJoined(joined));
    board.apply(&came);
    let mut went = event(4, "g", left());
    Arc::make_mut(&mut went).what.evidence = Evidence::Inferred;
    for event in [came, event(3, "g", left()), went] {
        log.add(&event);
    }
    let seqs = |filter: &LogFilter| -> Vec<u64> {
        let listing = log.listing(filter, Some(&board));
        listing.events.iter().map(|event| event.seq).collect()
    };
    let at = |host: &str| LogFilter {
        host: Some(host.to_owned()),
        ..LogFilter::default()
    };
    assert_eq!(
        seqs(&at("10.0.3.8")),
        [4, 2],
        "it went from where it came, though that is not told again"
    );
    assert_eq!(seqs(&at("10.9.9.9")), Vec::<u64>::new());
    let known = |evidence: &str| LogFilter {
        evidence: Some(evidence.to_owned()),
        ..LogFilter::default()
    };
    assert_eq!(seqs(&known("inferred")), [4]);
    assert_eq!(seqs(&known("observed")), [3, 2]);
    let listing = log.listing(&LogFilter::default(), Some(&board));
    let hosts: Vec<&String> = listing.hosts.keys().collect();
    assert_eq!(hosts, ["10.0.3.8"]);
}
