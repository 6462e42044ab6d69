//! Today's classic client: leaving (protocol.md 5.C, `AbstractCoordinatorTest`).

use super::world::*;
use crate::error_code::*;
use crate::event::LinkFault;
use crate::ids::InstanceId;
use crate::member::{Config, End, Input, LeaveOperation, State};
use crate::protocol::AnyRequest;
use crate::rules::{GroupRequest, Rules};

fn modern() -> Config {
    config(Rules::MODERN)
}

/// C27.
#[test]
fn who_sends_leave_group_depends_on_the_operation_and_on_being_static() {
    let cases = [
        (None, LeaveOperation::Default, true),
        (None, LeaveOperation::LeaveGroup, true),
        (None, LeaveOperation::RemainInGroup, false),
        (Some("i"), LeaveOperation::Default, false),
        (Some("i"), LeaveOperation::LeaveGroup, true),
        (Some("i"), LeaveOperation::RemainInGroup, false),
    ];
    for (instance, on_leave, leaves) in cases {
        let config = Config {
            instance: instance.map(InstanceId::from),
            on_leave,
            ..modern()
        };
        let mut world = World::new(config);
        world.find();
        world.up();
        world.answer(joined("consumer", 1, "consumer", &["consumer"]));
        world.answer(synced());
        world.input(Input::Leave { reason: None });
        assert_eq!(
            world.waits(GroupRequest::LeaveGroup).is_some(),
            leaves,
            "{instance:?} {on_leave:?}"
        );
        assert_eq!(matches!(world.end, Some(End::Remains { .. })), !leaves);
    }
}

/// C28, KIP-800.
#[test]
fn a_reason_to_leave_is_cut_after_255_characters() {
    let mut world = World::stable(modern());
    world.input(Input::Leave {
        reason: Some("é".repeat(271)),
    });
    match &world.waits(GroupRequest::LeaveGroup).unwrap().body {
        AnyRequest::LeaveGroup(leave) => {
            assert_eq!(leave.members[0].reason, Some("é".repeat(255)));
            assert_eq!(leave.members[0].member_id, "consumer");
        }
        other => panic!("{other:?}"),
    }
}

/// C29.
#[test]
fn a_leave_answered_for_two_for_none_and_with_25() {
    let mut world = World::stable(modern());
    world.input(Input::Leave { reason: None });
    world.answer(left(&[NONE, NONE]));
    assert!(matches!(&world.end, Some(End::Remains { why }) if why.contains("2 members")));

    let mut world = World::stable(modern());
    world.input(Input::Leave { reason: None });
    world.answer(left(&[]));
    assert_eq!(world.end, Some(End::Left));

    let mut world = World::stable(modern());
    world.input(Input::Leave { reason: None });
    world.answer(left(&[UNKNOWN_MEMBER_ID]));
    assert_eq!(world.end, Some(End::Left));
    assert!(world.saw("member_gone"));
    assert!(!world.saw("member_left"), "it had not been in");
}

/// Trap 23.
#[test]
fn a_heartbeat_answered_after_the_leave_revives_nobody() {
    for code in [
        NONE,
        REBALANCE_IN_PROGRESS,
        UNKNOWN_MEMBER_ID,
        NOT_COORDINATOR,
        FENCED_INSTANCE_ID,
    ] {
        let mut world = World::stable(modern());
        world.pass(3000);
        world.input(Input::Leave { reason: None });
        assert!(
            world.waits(GroupRequest::LeaveGroup).is_some(),
            "it does not wait for the heartbeat"
        );
        world.clear();
        world.answer(beat(code));
        assert_eq!(world.kinds(), ["heartbeat_answered"]);
        assert_eq!(world.member.state(), State::Leaving);
        world.answer(left(&[]));
        assert_eq!(world.end, Some(End::Left));
    }
}

/// A broker answers a connection in order: behind a parked JoinGroup the LeaveGroup would wait for the whole rebalance.
#[test]
fn a_leave_does_not_wait_behind_a_parked_join_or_sync() {
    for parked in [GroupRequest::JoinGroup, GroupRequest::SyncGroup] {
        let mut world = World::new(modern());
        world.find();
        world.up();
        world.refuse_with_id("consumer");
        if parked == GroupRequest::SyncGroup {
            world.answer(joined("consumer", 1, "another", &[]));
        }
        assert!(world.waits(parked).is_some());
        let old = world.link();
        world.input(Input::Leave { reason: None });
        assert_eq!(world.member.state(), State::Leaving);
        assert!(!world.links.contains_key(&old), "{parked} waits on it");
        world.up();
        match &world.waits(GroupRequest::LeaveGroup).expect("no LeaveGroup").body {
            AnyRequest::LeaveGroup(leave) => assert_eq!(leave.members[0].member_id, "consumer"),
            other => panic!("{other:?}"),
        }
        world.answer(left(&[NONE]));
        assert_eq!(world.end, Some(End::Left));
    }
}

#[test]
fn a_leave_whose_second_connection_fails_remains() {
    let mut world = World::new(modern());
    world.find();
    world.up();
    world.refuse_with_id("consumer");
    world.input(Input::Leave { reason: None });
    world.down();
    assert!(matches!(&world.end, Some(End::Remains { .. })), "{:?}", world.end);
}

/// It has no id to leave by, and a static member is in the group as soon as its first JoinGroup has come.
#[test]
fn a_static_member_whose_first_join_is_out_remains() {
    for (instance, remains) in [(Some("i"), true), (None, false)] {
        let mut world = World::new(Config {
            instance: instance.map(InstanceId::from),
            ..modern()
        });
        world.find();
        world.up();
        assert!(world.waits(GroupRequest::JoinGroup).is_some());
        world.input(Input::Leave { reason: None });
        assert_eq!(
            matches!(world.end, Some(End::Remains { .. })),
            remains,
            "{instance:?}"
        );
    }
}

#[test]
fn a_lookup_that_fails_alike_with_other_words_is_told_once() {
    let mut world = World::new(modern());
    for words in ["57 bytes came", "9 bytes came", "12345 bytes came"] {
        let link = world.link();
        world.links.remove(&link);
        world.input(Input::LinkDown {
            link,
            cause: LinkFault::Garbled,
            detail: Some(words.to_owned()),
        });
        world.pass(10_000);
    }
    let told = world
        .kinds()
        .into_iter()
        .filter(|kind| *kind == "coordinator_not_found");
    assert_eq!(told.count(), 1);
}
