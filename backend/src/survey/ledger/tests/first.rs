//! The first look at the groups, for which the log waits; and the first rebalance of a group that comes while it is read.

use shared::event::{Change, RebalanceCause};
use shared::ids::MemberId;
use shared::protocol::ApiKey;
use shared::time::{Millis, UnixMs};

use super::{ONE, SECOND, TWO, cluster, sat, write};
use crate::limits;
use crate::survey::brokers::{Cluster, Group, group, member};
use crate::survey::port::{Report, When};

fn started(cluster: &Cluster) -> Vec<&Report> {
    let reports = cluster.reports.iter();
    reports
        .filter(|report| report.change.kind() == "rebalance_started")
        .collect()
}

#[test]
fn what_was_written_before_our_start_is_read_once_the_groups_were_looked_at() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.trip = Millis(600);
    let start = cluster.now();
    while cluster.asked(ApiKey::Fetch) == 0 {
        cluster.run(Millis(50));
    }
    assert!(cluster.asked(ApiKey::DescribeGroups) > 0);
    let waited = cluster.now().micros_since(start);
    assert!((600_000..2_000_000).contains(&waited), "{waited} µs");
}

#[test]
fn what_was_written_before_our_start_waits_2_s_at_most_for_a_broker_that_does_not_answer() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.freeze(TWO);
    let start = cluster.now();
    let read = |cluster: &Cluster| {
        let told = cluster.of_group("orders");
        told.iter().any(|change| change.kind() == "generation_formed")
    };
    while !read(&cluster) {
        assert!(cluster.now().micros_since(start) < 4_000_000, "it is not read");
        cluster.run(Millis(50));
    }
    let waited = cluster.now().micros_since(start);
    // No longer than that, and what reading takes.
    let most = limits::SURVEY_FIRST.as_micros() + 500_000;
    assert!((1_000_000..most).contains(&waited), "{waited} µs");
}

#[test]
fn one_that_is_over_before_a_list_has_the_group_began_after_the_last_without_it() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    let before = cluster.now();
    cluster.run(Millis(20));
    let formed = UnixMs(cluster.unix().0 - 10);
    cluster.write(&group("fresh", 1, formed, &[sat("f", 0)]));
    cluster.put(ONE, "fresh", Group::classic("Stable", &[member("f", "f")]));
    cluster.run(SECOND);
    let started = started(&cluster);
    assert_eq!(started.len(), 1, "{started:?}");
    assert_eq!(started[0].at, When::There(formed));
    let Some(When::Here(earliest)) = started[0].at_earliest else {
        panic!("{started:?}");
    };
    let apart = cluster.now().micros_since(earliest);
    assert!(
        earliest <= before + Millis(20) && apart <= 3_100_000,
        "{earliest:?} of {before:?}"
    );
    assert_eq!(
        started[0].change,
        Change::RebalanceStarted {
            cause: RebalanceCause::MemberJoined,
            member: Some(MemberId::from("f")),
            from_generation: None,
        }
    );
}

#[test]
fn of_several_that_came_into_a_new_group_nobody_is_named_as_its_cause() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    let formed = cluster.unix();
    cluster.write(&group("fresh", 1, formed, &[sat("f", 0), sat("g", 1)]));
    cluster.run(SECOND);
    let told = cluster.of_group("fresh");
    let end = told.iter().find_map(|change| match change {
        Change::RebalanceFinished(what) => Some((what.cause, what.member.clone())),
        _ => None,
    });
    assert_eq!(end, Some((RebalanceCause::MemberJoined, None)));
}
