//! Groups that no look tells of though brokers answer: they are never shown as if they were as before.

use shared::health::Verdict;
use shared::ids::NodeId;
use shared::time::Millis;

use super::{ONE, TWO};
use crate::survey::brokers::{Cluster, Group, Log, member};

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
