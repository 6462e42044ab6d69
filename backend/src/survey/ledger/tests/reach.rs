//! How the log is found, followed, and read no faster than it may be.

use shared::event::{Change, LogAccess};
use shared::ids::{Generation, NodeId};
use shared::protocol::ApiKey;
use shared::protocol::offsets_log::partition_of;
use shared::time::Millis;

use super::{ONE, SECOND, TWO, cluster, finished, last, sat, write};
use crate::survey::brokers::{Cluster, Group, Log, Record};
use crate::survey::port::When;

fn rights(cluster: &Cluster) -> Vec<String> {
    let told = cluster.reports.iter().filter(|report| report.group.is_none());
    told.filter_map(|report| match &report.change {
        Change::NotAuthorized { error: 29, right } => Some(right.clone()),
        _ => None,
    })
    .collect()
}

#[test]
fn without_the_right_to_read_it_that_is_told_once_and_tried_again_rarely() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.log.denied = true;
    cluster.run(Millis(60_000));
    assert_eq!(rights(&cluster).len(), 1);
    assert!(rights(&cluster)[0].starts_with("READ on topic __consumer_offsets: "));
    assert!(cluster.asked(ApiKey::Fetch) <= 7);
    // All else still works.
    assert!(cluster.unseen_for("orders") <= Millis(2_000));
    cluster.log.denied = false;
    cluster.run(Millis(40_000));
    assert!(last(&cluster, "generation_formed").is_some());
    assert_eq!(rights(&cluster).len(), 1);
    let right = rights(&cluster).remove(0);
    let granted: Vec<_> = cluster.reports.iter().map(|report| &report.change).collect();
    assert!(granted.contains(&&Change::Authorized { right }));
}

#[test]
fn the_right_to_read_it_that_is_taken_away_is_missed_within_a_second_and_believed_15_s_after_it_is_given() {
    let mut cluster = cluster(&["a"]);
    // Each of the two holds answers back: when one refuses, the other still answers what it was asked before.
    cluster.log.partitions.get_mut(&0).unwrap().leader = TWO;
    cluster.run(Millis(5_250));
    let access = |cluster: &Cluster| {
        let told = cluster
            .reports
            .iter()
            .rev()
            .find_map(|report| match &report.change {
                Change::OffsetsLog { access } => Some(*access),
                _ => None,
            });
        told.expect("whether it can be read")
    };
    assert_eq!(access(&cluster), LogAccess::Read);
    cluster.log.denied = true;
    cluster.run(SECOND);
    assert_eq!((rights(&cluster).len(), access(&cluster)), (1, LogAccess::Denied));
    cluster.run(Millis(60_000));
    assert_eq!((rights(&cluster).len(), access(&cluster)), (1, LogAccess::Denied));
    cluster.log.denied = false;
    cluster.run(Millis(15_000));
    assert_eq!((rights(&cluster).len(), access(&cluster)), (1, LogAccess::Read));
}

#[test]
fn a_generation_that_was_read_before_the_right_was_taken_away_is_not_told_as_the_one_it_is_in() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(10_000));
    let generations = |cluster: &Cluster| -> Vec<i32> {
        let told = cluster.of_group("orders").into_iter();
        let formed = told.filter_map(|change| match change {
            Change::GenerationFormed { generation, .. } => Some(generation.0),
            _ => None,
        });
        formed.collect()
    };
    let before = generations(&cluster);
    assert_eq!(before.last(), Some(&3));
    cluster.log.denied = true;
    cluster.run(Millis(60_000));
    assert_eq!(generations(&cluster), before);
    cluster.log.denied = false;
    cluster.run(Millis(40_000));
    assert_eq!(
        generations(&cluster),
        [before, vec![3]].concat(),
        "it is told again, since who heard of it let it go"
    );
}

#[test]
fn a_log_that_is_not_there_yet_is_read_once_it_is() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.run(Millis(5_000));
    assert_eq!(cluster.asked(ApiKey::Fetch), 0);
    cluster.log = Log::led_by(TWO);
    cluster.run(Millis(3_000));
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    assert_eq!(finished(&cluster).len(), 1);
}

#[test]
fn what_was_written_into_a_log_before_it_was_found_is_news_where_it_was_not_there_at_our_start() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.run(Millis(5_000));
    cluster.log = Log::led_by(TWO);
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 2, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let generations: Vec<_> = (finished(&cluster).iter()).map(|what| what.generation).collect();
    assert_eq!(generations, [Generation(1), Generation(2)]);
}

