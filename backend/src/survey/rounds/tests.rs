//! The rounds against brokers in memory: simulated time, every request and every report seen.

mod names;
mod odd;
mod owned;
mod shares;

use std::collections::BTreeSet;

use shared::event::{Change, Joined, PartitionProgress, Reconciling};
use shared::ids::{Generation, NodeId};
use shared::protocol::ApiKey;
use shared::time::Millis;

use crate::limits;
use crate::survey::brokers::{Cluster, End, Group, consumer, member};

const ONE: NodeId = NodeId(1);
const TWO: NodeId = NodeId(2);
const ROUND: Millis = limits::ROUND_PACE;

const fn at(leader: NodeId, end: i64) -> End {
    End {
        leader,
        end,
        error: 0,
    }
}

/// A partition, what is committed, where it ends.
type Row = (i32, Option<i64>, Option<i64>);

/// What was told of a group's progress, one list an event.
fn progress(cluster: &Cluster, group: &str) -> Vec<Vec<Row>> {
    let rows = |change| match change {
        Change::GroupProgress { partitions, .. } => {
            let row = |row: PartitionProgress| (row.partition, row.committed, row.end);
            Some(partitions.into_iter().map(row).collect())
        }
        _ => None,
    };
    cluster.of_group(group).into_iter().filter_map(rows).collect()
}

#[test]
fn how_far_a_group_has_read_is_told_beside_the_ends_with_most_left_first_and_then_on_change_only() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.offsets.put("orders", "t", 0, 10, at(ONE, 12));
    cluster.offsets.put("orders", "t", 1, 10, at(TWO, 110));
    cluster.run(ROUND);
    let first = || vec![(1, Some(10), Some(110)), (0, Some(10), Some(12))];
    assert_eq!(progress(&cluster, "orders"), [first()]);
    cluster.run(Millis(4 * ROUND.0));
    assert_eq!(progress(&cluster, "orders").len(), 1, "nothing changed");
    cluster.offsets.put("orders", "t", 1, 110, at(TWO, 110));
    cluster.run(ROUND);
    let second = vec![(0, Some(10), Some(12)), (1, Some(110), Some(110))];
    assert_eq!(progress(&cluster, "orders"), [first(), second]);
}

#[test]
fn a_group_without_members_is_shown_with_what_is_left_to_read() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "idle", Group::classic("Empty", &[]));
    cluster.offsets.put("idle", "t", 0, 3, at(ONE, 9));
    cluster.run(ROUND);
    assert_eq!(progress(&cluster, "idle"), [vec![(0, Some(3), Some(9))]]);
}

#[test]
fn an_end_that_is_refused_is_not_visible_and_never_0() {
    for error in [29, 3, 5, 6] {
        let mut cluster = Cluster::of(&[ONE]);
        cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
        cluster
            .offsets
            .put("orders", "t", 0, 3, End { error, ..at(ONE, 9) });
        cluster.run(ROUND);
        assert_eq!(
            progress(&cluster, "orders"),
            [vec![(0, Some(3), None)]],
            "{error}"
        );
    }
}

#[test]
fn the_end_of_a_topic_that_is_no_more_is_not_visible() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.offsets.put("orders", "t", 0, 3, at(ONE, 9));
    cluster.offsets.ends.clear();
    cluster.run(ROUND);
    assert_eq!(progress(&cluster, "orders"), [vec![(0, Some(3), None)]]);
}

#[test]
fn a_partition_that_moves_is_found_at_its_new_leader() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.offsets.put("orders", "t", 0, 3, at(ONE, 9));
    cluster.run(ROUND);
    cluster.offsets.put("orders", "t", 0, 3, at(TWO, 10));
    cluster.run(Millis(2 * ROUND.0));
    assert_eq!(
        progress(&cluster, "orders").last().unwrap()[..],
        [(0, Some(3), Some(10))]
    );
}

#[test]
fn a_group_whose_commits_are_refused_is_passed_over_and_the_others_are_told() {
    let mut cluster = Cluster::of(&[ONE]);
    for group in ["orders", "secret"] {
        cluster.put(ONE, group, Group::classic("Empty", &[]));
        cluster.offsets.put(group, "t", 0, 3, at(ONE, 9));
    }
    cluster.offsets.refused.insert("secret".to_owned(), 30);
    cluster.run(ROUND);
    assert_eq!(progress(&cluster, "orders").len(), 1);
    assert!(progress(&cluster, "secret").is_empty());
    assert!(
        !cluster
            .reports
            .iter()
            .any(|report| matches!(report.change, Change::NotAuthorized { .. }))
    );
}

