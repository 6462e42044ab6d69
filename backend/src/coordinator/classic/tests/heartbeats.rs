//! Heartbeat: the order of checks and what each state answers.

use super::context::{Spec, World};
use crate::coordinator::classic::State;

#[test]
pub(super) fn strangers_and_strange_groups_are_told_25_and_dead_ones_15() {
    let mut world = World::new();
    assert_eq!(world.beat_as("m", None, 1), 25, "no such group");
    let (mut world, members) = World::stable(&[Spec::default()]);
    let member = members.first().unwrap();
    assert_eq!(world.beat_as("nobody", None, 1), 25, "no such member");
    world.force(|group, _| group.state = State::Empty);
    assert_eq!(world.beat(member), 25, "empty");
    world.force(|group, _| group.state = State::Dead);
    assert_eq!(world.beat(member), 15, "dead");
}

#[test]
pub(super) fn a_heartbeat_is_answered_27_while_preparing_and_0_while_completing() {
    let (mut world, members) = World::completing(&[Spec::default()]);
    let member = members.first().unwrap();
    assert_eq!(world.beat(member), 0);
    world.sync_all(&members);
    world.join(&Spec::default());
    assert_eq!(
        (world.state(), world.beat(member)),
        (State::PreparingRebalance, 27)
    );
}

#[test]
pub(super) fn a_heartbeat_of_another_generation_is_answered_22() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    let member = &members.first().unwrap().member_id;
    for generation in [2, 0, -1, i32::MAX, i32::MIN] {
        assert_eq!(world.beat_as(member, None, generation), 22);
    }
}

#[test]
fn a_heartbeat_of_another_generation_keeps_nobody_in() {
    let (mut world, members) = World::stable(&[Spec::timeouts(5_000, 5_000)]);
    let member = members.first().unwrap();
    world.advance(4_999);
    assert_eq!(world.beat_as(&member.member_id, None, 7), 22);
    world.advance(1);
    assert_eq!(world.beat(member), 25);
}

#[test]
pub(super) fn a_static_member_is_known_by_both_its_ids() {
    let (mut world, members) = World::stable(&[Spec::fixed("leader", 10_000, 10_000)]);
    let member = members.first().unwrap();
    assert_eq!(world.beat_as(&member.member_id, None, 1), 0);
    assert_eq!(world.beat_as(&member.member_id, Some("leader"), 1), 0);
    assert_eq!(world.beat_as("wrong", Some("leader"), 1), 82);
    assert_eq!(world.beat_as(&member.member_id, Some("wrong"), 1), 25);
}

#[test]
fn an_id_that_was_handed_out_is_no_member_yet() {
    let mut world = World::new();
    let given = world.join_now(&Spec::default().version(9));
    assert_eq!(world.beat_as(&given.member_id, None, 0), 25);
}
