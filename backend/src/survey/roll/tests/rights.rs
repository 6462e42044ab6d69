//! What is said of lists that a missing right shortens.

use shared::event::Change;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, TWO, kinds};
use crate::survey::brokers::Cluster;
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
    let some_minutes = Millis(3 * 60_000);
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.run(some_minutes);
    assert_eq!(missing(&cluster), 0);
    let every = i32::MAX;
    cluster.operations = every & !rights::DESCRIBE;
    cluster.run(some_minutes);
    assert_eq!(missing(&cluster), 1);
    assert!(!kinds(&cluster).contains(&"authorized"));
    cluster.operations = every;
    cluster.run(some_minutes);
    assert_eq!(
        kinds(&cluster)
            .iter()
            .filter(|kind| **kind == "authorized")
            .count(),
        1
    );
    cluster.operations = 0;
    cluster.run(some_minutes);
    assert_eq!(missing(&cluster), 2);
    let asked = cluster.asked(ApiKey::DescribeCluster);
    assert!(
        (12..=13).contains(&asked),
        "once a minute, not {asked} times in 12"
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
