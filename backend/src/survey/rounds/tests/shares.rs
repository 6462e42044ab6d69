//! How far share groups have come.

use shared::event::{Change, Lag, PartitionProgress};
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, ROUND, TWO, at, progress};
use crate::limits;
use crate::survey::brokers::{Cluster, Group, consumer, member};

/// What was told last of a group's lag, and what is left of each partition.
fn told(cluster: &Cluster, group: &str) -> Option<(Lag, Vec<Option<u64>>)> {
    let told = cluster.of_group(group).into_iter().rev();
    let mut told = told.filter_map(|change| match change {
        Change::GroupProgress { partitions, lag, .. } => {
            Some((lag, partitions.iter().map(PartitionProgress::left).collect()))
        }
        _ => None,
    });
    told.next()
}

fn sharing(owned: &[i32]) -> Group {
    let mut member = consumer("a", "a", 3);
    member.owned = owned.to_vec();
    Group::new("share", "Stable", 3, &[member])
}

fn cluster() -> Cluster {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "jobs", sharing(&[0, 1]));
    for partition in [0, 1] {
        cluster
            .offsets
            .ends
            .insert(("t".to_owned(), partition), at(TWO, 100));
    }
    cluster
}

#[test]
fn what_is_left_of_a_share_group_is_what_its_coordinator_counts() {
    let mut cluster = cluster();
    cluster.shares.put("jobs", 0, 10, 4);
    cluster.shares.put("jobs", 1, 100, 0);
    cluster.run(ROUND);
    let rows = vec![(0, Some(10), Some(100)), (1, Some(100), Some(100))];
    assert_eq!(progress(&cluster, "jobs"), [rows]);
    let lag = Lag {
        left: Some(4),
        partitions: 2,
        ..Lag::default()
    };
    assert_eq!(told(&cluster, "jobs"), Some((lag, vec![Some(4), Some(0)])));
    cluster.run(Millis(4 * ROUND.0));
    assert_eq!(progress(&cluster, "jobs").len(), 1, "nothing changed");
    // Of 90 records behind the first that is held all but two are acknowledged by now.
    cluster.shares.put("jobs", 0, 10, 2);
    cluster.run(ROUND);
    assert_eq!(told(&cluster, "jobs").unwrap().0.left, Some(2));
}

#[test]
fn where_the_coordinator_does_not_count_there_is_not_more_left_than_from_the_start_to_the_end() {
    let mut cluster = cluster();
    cluster.shares.put("jobs", 0, 10, -1);
    cluster.shares.put("jobs", 1, 97, 3);
    cluster.run(ROUND);
    let lag = Lag {
        left: Some(93),
        partitions: 2,
        at_most: 1,
        ..Lag::default()
    };
    assert_eq!(told(&cluster, "jobs"), Some((lag, vec![Some(90), Some(3)])));
}

#[test]
fn a_partition_that_a_share_group_has_not_begun_to_read_has_no_count() {
    let mut cluster = cluster();
    cluster.shares.put("jobs", 0, -1, -1);
    cluster.run(ROUND);
    let lag = Lag {
        left: None,
        partitions: 2,
        uncommitted: 2,
        ..Lag::default()
    };
    assert_eq!(told(&cluster, "jobs"), Some((lag, vec![None, None])));
}

#[test]
fn a_share_group_that_is_refused_or_told_in_part_is_told_as_before_and_the_others_are_told() {
    for torn in [false, true] {
        let mut cluster = cluster();
        cluster.put(ONE, "more", sharing(&[0]));
        cluster.shares.put("more", 0, 98, 2);
        cluster.shares.put("jobs", 0, 10, 4);
        cluster.shares.put("jobs", 1, 20, 5);
        cluster.run(ROUND);
        if torn {
            cluster.shares.torn.insert("jobs".to_owned());
        } else {
            cluster.shares.refused.insert("jobs".to_owned(), 30);
        }
        cluster.shares.put("jobs", 1, 90, 1);
        cluster.shares.put("more", 0, 99, 1);
        cluster.run(ROUND);
        let left = |group| told(&cluster, group).unwrap().0.left;
        assert_eq!((left("jobs"), left("more")), (Some(9), Some(1)), "{torn}");
        assert!(cluster.unseen_for("jobs") <= Millis(2_000));
    }
}

#[test]
fn many_share_groups_go_into_one_request() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.offsets.ends.insert(("t".to_owned(), 0), at(ONE, 100));
    for number in 0..200 {
        let group = format!("jobs-{number}");
        cluster.put(ONE, &group, sharing(&[0]));
        cluster.shares.put(&group, 0, 90, 10);
    }
    cluster.run(Millis(1_000));
    let api = ApiKey::DescribeShareGroupOffsets;
    assert_eq!(cluster.asked(api), 200 / limits::ROUND_SHARES);
    assert!((0..200).all(|number| progress(&cluster, &format!("jobs-{number}")).len() == 1));
    assert_eq!(cluster.asked(ApiKey::OffsetFetch), 0, "they commit nothing");
}

#[test]
fn a_question_about_share_groups_that_is_not_answered_takes_the_offsets_of_no_other_group_for_long() {
    let mut cluster = cluster();
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("b-1", "b")]));
    cluster.offsets.put("orders", "t", 0, 10, at(TWO, 100));
    cluster.shares.put("jobs", 0, 10, 4);
    cluster.shares.stuck = true;
    cluster.run(Millis(4 * ROUND.0));
    assert_eq!(
        cluster.asked(ApiKey::DescribeShareGroupOffsets),
        1,
        "and then rests"
    );
    cluster.offsets.put("orders", "t", 0, 20, at(TWO, 100));
    cluster.run(ROUND);
    let last = progress(&cluster, "orders").pop().unwrap();
    assert_eq!(last, [(0, Some(20), Some(100))]);
    assert!(cluster.unseen_for("jobs") <= Millis(2_000));
    cluster.shares.stuck = false;
    cluster.run(limits::ROUND_SHARES_WAIT);
    assert_eq!(told(&cluster, "jobs").unwrap().0.left, Some(4));
}

#[test]
fn a_broker_that_does_not_know_the_question_is_not_asked_it() {
    let mut cluster = cluster();
    cluster.oldest = true;
    cluster.run(Millis(2 * ROUND.0));
    assert_eq!(cluster.asked(ApiKey::DescribeShareGroupOffsets), 0);
    assert!(progress(&cluster, "jobs").is_empty());
}
