//! What the same requests to Apache Kafka 4.3 showed to be otherwise than we had it (the differential test,
//! `tests/src/differential.rs`).

use super::context::{Spec, World};
use crate::coordinator::Origin;
use crate::coordinator::classic::State;

#[test]
fn assignments_are_described_until_the_leader_brings_new_ones() {
    let spec = Spec::default();
    let (mut world, members) = World::completing(std::slice::from_ref(&spec));
    let part = |world: &mut World| world.described().members.remove(0).member_assignment;
    assert!(part(&mut world).is_empty());
    let sync = world.sync(&members[0], &[(&members[0].member_id, &[1])]);
    assert_eq!(world.synced(sync).error_code, 0);

    let rejoined = world.join_now(&spec.known(&members[0].member_id));
    assert_eq!(
        (world.state(), rejoined.generation_id),
        (State::CompletingRebalance, 2)
    );
    assert_eq!(part(&mut world), [1], "of the generation before");

    // A rebalance that starts before the leader has synced takes them back.
    world.join(&Spec::default());
    assert_eq!(world.state(), State::PreparingRebalance);
    assert!(
        world
            .described()
            .members
            .iter()
            .all(|member| member.member_assignment.is_empty())
    );
}

#[test]
fn an_id_handed_out_and_used_with_an_instance_id_is_answered_without_the_id() {
    let mut world = World::new();
    let given = world.join_now(&Spec::default().version(9));
    assert_eq!(given.error_code, 79);
    let refused = world.join_now(&Spec::fixed("i", 500, 500).known(&given.member_id));
    assert_eq!((refused.error_code, refused.member_id.as_str()), (-1, ""));
}

#[test]
fn a_static_seat_keeps_the_client_id_and_host_of_who_took_it_first() {
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    let elsewhere = Origin {
        client_id: "other",
        host: "/127.0.0.2",
    };
    let join = world.send_from(elsewhere, 9, spec.request());
    let back = world.joined(join);
    assert_eq!(back.error_code, 0);
    assert_ne!(back.member_id, members[0].member_id);
    let seat = world.described().members.remove(0);
    assert_eq!(seat.member_id, back.member_id);
    assert_eq!(
        (seat.client_id.as_str(), seat.client_host.as_str()),
        ("client", "/127.0.0.1")
    );
}

#[test]
fn a_group_is_there_from_its_first_join_on_whatever_became_of_it() {
    let mut world = World::new();
    let given = world.join_now(&Spec::default().version(9));
    assert_eq!(given.error_code, 79);
    assert_eq!(world.leave_codes(&[(&given.member_id, None)]), [0]);
    let described = world.described();
    assert_eq!(
        (described.error_code, described.group_state.as_str()),
        (0, "Empty")
    );

    let mut world = World::new();
    let refused = world.join_now(&Spec::default().speaking(&[]));
    assert_eq!(refused.error_code, 23);
    assert_eq!(world.described().group_state, "Empty");
}

/// Kafka writes an empty record when a JoinGroup makes a group (`newEmptyGroupMetadataRecord`).
#[test]
fn a_group_that_was_never_stable_is_there_and_empty_after_a_restart() {
    let mut world = World::new();
    let given = world.join_now(&Spec::default().version(9));
    assert_eq!(given.error_code, 79);
    let mut again = World::new();
    again.load(world.log);
    let described = again.described();
    assert_eq!(
        (described.error_code, described.group_state.as_str()),
        (0, "Empty")
    );
    let back = again.join_now(&Spec::default().version(9).known(&given.member_id));
    assert_eq!(back.error_code, 25, "the id was handed out by another");
}

/// `KafkaApis.handleSyncGroupRequest` looks at nothing else before.
#[test]
fn a_sync_that_does_not_say_its_protocol_is_refused_for_that_in_any_group() {
    let mut world = World::new();
    for group_id in ["", "nobody's"] {
        let request = shared::protocol::SyncGroupRequest {
            group_id: group_id.into(),
            ..Default::default()
        };
        let refused = world.ask(5, request);
        assert_eq!(refused.error_code, 23, "{group_id:?}");
    }
}

#[test]
fn a_group_nobody_was_in_is_forgotten_like_any_that_is_empty() {
    let mut world = World::with(&["offsets.retention.check.interval.ms=600000"]);
    let given = world.join_now(&Spec::default().version(9));
    assert_eq!(world.leave_codes(&[(&given.member_id, None)]), [0]);
    world.advance(599_999);
    assert_eq!(world.described().group_state, "Empty");
    world.advance(1);
    assert_eq!(world.described().error_code, 69);
}
