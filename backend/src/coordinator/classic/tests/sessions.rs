//! Sessions: what keeps a member in, and what happens when nothing does.

use shared::protocol::{
    JoinGroupResponse, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};

use super::context::{GROUP, Spec, World};
use crate::coordinator::classic::State;

#[test]
pub(super) fn heartbeats_keep_a_member_in() {
    let (mut world, members) = World::stable(&[Spec::timeouts(5_000, 5_000)]);
    let member = members.first().unwrap();
    for _ in 0..2 {
        world.advance(2_500);
        assert_eq!(world.beat(member), 0);
    }
}

#[test]
pub(super) fn a_member_without_heartbeats_expires_and_leaves_the_group_empty() {
    let (mut world, members) = World::stable(&[Spec::timeouts(5_000, 5_000)]);
    let member = members.first().unwrap();
    world.advance(5_000);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
    assert_eq!(world.beat(member), 25);
}

#[test]
pub(super) fn after_its_first_generation_a_new_member_lives_by_its_session() {
    let mut world = World::new();
    let join = world.join(&Spec::timeouts(305_000, 500));
    world.advance(3_000);
    let member = world.joined(join);
    assert_eq!((member.error_code, member.generation_id), (0, 1));
    assert_eq!(world.sync_now(&member).error_code, 0);
    world.advance(300_000);
    assert!(
        world.has(&member.member_id),
        "the five minutes of a new member ended with its join"
    );
    world.advance(5_000);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
    assert_eq!((&world.group().leader, &world.group().protocol), (&None, &None));
}