#[test]
fn nothing_is_lost_when_leadership_moves() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    cluster.log.move_to(TWO);
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 5, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let generations: Vec<_> = (finished(&cluster).iter()).map(|what| what.generation).collect();
    assert_eq!(generations, [Generation(4), Generation(5)]);
}

#[test]
fn what_happened_while_the_leader_did_not_answer_is_told_later_with_its_own_time() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    cluster.freeze(ONE);
    cluster.run(Millis(10_000));
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    let written = cluster.unix();
    cluster.run(Millis(10_000));
    assert_eq!(finished(&cluster).len(), 0);
    cluster.log.move_to(TWO);
    cluster.run(Millis(10_000));
    let report = last(&cluster, "rebalance_finished").unwrap();
    assert_eq!(report.at, When::There(written));
}

/// A cluster of two of which the first leads half of the log and freezes: whoever connects to it waits for 30 s.
fn frozen() -> Cluster {
    let mut cluster = cluster(&["a"]);
    for number in [1, 3] {
        cluster.log.partitions.get_mut(&number).unwrap().leader = TWO;
    }
    let own = partition_of("orders", 4);
    cluster.log.partitions.get_mut(&own).unwrap().leader = ONE;
    cluster.hangs = Millis(30_000);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(5_000));
    cluster.freeze(ONE);
    cluster
}

#[test]
fn the_log_of_a_frozen_leader_is_followed_at_its_next_leader_soon_after_there_is_one() {
    // At once; before what was asked of it is given up; after that; and while it is connected to again.
    for after in [0, 2_000, 5_000, 9_000, 20_000] {
        let mut cluster = frozen();
        cluster.run(Millis(after));
        cluster.leave(ONE);
        cluster.log.move_to(TWO);
        cluster.run(Millis(if after < 2_000 { 3_000 } else { 1_000 }));
        let before = finished(&cluster).len();
        write(&mut cluster, 4, 0, &[sat("a", 0)]);
        cluster.run(Millis(100));
        assert_eq!(finished(&cluster).len() - before, 1, "{after} ms after it froze");
    }
}

#[test]
fn a_generation_that_is_known_to_be_over_is_not_shown_as_the_one_the_group_is_in() {
    let mut cluster = frozen();
    cluster.log.move_to(NodeId(-1));
    cluster.thaw(ONE);
    cluster.run(Millis(3_000));
    assert!(!cluster.shown("orders").has_left_its_generation());
    super::put(&mut cluster, "PreparingRebalance", &["a", "b"]);
    cluster.run(Millis(3_000));
    super::put(&mut cluster, "Stable", &["a", "b"]);
    write(&mut cluster, 4, 0, &[sat("a", 0), sat("b", 1)]);
    cluster.run(Millis(3_000));
    let shown = cluster.shown("orders");
    assert!(
        shown.has_left_its_generation(),
        "{:?} {:?} {:?}",
        shown.state,
        shown.generation,
        shown.open
    );
    let sentence = cluster.verdict("orders").sentence;
    assert!(sentence.contains(" in a generation above 3: "), "{sentence}");
    cluster.log.move_to(ONE);
    cluster.run(Millis(3_000));
    let shown = cluster.shown("orders");
    assert!(!shown.has_left_its_generation());
    assert_eq!(shown.generation.get(), Some(&Generation(4)));
}

#[test]
fn while_nothing_is_written_a_broker_is_asked_twice_a_second() {
    let mut cluster = cluster(&["a"]);
    cluster.run(Millis(3_000));
    let before = cluster.asked(ApiKey::Fetch);
    cluster.run(Millis(10_000));
    assert!(cluster.asked(ApiKey::Fetch) - before <= 20);
    assert_eq!(cluster.asked(ApiKey::ListOffsets), 2);
}

#[test]
fn what_was_written_before_is_read_no_faster_than_a_broker_may_be_asked_for() {
    let mut cluster = cluster(&["a"]);
    let value = vec![0; 500_000];
    // Two hundred times half a megabyte: at 16 MB a second that takes six.
    for _ in 0..200 {
        cluster.write(&Record::raw("orders", &[0, 99], Some(&value)));
    }
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(4_000));
    assert!(last(&cluster, "generation_formed").is_none());
    // What happens meanwhile is seen at once.
    write(&mut cluster, 4, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let what = &finished(&cluster)[0];
    assert_eq!((what.generation, &what.joined), (Generation(4), &None));
    cluster.run(Millis(5_000));
    assert_eq!(cluster.survey().log_counts().unknown, 200);
}

