//! Heartline is started again: what it knew is as it was until a coordinator tells, what became of it meanwhile is told once, and what
//! is as it was is not told anew.

use shared::event::{Change, GroupState};
use shared::health::Verdict;
use shared::ids::{Generation, NodeId};
use shared::time::{Millis, UnixMs};

use super::{ONE, TWO};
use crate::survey::before::BEFORE;
use crate::survey::brokers::{Cluster, Group, Log, Record, consumer, group, member, sat, tombstone};
use crate::survey::port::When;

const NOBODY: NodeId = NodeId(-1);
const IDS: [&str; 3] = ["orders", "newer", "idle"];

fn classic(members: &[&str]) -> Group {
    let members: Vec<_> = members.iter().map(|id| member(id, id)).collect();
    Group::classic("Stable", &members)
}

fn newer(epoch: i32, members: &[&str]) -> Group {
    let members: Vec<_> = members.iter().map(|id| consumer(id, id, epoch)).collect();
    Group::new("consumer", "Stable", epoch, &members)
}

fn write(cluster: &mut Cluster, generation: i32, members: &[&str]) -> UnixMs {
    let formed = cluster.unix();
    let sitting: Vec<_> = members
        .iter()
        .zip(0..)
        .map(|(id, owned)| sat(id, owned))
        .collect();
    let record: Record = group("orders", generation, formed, &sitting);
    cluster.write(&record);
    formed
}

/// Looked at for a while.
fn looked_at() -> Cluster {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    cluster.put(ONE, "orders", classic(&["a", "b"]));
    cluster.put(ONE, "newer", newer(4, &["x", "y"]));
    cluster.put(ONE, "idle", classic(&[]));
    write(&mut cluster, 2, &["a", "b"]);
    cluster.run(Millis(8_000));
    cluster
}

fn kinds(cluster: &Cluster, id: &str) -> Vec<&'static str> {
    cluster.of_group(id).iter().map(Change::kind).collect()
}

fn is_gone(cluster: &Cluster, id: &str) -> bool {
    cluster.verdict(id).verdict == Verdict::CoordinatorGone
}

#[test]
fn what_is_as_it_was_is_on_the_board_as_it_was_and_is_not_told_again() {
    let mut cluster = looked_at();
    let before = IDS.map(|id| cluster.shown(id));
    cluster.restart();
    for id in IDS {
        assert!(is_gone(&cluster, id), "{id}: nobody has looked yet");
    }
    cluster.run(Millis(8_000));
    for (id, was) in IDS.iter().zip(before) {
        let is = cluster.shown(id);
        assert!(!is_gone(&cluster, id), "{id}");
        assert_eq!(
            (is.state.get(), is.generation.get()),
            (was.state.get(), was.generation.get()),
            "{id}"
        );
        assert_eq!((is.state_since, is.since), (was.state_since, was.since), "{id}");
        let ids = |group: &shared::board::Group| -> Vec<_> {
            group
                .members
                .values()
                .map(|row| (row.id.clone(), row.since))
                .collect()
        };
        assert_eq!(ids(&is), ids(&was), "{id}");
        assert_eq!(
            (&is.departed, &is.rebalances),
            (&was.departed, &was.rebalances),
            "{id}"
        );
        let told = kinds(&cluster, id);
        for kind in [
            "group_found",
            "group_gone",
            "member_joined",
            "generation_formed",
            "group_state",
        ] {
            assert!(!told.contains(&kind), "{id}: {told:?}");
        }
    }
}

#[test]
fn who_came_and_went_and_what_was_turned_meanwhile_is_told_with_the_time_it_can_have_been() {
    let mut cluster = looked_at();
    let ended = cluster.unix();
    cluster.restart();
    cluster.put(ONE, "orders", classic(&["a", "c"]));
    cluster.put(ONE, "newer", newer(6, &["x"]));
    cluster.pass(Millis(5_000));
    let formed = write(&mut cluster, 3, &["a", "c"]);
    cluster.pass(Millis(5_000));
    cluster.run(Millis(8_000));

    let shown = cluster.shown("orders");
    assert_eq!(shown.generation.get(), Some(&Generation(3)));
    assert_eq!(shown.state.get(), Some(&GroupState::Stable));
    let row = shown.rebalances.first().expect("the rebalance");
    assert_eq!(
        (row.generation, row.from_generation.get()),
        (Some(Generation(3)), Some(&Generation(2)))
    );
    assert_eq!(row.finished.get(), Some(&formed));
    assert_eq!(
        (row.started_earliest, row.started_unbounded),
        (Some(ended), false)
    );
    assert_eq!(shown.rebalances.len(), 1);
    let ids: Vec<&str> = shown.members.keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["a", "c"]);
    assert!(
        shown.members.values().next().unwrap().since < ended,
        "a was there all along"
    );
    let gone = shown.departed.first().expect("b went");
    assert_eq!((gone.id.as_str(), gone.end.at_earliest), ("b", Some(ended)));
    assert!(
        gone.end
            .cause
            .starts_with("It went while Heartline was not running."),
        "{:?}",
        gone.end
    );
    assert!(gone.since.is_some_and(|since| since < ended));

    let shown = cluster.shown("newer");
    assert_eq!(shown.generation.get(), Some(&Generation(6)));
    let row = shown.rebalances.first().expect("the rebalance");
    assert_eq!(
        (row.generation, row.from_generation.get(), row.missed.get()),
        (Some(Generation(6)), Some(&Generation(4)), Some(&1))
    );
    assert_eq!(shown.departed.len(), 1);
}

