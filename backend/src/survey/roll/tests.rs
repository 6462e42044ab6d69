//! The roll against brokers in memory: simulated time, every request and every report seen.

mod before;
mod brokers;
mod epochs;
mod outage;
mod rights;
mod same;
mod unanswered;
mod words;

use std::collections::BTreeMap;

use shared::event::{Change, GroupState, RebalanceCause};
use shared::histogram::bucket_of;
use shared::ids::{MemberId, NodeId};
use shared::protocol::ApiKey;
use shared::time::Millis;

use crate::limits;
use crate::survey::brokers::{Cluster, Group, TRIP, fixed, member};
use crate::survey::port::When;

const SECOND: Millis = Millis(1_000);
const ONE: NodeId = NodeId(1);
const TWO: NodeId = NodeId(2);

fn kinds(cluster: &Cluster) -> Vec<&'static str> {
    cluster
        .reports
        .iter()
        .map(|report| report.change.kind())
        .collect()
}

#[test]
fn a_group_is_found_with_its_coordinator_its_state_and_its_members() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(SECOND);
    assert_eq!(
        kinds(&cluster),
        [
            "offsets_log",
            "broker_answers",
            "group_found",
            // All at once, as it was found.
            "group_described",
            "coordinator_found",
            "group_state",
            "group_described",
            "member_joined",
            "member_assigned"
        ]
    );
}

#[test]
fn a_group_that_comes_while_it_is_watched_is_told_thing_by_thing() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.run(Millis(3_000));
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(SECOND);
    let told: Vec<&str> = cluster.of_group("orders").iter().map(Change::kind).collect();
    assert!(told.contains(&"member_joined"), "{told:?}");
    assert!(!told.contains(&"group_described"), "{told:?}");
}

#[test]
fn every_group_is_looked_at_at_least_every_two_seconds_and_many_in_one_request() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    for number in 0..1_000 {
        let node = if number % 2 == 0 { ONE } else { TWO };
        cluster.put(node, &format!("group-{number}"), Group::classic("Empty", &[]));
    }
    cluster.run(Millis(20_000));
    assert!(
        cluster.longest_unseen() <= Millis(2_000),
        "{:?}",
        cluster.longest_unseen()
    );
    let looks = cluster.asked(ApiKey::DescribeGroups);
    assert!(looks < 200, "{looks} requests for 13 looks at 1,000 groups");
}

#[test]
fn a_group_on_its_way_to_another_state_is_looked_at_at_least_twice_a_second() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(
        ONE,
        "orders",
        Group::classic("PreparingRebalance", &[member("a-1", "a")]),
    );
    cluster.run(SECOND);
    let before = cluster.asked(ApiKey::DescribeGroups);
    cluster.run(Millis(10_000));
    assert!(cluster.asked(ApiKey::DescribeGroups) - before >= 20);
}

#[test]
fn no_broker_has_more_than_a_few_of_our_requests_at_once() {
    let mut cluster = Cluster::of(&[ONE]);
    for number in 0..5_000 {
        cluster.put(ONE, &format!("group-{number}"), Group::classic("Empty", &[]));
    }
    cluster.run(Millis(5_000));
    // Beside the looks there may be a list, and the question who is there.
    assert!(cluster.most_unanswered <= limits::SURVEY_UNANSWERED + 2);
}

#[test]
fn each_type_is_asked_for_by_its_own_call() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "old", Group::classic("Stable", &[]));
    cluster.put(ONE, "new", Group::new("consumer", "Stable", 3, &[]));
    cluster.put(ONE, "shared", Group::new("share", "Stable", 3, &[]));
    cluster.put(ONE, "flow", Group::new("streams", "Stable", 3, &[]));
    cluster.put(ONE, "odd", Group::new("quorum", "Voting", 3, &[]));
    cluster.run(SECOND);
    for api in [
        ApiKey::DescribeGroups,
        ApiKey::ConsumerGroupDescribe,
        ApiKey::ShareGroupDescribe,
        ApiKey::StreamsGroupDescribe,
    ] {
        assert!(cluster.asked(api) > 0, "{api}");
    }
    let odd = cluster.of_group("odd");
    assert!(odd.contains(&Change::GroupState {
        from: None,
        to: GroupState::Other("Voting".into())
    }));
}

#[test]
fn what_the_members_of_a_group_speak_is_told_and_told_again_when_it_is_something_else() {
    let mut cluster = Cluster::of(&[ONE]);
    for speaks in ["", "connect", "connect"] {
        let mut group = Group::classic("Empty", &[]);
        group.protocol_type = speaks.to_owned();
        cluster.put(ONE, "orders", group);
        cluster.run(Millis(3_000));
    }
    let told = cluster
        .of_group("orders")
        .into_iter()
        .filter_map(|change| match change {
            Change::GroupFound { protocol_type, .. } => protocol_type,
            _ => None,
        });
    assert_eq!(told.collect::<Vec<_>>(), ["", "connect"]);
}