#[test]
fn many_groups_go_into_one_request_and_their_ends_too() {
    let mut cluster = Cluster::of(&[ONE]);
    for number in 0..1_000 {
        let group = format!("group-{number}");
        cluster.put(ONE, &group, Group::classic("Empty", &[]));
        for partition in 0..12 {
            cluster.offsets.put(
                &group,
                &format!("t-{}", number % 10),
                partition,
                number,
                at(ONE, 2_000),
            );
        }
    }
    cluster.run(Millis(1_000));
    assert_eq!(cluster.asked(ApiKey::OffsetFetch), 1_000 / limits::SURVEY_BATCH);
    assert_eq!(cluster.asked(ApiKey::ListOffsets), 1);
    assert!((0..1_000).all(|number| progress(&cluster, &format!("group-{number}")).len() == 1));
    assert!(cluster.most_unanswered <= limits::SURVEY_UNANSWERED + 2);
}

#[test]
fn a_broker_that_knows_only_older_versions_is_asked_for_one_group_at_a_time() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.oldest = true;
    for group in ["orders", "bills"] {
        cluster.put(ONE, group, Group::classic("Empty", &[]));
        cluster.offsets.put(group, "t", 0, 3, at(ONE, 9));
    }
    cluster.run(ROUND);
    assert_eq!(cluster.asked(ApiKey::OffsetFetch), 2);
    for group in ["orders", "bills"] {
        assert_eq!(progress(&cluster, group), [vec![(0, Some(3), Some(9))]]);
    }
}

#[test]
fn where_a_round_has_no_time_for_all_groups_of_an_older_broker_the_next_one_begins_with_the_others() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.oldest = true;
    for number in 0..3_000 {
        let group = format!("group-{number}");
        cluster.put(ONE, &group, Group::classic("Empty", &[]));
        cluster.offsets.put(&group, "t", 0, 3, at(ONE, 9));
    }
    let told = |cluster: &Cluster| {
        let progress = cluster
            .reports
            .iter()
            .filter(|report| matches!(report.change, Change::GroupProgress { .. }));
        let groups: BTreeSet<_> = progress.filter_map(|report| report.group.as_ref()).collect();
        groups.len()
    };
    cluster.run(limits::ROUND_STEP);
    cluster.run(Millis(1_000));
    let first = told(&cluster);
    assert!((500..2_000).contains(&first), "{first}");
    assert_eq!(cluster.survey().loads()[&ONE].put_off, 3_000 - first);
    cluster.run(Millis(3 * ROUND.0));
    assert_eq!(told(&cluster), 3_000);
}

#[test]
fn a_frozen_broker_takes_the_ends_it_knows_and_neither_members_nor_the_others_offsets() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.offsets.put("orders", "t", 0, 3, at(ONE, 9));
    cluster.offsets.put("orders", "t", 1, 3, at(TWO, 9));
    cluster.run(ROUND);
    cluster.freeze(TWO);
    cluster.offsets.put("orders", "t", 0, 4, at(ONE, 9));
    cluster.run(Millis(4 * ROUND.0));
    let last = progress(&cluster, "orders").pop().unwrap();
    assert_eq!(last, [(0, Some(4), Some(9)), (1, Some(3), None)]);
    assert!(cluster.unseen_for("orders") <= Millis(2_000));
    cluster.thaw(TWO);
    cluster.run(Millis(3 * ROUND.0));
    let last = progress(&cluster, "orders").pop().unwrap();
    assert_eq!(last, [(1, Some(3), Some(9)), (0, Some(4), Some(9))]);
}

#[test]
fn the_timeouts_of_a_group_of_a_newer_type_are_told_of_its_members() {
    for group_type in ["consumer", "classic"] {
        let mut cluster = Cluster::of(&[ONE]);
        let members = [consumer("a", "a", 3)];
        cluster.put(ONE, "orders", Group::new(group_type, "Stable", 3, &members));
        cluster.run(Millis(2 * ROUND.0));
        let told = cluster.of_group("orders").into_iter().rev();
        let last = told.filter_map(|change| match change {
            Change::MemberJoined(Joined {
                session_timeout_ms,
                heartbeat_interval_ms,
                ..
            }) => Some((session_timeout_ms, heartbeat_interval_ms)),
            _ => None,
        });
        let expected = match group_type {
            "consumer" => (Some(45_000), Some(5_000)),
            _ => (None, None),
        };
        assert_eq!(last.take(1).collect::<Vec<_>>(), [expected], "{group_type}");
    }
}