#[test]
fn a_classic_group_deleted_and_made_anew_meanwhile_is_another_one_with_its_own_generation() {
    for late in [false, true] {
        let mut cluster = looked_at();
        let ended = cluster.unix();
        cluster.restart();
        cluster.put(ONE, "orders", classic(&["n"]));
        cluster.pass(Millis(5_000));
        cluster.write(&tombstone("orders"));
        let formed = write(&mut cluster, 1, &["n"]);
        cluster.pass(Millis(5_000));
        // Its members are seen before the log is read, or with it.
        cluster.log.denied = late;
        cluster.run(Millis(8_000));
        cluster.log.denied = false;
        cluster.run(Millis(90_000));

        let told = kinds(&cluster, "orders");
        let count = |kind: &str| told.iter().filter(|told| **told == kind).count();
        assert_eq!(
            (count("group_gone"), count("group_found")),
            (1, 1),
            "{late}: {told:?}"
        );
        let gone = cluster
            .reports
            .iter()
            .find(|report| report.change.kind() == "group_gone")
            .unwrap();
        assert_eq!(
            (gone.at, gone.at_earliest),
            (When::There(formed), Some(When::Here(BEFORE)))
        );
        let shown = cluster.shown("orders");
        assert_eq!(shown.generation.get(), Some(&Generation(1)), "{late}");
        assert_eq!(shown.state.get(), Some(&GroupState::Stable));
        let ids: Vec<_> = shown
            .members
            .values()
            .map(|row| (row.id.as_str(), row.generation.get().copied()))
            .collect();
        assert_eq!(ids, [("n", Some(Generation(1)))]);
        assert!(shown.departed.is_empty(), "{late}: {:?}", shown.departed);
        let rows: Vec<_> = shown
            .rebalances
            .iter()
            .map(|row| (row.generation, row.finished.get().copied(), row.started_earliest))
            .collect();
        assert_eq!(
            rows,
            [(Some(Generation(1)), Some(formed), Some(ended))],
            "{late}: {told:?}"
        );
    }
}

#[test]
fn a_log_that_lost_its_end_makes_no_other_group_of_one_that_still_has_a_member_of_before() {
    let mut cluster = looked_at();
    cluster.restart();
    cluster.put(ONE, "orders", classic(&["a", "b"]));
    write(&mut cluster, 1, &["a", "b"]);
    cluster.pass(Millis(5_000));
    cluster.run(Millis(8_000));
    let told = kinds(&cluster, "orders");
    assert!(!told.contains(&"group_gone"), "{told:?}");
}

#[test]
fn while_nobody_leads_their_partitions_groups_stay_not_answered_for_and_are_never_gone() {
    for answers in [true, false] {
        let mut cluster = looked_at();
        cluster.log.move_to(NOBODY);
        for id in IDS {
            cluster.take(ONE, id);
        }
        cluster.unreachable = !answers;
        if !answers {
            cluster.freeze(ONE);
            cluster.freeze(TWO);
        }
        cluster.restart();
        for step in 0..100 {
            cluster.run(Millis(700));
            for id in IDS {
                assert!(is_gone(&cluster, id), "{id}, {step}: {:?}", cluster.verdict(id));
            }
        }
        cluster.unreachable = false;
        cluster.thaw(ONE);
        cluster.thaw(TWO);
        cluster.log.move_to(TWO);
        cluster.put(TWO, "orders", classic(&["a", "b"]));
        cluster.put(TWO, "newer", newer(4, &["x", "y"]));
        cluster.run(Millis(20_000));
        for id in ["orders", "newer"] {
            assert!(!is_gone(&cluster, id), "{id}");
            assert_eq!(cluster.shown(id).coordinator.as_ref().unwrap().node, TWO);
            assert_eq!(cluster.shown(id).members.len(), 2);
        }
        // One that is not there any more is told to be gone, since it was seen last.
        assert!(
            kinds(&cluster, "idle").contains(&"group_gone"),
            "{answers}: {:?}",
            kinds(&cluster, "idle")
        );
    }
}