#[test]
pub(super) fn an_id_handed_out_and_forgotten_disturbs_nobody() {
    let spec = Spec::timeouts(5_000, 5_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    assert_eq!(world.join_now(&spec.version(9)).error_code, 79);
    for _ in 0..2 {
        world.advance(2_500);
        assert_eq!(world.beat(members.first().unwrap()), 0);
        assert_eq!(world.standing(), (State::Stable, 1, 1, 0));
    }
    assert!(world.group().pending.is_empty());
}

#[test]
fn while_its_join_is_parked_a_members_session_does_not_end() {
    let spec = Spec::timeouts(1_000, 30_000);
    let (mut world, members) = World::stable(&[spec.clone(), Spec::timeouts(60_000, 30_000)]);
    let rejoin = world.join(&spec.known(&members[0].member_id));
    world.advance(20_000);
    assert!(world.is_parked(rejoin) && world.has(&members[0].member_id));
    world.advance(10_000);
    assert_eq!(world.joined(rejoin).generation_id, 2);
    world.advance(1_000);
    assert_eq!(
        world.standing().0,
        State::Empty,
        "its alarm is set again when it is answered"
    );
}

#[test]
fn a_member_that_expires_while_others_wait_lets_the_join_phase_end() {
    let specs = [Spec::timeouts(60_000, 30_000), Spec::timeouts(1_000, 30_000)];
    let (mut world, members) = World::stable(&specs);
    let rejoin = world.join(&specs[0].known(&members[0].member_id));
    world.advance(999);
    assert!(world.is_parked(rejoin));
    world.advance(1);
    let answer = world.joined(rejoin);
    assert_eq!((answer.generation_id, answer.members.len()), (2, 1));
}

fn commit(world: &mut World, member: &str, instance: Option<&str>, generation: i32) -> i16 {
    let partition = OffsetCommitRequestPartition {
        committed_offset: 42,
        ..Default::default()
    };
    let topic = OffsetCommitRequestTopic {
        name: "demo".into(),
        partitions: vec![partition],
        ..Default::default()
    };
    let request = OffsetCommitRequest {
        group_id: GROUP.into(),
        generation_id_or_member_epoch: generation,
        member_id: member.into(),
        group_instance_id: instance.map(str::to_owned),
        topics: vec![topic],
        ..Default::default()
    };
    world.ask(9, request).topics[0].partitions[0].error_code
}

#[test]
pub(super) fn a_commit_keeps_a_member_in() {
    let (mut world, members) = World::stable(&[Spec::timeouts(1_000, 1_000)]);
    let member = members.first().unwrap();
    world.advance(500);
    assert_eq!(commit(&mut world, &member.member_id, None, 1), 0);
    world.advance(600);
    assert_eq!(world.beat(member), 0);
}

#[test]
pub(super) fn a_commit_is_checked_like_a_heartbeat() {
    let mut world = World::new();
    assert_eq!(commit(&mut world, "m", None, 1), 69, "no such group");
    assert_eq!(
        commit(&mut world, "", None, -1),
        0,
        "from outside, into a group that is empty"
    );
    assert_eq!(world.coordinator.committed(GROUP, "demo", 0), Some(42));
    assert_eq!(world.state(), State::Empty);

    let (mut world, members) = World::completing(&[Spec::fixed("i", 5_000, 5_000)]);
    let JoinGroupResponse { member_id, .. } = members.first().unwrap();
    assert_eq!(
        commit(&mut world, "", None, -1),
        25,
        "from outside, into a group with members"
    );
    assert_eq!(commit(&mut world, "nobody", None, 1), 25);
    assert_eq!(commit(&mut world, member_id, Some("nobody"), 1), 25);
    assert_eq!(commit(&mut world, member_id, Some("i"), 0), 22);
    assert_eq!(commit(&mut world, member_id, Some("i"), 1), 27, "completing");
    world.sync_all(&members);
    assert_eq!(commit(&mut world, member_id, Some("i"), 1), 0);
    world.join_now(&Spec::fixed("i", 5_000, 5_000));
    assert_eq!(commit(&mut world, member_id, Some("i"), 1), 82, "replaced");
    world.force(|group, _| group.state = State::Dead);
    assert_eq!(commit(&mut world, member_id, Some("i"), 1), 15);
}

#[test]
fn a_stopped_coordinator_forgets_nothing_and_gives_every_member_a_full_session() {
    let (mut world, members) = World::stable(&[Spec::timeouts(5_000, 5_000)]);
    let member = members.first().unwrap();
    world.advance(4_999);
    world.freeze();
    assert_eq!(world.coordinator.deadline(), None);
    world.jump(1_000_000);
    assert_eq!(
        world.beat(member),
        15,
        "whoever still gets through is told to look elsewhere"
    );
    world.thaw();
    world.advance(4_999);
    assert!(world.has(&member.member_id));
    world.advance(1);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
}

#[test]
fn what_was_due_during_a_stop_is_due_that_much_later() {
    let mut world = World::new();
    let join = world.join(&Spec::timeouts(60_000, 60_000));
    let pending = world.join_now(&Spec::timeouts(4_000, 60_000).version(9));
    world.advance(1_000);
    world.freeze();
    world.jump(500_000);
    world.thaw();
    world.advance(1_999);
    assert!(world.is_parked(join) && world.group().pending.contains_key(pending.member_id.as_str()));
    world.advance(1);
    assert_eq!(world.joined(join).generation_id, 1);
    world.advance(999);
    assert_eq!(world.group().pending.len(), 1);
    world.advance(1);
    assert_eq!(world.group().pending.len(), 0);
}

#[test]
fn an_empty_group_is_forgotten_after_a_while_and_one_with_offsets_after_longer() {
    let settings = [
        "offsets.retention.check.interval.ms=10000",
        "offsets.retention.minutes=1",
    ];
    let mut world = World::with(&settings);
    let join = world.join(&Spec::timeouts(5_000, 5_000));
    world.advance(3_000);
    let member = world.joined(join);
    world.sync_all(std::slice::from_ref(&member));
    world.advance(5_000);
    assert_eq!(world.state(), State::Empty);
    world.advance(9_999);
    assert!(world.coordinator.has_group(GROUP));
    assert_eq!(commit(&mut world, "", None, -1), 0);
    world.advance(59_999);
    assert!(world.coordinator.has_group(GROUP));
    world.advance(1);
    assert!(!world.coordinator.has_group(GROUP));
    assert_eq!(
        world.coordinator.desk.load,
        crate::coordinator::desk::Load::default()
    );
}
