//! Kafka 0.10.0: what answers do (protocol.md 5.B, `ConsumerCoordinatorTest`). Session 10000, heartbeat 5000, backoff 100.

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, DeathCause, RejoinCause};
use crate::ids::{Generation, NodeId};
use crate::member::{Config, End, Fatal, Input, Peer, State};
use crate::protocol::AnyRequest;
use crate::rules::{GroupRequest, Rules};
use crate::time::Millis;

fn seed() -> Config {
    Config {
        heartbeat_interval: Millis(5000),
        ..config(Rules::V0_10)
    }
}

/// A heartbeat that has been out for 10 s.
fn heartbeat_out() -> World {
    let mut world = World::stable(seed());
    world.pass(5000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
    world.pass(10_000);
    world.clear();
    world
}

fn fatal_code(world: &World) -> Option<i16> {
    match &world.end {
        Some(End::Fatal(Fatal { code, .. })) => *code,
        other => panic!("{other:?}"),
    }
}

/// B01.
#[test]
fn a_heartbeat_answered_0_renews_the_session() {
    let mut world = heartbeat_out();
    world.answer(beat(NONE));
    assert_eq!(
        world.changes(),
        [&Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 10_000_000,
            error: 0,
            renews: true,
            behind: None,
        }]
    );
    assert_eq!(world.member.heartbeat.last_receive(), Some(world.now));
    assert!(!world.coordinator_unknown());
}

/// B02, B03.
#[test]
fn a_heartbeat_answered_15_or_16_makes_the_coordinator_unknown() {
    for (code, cause) in [
        (COORDINATOR_NOT_AVAILABLE, DeathCause::CoordinatorNotAvailable),
        (NOT_COORDINATOR, DeathCause::NotCoordinator),
    ] {
        let mut world = heartbeat_out();
        world.answer(beat(code));
        assert!(world.coordinator_unknown());
        assert_eq!(world.kinds(), ["heartbeat_answered", "coordinator_dead"]);
        assert_eq!(
            world.changes()[1],
            &Change::CoordinatorDead {
                node: NodeId(3),
                cause,
                detail: None,
                unsent: 0,
                again: 0,
            }
        );
        world.assert_stable("consumer", 1);
    }
}

/// B04, B05: 22 keeps the member id, 25 clears it, neither touches the generation.
#[test]
fn a_heartbeat_answered_22_or_25_needs_a_rejoin_and_only_25_clears_the_member_id() {
    for (code, cause, kept) in [
        (ILLEGAL_GENERATION, RejoinCause::IllegalGeneration, "consumer"),
        (UNKNOWN_MEMBER_ID, RejoinCause::UnknownMemberId, ""),
    ] {
        let mut world = heartbeat_out();
        world.answer(beat(code));
        assert!(world.must_rejoin());
        assert_eq!(world.member_id().as_str(), kept);
        assert_eq!(world.member.generation(), Generation(1));
        assert_eq!(world.joining().member_id, kept, "the JoinGroup is out");
        assert!(world.changes().contains(&&Change::RejoinNeeded {
            cause,
            error: Some(code),
            member_id_cleared: kept.is_empty(),
            detail: None,
        }));
    }
}

/// Trap 35.
#[test]
fn a_heartbeat_answered_27_is_a_failure_that_renews_nothing_and_silences_the_member() {
    let mut world = heartbeat_out();
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert_eq!(world.member.heartbeat.last_receive(), None);
    assert!(world.must_rejoin());
    assert_eq!(world.joining().member_id, "consumer");
    world.pass(60_000);
    assert_eq!(
        world.count(GroupRequest::Heartbeat),
        1,
        "while the JoinGroup is parked none is sent"
    );
}

/// Protocol.md 1.5: the exception was raised into a future that nobody asked for its failure.
#[test]
fn a_heartbeat_answered_30_is_sent_again_and_the_missing_right_is_told_once() {
    let mut world = World::stable(seed());
    world.clear();
    for _ in 0..2 {
        world.pass(5000);
        world.answer(beat(GROUP_AUTHORIZATION_FAILED));
    }
    assert!(world.end.is_none());
    assert_eq!(
        world.kinds(),
        ["heartbeat_answered", "not_authorized", "heartbeat_answered"]
    );
    assert_eq!(
        world.changes()[1],
        &Change::NotAuthorized {
            error: 30,
            right: "READ on group orders".to_owned(),
        }
    );
}

/// B07.
#[test]
fn a_join_or_a_lookup_answered_30_ends_the_member() {
    let mut world = World::new(seed());
    world.up();
    world.refuse(GroupRequest::FindCoordinator, GROUP_AUTHORIZATION_FAILED);
    assert_eq!(fatal_code(&world), Some(30));
    assert!(world.changes().contains(&&Change::NotAuthorized {
        error: 30,
        right: "READ on group orders".to_owned(),
    }));

    let mut world = World::new(seed());
    world.find();
    world.up();
    world.refuse(GroupRequest::JoinGroup, GROUP_AUTHORIZATION_FAILED);
    assert_eq!(fatal_code(&world), Some(30));
}

