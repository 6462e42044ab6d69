//! Partitions that are owned and not committed, topics that may not be seen, and when something was committed last.

use shared::event::{Change, Lag, LogAccess, PartitionProgress};
use shared::time::Millis;

use super::{ONE, ROUND, Row, at, progress};
use crate::limits;
use crate::survey::brokers::{Cluster, Group, Log, Member, commit, consumer};

/// A group of one member that owns these partitions of `t`.
fn owns(partitions: &[i32]) -> Group {
    let member = Member {
        owned: partitions.to_vec(),
        target: partitions.to_vec(),
        ..consumer("a", "a", 3)
    };
    Group::new("consumer", "Stable", 3, &[member])
}

fn lags(cluster: &Cluster) -> Vec<Lag> {
    let lag = |change| match change {
        Change::GroupProgress { lag, .. } => Some(lag),
        _ => None,
    };
    cluster.of_group("orders").into_iter().filter_map(lag).collect()
}

fn rights(cluster: &Cluster) -> Vec<(bool, i16, String)> {
    let right = |report: &crate::survey::port::Report| match &report.change {
        Change::NotAuthorized { error, right } => Some((report.group.is_some(), *error, right.clone())),
        _ => None,
    };
    cluster.reports.iter().filter_map(right).collect()
}

#[test]
fn a_partition_that_is_owned_and_was_never_committed_is_told_so_and_counted_apart() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", owns(&[0, 1]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 12));
    cluster.offsets.ends.insert(("t".to_owned(), 1), at(ONE, 90));
    cluster.run(Millis(2 * ROUND.0));
    let rows: Vec<Row> = vec![(0, Some(10), Some(12)), (1, None, Some(90))];
    assert_eq!(progress(&cluster, "orders").last(), Some(&rows));
    let lag = Lag {
        left: Some(2),
        partitions: 2,
        uncommitted: 1,
        endless: 0,
        beyond: 0,
        gone: 0,
        at_most: 0,
    };
    assert_eq!(lags(&cluster).last(), Some(&lag));
}

#[test]
fn a_group_that_never_committed_is_told_with_what_it_owns() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", owns(&[0]));
    cluster.offsets.ends.insert(("t".to_owned(), 0), at(ONE, 90));
    cluster.run(Millis(2 * ROUND.0));
    let rows: Vec<Row> = vec![(0, None, Some(90))];
    assert_eq!(progress(&cluster, "orders"), [rows]);
    assert_eq!(lags(&cluster)[0].left, None);
}

#[test]
fn a_topic_that_may_not_be_seen_is_said_by_its_right_once_and_is_never_told_as_uncommitted() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", owns(&[0]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 12));
    cluster.offsets.hidden.insert("t".to_owned());
    cluster.run(Millis(20 * ROUND.0));
    assert!(progress(&cluster, "orders").is_empty());
    let right = "DESCRIBE on topic t: how far groups have read it, and how much is left, is not visible";
    assert_eq!(rights(&cluster), [(false, 29, right.to_owned())]);
    // Who is in the group is told all the same.
    let joined = |change: &Change| matches!(change, Change::MemberJoined(_));
    assert!(cluster.of_group("orders").iter().any(joined));
    cluster.offsets.hidden.clear();
    cluster.run(Millis(20 * ROUND.0));
    let rows: Vec<Row> = vec![(0, Some(10), Some(12))];
    assert_eq!(progress(&cluster, "orders").last(), Some(&rows));
}

#[test]
fn brokers_that_tell_no_offsets_hide_nobody_who_is_in_the_group() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", owns(&[0]));
    cluster.offsets.refused.insert("orders".to_owned(), 30);
    cluster.run(Millis(4 * ROUND.0));
    assert!(progress(&cluster, "orders").is_empty());
    let kinds: Vec<&str> = cluster.of_group("orders").iter().map(Change::kind).collect();
    for kind in ["member_joined", "member_assigned", "group_state"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert!(cluster.unseen_for("orders") <= Millis(2_000));
}

