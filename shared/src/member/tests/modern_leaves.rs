//! Today's classic client: leaving (protocol.md 5.C, `AbstractCoordinatorTest`).

use super::world::*;
use crate::error_code::*;
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
