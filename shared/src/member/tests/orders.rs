//! What a member is made to do: join again, obey other rules, wait for a broker's quota.

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, DeathCause, RebalanceCause, RejoinCause, WithheldReason};
use crate::member::{Input, State};
use crate::protocol::HeartbeatResponse;
use crate::rules::{Effect, GroupRequest, Rules};

fn rejoins(world: &World) -> Vec<RejoinCause> {
    let cause = |change: &&Change| match change {
        Change::RejoinNeeded { cause, .. } => Some(*cause),
        _ => None,
    };
    world.changes().iter().filter_map(cause).collect()
}

/// KIP-568.
#[test]
fn a_stable_member_that_is_told_to_joins_again_at_once_with_its_member_id() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.clear();
        world.input(Input::Rejoin);
        assert_eq!(rejoins(&world), [RejoinCause::Enforced]);
        assert_eq!(world.member.state(), State::PreparingRebalance);
        world.join("consumer", 2);
        assert_eq!(world.member.name().as_str(), "consumer");
        let started = world.changes().into_iter().find_map(|change| match change {
            Change::RebalanceFinished(finished) => Some(finished.cause),
            _ => None,
        });
        assert_eq!(
            started,
            Some(RebalanceCause::LeaderRejoined),
            "under {}",
            rules.name
        );
    }
}

#[test]
fn a_member_that_is_joining_needs_not_be_told_to() {
    let mut world = World::new(config(Rules::MODERN));
    world.find();
    world.up();
    world.clear();
    world.input(Input::Rejoin);
    assert_eq!(world.changes(), Vec::<&Change>::new());
}

#[test]
fn a_defective_member_beats_on_through_27_until_its_rules_are_mended() {
    for rules in Rules::ALL {
        let mut deaf = rules.answers;
        deaf.heartbeat.rebalance_in_progress = Effect::Accept;
        let mut world = World::stable(config(*rules));
        world.input(Input::Obey(deaf));
        world.clear();
        // No more: under 0.10's rules a 27 does not renew the session.
        for _ in 0..2 {
            world.pass(3000);
            assert!(world.waits(GroupRequest::Heartbeat).is_some());
            world.answer(beat(REBALANCE_IN_PROGRESS));
        }
        assert_eq!(world.member.state(), State::Stable, "under {}", rules.name);
        assert_eq!(rejoins(&world), []);
        world.input(Input::Obey(rules.answers));
        world.pass(3000);
        world.answer(beat(REBALANCE_IN_PROGRESS));
        assert_eq!(rejoins(&world), [RejoinCause::RebalanceInProgress]);
    }
}

/// KIP-219.
#[test]
fn a_throttled_connection_is_silent_for_as_long_as_the_broker_says() {
    let mut world = World::stable(config(Rules::MODERN));
    world.pass(3000);
    world.answer(HeartbeatResponse {
        throttle_time_ms: 5000,
        ..beat(NONE)
    });
    let told = Change::HeartbeatWithheld {
        reason: WithheldReason::Throttled,
        for_ms: Some(5000),
    };
    assert!(world.changes().into_iter().any(|change| *change == told));
    world.pass(4999);
    assert!(
        world.waits(GroupRequest::Heartbeat).is_none(),
        "due after 3 s, and throttled"
    );
    world.pass(1);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
    world.clear();
    world.pass(7);
    world.answer(beat(NONE));
    assert!(
        matches!(
            world.changes()[0],
            Change::HeartbeatAnswered { latency_us: 7000, .. }
        ),
        "the wait is not the coordinator's latency: {:?}",
        world.changes()
    );
}

#[test]
fn a_throttle_beyond_the_session_ends_it_and_a_new_connection_is_free_of_it() {
    let mut world = World::stable(config(Rules::MODERN));
    world.pass(3000);
    world.clear();
    world.answer(HeartbeatResponse {
        throttle_time_ms: i32::MAX,
        ..beat(NONE)
    });
    world.pass(10_000);
    let dead = |change: &Change| {
        matches!(
            change,
            Change::CoordinatorDead {
                cause: DeathCause::SessionOver,
                ..
            }
        )
    };
    assert!(world.changes().into_iter().any(dead), "{:?}", world.changes());
    world.find();
    world.up();
    world.pass(1000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
}

/// Before KIP-219's versions the broker had waited itself.
#[test]
fn members_that_speak_old_versions_do_not_wait_again() {
    let mut world = World::stable(config(Rules::V0_10));
    world.pass(3000);
    world.answer(HeartbeatResponse {
        throttle_time_ms: 5000,
        ..beat(NONE)
    });
    world.pass(3000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
}
