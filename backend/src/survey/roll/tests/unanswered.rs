//! Groups that no look tells of though brokers answer: they are never shown as if they were as before. Brokers that were frozen, and
//! answer as they knew it then.

use shared::health::Verdict;
use shared::ids::NodeId;
use shared::time::Millis;

use super::{ONE, TWO};
use crate::survey::brokers::{Cluster, Group, Log, group, member, sat};

const THREE: NodeId = NodeId(3);
const NOBODY: NodeId = NodeId(-1);

fn put(cluster: &mut Cluster, node: NodeId, error: i16) {
    let classic = Group::classic("Stable", &[member("a", "a")]);
    cluster.put(node, "orders", classic.not_described(error));
    let newer = Group::new("consumer", "Stable", 3, &[]);
    cluster.put(node, "newer", newer.not_described(error));
}

fn is_gone(cluster: &Cluster, id: &str) -> bool {
    cluster.verdict(id).verdict == Verdict::CoordinatorGone
}

#[test]
fn a_group_of_which_no_look_tells_is_not_answered_for_within_two_seconds_whatever_the_answer() {
    for error in [14, 15, 16, -1, 7] {
        let mut cluster = Cluster::of(&[ONE, TWO]);
        cluster.log = Log::led_by(ONE);
        put(&mut cluster, ONE, 0);
        cluster.put(ONE, "others", Group::classic("Stable", &[]));
        cluster.run(Millis(10_000));
        put(&mut cluster, ONE, error);
        cluster.run(Millis(2_300));
        for id in ["orders", "newer"] {
            let said = cluster.verdict(id);
            assert_eq!(said.verdict, Verdict::CoordinatorGone, "{id}, {error}: {said:?}");
            assert!(said.sentence.starts_with("Not answered for "), "{said:?}");
            assert!(
                said.sentence
                    .contains(&format!("broker 1, asked about the group, answered {error}")),
                "{said:?}"
            );
        }
        assert!(!is_gone(&cluster, "others"));
        cluster.run(Millis(60_000));
        assert!(
            is_gone(&cluster, "orders") && is_gone(&cluster, "newer"),
            "{error}"
        );
        put(&mut cluster, ONE, 0);
        cluster.run(Millis(300));
        assert!(
            !is_gone(&cluster, "orders") && !is_gone(&cluster, "newer"),
            "{error}"
        );
    }
}

#[test]
fn a_group_that_moves_to_a_coordinator_that_reads_it_soon_is_never_not_answered_for() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, ONE, 0);
    cluster.run(Millis(10_000));
    put(&mut cluster, ONE, 16);
    cluster.run(Millis(100));
    cluster.take(ONE, "orders");
    cluster.take(ONE, "newer");
    cluster.log.move_to(TWO);
    put(&mut cluster, TWO, 0);
    cluster.run(Millis(5_000));
    for id in ["orders", "newer"] {
        let told = cluster.of_group(id);
        let kinds: Vec<&str> = told.iter().map(shared::event::Change::kind).collect();
        assert!(!kinds.contains(&"coordinator_not_found"), "{kinds:?}");
    }
}

#[test]
fn after_an_outage_of_all_brokers_groups_whose_partition_nobody_leads_stay_not_answered_for() {
    for error in [15, 16] {
        let mut cluster = Cluster::of(&[ONE, TWO, THREE]);
        cluster.log = Log::led_by(ONE);
        put(&mut cluster, ONE, 0);
        cluster.run(Millis(10_000));
        for node in [ONE, TWO, THREE] {
            cluster.freeze(node);
        }
        cluster.unreachable = true;
        cluster.log.move_to(NOBODY);
        cluster.run(Millis(18_000));
        assert!(is_gone(&cluster, "orders") && is_gone(&cluster, "newer"));
        // Brokers 1 and 2 are started again; 3, that alone has the log, is not.
        put(&mut cluster, ONE, error);
        cluster.unreachable = false;
        cluster.thaw(ONE);
        cluster.thaw(TWO);
        for step in 0..400 {
            cluster.run(Millis(600));
            if step == 100 {
                // What is no group of theirs is on no list either.
                cluster.take(ONE, "orders");
            }
            for id in ["orders", "newer"] {
                assert!(is_gone(&cluster, id), "{id}, {step}: {:?}", cluster.verdict(id));
            }
        }
    }
}

#[test]
fn a_group_that_is_left_out_of_all_answers_is_not_shown_as_it_was_before() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    put(&mut cluster, ONE, 0);
    cluster.run(Millis(10_000));
    cluster.put(ONE, "others", Group::classic("Stable", &[]));
    cluster.left_out = ["orders", "newer"].map(str::to_owned).into();
    cluster.run(Millis(2_800));
    assert!(!is_gone(&cluster, "others"));
    for id in ["orders", "newer"] {
        let said = cluster.verdict(id);
        assert_eq!(said.verdict, Verdict::CoordinatorGone, "{id}: {said:?}");
        assert!(said.sentence.contains("tells nothing of it"), "{said:?}");
    }
}

#[test]
fn a_broker_that_thaws_and_answers_as_it_was_is_not_believed_against_the_new_coordinator() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, ONE, 0);
    cluster.run(Millis(8_000));
    cluster.freeze(ONE);
    cluster.run(Millis(9_000));
    cluster.log.move_to(TWO);
    put(&mut cluster, TWO, 0);
    cluster.run(Millis(10_000));
    assert_eq!(
        cluster.shown("orders").coordinator.as_ref().map(|seat| seat.node),
        Some(TWO)
    );
    let told = cluster.reports.len();
    // Its members' sessions are over for it.
    cluster.put(ONE, "orders", Group::classic("Empty", &[]));
    cluster.put(ONE, "newer", Group::new("consumer", "Empty", 4, &[]));
    cluster.thaw(ONE);
    cluster.run(Millis(1_500));
    cluster.take(ONE, "orders");
    cluster.take(ONE, "newer");
    cluster.run(Millis(5_000));
    let of_groups = cluster.reports[told..]
        .iter()
        .filter(|report| report.group.is_some());
    let kinds: Vec<&str> = of_groups.map(|report| report.change.kind()).collect();
    assert!(kinds.iter().all(|kind| *kind == "group_progress"), "{kinds:?}");
}

#[test]
fn the_log_of_a_frozen_broker_is_followed_again_as_soon_as_another_one_leads_it() {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.hangs = Millis(26_000);
    cluster.log = Log::led_by(ONE);
    put(&mut cluster, ONE, 0);
    let formed = cluster.unix();
    cluster.write(&group("orders", 4, formed, &[sat("a", 0)]));
    cluster.run(Millis(8_000));
    cluster.freeze(ONE);
    cluster.run(Millis(9_000));
    cluster.log.move_to(TWO);
    put(&mut cluster, TWO, 0);
    cluster.run(Millis(1_500));
    let formed = cluster.unix();
    cluster.write(&group("orders", 5, formed, &[sat("a", 0)]));
    cluster.run(Millis(500));
    let shown = cluster.shown("orders");
    assert_eq!(shown.generation.get().map(|generation| generation.0), Some(5));
}
