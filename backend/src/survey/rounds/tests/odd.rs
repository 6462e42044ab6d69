//! Commits that cannot be of what is there: beyond the end of their partition, of a topic that was deleted.

use shared::event::{Change, Lag, PartitionProgress};
use shared::time::Millis;

use super::{ONE, ROUND, at};
use crate::survey::brokers::{Cluster, Group};

/// Both partitions of `t`: 2 records are left on the second.
fn orders() -> Cluster {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 10));
    cluster.offsets.put("orders", "t", 1, 10, at(ONE, 12));
    cluster
}

/// What was told last.
fn told(cluster: &Cluster) -> (Vec<PartitionProgress>, Lag) {
    let told = cluster
        .of_group("orders")
        .into_iter()
        .rev()
        .find_map(|change| match change {
            Change::GroupProgress { partitions, lag, .. } => Some((partitions, lag)),
            _ => None,
        });
    told.expect("how far it has read")
}

#[test]
fn a_commit_beyond_the_end_is_no_lag_of_0_and_stands_first() {
    let mut cluster = orders();
    cluster.offsets.put("orders", "t", 0, 999_999, at(ONE, 2_242));
    cluster.run(ROUND);
    let (rows, lag) = told(&cluster);
    let stands: Vec<_> = rows
        .iter()
        .map(|row| (row.partition, row.left(), row.beyond()))
        .collect();
    // ConsumerGroupCommand prints -997757.
    assert_eq!(stands, [(0, None, Some(997_757)), (1, Some(2), None)]);
    let sum = Lag {
        left: Some(2),
        partitions: 2,
        beyond: 1,
        ..Lag::default()
    };
    assert_eq!(lag, sum);
}

#[test]
fn a_topic_that_was_deleted_is_said_to_be_gone_while_there_are_commits_of_it() {
    let mut cluster = orders();
    cluster.run(ROUND);
    cluster.offsets.ends.clear();
    cluster.run(Millis(4 * ROUND.0));
    let (rows, lag) = told(&cluster);
    assert!(rows.iter().all(|row| row.gone && row.end.is_none()), "{rows:?}");
    let sum = Lag {
        partitions: 2,
        gone: 2,
        ..Lag::default()
    };
    assert_eq!(lag, sum);
    // Made again.
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 10));
    cluster.offsets.put("orders", "t", 1, 10, at(ONE, 12));
    cluster.run(Millis(2 * ROUND.0));
    assert!(told(&cluster).0.iter().all(|row| !row.gone));
}

#[test]
fn a_partition_that_a_topic_no_longer_has_is_gone_and_the_others_are_not() {
    let mut cluster = orders();
    cluster.run(ROUND);
    cluster.offsets.ends.remove(&("t".to_owned(), 1));
    cluster.run(Millis(4 * ROUND.0));
    let gone: Vec<_> = told(&cluster)
        .0
        .iter()
        .map(|row| (row.partition, row.gone))
        .collect();
    assert_eq!(gone, [(1, true), (0, false)]);
}

#[test]
fn a_broker_that_knows_no_topics_for_a_moment_takes_none_away() {
    let mut cluster = orders();
    cluster.run(ROUND);
    let ends = std::mem::take(&mut cluster.offsets.ends);
    cluster.run(ROUND);
    cluster.offsets.ends = ends;
    cluster.run(Millis(3 * ROUND.0));
    let gone = |change| matches!(change, Change::GroupProgress { partitions, .. } if partitions.iter().any(|row| row.gone));
    assert!(!cluster.of_group("orders").into_iter().any(gone));
}

#[test]
fn commits_that_are_deleted_leave_nothing_to_read_and_that_is_told() {
    let mut cluster = orders();
    cluster.run(ROUND);
    // As a coordinator does with a deleted topic's.
    cluster.offsets.committed.clear();
    cluster.run(Millis(2 * ROUND.0));
    assert_eq!(told(&cluster), (Vec::new(), Lag::default()));
}
