//! The leader's part: subscriptions read, partition counts asked for, assignments handed in.

use std::collections::BTreeMap;

use super::world::*;
use crate::event::{Change, RebalanceCause};
use crate::member::{Config, Input, State};
use crate::protocol::{
    AnyRequest, ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription,
    JoinGroupResponse, JoinGroupResponseMember, TopicPartition,
};
use crate::rules::{GroupRequest, Rules};
use crate::time::Millis;

fn subscribed(member: &str, topics: &[&str]) -> JoinGroupResponseMember {
    let wanted = ConsumerProtocolSubscription {
        topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
        ..Default::default()
    };
    JoinGroupResponseMember {
        metadata: wanted.to_bytes(3).unwrap(),
        ..listed(member)
    }
}

fn counts(counts: &[(&str, u32)]) -> Input {
    Input::Topics(
        counts
            .iter()
            .map(|(topic, count)| ((*topic).to_owned(), *count))
            .collect(),
    )
}

/// The member leads generation 1 with b, both subscribed to "t".
fn leads(rules: Rules) -> World {
    leads_with(rules, vec![subscribed("a", &["t"]), subscribed("b", &["t"])])
}

fn leads_with(rules: Rules, members: Vec<JoinGroupResponseMember>) -> World {
    let mut config = Config {
        topics: vec!["t".to_owned()],
        ..config(rules)
    };
    if rules == Rules::MODERN {
        config.session_timeout = Millis(45_000);
        config.rebalance_timeout = Millis(40_000);
    }
    let mut world = World::new(config);
    world.find();
    world.up();
    if world.waits(GroupRequest::JoinGroup).unwrap().version >= 4 {
        world.refuse_with_id("a");
    }
    world.answer(JoinGroupResponse {
        members,
        ..joined("a", 1, "a", &[])
    });
    world
}

/// The assignments handed in with the SyncGroup that waits: member -> topic -> partitions.
fn handed_in(world: &World) -> BTreeMap<String, Vec<TopicPartition>> {
    let sync = match &world
        .waits(GroupRequest::SyncGroup)
        .expect("no SyncGroup waits")
        .body
    {
        AnyRequest::SyncGroup(sync) => sync,
        other => panic!("{other:?}"),
    };
    sync.assignments
        .iter()
        .map(|part| {
            let read = ConsumerProtocolAssignment::try_read(&part.assignment).unwrap();
            (part.member_id.clone(), read.1.assigned_partitions)
        })
        .collect()
}

fn partitions(topic: &str, partitions: &[i32]) -> Vec<TopicPartition> {
    vec![TopicPartition {
        topic: topic.to_owned(),
        partitions: partitions.to_vec(),
    }]
}

#[test]
fn a_leader_asks_for_the_counts_of_all_topics_and_hands_in_everybodys_part() {
    for rules in Rules::ALL {
        let mut world = leads(*rules);
        assert_eq!(world.topics_asked, [["t"]]);
        assert!(world.waits(GroupRequest::SyncGroup).is_none());
        world.input(counts(&[("t", 3)]));
        let parts = handed_in(&world);
        assert_eq!(parts["a"], partitions("t", &[0, 1]));
        assert_eq!(parts["b"], partitions("t", &[2]));
    }
}

#[test]
fn a_group_without_topics_is_assigned_without_asking() {
    let world = leads_with(Rules::MODERN, vec![subscribed("a", &[]), subscribed("b", &[])]);
    assert!(world.topics_asked.is_empty());
    assert_eq!(
        handed_in(&world).len(),
        2,
        "each member gets its part, though empty"
    );
}

#[test]
fn bytes_that_are_no_subscription_ask_for_nothing() {
    let garbage = |member: &str, metadata: &[u8]| JoinGroupResponseMember {
        metadata: metadata.to_vec(),
        ..listed(member)
    };
    let members = vec![
        subscribed("a", &["t"]),
        garbage("b", &[]),
        garbage("c", &[0, 1, 0x7f, 0xff, 0xff, 0xff]),
        garbage("d", &[0xff, 0xff, 0, 0, 0, 0]),
    ];
    let mut world = leads_with(Rules::MODERN, members);
    world.input(counts(&[("t", 2)]));
    let parts = handed_in(&world);
    assert_eq!(parts["a"], partitions("t", &[0, 1]));
    assert!(["b", "c", "d"].iter().all(|member| parts[*member].is_empty()));
}

