//! A group that is deleted, and another one of its name: what was told of the one is not of the other.

use super::*;
use crate::survey::brokers::{InLog, Kind, commit};

const LOG: InLog = InLog(Kind::Consumer, "orders");

/// What was told of its lives, in order, and how each rebalance ended.
fn lives(cluster: &Cluster) -> Vec<String> {
    let told = cluster.of_group("orders").into_iter();
    let lives = told.filter_map(|change| match change {
        Change::GroupFound { .. } => Some("found".to_owned()),
        Change::GroupGone { .. } => Some("gone".to_owned()),
        Change::RebalanceFinished(what) => Some(format!("generation {}", what.generation.0)),
        _ => None,
    });
    lives.collect()
}

/// `a` alone in generation 1, then nobody; and the group is deleted, as its coordinator's record tells.
fn deleted() -> Cluster {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    write(&mut cluster, 2, 0, &[]);
    put(&mut cluster, "Empty", &[]);
    cluster.run(Millis(3_000));
    cluster.write(&tombstone("orders"));
    cluster
}

#[test]
fn a_group_that_is_deleted_is_gone_when_its_coordinator_noted_that() {
    let mut cluster = deleted();
    let at = cluster.unix();
    cluster.take(ONE, "orders");
    cluster.run(Millis(100));
    let gone = last(&cluster, "group_gone").expect("it is gone");
    assert_eq!((gone.at, gone.at_earliest), (When::There(at), None));
    cluster.run(Millis(10_000));
    assert_eq!(lives(&cluster), ["found", "generation 2", "gone"]);
}

#[test]
fn a_list_that_still_names_a_deleted_group_does_not_bring_it_back() {
    let mut cluster = deleted();
    // Its coordinator lists what it had committed when it looked last.
    cluster.run(Millis(1_500));
    cluster.take(ONE, "orders");
    cluster.run(Millis(10_000));
    assert_eq!(lives(&cluster), ["found", "generation 2", "gone"]);
}

#[test]
fn a_group_made_anew_has_the_rebalances_and_members_of_its_own_life() {
    for apart in [0, 900] {
        let mut cluster = deleted();
        let deleted_at = cluster.unix();
        cluster.run(Millis(apart));
        write(&mut cluster, 0, 0, &[]);
        cluster.run(Millis(5));
        let began = cluster.unix();
        write(&mut cluster, 1, 0, &[sat("b", 0)]);
        put(&mut cluster, "Stable", &["b"]);
        cluster.run(Millis(5_000));
        assert_eq!(
            lives(&cluster)
                .into_iter()
                .filter(|what| what != "found")
                .collect::<Vec<_>>(),
            ["generation 2", "gone", "generation 1"],
            "{apart} ms later"
        );
        let shown = cluster.shown("orders");
        let rows: Vec<_> = shown.rebalances.iter().map(|row| row.generation).collect();
        assert_eq!(rows, [Some(Generation(1))]);
        let row = &shown.rebalances[0];
        assert_eq!(row.member.get(), Some(&MemberId::from("b")));
        let (started, earliest) = (row.started.get().copied(), row.started_earliest);
        assert!(started <= Some(began), "{started:?}");
        assert!(earliest.or(started) >= Some(deleted_at), "{earliest:?}");
        assert!(shown.departed.is_empty() && shown.members.len() == 1, "{shown:?}");
    }
}

#[test]
fn a_group_that_goes_on_as_one_of_another_type_was_never_gone() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    cluster.run(Millis(3_000));
    for record in [
        tombstone("orders"),
        newer("orders", "a", Some(45_000)),
        LOG.epoch(3, 7),
        LOG.target(3),
        LOG.stands("a", 3, true),
    ] {
        cluster.write(&record);
    }
    cluster.put(
        ONE,
        "orders",
        Group::new("consumer", "Stable", 3, &[consumer("a", "c", 3)]),
    );
    cluster.run(Millis(5_000));
    assert!(
        !lives(&cluster).contains(&"gone".to_owned()),
        "{:?}",
        lives(&cluster)
    );
    // And back.
    let [stood, gone] = LOG.gone("a");
    for record in [stood, gone, LOG.no_more()] {
        cluster.write(&record);
    }
    write(&mut cluster, 3, 0, &[sat("a", 0)]);
    put(&mut cluster, "Stable", &["a"]);
    cluster.run(Millis(5_000));
    assert!(
        !lives(&cluster).contains(&"gone".to_owned()),
        "{:?}",
        lives(&cluster)
    );
}

#[test]
fn an_empty_group_that_makes_way_for_one_of_another_type_is_another_one() {
    let mut cluster = cluster(&[]);
    write(&mut cluster, 3, 0, &[]);
    put(&mut cluster, "Empty", &[]);
    cluster.run(Millis(3_000));
    for record in [
        tombstone("orders"),
        LOG.member("a", None, &["t"]),
        LOG.epoch(1, 7),
        LOG.target(1),
        LOG.stands("a", 1, true),
    ] {
        cluster.write(&record);
    }
    cluster.put(
        ONE,
        "orders",
        Group::new("consumer", "Stable", 1, &[consumer("a", "c", 1)]),
    );
    cluster.run(Millis(5_000));
    assert_eq!(lives(&cluster), ["found", "gone", "generation 1", "found"]);
}

#[test]
fn a_tombstone_of_before_our_start_ends_nothing() {
    let mut cluster = cluster(&["a"]);
    cluster.write(&tombstone("orders"));
    write(&mut cluster, 1, 0, &[sat("a", 0)]);
    cluster.run(Millis(5_000));
    assert_eq!(lives(&cluster), ["found"]);
}

#[test]
fn a_group_that_only_commits_is_there_again_once_lists_can_be_no_older() {
    let mut cluster = cluster(&[]);
    put(&mut cluster, "Empty", &[]);
    cluster.write(&commit("orders", 0));
    cluster.run(Millis(3_000));
    cluster.write(&tombstone("orders"));
    cluster.write(&commit("orders", 0));
    cluster.run(Millis(1_000));
    assert_eq!(lives(&cluster), ["found", "gone"]);
    cluster.run(Millis(5_000));
    assert_eq!(lives(&cluster), ["found", "gone", "found"]);
}

#[test]
fn lists_and_looks_tell_the_same_without_the_log_and_nothing_of_what_nobody_leads() {
    for late in [false, true] {
        let mut cluster = cluster(&["a"]);
        write(&mut cluster, 2, 0, &[]);
        put(&mut cluster, "Empty", &[]);
        if !late {
            cluster.log.denied = true;
        }
        cluster.run(Millis(3_000));
        if late {
            cluster.log.move_to(NodeId(-1));
        }
        cluster.run(Millis(1_000));
        cluster.take(ONE, "orders");
        cluster.write(&tombstone("orders"));
        cluster.run(Millis(2_700));
        write(&mut cluster, 1, 0, &[sat("b", 0)]);
        put(&mut cluster, "Stable", &["b"]);
        cluster.run(Millis(3_000));
        // A partition that nobody leads may have it.
        let expected: &[&str] = if late {
            &["found"]
        } else {
            &["found", "gone", "found"]
        };
        assert_eq!(lives(&cluster), expected, "{late}");
        cluster.log.move_to(ONE);
        cluster.run(Millis(5_000));
        let gone = lives(&cluster).iter().filter(|what| *what == "gone").count();
        assert_eq!(gone, 1, "{late}: {:?}", lives(&cluster));
    }
}
