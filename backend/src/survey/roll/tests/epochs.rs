//! Groups with epochs: consumer (KIP-848), share, streams.

use shared::event::{Change, GroupState, RebalanceCause};
use shared::ids::{Generation, MemberId};
use shared::time::Millis;

use super::{ONE, SECOND};
use crate::survey::brokers::{Cluster, Group, consumer, member};

#[test]
fn a_rebalance_of_a_group_with_epochs_is_told_even_where_it_is_over_between_two_looks() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(
        ONE,
        "orders",
        Group::new("consumer", "Stable", 3, &[consumer("a", "a", 3)]),
    );
    cluster.run(Millis(3_000));
    let two = [consumer("a", "a", 5), consumer("b", "b", 5)];
    cluster.put(ONE, "orders", Group::new("consumer", "Stable", 5, &two));
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    let finished = told.iter().find_map(|change| match change {
        Change::RebalanceFinished(what) => Some(what),
        _ => None,
    });
    let finished = finished.expect("it rebalanced");
    assert_eq!(finished.generation, Generation(5));
    assert_eq!(finished.from_generation, Some(Generation(3)));
    assert_eq!(finished.cause, RebalanceCause::MemberJoined);
    assert_eq!(finished.member, Some(MemberId::from("b")));
    assert_eq!(finished.missed, 1);
    assert_eq!(finished.took_ms, None);
    let started = told.iter().any(|change| change.kind() == "rebalance_started");
    assert!(
        !started,
        "when it began is not visible, so that no length follows from it"
    );
}

#[test]
fn of_a_rebalance_that_ran_when_the_group_was_first_seen_it_is_not_visible_what_it_began_at() {
    let mut cluster = Cluster::of(&[ONE]);
    let members = [consumer("a", "a", 3), consumer("b", "b", 3)];
    cluster.put(ONE, "orders", Group::new("consumer", "Reconciling", 3, &members));
    cluster.run(Millis(3_000));
    cluster.put(ONE, "orders", Group::new("consumer", "Stable", 3, &members));
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    let finished = told.iter().find_map(|change| match change {
        Change::RebalanceFinished(what) => Some((what.generation, what.from_generation)),
        _ => None,
    });
    assert_eq!(finished, Some((Generation(3), None)));
}

#[test]
fn a_group_with_epochs_that_rests_when_it_is_first_seen_tells_its_epoch_and_its_assignor() {
    for group_type in ["consumer", "share", "streams"] {
        let mut cluster = Cluster::of(&[ONE]);
        let group = Group::new(group_type, "Stable", 3, &[consumer("a", "a", 3)]);
        cluster.put(ONE, "orders", group);
        cluster.run(SECOND);
        let told = cluster.of_group("orders").into_iter();
        let formed = told.filter_map(|change| match change {
            Change::GenerationFormed {
                generation, protocol, ..
            } => Some((generation, protocol)),
            _ => None,
        });
        let expected = (Generation(3), Some("uniform".to_owned()));
        assert_eq!(formed.collect::<Vec<_>>(), [expected], "{group_type}");
    }
}

#[test]
fn a_group_upgraded_to_the_consumer_protocol_is_no_dead_group() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    cluster.put(
        ONE,
        "orders",
        Group::new("consumer", "Stable", 7, &[consumer("a-1", "a", 7)]),
    );
    cluster.run(Millis(3_000));
    let told = cluster.of_group("orders");
    assert!(!told.iter().any(|change| matches!(
        change,
        Change::GroupGone { .. }
            | Change::MemberGone { .. }
            | Change::GroupState {
                to: GroupState::Dead,
                ..
            }
    )));
    assert_eq!(
        told.iter()
            .filter(|change| change.kind() == "group_found")
            .count(),
        2
    );
}

#[test]
fn a_group_described_as_what_it_no_longer_is_is_refused_with_69_and_then_described_as_what_it_is() {
    let mut cluster = Cluster::of(&[ONE]);
    let members = [consumer("a", "a", 3)];
    cluster.put(ONE, "orders", Group::new("consumer", "Stable", 3, &members));
    cluster.run(Millis(3_000));
    // It became a share group after the last list, and before the next description.
    cluster.put(
        ONE,
        "orders",
        Group::new("share", "Stable", 9, &[consumer("b", "b", 9)]),
    );
    cluster.run(Millis(6_000));
    let told = cluster.of_group("orders");
    let refused = told.iter().filter(|change| match change {
        Change::RequestRefused { api, error, .. } => {
            assert_eq!((api.as_str(), *error), ("ConsumerGroupDescribe", 69));
            true
        }
        _ => false,
    });
    assert!(refused.count() <= 1, "told once, if at all");
    let kinds: Vec<_> = told.iter().map(Change::kind).collect();
    assert!(!kinds.contains(&"group_gone"), "{kinds:?}");
    let found = told.iter().filter(|change| change.kind() == "group_found");
    assert_eq!(found.count(), 2);
    let mut joined = cluster
        .reports
        .iter()
        .filter(|report| report.change.kind() == "member_joined");
    assert_eq!(
        joined.next_back().and_then(|report| report.member.clone()),
        Some(MemberId::from("b"))
    );
}
