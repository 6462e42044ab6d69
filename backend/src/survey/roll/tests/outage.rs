//! All brokers of a cluster are gone for a while, and its groups rebalance as soon as they are back: nothing of that is lost, and
//! nothing is told twice or earlier than it can be known.

use shared::event::Change;
use shared::ids::NodeId;
use shared::time::Millis;

use super::{ONE, TWO};
use crate::survey::brokers::{Cluster, Group, InLog, Kind, Log, Record, consumer, group, member, sat};

const THREE: NodeId = NodeId(3);
const ALL: [NodeId; 3] = [ONE, TWO, THREE];
const NOBODY: NodeId = NodeId(-1);
const NEWER: InLog = InLog(Kind::Consumer, "newer");
/// The groups: a classic one, one with epochs, and one that nothing becomes of.
const IDS: [&str; 3] = ["orders", "newer", "idle"];

/// What becomes of the cluster.
#[derive(Clone, Copy, Debug)]
struct Outage {
    /// How long the new coordinator has the partition without having read it.
    unread: Millis,
    /// How long the rebalances take that follow.
    takes: Millis,
    /// Whether the first that becomes coordinator loses it again.
    twice: bool,
}

/// The groups as `coordinator` has them: `a` alone, or `b` too.
fn put(cluster: &mut Cluster, coordinator: NodeId, running: bool, both: bool) {
    let named = |ids: &[&str]| -> Vec<_> { ids.iter().map(|id| member(id, id)).collect() };
    let members: &[&str] = if both { &["a", "b"] } else { &["a"] };
    let state = if running { "PreparingRebalance" } else { "Stable" };
    cluster.put(coordinator, "orders", Group::classic(state, &named(members)));
    cluster.put(coordinator, "idle", Group::classic("Stable", &named(&["x"])));
    let state = if running { "Reconciling" } else { "Stable" };
    let old = if running { 2 } else { 3 };
    let newer: Vec<_> = match (both, running) {
        (false, _) => vec![consumer("a", "a", 2)],
        (true, _) => vec![consumer("a", "a", old), consumer("b", "b", 3)],
    };
    let epoch = if both { 3 } else { 2 };
    cluster.put(coordinator, "newer", Group::new("consumer", state, epoch, &newer));
}

/// They have them, and have not read them yet.
fn unread(cluster: &mut Cluster, coordinator: NodeId) {
    for id in ["orders", "idle"] {
        let group = Group::classic("Stable", &[]).not_described(14);
        cluster.put(coordinator, id, group);
    }
    let group = Group::new("consumer", "Stable", 2, &[]).not_described(14);
    cluster.put(coordinator, "newer", group);
}

fn lose(cluster: &mut Cluster, coordinator: NodeId) {
    for id in IDS {
        cluster.take(coordinator, id);
    }
}

fn write(cluster: &mut Cluster, records: &[Record]) {
    for record in records {
        cluster.write(record);
    }
}

/// The cluster after it, and when the rebalances began and were over.
fn played(outage: Outage) -> (Cluster, u64, u64) {
    let mut cluster = Cluster::of(&ALL);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, ONE, false, false);
    let formed = cluster.unix();
    write(
        &mut cluster,
        &[
            group("orders", 4, formed, &[sat("a", 0)]),
            group("idle", 9, formed, &[sat("x", 0)]),
            NEWER.member("a", None, &["t"]),
            NEWER.epoch(2, 7),
            NEWER.target(2),
            NEWER.stands("a", 2, true),
        ],
    );
    cluster.run(Millis(8_000));

    for node in ALL {
        cluster.freeze(node);
    }
    cluster.unreachable = true;
    cluster.log.move_to(NOBODY);
    lose(&mut cluster, ONE);
    cluster.run(Millis(47_000));

    cluster.unreachable = false;
    for node in ALL {
        cluster.thaw(node);
        cluster.run(Millis(300));
    }
    let coordinator = if outage.twice {
        cluster.log.move_to(THREE);
        unread(&mut cluster, THREE);
        cluster.run(Millis(4_000));
        lose(&mut cluster, THREE);
        cluster.log.move_to(NOBODY);
        cluster.run(Millis(900));
        TWO
    } else {
        THREE
    };
    cluster.log.move_to(coordinator);
    unread(&mut cluster, coordinator);
    cluster.run(outage.unread);

    let began = cluster.unix().0;
    put(&mut cluster, coordinator, true, true);
    write(
        &mut cluster,
        &[NEWER.member("b", None, &["t"]), NEWER.epoch(3, 7)],
    );
    cluster.run(outage.takes);
    put(&mut cluster, coordinator, false, true);
    let formed = cluster.unix();
    write(
        &mut cluster,
        &[
            group("orders", 5, formed, &[sat("a", 0), sat("b", 1)]),
            NEWER.target(3),
            NEWER.stands("b", 3, true),
            NEWER.stands("a", 3, true),
        ],
    );
    let over = cluster.unix().0;
    cluster.run(Millis(20_000));
    (cluster, began, over)
}

