//! JoinGroup of members that come, come again, or may not come.

use shared::protocol::JoinGroupRequest;

use super::context::{Spec, World};
use crate::coordinator::classic::State;

#[test]
pub(super) fn a_session_timeout_out_of_range_is_refused() {
    let mut world = World::with(
        &[
            "group.min.session.timeout.ms=120",
            "group.max.session.timeout.ms=50000",
        ][1..],
    );
    world.coordinator.desk.config.min_session_timeout = shared::time::Millis(120);
    for (session, code) in [(119, 26), (50_001, 26), (-1, 26), (0, 26), (i32::MIN, 26)] {
        let answer = world.join_now(&Spec::timeouts(session, 1_000));
        assert_eq!((answer.error_code, answer.generation_id), (code, -1), "{session}");
    }
    for session in [120, 50_000] {
        let join = world.join(&Spec::timeouts(session, 1_000));
        assert!(world.is_parked(join), "{session}");
    }
}

#[test]
pub(super) fn an_empty_group_id_is_refused_and_the_member_id_echoed() {
    let mut world = World::new();
    let request = JoinGroupRequest {
        member_id: "m".into(),
        session_timeout_ms: 1_000,
        ..Default::default()
    };
    let answer = world.ask(9, request);
    assert_eq!((answer.error_code, answer.member_id.as_str()), (24, "m"));
}

#[test]
pub(super) fn a_newcomers_join_waits_for_five_minutes_at_most() {
    let spec = Spec::timeouts(305_000, 600_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    let newcomer = world.join(&spec);
    world.advance(299_999);
    assert!(world.is_parked(newcomer));
    world.advance(1);
    let answer = world.joined(newcomer);
    assert_eq!((answer.error_code, answer.member_id.as_str()), (25, ""));
    assert_eq!(world.group().members.len(), 1);
    assert!(world.has(&members.first().unwrap().member_id));
}

#[test]
pub(super) fn an_id_that_is_not_used_in_time_is_forgotten() {
    let mut world = World::new();
    let given = world.join_now(&Spec::timeouts(1_000, 1_000).version(9));
    assert_eq!((given.error_code, world.group().pending.len()), (79, 1));
    world.advance(1_000);
    assert!(world.group().pending.is_empty());
    assert_eq!(world.state(), State::Empty);
    let late = world.join_now(&Spec::timeouts(1_000, 1_000).version(9).known(&given.member_id));
    assert_eq!(late.error_code, 25);
}

#[test]
pub(super) fn a_known_member_of_an_empty_group_must_start_over() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.force(|group, _| group.state = State::Empty);
    let member = &members.first().unwrap().member_id;
    let answer = world.join_now(&Spec::default().known(member));
    assert_eq!((answer.error_code, answer.generation_id), (25, -1));
    assert_eq!(&answer.member_id, member);
}

#[test]
pub(super) fn an_unchanged_follower_gets_the_current_generation_at_once() {
    let (mut world, members) = World::stable(&[Spec::default(), Spec::default()]);
    let [leader, follower] = members.as_slice() else {
        panic!("{members:?}")
    };
    let answer = world.join_now(&Spec::default().known(&follower.member_id));
    assert_eq!((answer.error_code, answer.generation_id), (0, 1));
    assert_eq!(
        (answer.leader.as_str(), answer.members.len()),
        (leader.member_id.as_str(), 0)
    );
    assert_eq!(world.state(), State::Stable);
}

#[test]
fn a_changed_follower_starts_a_rebalance() {
    let (mut world, members) = World::stable(&[Spec::default(), Spec::default()]);
    let follower = members.last().unwrap();
    let rejoin = world.join(&Spec::default().metadata(&[9]).known(&follower.member_id));
    assert!(world.is_parked(rejoin));
    assert_eq!(world.standing(), (State::PreparingRebalance, 1, 2, 1));
}

#[test]
fn an_unchanged_member_that_rejoins_before_the_sync_gets_its_answer_again() {
    let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
    for member in &members {
        let answer = world.join_now(&Spec::default().known(&member.member_id));
        assert_eq!((answer.error_code, answer.generation_id), (0, 1));
        let list = if member.leader == member.member_id { 2 } else { 0 };
        assert_eq!(answer.members.len(), list);
    }
    assert_eq!(world.state(), State::CompletingRebalance);
    let changed = world.join(
        &Spec::default()
            .metadata(&[9])
            .known(&members.last().unwrap().member_id),
    );
    assert!(world.is_parked(changed));
    assert_eq!(world.state(), State::PreparingRebalance);
}

#[test]
pub(super) fn a_leader_that_rejoins_starts_a_generation() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    let answer = world.join_now(&Spec::default().known(&members.first().unwrap().member_id));
    assert_eq!((answer.error_code, answer.generation_id), (0, 2));
}

#[test]
fn a_join_that_comes_while_one_is_parked_takes_its_place() {
    let spec = Spec::timeouts(5_000, 10_000);
    let (mut world, members) = World::stable(&[spec.clone(), spec.clone()]);
    let leader = spec.known(&members.first().unwrap().member_id);
    let first = world.join(&leader);
    let second = world.join(&leader);
    assert_eq!(world.joined(first).error_code, 27);
    assert!(world.is_parked(second));
    assert_eq!(world.standing(), (State::PreparingRebalance, 1, 2, 1));
}

#[test]
fn a_static_member_cannot_use_an_id_that_was_handed_out() {
    let mut world = World::new();
    let given = world.join_now(&Spec::default().version(9));
    let answer = world.join_now(&Spec::fixed("i", 500, 500).known(&given.member_id));
    assert_eq!(answer.error_code, -1);
}

#[test]
fn the_rebalance_timeout_of_version_0_is_its_session_timeout() {
    let mut world = World::new();
    world.join(&Spec::timeouts(7_000, 123).version(0));
    let timeouts = world.group().members.values().next().unwrap().timeouts;
    assert_eq!(timeouts.rebalance, timeouts.session);
    assert_eq!(timeouts.session, shared::time::Millis(7_000));
}

#[test]
fn a_rebalance_timeout_of_any_number_is_survived() {
    for rebalance in [i32::MIN, -1, 0, 1, i32::MAX] {
        let (mut world, members) = World::stable(&[Spec::timeouts(60_000, rebalance)]);
        world.join(&Spec::timeouts(60_000, rebalance));
        world.advance(10_000);
        world.beat(members.first().unwrap());
    }
}
