//! Which probe group goes where, by simulated time.

use std::sync::Arc;

use shared::protocol::offsets_log::partition_of;
use shared::time::Millis;

use super::*;

const ONE: NodeId = NodeId(1);
const TWO: NodeId = NodeId(2);
const PARTITIONS: i32 = 50;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

/// Two brokers that lead every other partition each; those of `busy` coordinate groups.
fn seen(busy: &[NodeId]) -> Coordinators {
    let leader = |partition| if partition % 2 == 0 { ONE } else { TWO };
    Coordinators {
        partitions: PARTITIONS,
        leaders: (0..PARTITIONS)
            .map(|partition| (partition, leader(partition)))
            .collect(),
        busy: busy.iter().copied().collect(),
        answering: [ONE, TWO].into(),
        ..Default::default()
    }
}

fn started(steps: &[Step]) -> Vec<GroupId> {
    let started = steps.iter().filter_map(|step| match step {
        Step::Start(group) => Some(group.clone()),
        Step::Stop(_) => None,
    });
    started.collect()
}

fn led_by(seen: &Coordinators, group: &GroupId) -> Option<NodeId> {
    seen.leaders
        .get(&partition_of(group.as_str(), PARTITIONS))
        .copied()
}

#[test]
fn each_broker_that_coordinates_groups_gets_one_whose_name_falls_in_a_partition_it_leads() {
    let mut placement = Placement::new(&"probe".into());
    let both = seen(&[ONE, TWO]);
    let steps = placement.handle(at(0), &both);
    let nodes: Vec<_> = started(&steps).iter().map(|group| led_by(&both, group)).collect();
    assert_eq!(nodes, [Some(ONE), Some(TWO)]);
    assert!(
        started(&steps)
            .iter()
            .all(|group| group.as_str().starts_with("probe-"))
    );
    assert_eq!(placement.handle(at(1), &both), [], "once");
}

#[test]
fn a_broker_without_groups_and_one_that_leads_nothing_get_none() {
    let mut placement = Placement::new(&"probe".into());
    assert_eq!(placement.handle(at(0), &seen(&[])), []);
    assert_eq!(placement.handle(at(0), &seen(&[NodeId(3)])), []);
    assert_eq!(
        placement.handle(
            at(0),
            &Coordinators {
                busy: [ONE].into(),
                ..Default::default()
            }
        ),
        []
    );
}

#[test]
fn a_probe_whose_partition_moved_to_a_broker_that_has_one_stays_for_a_while_and_another_name_is_chosen() {
    let mut placement = Placement::new(&"probe".into());
    let mut both = seen(&[ONE, TWO]);
    let first = started(&placement.handle(at(0), &both))[0].clone();
    both.leaders.insert(partition_of(first.as_str(), PARTITIONS), TWO);
    let steps = placement.handle(at(10), &both);
    let [Step::Start(second)] = &steps[..] else {
        panic!("{steps:?}")
    };
    assert_ne!(*second, first);
    assert_eq!(led_by(&both, second), Some(ONE));
    let over = at(10) + limits::PLACED_SPARE;
    assert_eq!(placement.deadline(), Some(over));
    assert_eq!(placement.handle(at(20), &both), []);
    assert_eq!(placement.handle(over, &both), [Step::Stop(first)]);
    assert_eq!(placement.deadline(), None);
}

#[test]
fn while_a_coordinator_dies_and_comes_again_nobody_is_dismissed_and_nobody_joins_twice() {
    let mut placement = Placement::new(&"probe".into());
    let whole = seen(&[ONE, TWO]);
    assert_eq!(started(&placement.handle(at(0), &whole)).len(), 2);
    let mut one_is_down = seen(&[TWO]);
    for leader in one_is_down.leaders.values_mut() {
        *leader = TWO;
    }
    one_is_down.answering = [TWO].into();
    assert_eq!(placement.handle(at(1_000), &one_is_down), []);
    assert_eq!(placement.handle(at(50_000), &whole), []);
    assert_eq!(placement.deadline(), None, "each is its broker's again");
}

