//! What a member tells of its group's rebalances, and what it leaves open.

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, Departure, Joined, RebalanceCause, Rebalanced};
use crate::ids::{Generation, InstanceId, MemberId};
use crate::member::{Config, Input};
use crate::protocol::JoinGroupResponseMember;
use crate::rules::Rules;
use crate::time::Millis;

fn modern() -> Config {
    config(Rules::MODERN)
}

/// Answered 27, the member sends its JoinGroup.
fn told_to_rejoin(world: &mut World) {
    while world.waiting.is_empty() {
        world.pass(100);
    }
    world.answer(beat(REBALANCE_IN_PROGRESS));
}

fn finished(world: &World) -> &Rebalanced {
    let mut changes = world.changes().into_iter().rev();
    changes
        .find_map(|change| match change {
            Change::RebalanceFinished(finished) => Some(finished),
            _ => None,
        })
        .expect("none has finished")
}

fn about<'a>(world: &'a World, member: &str) -> Vec<&'a Change> {
    let events = world.events.iter().filter(|event| event.member == member);
    events.map(|event| &event.change).collect()
}

fn ids(ids: &[&str]) -> Vec<MemberId> {
    ids.iter().map(|id| MemberId::from(*id)).collect()
}

#[test]
fn the_first_join_of_a_dynamic_member_is_the_cause_of_its_rebalance() {
    let mut world = World::new(modern());
    world.find();
    world.up();
    world.refuse_with_id("consumer");
    world.pass(3000);
    world.answer(joined("consumer", 4, "leader", &[]));
    world.pass(20);
    world.answer(synced());
    assert!(world.changes().contains(&&Change::RebalanceStarted {
        cause: RebalanceCause::MemberJoined,
        member: Some("consumer".into()),
        from_generation: None,
    }));
    assert_eq!(
        *finished(&world),
        Rebalanced {
            generation: Generation(4),
            from_generation: None,
            cause: RebalanceCause::MemberJoined,
            member: Some("consumer".into()),
            took_ms: Some(3020),
            took_between_ms: None,
            join_ms: Some(3000),
            sync_ms: Some(20),
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        }
    );
    assert!(world.changes().contains(&&Change::MemberJoined(Joined {
        generation: Some(Generation(4)),
        client_id: Some(CLIENT.to_owned()),
        host: None,
        instance_id: None,
        took_ms: Some(3020),
        session_timeout_ms: Some(10_000),
        rebalance_timeout_ms: Some(60_000),
        heartbeat_interval_ms: Some(3000),
        ..Joined::default()
    })));
}

#[test]
fn until_the_coordinator_names_it_a_member_goes_by_its_client_id() {
    let mut world = World::new(modern());
    world.find();
    world.up();
    assert!(world.events.iter().all(|event| event.member == CLIENT));
    world.clear();
    world.join("consumer", 1);
    assert!(
        world.events.iter().all(|event| event.member == "consumer"),
        "{:?}",
        world.events
    );
}

#[test]
fn a_rebalance_heard_of_by_27_has_a_cause_that_is_not_visible() {
    let mut world = World::stable(modern());
    told_to_rejoin(&mut world);
    assert!(world.changes().contains(&&Change::RebalanceStarted {
        cause: RebalanceCause::NotVisible,
        member: None,
        from_generation: Some(Generation(1)),
    }));
    world.pass(500);
    world.answer(joined("consumer", 2, "leader", &[]));
    world.pass(7);
    world.answer(synced());
    let finished = finished(&world);
    assert_eq!(finished.cause, RebalanceCause::NotVisible);
    assert_eq!(
        (finished.from_generation, finished.generation),
        (Some(Generation(1)), Generation(2))
    );
    assert_eq!(
        (finished.took_ms, finished.join_ms, finished.sync_ms),
        (Some(507), Some(500), Some(7))
    );
    assert_eq!(
        (&finished.joined, &finished.left),
        (&None, &None),
        "a follower sees no list"
    );
    assert!(world.saw("member_rejoined"));
}

