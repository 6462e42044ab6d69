//! What is said of lists that a missing right shortens.

use std::collections::BTreeSet;

use shared::event::Change;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, TWO, kinds};
use crate::survey::brokers::{Cluster, Group, consumer};
use crate::survey::roll::rights;

#[test]
fn lists_shortened_for_want_of_a_right_are_told_once_and_again_when_it_was_there_meanwhile() {
    let missing = |cluster: &Cluster| {
        let told = cluster.reports.iter().filter(|report| {
            report.group.is_none()
                && matches!(&report.change, Change::NotAuthorized { error: 31, right } if right.contains("DESCRIBE on the cluster"))
        });
        told.count()
    };
    let half_a_minute = Millis(30_000);
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.run(half_a_minute);
    assert_eq!(missing(&cluster), 0);
    let every = i32::MAX;
    cluster.operations = every & !rights::DESCRIBE;
    cluster.run(half_a_minute);
    assert_eq!(missing(&cluster), 1);
    assert!(!kinds(&cluster).contains(&"authorized"));
    cluster.operations = every;
    cluster.run(half_a_minute);
    assert_eq!(
        kinds(&cluster)
            .iter()
            .filter(|kind| **kind == "authorized")
            .count(),
        1
    );
    cluster.operations = 0;
    cluster.run(half_a_minute);
    assert_eq!(missing(&cluster), 2);
    let asked = cluster.asked(ApiKey::DescribeCluster);
    assert!(
        (8..=9).contains(&asked),
        "every 15 s, not {asked} times in two minutes"
    );
}

#[test]
fn a_broker_that_does_not_tell_rights_is_not_said_to_deny_them() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.operations = i32::MIN;
    cluster.run(Millis(5_000));
    assert!(!kinds(&cluster).contains(&"not_authorized"));
}

#[test]
fn whoever_is_asked_for_rights_and_ends_is_asked_again() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.operations = 0;
    cluster.freeze(ONE);
    cluster.run(Millis(5_000));
    cluster.thaw(ONE);
    cluster.run(Millis(5_000));
    assert!(kinds(&cluster).contains(&"not_authorized"));
}

#[test]
fn a_list_that_is_refused_names_the_right_and_no_group_is_gone_for_it() {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.operations = i32::MIN;
    cluster.run(Millis(3_000));
    cluster.no_list = 31;
    cluster.run(Millis(10_000));
    let missing = cluster.reports.iter().filter(|report| {
        matches!(&report.change, Change::NotAuthorized { error: 31, right } if right.starts_with("DESCRIBE on the cluster"))
    });
    assert_eq!(missing.count(), 1);
    assert!(!kinds(&cluster).contains(&"group_gone"));
    cluster.no_list = 0;
    cluster.run(Millis(3_000));
    assert_eq!(
        kinds(&cluster)
            .iter()
            .filter(|kind| **kind == "authorized")
            .count(),
        1
    );
}

/// All that is known of it stays: it is as it was, for all that anybody can see.
#[test]
fn a_group_that_is_hidden_from_lists_and_looks_for_want_of_rights_is_not_gone() {
    for group_type in ["classic", "consumer", "share", "streams", "unheard-of"] {
        let mut cluster = Cluster::of(&[ONE, TWO]);
        let members = [consumer("a-1", "a", 3)];
        let group = || Group::new(group_type, "Stable", 3, &members);
        cluster.put(ONE, "orders", group());
        cluster.run(Millis(10_000));
        cluster.operations = i32::MAX & !rights::DESCRIBE;
        let mut hidden = Group::refused(group_type, 30);
        hidden.hidden = true;
        cluster.put(ONE, "orders", hidden);
        cluster.run(Millis(60_000));
        let told = kinds(&cluster);
        assert!(!told.contains(&"group_gone"), "{group_type}: {told:?}");
        // Of one that nobody can look at nothing is heard at all then.
        let doubted = told.contains(&"coordinator_not_found");
        assert_eq!(doubted, group_type == "unheard-of", "{told:?}");
        cluster.operations = i32::MAX;
        cluster.put(ONE, "orders", group());
        cluster.run(Millis(20_000));
        let found = kinds(&cluster)
            .iter()
            .filter(|kind| **kind == "group_found")
            .count();
        assert_eq!(found, 1, "{group_type}");
        // With the rights a list that lacks it is believed.
        cluster.take(ONE, "orders");
        cluster.run(Millis(30_000));
        assert!(kinds(&cluster).contains(&"group_gone"), "{group_type}");
    }
}

#[test]
fn a_right_that_is_missing_on_one_group_is_told_once_and_by_its_name() {
    for (group_type, code, wanted) in [
        ("classic", 30, "DESCRIBE on group orders"),
        ("consumer", 30, "DESCRIBE on group orders"),
        ("consumer", 29, "DESCRIBE on the topics of group orders"),
        ("consumer", 31, "DESCRIBE on the cluster, to look at group orders"),
    ] {
        let mut cluster = Cluster::of(&[ONE]);
        cluster.put(ONE, "orders", Group::refused(group_type, code));
        cluster.run(Millis(5_000));
        let told = cluster.of_group("orders");
        let rights = told.iter().filter_map(|change| match change {
            Change::NotAuthorized { error, right } => Some((*error, right.as_str())),
            _ => None,
        });
        assert_eq!(rights.collect::<Vec<_>>(), [(code, wanted)], "{group_type}");
    }
}

#[test]
fn a_right_that_is_granted_later_is_told_whatever_else_was_answered_meanwhile() {
    for group_type in ["classic", "consumer", "share", "streams"] {
        for meanwhile in [None, Some(15), Some(16), Some(30)] {
            let mut cluster = Cluster::of(&[ONE]);
            cluster.put(ONE, "orders", Group::refused(group_type, 29));
            cluster.run(Millis(5_000));
            if let Some(code) = meanwhile {
                cluster.put(ONE, "orders", Group::refused(group_type, code));
                cluster.run(Millis(5_000));
            }
            let members = [consumer("a-1", "a", 3)];
            cluster.put(ONE, "orders", Group::new(group_type, "Stable", 3, &members));
            cluster.run(Millis(5_000));
            let mut missing = BTreeSet::new();
            for change in cluster.of_group("orders") {
                match change {
                    Change::NotAuthorized { right, .. } => missing.insert(right),
                    Change::Authorized { right } => missing.remove(&right),
                    _ => false,
                };
            }
            assert!(missing.is_empty(), "{group_type}, {meanwhile:?}: {missing:?}");
            let seen = cluster.of_group("orders");
            assert!(
                seen.iter().any(|change| change.kind() == "member_joined"),
                "{group_type}"
            );
        }
    }
}