/// B08, B09.
#[test]
fn leaving_sends_one_leave_group_and_forgets_the_membership() {
    let mut world = World::stable(seed());
    world.input(Input::Leave { reason: None });
    assert_eq!(world.count(GroupRequest::LeaveGroup), 1);
    match &world.waits(GroupRequest::LeaveGroup).unwrap().body {
        AnyRequest::LeaveGroup(leave) => {
            assert_eq!(
                (leave.group_id.as_str(), leave.member_id.as_str()),
                (GROUP, "consumer")
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(world.member_id().as_str(), "");
    assert_eq!(world.member.generation(), Generation::NONE);
    assert!(world.must_rejoin());
    world.pass(20_000);
    assert_eq!(world.count(GroupRequest::Heartbeat), 0, "the task is unqueued");
    world.answer(left(&[]));
    assert_eq!(world.end, Some(End::Left));
}

/// B10.
#[test]
fn a_sync_answered_25_joins_again_at_once_without_a_member_id() {
    for code in [UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION] {
        let mut world = World::new(seed());
        world.find();
        world.up();
        world.answer(joined("consumer", 1, "leader", &[]));
        world.refuse(GroupRequest::SyncGroup, code);
        assert_eq!(world.joining().member_id, "", "{code} clears it on a sync");
        world.join("other", 2);
        world.assert_stable("other", 2);
    }
}

/// B11.
#[test]
fn a_sync_answered_27_joins_again_at_once_with_the_same_member_id() {
    let mut world = World::new(seed());
    world.find();
    world.up();
    let start = world.now;
    world.answer(joined("consumer", 1, "leader", &[]));
    world.refuse(GroupRequest::SyncGroup, REBALANCE_IN_PROGRESS);
    assert_eq!(world.joining().member_id, "consumer");
    assert_eq!(world.now, start, "no backoff");
    world.join("consumer", 2);
    world.assert_stable("consumer", 2);
}

/// B13.
#[test]
fn a_sync_answered_by_an_unexpected_error_ends_the_member() {
    let mut world = World::new(seed());
    world.find();
    world.up();
    world.answer(joined("consumer", 1, "leader", &[]));
    world.refuse(GroupRequest::SyncGroup, UNKNOWN_SERVER_ERROR);
    assert_eq!(fatal_code(&world), Some(-1));
    assert!(world.saw("member_failed"));
    assert_eq!(world.member.deadline(), None);
}

/// B14: revoked once, assigned once, is here: joined once, and nothing rejoined.
#[test]
fn a_join_that_loses_its_connection_is_made_again_after_a_rediscovery() {
    let mut world = World::new(seed());
    world.find();
    world.up();
    world.down();
    assert_eq!(world.member.state(), State::Unjoined);
    world.pass(100);
    world.find();
    world.up();
    world.pass(100);
    world.join("consumer", 1);
    world.assert_stable("consumer", 1);
    let kinds = world.kinds();
    assert_eq!(kinds.iter().filter(|kind| **kind == "member_joined").count(), 1);
    assert!(!world.saw("member_rejoined"));
}

/// B15: revoked and assigned twice each is here: joined, then rejoined.
#[test]
fn a_changed_subscription_rejoins_into_the_next_generation() {
    let mut world = World::stable(seed());
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    assert_eq!(world.joining().member_id, "consumer");
    world.answer(joined("consumer", 2, "leader", &[]));
    world.answer(synced());
    world.assert_stable("consumer", 2);
    let kinds = world.kinds();
    assert_eq!(kinds.iter().filter(|kind| **kind == "member_joined").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| **kind == "member_rejoined").count(), 1);
}

/// B16.
#[test]
fn a_coordinator_that_cannot_be_reached_is_looked_up_again_after_the_backoff() {
    let mut world = World::new(seed());
    world.find();
    let found = world.now;
    world.pass(50);
    world.down();
    assert!(world.links.is_empty());
    world.pass(99);
    assert!(world.links.is_empty());
    world.pass(1);
    assert_eq!(*world.peer(), Peer::Bootstrap);
    assert!(world.now.micros_since(found) >= 100_000);
}

/// B17.
#[test]
fn a_join_answered_26_or_24_ends_the_member() {
    for code in [INVALID_SESSION_TIMEOUT, INVALID_GROUP_ID] {
        let mut world = World::new(seed());
        world.find();
        world.up();
        world.refuse(GroupRequest::JoinGroup, code);
        assert_eq!(fatal_code(&world), Some(code));
    }
}

/// Protocol.md 1.5: a heartbeat in flight delays the join.
#[test]
fn a_join_waits_until_nothing_is_pending_to_the_coordinator() {
    let mut world = World::stable(seed());
    world.pass(5000);
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    assert_eq!(world.count(GroupRequest::JoinGroup), 1);
    world.answer(beat(NONE));
    assert_eq!(world.count(GroupRequest::JoinGroup), 2);
}

/// Trap 37.
#[test]
fn a_changed_subscription_silences_heartbeats_before_any_request_is_sent() {
    let mut world = World::stable(seed());
    world.down();
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    world.find();
    world.pass(5000);
    // The JoinGroup waits for the connection; no heartbeat does.
    assert_eq!(world.member.coordinator.as_ref().unwrap().link.unsent_count(), 1);
}