#[test]
fn a_leader_sees_who_came_and_who_is_gone_but_not_why() {
    let mut world = World::new(modern());
    world.find();
    world.up();
    world.refuse_with_id("a");
    world.answer(joined("a", 1, "a", &["a", "b"]));
    world.answer(synced());
    assert_eq!(
        finished(&world).joined,
        None,
        "without a list before nobody is new"
    );
    assert_eq!(about(&world, "b").len(), 1, "but b is seen");
    told_to_rejoin(&mut world);
    world.clear();
    world.answer(joined("a", 2, "a", &["a", "c"]));
    world.answer(synced());
    assert_eq!(
        about(&world, "b"),
        [&Change::MemberGone {
            possible: vec![Departure::Left, Departure::TimedOut, Departure::Evicted],
            why: "it is not in the list that the leader was given for the new generation; why is not visible to a member"
                .to_owned(),
        }]
    );
    assert_eq!(
        about(&world, "c"),
        [&Change::MemberJoined(Joined {
            generation: Some(Generation(2)),
            ..Joined::default()
        })]
    );
    assert_eq!(finished(&world).joined, Some(ids(&["c"])));
    assert_eq!(finished(&world).left, Some(ids(&["b"])));
}

#[test]
fn a_leader_that_followed_in_between_compares_with_nothing() {
    let mut world = World::stable(modern());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 2, "other", &[]));
    world.answer(synced());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 3, "consumer", &["consumer", "new"]));
    world.answer(synced());
    assert_eq!(finished(&world).joined, None);
    assert_eq!(finished(&world).left, None);
}

#[test]
fn a_static_member_with_a_new_id_has_replaced_itself() {
    let listed = |member: &str| JoinGroupResponseMember {
        group_instance_id: Some("i".to_owned()),
        ..listed(member)
    };
    let mut world = World::new(modern());
    world.find();
    world.up();
    world.refuse_with_id("a");
    for (generation, other) in [(1, "i-1"), (2, "i-2")] {
        let mut answer = joined("a", generation, "a", &["a"]);
        answer.members.push(listed(other));
        world.answer(answer);
        world.answer(synced());
        world.clear();
        told_to_rejoin(&mut world);
        world.clear();
    }
    let mut answer = joined("a", 3, "a", &["a"]);
    answer.members.push(listed("i-3"));
    world.answer(answer);
    world.answer(synced());
    assert_eq!(
        about(&world, "i-2"),
        [&Change::MemberReplaced {
            cause: "i-3 holds its instance id i now".to_owned(),
            by: Some("i-3".into()),
        }]
    );
}

#[test]
fn more_names_than_an_event_carries_are_counted() {
    let many: Vec<String> = (0..100).map(|n| format!("m{n:03}")).collect();
    let mut names: Vec<&str> = many.iter().map(String::as_str).collect();
    names.push("consumer");
    let mut world = World::stable(modern());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 2, "consumer", &names));
    world.answer(synced());
    assert_eq!(finished(&world).joined.as_ref().unwrap().len(), Rebalanced::NAMED);
    assert_eq!(finished(&world).unnamed, 36);
}

#[test]
fn generations_that_never_became_stable_are_counted_and_so_are_those_never_seen() {
    let mut world = World::stable(modern());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 2, "leader", &[]));
    world.refuse(crate::rules::GroupRequest::SyncGroup, REBALANCE_IN_PROGRESS);
    world.answer(joined("consumer", 5, "leader", &[]));
    world.answer(synced());
    let finished = finished(&world);
    assert_eq!((finished.abandoned, finished.missed), (1, 2));
    let started = world
        .kinds()
        .iter()
        .filter(|kind| **kind == "rebalance_started")
        .count();
    assert_eq!(started, 2, "the first join, and this one rebalance");
}

