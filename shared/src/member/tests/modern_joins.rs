//! Today's classic client: joining, syncing, finding the coordinator (protocol.md 5.C, `AbstractCoordinatorTest`).

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, DeathCause, RejoinCause};
use crate::ids::Generation;
use crate::member::{Config, End, Fatal, Input, Peer, State};
use crate::protocol::{JoinGroupResponse, SyncGroupResponse};
use crate::rules::{GroupRequest, Rules};
use crate::time::Millis;

fn modern() -> Config {
    config(Rules::MODERN)
}

/// A member whose JoinGroup is out, with its id.
fn join_out() -> World {
    let mut world = World::new(modern());
    world.find();
    world.up();
    world.refuse_with_id("consumer");
    world.clear();
    world
}

fn join_timeout(rebalance_timeout: u64) -> u64 {
    let config = Config {
        rebalance_timeout: Millis(rebalance_timeout),
        ..modern()
    };
    let mut world = World::new(config);
    world.find();
    world.up();
    world.waits(GroupRequest::JoinGroup).unwrap().timeout.0
}

fn fatal(world: &World) -> &Fatal {
    match &world.end {
        Some(End::Fatal(fatal)) => fatal,
        other => panic!("{other:?}"),
    }
}

/// C12, C13, C14.
#[test]
fn a_join_may_take_5_s_more_than_the_rebalance_and_no_less_than_any_request() {
    assert_eq!(join_timeout(60_000), 65_000);
    assert_eq!(join_timeout(30_000), 40_000);
    assert_eq!(join_timeout(i32::MAX as u64), i32::MAX as u64, "no overflow");
}

/// C12: then it is a disconnect.
#[test]
fn a_join_that_times_out_kills_the_coordinator_and_is_made_again() {
    let mut world = join_out();
    world.pass(64_999);
    assert_eq!(world.kinds(), [""; 0]);
    world.time_out(GroupRequest::JoinGroup);
    assert_eq!(world.kinds(), ["coordinator_dead", "member_moved"]);
    assert!(matches!(
        world.changes()[0],
        Change::CoordinatorDead {
            cause: DeathCause::Timeout,
            ..
        }
    ));
    world.find();
    world.up();
    world.pass(120);
    assert_eq!(world.joining().member_id, "consumer");
}

/// C15, KIP-394.
#[test]
fn a_join_answered_79_is_made_again_at_once_with_the_id_given() {
    let mut world = World::new(modern());
    world.find();
    world.up();
    assert_eq!(world.joining().member_id, "");
    let start = world.now;
    world.refuse_with_id("memberId");
    assert_eq!(world.now, start);
    assert!(world.must_rejoin());
    assert_eq!(world.member_id().as_str(), "memberId");
    assert_eq!(world.member.generation(), Generation::NONE);
    assert_eq!(world.joining().member_id, "memberId");
    assert!(
        !world.saw("rejoin_needed"),
        "it is no error for anybody (trap 30)"
    );
}

/// C16.
#[test]
fn a_join_answered_82_or_81_ends_the_member() {
    for code in [FENCED_INSTANCE_ID, GROUP_MAX_SIZE_REACHED, UNSUPPORTED_VERSION] {
        let mut world = join_out();
        world.refuse(GroupRequest::JoinGroup, code);
        assert_eq!(fatal(&world).code, Some(code));
        assert!(fatal(&world).sentence.contains(sentence(code).as_str()));
        assert_eq!(world.saw("member_fenced"), code == FENCED_INSTANCE_ID);
    }
}

/// C17.
#[test]
fn the_member_id_is_kept_over_a_join_that_lost_its_connection() {
    let mut world = World::stable(modern());
    world.pass(3000);
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert_eq!(world.joining().member_id, "consumer");
    world.down();
    assert_eq!(world.member.state(), State::Unjoined);
    world.find();
    world.up();
    world.pass(120);
    assert_eq!(world.joining().member_id, "consumer");
    world.join("consumer", 10);
    world.assert_stable("consumer", 10);
}

