//! Brokers that come, go, fall silent and move what they coordinate; clusters that are not there at the start.

use shared::event::{Change, GroupState, LinkFault};
use shared::ids::NodeId;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, SECOND, TWO, kinds};
use crate::survey::brokers::{Cluster, Group, Log, member};

/// What was told of a broker, but for how fast it is.
fn of_broker(cluster: &Cluster, of: NodeId) -> Vec<&'static str> {
    let changes = cluster.reports.iter().map(|report| &report.change);
    let of_it = changes.filter(|change| {
        matches!(change, Change::BrokerSilent { node, .. } | Change::BrokerAnswers { node, .. } | Change::BrokerGone { node }
            if *node == of)
    });
    of_it.map(Change::kind).collect()
}

fn coordinators(cluster: &Cluster, group: &str) -> Vec<NodeId> {
    let told = cluster.of_group(group).into_iter();
    told.filter_map(|change| match change {
        Change::CoordinatorFound { node, .. } => Some(node),
        _ => None,
    })
    .collect()
}

#[test]
fn a_broker_that_does_not_answer_is_told_once_and_its_groups_stay() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "here", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.put(TWO, "there", Group::classic("Stable", &[member("b-1", "b")]));
    cluster.run(Millis(3_000));
    cluster.freeze(TWO);
    cluster.run(Millis(30_000));
    let silent: Vec<_> = cluster
        .reports
        .iter()
        .filter(|report| matches!(report.change, Change::BrokerSilent { node, .. } if node == TWO))
        .collect();
    assert_eq!(silent.len(), 1);
    assert!(matches!(
        &silent[0].change,
        Change::BrokerSilent {
            cause: LinkFault::Timeout,
            ..
        }
    ));
    assert!(silent[0].at_earliest.is_some(), "since its last answer");
    assert!(cluster.unseen_for("here") <= Millis(2_000));
    assert!(!kinds(&cluster).contains(&"group_gone") && !kinds(&cluster).contains(&"member_gone"));

    cluster.thaw(TWO);
    cluster.run(Millis(3_000));
    assert_eq!(
        of_broker(&cluster, TWO),
        ["broker_answers", "broker_silent", "broker_answers"]
    );
    assert!(cluster.unseen_for("there") <= Millis(2_000));
}

#[test]
fn a_cluster_that_is_down_at_the_start_is_asked_again_and_told_once() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.unreachable = true;
    cluster.run(Millis(5_000));
    assert_eq!(kinds(&cluster), ["coordinator_not_found"]);
    cluster.unreachable = false;
    cluster.run(Millis(2_000));
    assert!(kinds(&cluster).contains(&"group_found"));
}

#[test]
fn a_cluster_that_is_gone_again_is_told_again() {
    let mut cluster = Cluster::of(&[ONE]);
    let not_found = |cluster: &Cluster| {
        let all = kinds(cluster);
        all.iter()
            .filter(|kind| **kind == "coordinator_not_found")
            .count()
    };
    cluster.unreachable = true;
    cluster.run(SECOND);
    cluster.unreachable = false;
    cluster.run(SECOND);
    for times in 2..4 {
        cluster.unreachable = true;
        cluster.freeze(ONE);
        cluster.run(Millis(10_000));
        assert_eq!(not_found(&cluster), times);
        // Of its broker is known where it is: nobody else needs to be asked for the way there.
        cluster.thaw(ONE);
        cluster.run(Millis(10_000));
        assert_eq!(of_broker(&cluster, ONE).last(), Some(&"broker_answers"));
    }
}

#[test]
fn a_cluster_without_a_group_tells_which_brokers_answer() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.run(Millis(5_000));
    assert_eq!(of_broker(&cluster, ONE), ["broker_answers"]);
    assert_eq!(of_broker(&cluster, TWO), ["broker_answers"]);
    assert!(cluster.survey().coordinators().busy.is_empty());
    assert_eq!(cluster.asked(ApiKey::DescribeGroups), 0);
}