#[test]
fn coming_back_into_the_same_generation_is_no_rebalance() {
    let mut world = World::stable(modern());
    world
        .member
        .must_rejoin(crate::event::RejoinCause::JoinFailed, None);
    world.input(Input::Tick);
    world.clear();
    world.answer(joined("consumer", 1, "leader", &[]));
    world.answer(synced());
    assert!(world.saw("member_rejoined"));
    assert!(!world.saw("rebalance_started"));
    assert!(!world.saw("rebalance_finished"));
}

#[test]
fn a_static_member_that_comes_cannot_tell_whether_it_caused_a_rebalance() {
    let config = Config {
        instance: Some(InstanceId::from("i")),
        ..modern()
    };
    let mut world = World::new(config);
    world.find();
    world.up();
    world.answer(joined("i-1", 9, "leader", &[]));
    world.answer(synced());
    assert!(!world.saw("rebalance_started"));
    let finished = finished(&world);
    assert_eq!(
        (finished.cause, finished.took_ms),
        (RebalanceCause::NotVisible, None)
    );
}

#[test]
fn a_member_that_changed_its_topics_is_the_cause() {
    let mut world = World::stable(modern());
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    world.answer(joined("consumer", 2, "leader", &[]));
    world.answer(synced());
    assert_eq!(finished(&world).cause, RebalanceCause::SubscriptionChanged);
    assert_eq!(finished(&world).member, Some("consumer".into()));
}

#[test]
fn a_member_id_the_coordinator_no_longer_knows_is_gone_and_the_next_one_is_a_new_member() {
    let mut world = World::stable(modern());
    while world.waiting.is_empty() {
        world.pass(100);
    }
    world.clear();
    world.answer(beat(UNKNOWN_MEMBER_ID));
    assert!(matches!(
        about(&world, "consumer").last(),
        Some(Change::MemberGone { possible, .. }) if possible.contains(&Departure::TimedOut)
    ));
    world.join("other", 3);
    assert!(world.saw("member_joined"));
    assert!(!world.saw("member_rejoined"));
    assert_eq!(finished(&world).cause, RebalanceCause::MemberJoined);
    assert_eq!(finished(&world).missed, 1);
}

/// A heartbeat answered 22: the group has gone on without it.
#[test]
fn a_member_that_comes_back_after_22_does_not_claim_the_rebalance() {
    let mut world = World::stable(modern());
    world.pass(3000);
    world.answer(beat(ILLEGAL_GENERATION));
    world.answer(joined("consumer", 4, "leader", &[]));
    world.answer(synced());
    let finished = finished(&world);
    assert_eq!(
        (finished.cause, &finished.member),
        (RebalanceCause::NotVisible, &None)
    );
    assert_eq!(
        (finished.from_generation, finished.missed),
        (Some(Generation(1)), 2)
    );
}

#[test]
fn a_group_that_counts_anew_has_no_generation_it_came_from() {
    let mut world = World::stable(modern());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 9, "leader", &[]));
    world.answer(synced());
    told_to_rejoin(&mut world);
    world.answer(joined("consumer", 1, "leader", &[]));
    world.answer(synced());
    assert_eq!(finished(&world).from_generation, None);
    let last_started = world
        .changes()
        .into_iter()
        .rev()
        .find(|change| change.kind() == "rebalance_started");
    assert!(matches!(
        last_started,
        Some(Change::RebalanceStarted {
            from_generation: None,
            ..
        })
    ));
}

#[test]
fn under_join_group_0_the_session_timeout_stands_for_the_rebalance_timeout() {
    let config = Config {
        rebalance_timeout: Millis(60_000),
        ..config(Rules::V0_10)
    };
    let world = World::stable(config);
    let joined = world.changes().into_iter().find_map(|change| match change {
        Change::MemberJoined(joined) => joined.rebalance_timeout_ms,
        _ => None,
    });
    assert_eq!(joined, Some(10_000));
}