/// C25.
#[test]
fn a_join_answered_27_is_made_again() {
    let mut world = join_out();
    world.refuse(GroupRequest::JoinGroup, REBALANCE_IN_PROGRESS);
    assert!(world.changes().contains(&&Change::RejoinNeeded {
        cause: RejoinCause::RebalanceInProgress,
        error: Some(27),
        member_id_cleared: false,
        detail: None,
    }));
    assert_eq!(world.joining().member_id, "consumer");
    world.join("consumer", 1);
    world.assert_stable("consumer", 1);
    assert_eq!(
        world
            .kinds()
            .iter()
            .filter(|kind| **kind == "member_joined")
            .count(),
        1
    );
}

/// C26: Kafka's tests put the new generation in by hand, too.
#[test]
fn a_join_or_sync_answered_for_an_older_generation_resets_nothing() {
    let mut world = join_out();
    world.member.membership.generation = Generation(7);
    world.refuse(GroupRequest::JoinGroup, UNKNOWN_MEMBER_ID);
    assert_eq!(world.member_id().as_str(), "consumer");
    assert_eq!(world.member.generation(), Generation(7));

    for code in [UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION] {
        let mut world = join_out();
        world.answer(joined("consumer", 1, "leader", &[]));
        world.member.membership.generation = Generation(7);
        world.refuse(GroupRequest::SyncGroup, code);
        assert_eq!(world.member_id().as_str(), "consumer");
        assert_eq!(world.member.generation(), Generation(7));
        assert_eq!(world.member.state(), State::PreparingRebalance, "it joins again");
    }
}

#[test]
fn a_join_answered_25_joins_again_at_once_as_a_new_member() {
    let mut world = join_out();
    world.refuse(GroupRequest::JoinGroup, UNKNOWN_MEMBER_ID);
    assert_eq!(world.joining().member_id, "");
}

#[test]
fn a_sync_answered_22_keeps_the_member_id_and_25_clears_it() {
    for (code, kept) in [(ILLEGAL_GENERATION, "consumer"), (UNKNOWN_MEMBER_ID, "")] {
        let mut world = join_out();
        world.answer(joined("consumer", 1, "leader", &[]));
        world.refuse(GroupRequest::SyncGroup, code);
        assert_eq!(world.joining().member_id, kept);
    }
}

/// Trap 51.
#[test]
fn a_sync_answered_14_ends_the_member() {
    let mut world = join_out();
    world.answer(joined("consumer", 1, "leader", &[]));
    world.refuse(GroupRequest::SyncGroup, COORDINATOR_LOAD_IN_PROGRESS);
    assert_eq!(fatal(&world).code, Some(14));
}

/// Trap 38: until the sync has succeeded the member must rejoin.
#[test]
fn a_join_alone_does_not_end_the_need_to_rejoin() {
    let mut world = join_out();
    world.answer(joined("consumer", 1, "leader", &[]));
    assert!(world.member.must_rejoin);
    world.answer(synced());
    assert!(!world.member.must_rejoin);
}

/// Java's UnjoinedGroupException: a heartbeat answered 25 while the JoinGroup was out.
#[test]
fn a_member_thrown_out_while_its_join_is_out_takes_nothing_from_the_answer() {
    let mut world = World::stable(modern());
    world.pass(3000);
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    world.answer(beat(UNKNOWN_MEMBER_ID));
    assert_eq!(world.member.state(), State::Unjoined);
    assert_eq!(
        world.count(GroupRequest::JoinGroup),
        3,
        "two at once would be two members"
    );
    world.answer(joined("consumer", 2, "consumer", &["consumer"]));
    assert_eq!(world.member_id().as_str(), "");
    world.pass(120);
    assert_eq!(world.joining().member_id, "");
    world.join("other", 3);
    world.assert_stable("other", 3);
}

#[test]
fn a_sync_that_succeeds_after_the_membership_was_lost_joins_nobody() {
    let mut world = join_out();
    world.answer(joined("consumer", 1, "leader", &[]));
    world.pass(3000);
    world.answer(beat(ILLEGAL_GENERATION));
    assert_eq!(world.member.state(), State::Unjoined);
    world.answer(synced());
    assert_eq!(world.member.state(), State::PreparingRebalance);
    assert!(!world.saw("member_joined"));
}