#[test]
fn a_probe_stays_until_the_controller_has_had_time_to_give_its_broker_its_partitions_back() {
    let mut placement = Placement::new(&"probe".into());
    let whole = seen(&[ONE, TWO]);
    assert_eq!(started(&placement.handle(at(0), &whole)).len(), 2);
    // All brokers died; the one that is up first leads everything, the other is soon up as well.
    let mut two_leads_all = seen(&[TWO]);
    for leader in two_leads_all.leaders.values_mut() {
        *leader = TWO;
    }
    for ms in [1_000, 62_000, 302_000] {
        assert_eq!(placement.handle(at(ms), &two_leads_all), [], "after {ms} ms");
    }
    assert_eq!(placement.handle(at(330_000), &whole), []);
    assert_eq!(placement.deadline(), None, "each is its broker's again");
}

#[test]
fn a_spare_probe_is_not_dismissed_before_its_coordinator_has_long_answered() {
    let mut placement = Placement::new(&"probe".into());
    let mut view = seen(&[ONE, TWO]);
    let first = started(&placement.handle(at(0), &view))[0].clone();
    for leader in view.leaders.values_mut() {
        *leader = TWO;
    }
    view.busy = [TWO].into();
    view.answering.clear();
    assert_eq!(placement.handle(at(10), &view), []);
    assert_eq!(placement.handle(at(200_000), &view), []);
    view.answering = [TWO].into();
    assert_eq!(placement.handle(at(210_000), &view), []);
    let over = at(200_000) + limits::PLACED_SPARE;
    assert_eq!(placement.handle(over, &view), [Step::Stop(first)]);
}

#[test]
fn a_probe_that_moved_to_a_broker_without_one_stays_as_that_broker_s() {
    let mut placement = Placement::new(&"probe".into());
    let mut view = seen(&[ONE]);
    let first = started(&placement.handle(at(0), &view))[0].clone();
    for leader in view.leaders.values_mut() {
        *leader = TWO;
    }
    view.busy = [TWO].into();
    assert_eq!(placement.handle(at(10), &view), []);
    assert_eq!(led_by(&view, &first), Some(TWO));
}

#[test]
fn a_probe_leaves_only_when_its_broker_has_long_coordinated_no_group_of_others() {
    let mut placement = Placement::new(&"probe".into());
    let first = started(&placement.handle(at(0), &seen(&[ONE])))[0].clone();
    assert_eq!(placement.handle(at(1_000), &seen(&[])), []);
    assert_eq!(placement.deadline(), Some(at(1_000) + limits::PLACED_IDLE));
    assert_eq!(placement.handle(at(2_000), &seen(&[ONE])), []);
    assert_eq!(placement.deadline(), None);
    assert_eq!(placement.handle(at(3_000), &seen(&[])), []);
    let over = at(3_000) + limits::PLACED_IDLE;
    assert_eq!(placement.handle(over, &seen(&[])), [Step::Stop(first)]);
}

#[test]
fn while_no_coordinator_exists_nobody_is_told_to_leave() {
    let mut placement = Placement::new(&"probe".into());
    let first = started(&placement.handle(at(0), &seen(&[ONE])))[0].clone();
    // Its broker answers, and no partition of the log has a leader.
    let mut view = seen(&[]);
    view.leaders.clear();
    assert_eq!(placement.handle(at(1_000), &view), []);
    assert_eq!(placement.handle(at(500_000), &view), []);
    let idle = seen(&[]);
    assert_eq!(placement.handle(at(510_000), &idle), []);
    let over = at(500_000) + limits::PLACED_IDLE;
    assert_eq!(placement.handle(over, &idle), [Step::Stop(first)]);
}

#[test]
fn a_spare_probe_that_is_led_by_its_old_broker_again_stays_until_that_is_seen_to_be_busy() {
    let mut placement = Placement::new(&"probe".into());
    let mut view = seen(&[ONE, TWO]);
    let first = started(&placement.handle(at(0), &view))[0].clone();
    let partition = partition_of(first.as_str(), PARTITIONS);
    view.leaders.insert(partition, TWO);
    view.busy = [TWO].into();
    assert_eq!(placement.handle(at(10), &view), []);
    // The leader comes back shortly before it would be dismissed, and its groups are listed a little later.
    view.leaders.insert(partition, ONE);
    let over = at(10) + limits::PLACED_SPARE;
    assert_eq!(placement.handle(over - Millis(1_000), &view), []);
    assert_eq!(placement.handle(over + Millis(1_000), &view), []);
    view.busy.insert(ONE);
    assert_eq!(
        placement.handle(over + Millis(3_000), &view),
        [],
        "it is that broker's again"
    );
    assert_eq!(placement.deadline(), None);
}

