//! Answers that are the same as before.

use shared::event::Change;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, SECOND};
use crate::survey::brokers::{Cluster, Group, member};
use crate::survey::port::When;

fn asked(cluster: &Cluster) -> usize {
    cluster.asked(ApiKey::ListGroups) + cluster.asked(ApiKey::DescribeGroups)
}

fn told(cluster: &Cluster) -> usize {
    let kinds = cluster.reports.iter().map(|report| report.change.kind());
    kinds.filter(|kind| *kind != "broker_latency").count()
}

fn many() -> Cluster {
    let mut cluster = Cluster::of(&[ONE]);
    for number in 0..500 {
        let member = member(&format!("a-{number}"), "a");
        cluster.put(
            ONE,
            &format!("group-{number}"),
            Group::classic("Stable", &[member]),
        );
    }
    cluster.run(Millis(4_000));
    cluster
}

#[test]
fn groups_that_do_not_change_are_looked_at_as_often_and_no_answer_is_read_again() {
    let mut cluster = many();
    let (questions, same, reports) = (asked(&cluster), cluster.same, told(&cluster));
    cluster.run(Millis(10_000));
    assert_eq!(told(&cluster), reports);
    let questions = asked(&cluster) - questions;
    assert!(questions >= 20 + 6 * 3, "{questions} questions");
    // One may be out at either end.
    assert!(questions - (cluster.same - same) <= 2);
    assert!(cluster.longest_unseen() <= Millis(2_000));
}

#[test]
fn what_changes_among_many_is_seen_with_the_next_look() {
    let mut cluster = many();
    for round in 0..5 {
        let reports = told(&cluster);
        let come = member(&format!("b-{round}"), "b");
        cluster.put(ONE, "group-7", Group::classic("Stable", &[come]));
        cluster.run(Millis(2_000));
        let members = |kind: &str| {
            let new = cluster
                .reports
                .iter()
                .filter(|report| report.change.kind() == kind);
            new.filter_map(|report| report.member.clone()).next_back()
        };
        let come = format!("b-{round}");
        assert_eq!(members("member_joined"), Some(come.as_str().into()));
        assert!(told(&cluster) - reports < 10, "the others have not changed");
    }
}

#[test]
fn a_group_that_goes_was_there_until_the_last_list_that_was_the_same() {
    let mut cluster = many();
    cluster.run(Millis(10_000));
    let taken = cluster.now();
    cluster.take(ONE, "group-7");
    cluster.run(Millis(10_000));
    let gone = cluster
        .reports
        .iter()
        .find(|report| matches!(report.change, Change::GroupGone { .. }));
    let since = gone.and_then(|report| report.at_earliest);
    let Some(When::Here(since)) = since else {
        panic!("{since:?}")
    };
    assert!(
        since <= taken && since + SECOND >= taken,
        "{since:?}, taken at {taken:?}"
    );
}