#[test]
fn when_a_partition_was_committed_last_is_the_offsets_logs_own_time_told_again_at_a_distance() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.put(ONE, "orders", owns(&[0]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 12));
    let mut written = Vec::new();
    for _ in 0..40 {
        written.push(cluster.unix());
        cluster.write(&commit("orders", 0));
        cluster.run(ROUND);
    }
    let row = |change| match change {
        Change::GroupProgress { partitions, .. } => partitions.into_iter().next(),
        _ => None,
    };
    let rows: Vec<PartitionProgress> = cluster.of_group("orders").into_iter().filter_map(row).collect();
    let told: Vec<_> = rows.iter().filter_map(|row| row.committed_at).collect();
    assert!(told.iter().all(|at| written.contains(at)), "{told:?}");
    let (first, last) = (told[0], told[told.len() - 1]);
    let most = cluster.unix().since(first).0 / limits::ROUND_COMMITTED_AT.0 + 2;
    assert!(told.len() > 3 && told.len() as u64 <= most, "{told:?}");
    assert!(cluster.unix().since(last).0 <= limits::ROUND_COMMITTED_AT.0 + 2 * ROUND.0);
    // Without the right to read it, what was read before is the last commit no more.
    cluster.log.denied = true;
    cluster.run(Millis(3 * ROUND.0));
    let row = cluster.of_group("orders").into_iter().filter_map(row).next_back();
    assert_eq!(row.unwrap().committed_at, None);
}

#[test]
fn how_far_the_offsets_log_can_be_read_is_told_on_change() {
    let told = |cluster: &Cluster| -> Vec<LogAccess> {
        let access = |report: &crate::survey::port::Report| match report.change {
            Change::OffsetsLog { access } if report.group.is_none() => Some(access),
            _ => None,
        };
        cluster.reports.iter().filter_map(access).collect()
    };
    let mut cluster = Cluster::of(&[ONE]);
    cluster.run(Millis(3_000));
    assert_eq!(told(&cluster), [LogAccess::Absent]);
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.write(&commit("orders", 0));
    cluster.run(Millis(10_000));
    assert_eq!(told(&cluster), [LogAccess::Reading, LogAccess::Read]);
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.log.denied = true;
    cluster.run(Millis(10_000));
    assert_eq!(told(&cluster), [LogAccess::Denied]);
}

/// A streams group whose member has these tasks of a subtopology that reads these topics.
fn computes(tasks: &[i32], sources: &[&str]) -> Group {
    let member = Member {
        tasks: (tasks.to_vec(), tasks.to_vec()),
        ..consumer("a", "a", 3)
    };
    let mut group = Group::new("streams", "Stable", 3, &[member]);
    group.sources = sources.iter().map(|topic| (*topic).to_owned()).collect();
    group
}

/// Partitions by their topic.
type Topics = Vec<(String, Vec<i32>)>;

/// What was told that the member has, one list an event; none where that is not visible.
fn assigned(cluster: &Cluster) -> Vec<Option<Topics>> {
    let partitions = |change| match change {
        Change::MemberAssigned { partitions, .. } => Some(partitions.map(|topics| {
            let topics = topics.into_iter();
            topics.map(|topic| (topic.topic, topic.partitions)).collect()
        })),
        _ => None,
    };
    cluster
        .of_group("orders")
        .into_iter()
        .filter_map(partitions)
        .collect()
}

#[test]
fn tasks_of_a_subtopology_that_reads_one_topic_are_its_partitions_and_their_commits_signs_of_life() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.log = Log::led_by(ONE);
    cluster.put(ONE, "orders", computes(&[1, 0], &["t"]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 12));
    cluster.offsets.ends.insert(("t".to_owned(), 1), at(ONE, 90));
    cluster.write(&commit("orders", 0));
    cluster.run(Millis(2 * ROUND.0));
    let both = vec![("t".to_owned(), vec![0, 1])];
    assert_eq!(assigned(&cluster), [Some(both)]);
    let rows: Vec<Row> = vec![(0, Some(10), Some(12)), (1, None, Some(90))];
    assert_eq!(progress(&cluster, "orders").last(), Some(&rows));
    let committed = cluster.of_group("orders").into_iter().any(|change| match change {
        Change::GroupProgress { partitions, .. } => partitions.iter().any(|row| row.committed_at.is_some()),
        _ => false,
    });
    assert!(committed);
}

#[test]
fn which_partitions_tasks_read_is_not_visible_with_several_topics_or_no_topology_and_never_what_was_before() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", computes(&[0], &["t", "u"]));
    cluster.run(Millis(4_000));
    assert_eq!(assigned(&cluster), []);
    cluster.put(ONE, "orders", computes(&[0], &["t"]));
    cluster.run(Millis(4_000));
    cluster.put(ONE, "orders", computes(&[0], &[]));
    cluster.run(Millis(4_000));
    let one = vec![("t".to_owned(), vec![0])];
    assert_eq!(assigned(&cluster), [Some(one), None]);
}