/// The same brokers where it is not told who leads what: of so many names it was asked who coordinates them.
fn named(many: u32, busy: &[NodeId]) -> Coordinators {
    let told = seen(busy);
    let names = (1..=many).map(|counter| GroupId::from(format!("probe-{counter}")));
    let named = names.map(|name| (name.clone(), led_by(&told, &name).unwrap()));
    Coordinators {
        named: Arc::new(named.collect()),
        busy: told.busy,
        answering: told.answering,
        ..Default::default()
    }
}

#[test]
fn where_the_leaders_are_not_visible_a_name_is_chosen_whose_coordinator_was_told() {
    let mut placement = Placement::new(&"probe".into());
    assert_eq!(
        placement.handle(at(0), &named(0, &[ONE, TWO])),
        [],
        "none is known"
    );
    let view = named(20, &[ONE, TWO]);
    let groups = started(&placement.handle(at(1), &view));
    let nodes: Vec<_> = groups.iter().map(|group| view.of(group)).collect();
    assert_eq!(nodes, [Some(ONE), Some(TWO)]);
    assert_eq!(placement.handle(at(2), &view), [], "once");
    // The right is granted: the same groups stay where they are.
    assert_eq!(placement.handle(at(3), &seen(&[ONE, TWO])), []);
}

#[test]
fn a_named_probe_whose_coordinator_is_another_by_now_is_one_too_many_and_another_name_is_chosen() {
    let mut placement = Placement::new(&"probe".into());
    let mut view = named(20, &[ONE, TWO]);
    let first = started(&placement.handle(at(0), &view))[0].clone();
    Arc::make_mut(&mut view.named).insert(first.clone(), TWO);
    let steps = placement.handle(at(10), &view);
    assert!(!steps.contains(&Step::Stop(first)), "{steps:?}");
    let [second] = &started(&steps)[..] else {
        panic!("{steps:?}")
    };
    assert_eq!(view.of(second), Some(ONE));
}

#[test]
fn a_name_that_others_use_is_left_to_them_and_the_next_one_is_taken() {
    for view in [seen(&[ONE]), named(20, &[ONE])] {
        let mut placement = Placement::new(&"probe".into());
        let first = started(&placement.handle(at(0), &view))[0].clone();
        assert_eq!(placement.refuse(first.clone()), Step::Stop(first.clone()));
        let second = started(&placement.handle(at(1), &view))[0].clone();
        assert_ne!(second, first);
        assert_eq!(view.of(&second), Some(ONE));
        placement.refuse(second.clone());
        let third = started(&placement.handle(at(2), &view))[0].clone();
        assert!(third != first && third != second, "{third}");
    }
}

#[test]
fn names_are_not_tried_for_ever() {
    let mut placement = Placement::new(&"probe".into());
    let view = seen(&[ONE]);
    for tried in 0..limits::PLACED_USED {
        let steps = placement.handle(at(tried as u64), &view);
        placement.refuse(started(&steps)[0].clone());
    }
    assert_eq!(placement.handle(at(10_000), &view), []);
}

#[test]
fn there_are_never_more_than_the_bound() {
    let nodes: Vec<NodeId> = (0..100).map(NodeId).collect();
    let mut placement = Placement::new(&"probe".into());
    let view = Coordinators {
        partitions: 200,
        leaders: (0..200)
            .map(|partition| (partition, NodeId(partition % 100)))
            .collect(),
        busy: nodes.into_iter().collect(),
        ..Default::default()
    };
    let steps = placement.handle(at(0) + Millis(1), &view);
    assert_eq!(started(&steps).len(), limits::PLACED_PROBES);
}