#[test]
fn no_rebalance_of_the_minute_after_an_outage_of_all_brokers_is_lost_and_none_is_told_twice() {
    for unread in [Millis(0), Millis(700), Millis(6_000)] {
        for takes in [Millis(30), Millis(300), Millis(3_000)] {
            for twice in [false, true] {
                let outage = Outage { unread, takes, twice };
                let (cluster, began, over) = played(outage);
                for id in IDS {
                    let told = cluster.of_group(id);
                    let kinds: Vec<&str> = told.iter().map(Change::kind).collect();
                    assert!(!kinds.contains(&"group_gone"), "{outage:?}");
                    assert!(!kinds.contains(&"member_gone"), "{outage:?}");
                    let shown = cluster.shown(id);
                    assert!(shown.open.is_none(), "{outage:?}: {:?}", shown.open);
                    let rows: Vec<_> = (shown.rebalances.iter())
                        .map(|row| row.generation.map(|number| number.0))
                        .collect();
                    let expected: &[Option<i32>] = match id {
                        "orders" => &[Some(5)],
                        "newer" => &[Some(3)],
                        _ => &[],
                    };
                    assert_eq!(rows, expected, "{outage:?}: {:#?}", shown.rebalances);
                    let Some(row) = shown.rebalances.first() else {
                        continue;
                    };
                    let started = row.started.get().unwrap().0;
                    let earliest = row.started_earliest.map_or(started, |earliest| earliest.0);
                    assert!(
                        (earliest..=started).contains(&began),
                        "{outage:?}: {began} in {earliest} to {started}"
                    );
                    assert_eq!(row.finished.get().map(|at| at.0), Some(over), "{outage:?}");
                    assert_eq!(row.finished_earliest, None, "{outage:?}");
                }
            }
        }
    }
}

#[test]
fn a_group_that_its_new_coordinator_had_not_read_was_not_made_since() {
    let mut cluster = Cluster::of(&ALL);
    cluster.log = Log::led_by(NOBODY);
    cluster.run(Millis(2_000));
    cluster.log.move_to(TWO);
    unread(&mut cluster, TWO);
    cluster.run(Millis(5_000));
    put(&mut cluster, TWO, true, true);
    cluster.run(Millis(4_000));
    for id in ["orders", "newer"] {
        let shown = cluster.shown(id);
        assert!(
            shown.open.as_ref().is_none_or(|open| open.started_unbounded),
            "{id}"
        );
    }
    // One that comes when they have been read for long was not there before.
    cluster.run(Millis(20_000));
    let before = cluster.unix();
    let made = Group::classic("PreparingRebalance", &[member("n", "n")]);
    cluster.put(TWO, "new", made);
    cluster.run(Millis(4_000));
    let open = cluster.shown("new").open.clone().expect("it rebalances");
    let earliest = open.started_earliest.expect("it was on no list before");
    assert!(earliest <= before && before.since(earliest) <= Millis(2_000));
}