#[test]
fn without_counts_in_time_the_group_is_assigned_what_is_known() {
    for rules in Rules::ALL {
        let mut world = leads(*rules);
        let patience = if *rules == Rules::MODERN { 20_000 } else { 5000 };
        world.pass(patience - 1);
        assert!(world.waits(GroupRequest::SyncGroup).is_none());
        world.pass(1);
        let parts = handed_in(&world);
        assert!(parts["a"].is_empty() && parts["b"].is_empty());
        world.answer(synced());
        world.clear();
        world.input(counts(&[("t", 3)]));
        assert!(
            world.saw("rejoin_needed"),
            "late counts make the assignment outdated"
        );
    }
}

#[test]
fn a_leader_whose_topics_grow_rejoins_and_is_the_cause() {
    let mut world = leads(Rules::MODERN);
    world.input(counts(&[("t", 3)]));
    world.answer(synced());
    world.input(counts(&[("t", 3), ("other", 8)]));
    assert_eq!(
        world.member.state(),
        State::Stable,
        "nothing that matters has changed"
    );
    world.input(counts(&[("t", 4)]));
    assert_eq!(world.member.state(), State::PreparingRebalance);
    world.answer(JoinGroupResponse {
        members: vec![subscribed("a", &["t"])],
        ..joined("a", 2, "a", &[])
    });
    assert!(world.changes().contains(&&Change::RebalanceStarted {
        cause: RebalanceCause::MetadataChanged,
        member: Some("a".into()),
        from_generation: Some(crate::ids::Generation(1)),
    }));
}

#[test]
fn a_follower_does_not_mind_how_many_partitions_there_are() {
    let mut world = World::stable(config(Rules::MODERN));
    world.clear();
    world.input(counts(&[("t", 3)]));
    assert_eq!(world.kinds(), [""; 0]);
}

#[test]
fn a_returning_static_leader_that_is_told_to_skip_assigns_nothing() {
    let config = Config {
        instance: Some("i".into()),
        topics: vec!["t".to_owned()],
        ..config(Rules::MODERN)
    };
    let mut world = World::new(config);
    world.find();
    world.up();
    world.answer(JoinGroupResponse {
        skip_assignment: true,
        members: vec![subscribed("i-2", &["t"])],
        ..joined("i-2", 7, "i-2", &[])
    });
    assert!(handed_in(&world).is_empty());
    assert!(world.topics_asked.is_empty());
}

#[test]
fn a_coordinator_lost_while_the_leader_waits_for_counts_gets_the_sync_when_it_is_back() {
    let mut world = leads(Rules::MODERN);
    world.down();
    assert_eq!(
        world.member.state(),
        State::CompletingRebalance,
        "no request was lost"
    );
    world.input(counts(&[("t", 2)]));
    world.find();
    world.up();
    assert_eq!(handed_in(&world).len(), 2);
    world.answer(synced());
    world.assert_stable("a", 1);
}

#[test]
fn a_topic_with_more_partitions_than_any_cluster_has_costs_no_memory() {
    let mut world = leads(Rules::MODERN);
    world.input(counts(&[("t", u32::MAX)]));
    assert!(handed_in(&world)["a"].is_empty());
}

#[test]
fn a_subscription_changed_during_the_join_rejoins_after_it() {
    for rules in Rules::ALL {
        let mut world = leads(*rules);
        world.input(Input::Subscribe(vec!["u".to_owned()]));
        assert_eq!(world.member.state(), State::CompletingRebalance);
        world.input(counts(&[("t", 2)]));
        world.answer(synced());
        assert_eq!(world.member.state(), State::PreparingRebalance);
        assert!(world.saw("rejoin_needed"));
    }
}

#[test]
fn the_counts_are_awaited_for_half_the_time_the_coordinator_gives_a_leader() {
    let config = Config {
        topics: vec!["t".to_owned()],
        rebalance_timeout: Millis(8000),
        ..config(Rules::MODERN)
    };
    let mut world = World::new(config);
    world.find();
    world.up();
    world.refuse_with_id("a");
    world.answer(JoinGroupResponse {
        members: vec![subscribed("a", &["t"])],
        ..joined("a", 1, "a", &[])
    });
    world.pass(3999);
    assert!(world.waits(GroupRequest::SyncGroup).is_none());
    world.pass(1);
    assert!(world.waits(GroupRequest::SyncGroup).is_some());
}