#[test]
fn unknown_records_are_skipped_and_counted_and_so_are_malformed_ones() {
    let mut cluster = cluster(&["a"]);
    cluster.run(SECOND);
    cluster.write(&Record::raw("orders", &[0, 99], Some(&[0, 0])));
    cluster.write(&Record::raw("orders", &[0, 2, 0, 1, b'g'], Some(&[0, 77, 1])));
    cluster.write(&Record::raw("orders", &[0, 2, 0, 9], Some(&[0])));
    cluster.write(&Record::raw("orders", &[], None));
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(SECOND);
    let counts = cluster.survey().log_counts();
    assert_eq!((counts.records, counts.unknown, counts.malformed), (5, 2, 2));
    assert_eq!(finished(&cluster).len(), 1);
}

#[test]
fn a_log_cut_at_its_begin_is_read_from_there() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    cluster.freeze(ONE);
    cluster.run(Millis(6_000));
    for generation in 4..8 {
        write(&mut cluster, generation, 0, &[sat("a", 0)]);
    }
    cluster.log.cut(3);
    cluster.thaw(ONE);
    cluster.run(Millis(6_000));
    let generations: Vec<_> = (finished(&cluster).iter())
        .map(|what| what.generation.0)
        .collect();
    assert_eq!(generations, [6, 7]);
    let gaps = gaps(&cluster);
    assert_eq!(gaps.len(), 1);
    assert!(
        gaps[0].ends_with("2 records were deleted before they were read"),
        "{gaps:?}"
    );
}

#[test]
fn a_log_that_has_lost_its_end_is_read_anew_and_that_is_told() {
    let mut cluster = cluster(&["a"]);
    for generation in 3..6 {
        write(&mut cluster, generation, 0, &[sat("a", 0)]);
    }
    cluster.run(Millis(3_000));
    cluster.log.lose(2);
    cluster.run(Millis(6_000));
    let gaps = gaps(&cluster);
    assert_eq!(gaps.len(), 1);
    assert!(
        gaps[0].contains("as after an unclean election: it is read anew"),
        "{gaps:?}"
    );
    write(&mut cluster, 4, 0, &[sat("a", 0), sat("b", 1)]);
    cluster.run(SECOND);
    let end = &finished(&cluster)[0];
    assert_eq!((end.generation.0, end.from_generation), (4, Some(Generation(3))));
}

/// What was told not to be seen, and why.
fn gaps(cluster: &Cluster) -> Vec<String> {
    let told = cluster.reports.iter().filter(|report| report.group.is_none());
    told.filter_map(|report| match &report.change {
        Change::Gap { what, why, .. } => {
            assert!(report.at_earliest.is_some(), "since when");
            Some(format!("{what}: {why}"))
        }
        _ => None,
    })
    .collect()
}

/// How many partitions nobody leads, of how many, each time that was told.
fn leaderless(cluster: &Cluster) -> Vec<(u32, u32)> {
    let told = cluster.reports.iter().map(|report| &report.change);
    told.filter_map(|change| match change {
        Change::OffsetsLogLeaderless(some) => Some((some.leaderless, some.partitions)),
        _ => None,
    })
    .collect()
}

#[test]
fn a_list_of_groups_that_is_short_because_nobody_leads_their_partitions_is_told_to_be() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(NodeId(-1));
    cluster.log.partitions.get_mut(&0).unwrap().leader = TWO;
    cluster.run(Millis(3_000));
    assert_eq!(leaderless(&cluster), [(3, 4)]);
    cluster.run(Millis(60_000));
    assert_eq!(leaderless(&cluster), [(3, 4)]);
    cluster.log.move_to(TWO);
    cluster.run(SECOND);
    assert_eq!(leaderless(&cluster), [(3, 4), (0, 4)]);
}

#[test]
fn a_partition_that_moves_and_has_no_leader_for_a_second_is_not_told_to_have_none() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    cluster.run(Millis(5_000));
    cluster.freeze(ONE);
    cluster.log.move_to(NodeId(-1));
    cluster.run(SECOND);
    cluster.log.move_to(TWO);
    cluster.run(Millis(10_000));
    assert_eq!(leaderless(&cluster), []);
}
