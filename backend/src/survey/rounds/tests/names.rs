//! Who coordinates probe groups where it is not visible who leads the offsets log.

use std::collections::BTreeSet;

use shared::ids::GroupId;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::{ONE, ROUND, TWO};
use crate::limits;
use crate::survey::brokers::{Cluster, Group, Log, member};

fn cluster(denied: bool) -> Cluster {
    let mut cluster = Cluster::of(&[ONE, TWO]);
    cluster.log = Log::led_by(ONE);
    cluster.log.denied = denied;
    cluster.names.nodes = vec![ONE, TWO];
    for (node, group) in [(ONE, "orders"), (TWO, "bills")] {
        cluster.put(node, group, Group::classic("Stable", &[member("a-1", "a")]));
    }
    cluster
}

fn at(cluster: &Cluster, name: &str) -> Option<shared::ids::NodeId> {
    cluster.survey().coordinators().of(&GroupId::from(name))
}

#[test]
fn whoever_may_not_see_the_log_asks_who_coordinates_names_one_at_first_and_then_many() {
    let mut cluster = cluster(true);
    cluster.run(Millis(3 * ROUND.0));
    assert_eq!(cluster.names.asked, [1, limits::ROUND_NAMES]);
    for (name, node) in [("probe-1", TWO), ("probe-2", ONE), ("probe-512", ONE)] {
        assert_eq!(at(&cluster, name), Some(node), "{name}");
    }
    for node in [ONE, TWO] {
        let name = cluster
            .survey()
            .coordinators()
            .name_at("probe", node, &BTreeSet::new());
        assert_eq!(at(&cluster, name.unwrap().as_str()), Some(node));
    }
}

#[test]
fn whoever_may_see_the_log_asks_about_no_name() {
    let mut cluster = cluster(false);
    cluster.run(Millis(10 * ROUND.0));
    assert_eq!(cluster.asked(ApiKey::FindCoordinator), 0);
}

#[test]
fn while_no_name_may_be_used_one_is_asked_about_now_and_then_and_nobody_is_named() {
    let mut cluster = cluster(true);
    cluster.names.refused = true;
    cluster.run(Millis(4 * limits::ROUND_LEADERS.0));
    assert!(
        (2..=5).contains(&cluster.names.asked.len()),
        "{:?}",
        cluster.names.asked
    );
    assert!(cluster.names.asked.iter().all(|many| *many == 1));
    assert_eq!(at(&cluster, "probe-1"), None);
    cluster.names.refused = false;
    cluster.run(Millis(limits::ROUND_LEADERS.0 + 3 * ROUND.0));
    assert_eq!(at(&cluster, "probe-1"), Some(TWO));
}

#[test]
fn when_groups_are_at_other_brokers_than_before_it_is_asked_again_at_once_else_now_and_then() {
    let mut cluster = cluster(true);
    cluster.run(Millis(3 * ROUND.0));
    let before = cluster.names.asked.len();
    cluster.take(TWO, "bills");
    cluster.put(ONE, "bills", Group::classic("Stable", &[member("a-1", "a")]));
    cluster.names.nodes = vec![ONE];
    cluster.run(Millis(2 * ROUND.0));
    assert_eq!(cluster.names.asked.len(), before + 1);
    assert_eq!(at(&cluster, "probe-1"), Some(ONE));
    cluster.run(Millis(2 * limits::ROUND_LEADERS.0));
    assert!((before + 2..=before + 4).contains(&cluster.names.asked.len()));
}