#[test]
fn a_member_that_comes_later_is_told_with_the_timeouts_at_once() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(
        ONE,
        "orders",
        Group::new("consumer", "Stable", 3, &[consumer("a", "a", 3)]),
    );
    cluster.run(ROUND);
    let two = [consumer("a", "a", 4), consumer("b", "b", 4)];
    cluster.put(ONE, "orders", Group::new("consumer", "Stable", 4, &two));
    cluster.run(Millis(2_000));
    let came = cluster
        .of_group("orders")
        .into_iter()
        .rev()
        .find_map(|change| match change {
            Change::MemberJoined(joined) if joined.client_id.as_deref() == Some("b") => Some(joined),
            _ => None,
        });
    assert_eq!(came.unwrap().session_timeout_ms, Some(45_000));
    assert_eq!(cluster.asked(ApiKey::DescribeConfigs), 1, "once in some minutes");
}

#[test]
fn a_right_to_settings_that_is_missing_is_told_once_and_costs_nothing_else() {
    let mut cluster = Cluster::of(&[ONE]);
    for group in ["bills", "orders"] {
        cluster.put(
            ONE,
            group,
            Group::new("consumer", "Stable", 3, &[consumer("a", "a", 3)]),
        );
        cluster.offsets.put(group, "t", 0, 3, at(ONE, 9));
        cluster.offsets.sealed.insert(group.to_owned());
    }
    cluster.run(Millis(700_000));
    let missing_on = |groups: &str| {
        format!(
            "DESCRIBE_CONFIGS on {groups}: session timeouts and heartbeat intervals of members are not visible"
        )
    };
    let right = missing_on("all 2 groups of the newer types");
    let rights = cluster.reports.iter().filter_map(|report| match &report.change {
        Change::NotAuthorized { error, right } => Some((report.group.clone(), *error, right.as_str())),
        _ => None,
    });
    assert_eq!(rights.collect::<Vec<_>>(), [(None, 30, &*right)]);
    assert_eq!(progress(&cluster, "orders").len(), 1);
    let last = |cluster: &Cluster| {
        let mut told = cluster.reports.iter().rev();
        told.find_map(|report| match &report.change {
            Change::NotAuthorized { right, .. } => Some((false, right.clone())),
            Change::Authorized { right } => Some((true, right.clone())),
            _ => None,
        })
    };
    cluster.offsets.sealed.remove("bills");
    cluster.run(Millis(30_000));
    assert_eq!(last(&cluster), Some((false, missing_on("group orders"))));
    cluster.offsets.sealed.clear();
    cluster.run(Millis(30_000));
    assert_eq!(last(&cluster), Some((true, missing_on("group orders"))));
}

/// A member in epoch 5 of a group in 7, with these partitions of `t`, which is to have those.
fn on_its_way(epoch: i32, owned: &[i32], target: &[i32]) -> Group {
    let mut seen = consumer("a", "a", epoch);
    seen.owned = owned.to_vec();
    seen.target = target.to_vec();
    Group::new("consumer", "Reconciling", 7, &[seen])
}

#[test]
fn a_member_on_its_way_is_told_with_what_it_gives_up_and_waits_for_and_when_it_has_arrived() {
    let mut cluster = Cluster::of(&[ONE]);
    for group in [
        on_its_way(7, &[1], &[1]),
        on_its_way(5, &[1, 3], &[1, 4]),
        on_its_way(5, &[1, 3], &[1, 4]),
        on_its_way(7, &[1], &[1, 4]),
        on_its_way(7, &[1, 4], &[1, 4]),
    ] {
        cluster.put(ONE, "orders", group);
        cluster.run(Millis(2_000));
    }
    let told = cluster
        .of_group("orders")
        .into_iter()
        .filter_map(|change| match change {
            Change::MemberReconciling(what) => Some(what),
            _ => None,
        });
    let numbers = |topics: &[shared::event::TopicPartitions]| -> Vec<i32> {
        topics.iter().flat_map(|topic| topic.partitions.clone()).collect()
    };
    let told = told.map(|what: Reconciling| {
        assert_eq!((what.target_epoch, what.unnamed), (Generation(7), 0));
        (
            what.epoch.0,
            numbers(&what.gives_up),
            numbers(&what.awaits),
            what.is_over(),
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (5, vec![3], vec![4], false),
            (7, vec![], vec![4], false),
            (7, vec![], vec![], true),
        ]
    );
}