#[test]
fn the_same_topics_in_another_order_are_no_other_subscription() {
    let config = Config {
        topics: vec!["b".to_owned(), "a".to_owned()],
        ..modern()
    };
    let mut world = World::stable(config);
    world.clear();
    world.input(Input::Subscribe(vec![
        "a".to_owned(),
        "b".to_owned(),
        "a".to_owned(),
    ]));
    assert_eq!(world.kinds(), [""; 0]);
    world.assert_stable("consumer", 1);
}

/// C33.
#[test]
fn a_join_answered_14_is_made_again_after_the_backoff() {
    let mut world = join_out();
    let start = world.now;
    world.refuse(GroupRequest::JoinGroup, COORDINATOR_LOAD_IN_PROGRESS);
    assert!(world.waits(GroupRequest::JoinGroup).is_none());
    world.pass_until(world.member.deadline().unwrap());
    assert!(world.waits(GroupRequest::JoinGroup).is_some());
    let waited = world.now.micros_since(start) / 1000;
    assert!((79..=121).contains(&waited), "{waited}");
}

/// C34.
#[test]
fn lookups_of_a_coordinator_that_is_down_back_off_exponentially() {
    let config = Config {
        retry_backoff: Millis(10),
        retry_backoff_max: Millis(100),
        ..modern()
    };
    let mut world = World::new(config);
    let start = world.now;
    for _ in 0..4 {
        world.find();
        world.down();
        world.pass_until(world.member.deadline().unwrap());
    }
    let waited = world.now.micros_since(start) / 1000;
    assert!((120..=190).contains(&waited), "{waited}");
    assert_eq!(*world.peer(), Peer::Bootstrap);
}

/// C35.
#[test]
fn a_wrong_protocol_type_or_name_ends_the_member_with_23() {
    let wrong = Some("connect".to_owned());
    let joins: [fn(&mut JoinGroupResponse, Option<String>); 2] = [
        |answer, value| answer.protocol_type = value,
        |answer, value| answer.protocol_name = value,
    ];
    for set in joins {
        for (value, right) in [(None, true), (wrong.clone(), false)] {
            let mut world = join_out();
            let mut answer = joined("consumer", 1, "leader", &[]);
            set(&mut answer, value);
            world.answer(answer);
            assert_eq!(world.end.is_none(), right);
            if !right {
                assert_eq!(fatal(&world).code, Some(INCONSISTENT_GROUP_PROTOCOL));
                assert!(fatal(&world).sentence.contains("\"connect\""));
            }
        }
    }
    let syncs: [fn(&mut SyncGroupResponse, Option<String>, bool); 2] = [
        |answer, value, right| answer.protocol_type = if right { Some("consumer".to_owned()) } else { value },
        |answer, value, right| answer.protocol_name = if right { Some("range".to_owned()) } else { value },
    ];
    for set in syncs {
        for (value, right) in [(None, true), (None, false), (wrong.clone(), false)] {
            let mut world = join_out();
            world.answer(joined("consumer", 1, "leader", &[]));
            let mut answer = synced();
            set(&mut answer, value.clone(), right);
            world.answer(answer);
            assert_eq!(world.end.is_none(), right || value.is_none());
        }
    }
}

/// Against endless loops at the speed of the network; Kafka's clients have none.
#[test]
fn joins_that_start_over_at_once_back_off_after_a_while() {
    let mut world = join_out();
    let mut at_once = 0;
    while world.waits(GroupRequest::JoinGroup).is_some() {
        world.refuse_with_id("consumer");
        at_once += 1;
        assert!(at_once < 10);
    }
    assert!(at_once >= 3);
    world.pass(120);
    world.join("consumer", 1);
    world.assert_stable("consumer", 1);
}

#[test]
fn a_success_that_says_nonsense_is_refused_and_the_join_made_again() {
    for answer in [
        joined("", 1, "leader", &[]),
        JoinGroupResponse {
            generation_id: -5,
            ..joined("consumer", 1, "leader", &[])
        },
    ] {
        let mut world = join_out();
        world.answer(answer);
        assert_eq!(world.member.state(), State::Unjoined);
        assert!(!world.coordinator_unknown());
        assert!(matches!(
            world.changes()[0],
            Change::RejoinNeeded { cause: RejoinCause::JoinFailed, error: None, detail: Some(words), .. }
                if words.starts_with("answer to JoinGroup: a success with")
        ));
        world.pass(120);
        assert_eq!(world.joining().member_id, "consumer");
    }
}