#[test]
fn a_member_that_comes_and_one_that_goes_are_told_with_the_time_in_which_that_was() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("b-1", "b")]));
    cluster.run(Millis(3_000));
    let gone = cluster
        .reports
        .iter()
        .find(|report| report.change.kind() == "member_gone");
    let gone = gone.expect("a-1 is gone");
    assert_eq!(gone.member, Some(MemberId::from("a-1")));
    assert!(gone.at_earliest.is_some_and(|earliest| earliest != gone.at));
    let came = cluster
        .reports
        .iter()
        .rev()
        .find(|report| report.change.kind() == "member_joined");
    assert_eq!(
        came.and_then(|report| report.member.clone()),
        Some(MemberId::from("b-1"))
    );
    assert!(came.is_some_and(|report| report.at_earliest.is_some()));
}

#[test]
fn a_static_member_under_a_new_id_was_replaced() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[fixed("a-1", "i")]));
    cluster.run(Millis(3_000));
    cluster.put(ONE, "orders", Group::classic("Stable", &[fixed("a-2", "i")]));
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    assert!(told.iter().any(|change| matches!(
        change,
        Change::MemberReplaced { by: Some(by), .. } if by.as_str() == "a-2"
    )));
}

#[test]
fn a_classic_rebalance_begins_between_the_last_look_at_rest_and_the_first_sign() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    let two = [member("a-1", "a"), member("b-1", "b")];
    cluster.put(ONE, "orders", Group::classic("PreparingRebalance", &two));
    cluster.run(SECOND);
    let started = cluster
        .reports
        .iter()
        .find(|report| report.change.kind() == "rebalance_started");
    let started = started.expect("it rebalances");
    assert_eq!(
        started.change,
        Change::RebalanceStarted {
            cause: RebalanceCause::MemberJoined,
            member: Some(MemberId::from("b-1")),
            from_generation: None,
        }
    );
    assert!(started.at_earliest.is_some());
}

#[test]
fn the_first_rebalance_of_a_group_that_comes_begins_between_the_last_list_without_it_and_the_first_sign() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "old", Group::classic("Stable", &[member("o-1", "o")]));
    cluster.run(Millis(3_000));
    let before = cluster.now();
    let two = [member("a-1", "a"), member("b-1", "b")];
    cluster.put(TWO, "orders", Group::classic("PreparingRebalance", &two));
    cluster.run(Millis(3_000));
    let started: Vec<_> = cluster
        .reports
        .iter()
        .filter(|report| report.change.kind() == "rebalance_started")
        .collect();
    assert_eq!(started.len(), 1, "{started:?}");
    assert_eq!(
        started[0].change,
        Change::RebalanceStarted {
            cause: RebalanceCause::MemberJoined,
            member: None,
            from_generation: None,
        },
        "who of two came first is not visible"
    );
    let (Some(When::Here(earliest)), When::Here(at)) = (started[0].at_earliest, started[0].at) else {
        panic!("{started:?}");
    };
    assert!(earliest <= before && at > before, "{earliest:?} to {at:?}");
    assert!(
        before.micros_since(earliest) <= 1_000_000,
        "{earliest:?} of {before:?}"
    );
}

#[test]
fn a_group_whose_coordinator_moved_is_found_there_and_was_never_gone() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    cluster.take(ONE, "orders");
    cluster.run(Millis(2_000));
    cluster.put(TWO, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    assert!(!told.iter().any(|change| change.kind() == "group_gone"));
    let found = told.iter().rev().find_map(|change| match change {
        Change::CoordinatorFound { node, .. } => Some(*node),
        _ => None,
    });
    assert_eq!(found, Some(TWO));
}

#[test]
fn a_group_on_nobodys_list_is_gone() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.run(Millis(3_000));
    cluster.take(ONE, "orders");
    cluster.run(Millis(4_000));
    assert_eq!(
        cluster.of_group("orders").last().map(Change::kind),
        Some("group_gone")
    );
}

/// Request and how often it was timed.
fn trips(cluster: &Cluster) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for report in &cluster.reports {
        if let Change::BrokerLatency { node: ONE, trips } = &report.change {
            for trip in trips {
                assert_eq!(
                    trip.buckets.keys().collect::<Vec<_>>(),
                    [&bucket_of(TRIP.as_micros())],
                    "{}",
                    trip.api
                );
                *counts.entry(trip.api.clone()).or_default() += trip.buckets.values().sum::<u32>();
            }
        }
    }
    counts
}

#[test]
fn round_trips_are_told_once_a_second_apis_apart() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(10_500));
    let told = kinds(&cluster)
        .iter()
        .filter(|kind| **kind == "broker_latency")
        .count();
    assert_eq!(told, 10);
    let trips = trips(&cluster);
    assert_eq!(trips.get("ApiVersions"), Some(&10), "{trips:?}");
    assert!(trips.get("DescribeGroups") >= Some(&5), "{trips:?}");
    assert!(trips.get("ListGroups") >= Some(&15), "{trips:?}");
}

#[test]
fn what_is_sent_behind_another_request_is_no_round_trip() {
    let mut cluster = Cluster::of(&[ONE]);
    for number in 0..5_000 {
        cluster.put(ONE, &format!("group-{number}"), Group::classic("Empty", &[]));
    }
    cluster.run(Millis(3_500));
    // Of the batches of a look all but the first have another before them.
    let asked = cluster.asked(ApiKey::DescribeGroups);
    let timed = trips(&cluster).get("DescribeGroups").copied().unwrap_or(0);
    assert!(timed > 0 && (timed as usize) < asked / 2, "{timed} of {asked}");
}