#[test]
fn a_broker_that_comes_later_is_found_with_its_groups() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.leave(TWO);
    cluster.put(TWO, "orders", Group::classic("Empty", &[]));
    cluster.run(Millis(5_000));
    assert!(of_broker(&cluster, TWO).is_empty() && coordinators(&cluster, "orders").is_empty());
    cluster.come(TWO);
    cluster.run(Millis(3_000));
    assert_eq!(of_broker(&cluster, TWO), ["broker_answers"]);
    assert_eq!(coordinators(&cluster, "orders"), [TWO]);
}

#[test]
fn a_broker_that_left_is_told_once_and_left_alone_when_its_groups_are_elsewhere() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(TWO, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    cluster.leave(TWO);
    cluster.run(Millis(10_000));
    let mut told = of_broker(&cluster, TWO);
    told.sort_unstable();
    assert_eq!(told, ["broker_answers", "broker_gone", "broker_silent"]);
    assert!(
        !cluster
            .of_group("orders")
            .iter()
            .any(|change| change.kind() == "group_gone")
    );

    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(5_000));
    assert_eq!(coordinators(&cluster, "orders"), [TWO, ONE]);
    let tried = cluster.opened(TWO);
    cluster.run(Millis(30_000));
    assert_eq!(cluster.opened(TWO), tried, "nobody waits for it any more");

    cluster.come(TWO);
    cluster.run(Millis(3_000));
    assert_eq!(of_broker(&cluster, TWO).last(), Some(&"broker_answers"));
    assert_eq!(of_broker(&cluster, TWO).len(), 4);
}

#[test]
fn a_broker_that_left_keeps_no_group_of_another_from_being_gone() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(ONE, "here", Group::classic("Empty", &[]));
    cluster.put(TWO, "there", Group::classic("Empty", &[]));
    cluster.run(Millis(3_000));
    cluster.freeze(TWO);
    cluster.take(ONE, "here");
    cluster.run(Millis(10_000));
    let is_gone = |cluster: &Cluster, id: &str| {
        cluster
            .of_group(id)
            .iter()
            .any(|change| change.kind() == "group_gone")
    };
    assert!(!is_gone(&cluster, "here"), "the silent one may have it");
    cluster.leave(TWO);
    cluster.run(Millis(10_000));
    assert!(is_gone(&cluster, "here"));
    assert!(
        !is_gone(&cluster, "there"),
        "nobody else leads its partition, as far as is known"
    );
}

#[test]
fn a_group_of_a_broker_that_left_is_gone_once_whoever_leads_its_partition_does_not_list_it() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(TWO);
    cluster.put(TWO, "there", Group::classic("Empty", &[]));
    cluster.run(Millis(3_000));
    cluster.leave(TWO);
    cluster.run(Millis(10_000));
    assert!(
        !cluster
            .of_group("there")
            .iter()
            .any(|change| change.kind() == "group_gone")
    );
    cluster.log.move_to(ONE);
    cluster.run(Millis(10_000));
    assert_eq!(
        cluster.of_group("there").last().map(Change::kind),
        Some("group_gone")
    );
}

#[test]
fn a_broker_that_knows_of_no_broker_says_nothing_of_who_left() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.put(TWO, "orders", Group::classic("Empty", &[]));
    cluster.run(Millis(3_000));
    cluster.uninformed = true;
    cluster.run(Millis(10_000));
    assert_eq!(of_broker(&cluster, ONE), ["broker_answers"]);
    assert_eq!(of_broker(&cluster, TWO), ["broker_answers"]);
    assert!(cluster.unseen_for("orders") <= Millis(2_000));
}

#[test]
fn a_group_whose_partition_nobody_led_before_was_not_made_since_the_last_lists() {
    for led in [true, false] {
        let mut cluster = Cluster::of(&[ONE, TWO]);
        cluster.log = Log::led_by(if led { TWO } else { NodeId(-1) });
        cluster.run(Millis(5_000));
        cluster.log.move_to(TWO);
        cluster.put(
            TWO,
            "orders",
            Group::classic("PreparingRebalance", &[member("a-1", "a")]),
        );
        cluster.run(Millis(3_000));
        let told: Vec<&str> = cluster.of_group("orders").iter().map(Change::kind).collect();
        assert_eq!(told.contains(&"group_described"), !led, "{told:?}");
        // Made just now it began to rebalance since then; else it may have rebalanced for long.
        let started = cluster
            .reports
            .iter()
            .find(|report| report.change.kind() == "rebalance_started");
        let since = started.map(|report| report.at_earliest.is_some());
        assert_eq!(since, Some(led), "{told:?}");
    }
}

#[test]
fn groups_whose_partition_of_the_offsets_log_nobody_leads_are_on_no_list_and_not_gone() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    cluster.put(ONE, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    cluster.log.move_to(NodeId(-1));
    cluster.take(ONE, "orders");
    cluster.run(Millis(60_000));
    assert!(!kinds(&cluster).contains(&"group_gone"));

    cluster.log.move_to(TWO);
    cluster.put(TWO, "orders", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.run(Millis(3_000));
    assert_eq!(coordinators(&cluster, "orders"), [ONE, TWO]);
    assert!(!kinds(&cluster).contains(&"member_gone"));

    cluster.take(TWO, "orders");
    cluster.run(Millis(6_000));
    assert!(
        kinds(&cluster).contains(&"group_gone"),
        "its partition is led, and its leader does not list it"
    );
}

#[test]
fn groups_that_a_coordinator_has_not_read_yet_are_on_no_list_and_not_gone() {
    let orders = || Group::classic("Stable", &[member("a-1", "a")]);
    for (log, moves) in [
        (Log::led_by(ONE), true),
        (Log::led_by(ONE), false),
        (Log::default(), false),
    ] {
        let mut cluster = Cluster::of(&[ONE, TWO]);
        cluster.log = log;
        cluster.put(ONE, "orders", orders());
        cluster.put(ONE, "billing", Group::classic("Empty", &[]));
        cluster.run(Millis(3_000));
        let coordinator = if moves { TWO } else { ONE };
        if moves {
            cluster.log.move_to(TWO);
            // This one is deleted meanwhile.
            cluster.take(ONE, "billing");
        }
        cluster.take(ONE, "orders");
        cluster.put(coordinator, "orders", orders().not_described(14));
        cluster.run(Millis(90_000));
        let gone = |cluster: &Cluster, id: &str| {
            let told = cluster.of_group(id);
            told.iter().any(|change| change.kind() == "group_gone")
        };
        assert!(!gone(&cluster, "orders"));
        assert_eq!(gone(&cluster, "billing"), moves, "its new coordinator has none");

        cluster.put(coordinator, "orders", orders());
        cluster.run(Millis(3_000));
        assert!(!gone(&cluster, "orders") && !kinds(&cluster).contains(&"member_gone"));
        cluster.take(coordinator, "orders");
        cluster.run(Millis(6_000));
        assert!(gone(&cluster, "orders"));
    }
}

#[test]
fn a_coordinator_that_has_not_started_answers_15_and_none_of_its_groups_is_gone() {
    let mut cluster = Cluster::of(&[ONE]);
    let orders = || Group::classic("Stable", &[member("a-1", "a")]);
    cluster.put(ONE, "orders", orders());
    cluster.run(Millis(3_000));
    cluster.no_list = 15;
    cluster.put(ONE, "orders", orders().not_described(15));
    cluster.run(Millis(90_000));
    let told = cluster.of_group("orders");
    let refused: Vec<i16> = (told.iter())
        .filter_map(|change| match change {
            Change::RequestRefused { error, .. } => Some(*error),
            _ => None,
        })
        .collect();
    assert_eq!(refused, [15], "told once");
    assert!(!kinds(&cluster).contains(&"group_gone") && !kinds(&cluster).contains(&"member_gone"));

    cluster.no_list = 0;
    cluster.put(ONE, "orders", orders());
    cluster.run(Millis(3_000));
    let shown = cluster.shown("orders");
    assert_eq!(shown.members.len(), 1);
    assert_eq!(shown.state.get(), Some(&GroupState::Stable));
}
