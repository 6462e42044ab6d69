//! LeaveGroup: who goes, who may not, and what the group does then.

use shared::protocol::{LeaveGroupRequest, MemberIdentity};

use super::context::{GROUP, Spec, World};
use crate::coordinator::classic::State;

#[test]
pub(super) fn the_last_member_that_leaves_makes_the_group_empty() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    assert_eq!(
        world.leave_codes(&[(&members.first().unwrap().member_id, None)]),
        [0]
    );
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
}

#[test]
pub(super) fn who_may_not_leave_is_told_why() {
    let (mut world, members) = World::stable(&[Spec::fixed("i", 10_000, 10_000)]);
    let member = &members.first().unwrap().member_id;
    assert_eq!(world.leave_codes(&[("nobody", None)]), [25]);
    assert_eq!(world.leave_codes(&[("nobody", Some("i"))]), [82]);
    assert_eq!(world.leave_codes(&[("", None)]), [25]);
    assert_eq!(world.state(), State::Stable);
    world.force(|group, _| group.state = State::Dead);
    let answer = world.leave(&[(member, None)]);
    assert_eq!((answer.error_code, answer.members.len()), (15, 0));
}

#[test]
pub(super) fn an_id_handed_out_that_leaves_lets_the_join_phase_end() {
    let spec = Spec::timeouts(10_000, 10_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    let second = world.join(&spec);
    let pending = world.join_now(&spec.clone().version(9));
    let first = world.join(&spec.known(&members.first().unwrap().member_id));
    assert!(world.is_parked(first) && world.is_parked(second));
    assert_eq!(world.leave_codes(&[(&pending.member_id, None)]), [0]);
    assert_eq!(world.standing(), (State::CompletingRebalance, 2, 2, 0));
    assert!(world.group().pending.is_empty());
    assert_eq!(
        (world.joined(first).error_code, world.joined(second).error_code),
        (0, 0)
    );
}

#[test]
pub(super) fn static_members_are_removed_by_their_name() {
    let (mut world, _) = World::stable(&[Spec::fixed("i", 10_000, 10_000)]);
    assert_eq!(
        world.leave_codes(&[("", Some("no such instance")), ("", Some("i"))]),
        [25, 0]
    );
    assert_eq!(world.state(), State::Empty);
}

#[test]
pub(super) fn a_static_member_leaves_by_its_name_alone() {
    for version in 3..=5 {
        let (mut world, _) = World::stable(&[Spec::fixed("i", 10_000, 10_000)]);
        let by_name = MemberIdentity {
            group_instance_id: Some("i".into()),
            ..Default::default()
        };
        let request = LeaveGroupRequest {
            group_id: GROUP.into(),
            members: vec![by_name],
            ..Default::default()
        };
        let answer = world.ask(version, request);
        let codes: Vec<i16> = answer.members.iter().map(|m| m.error_code).collect();
        assert_eq!((answer.error_code, codes), (0, vec![0]));
        assert_eq!(world.state(), State::Empty);
    }
}

#[test]
pub(super) fn from_an_unknown_group_each_member_is_answered_25() {
    let mut world = World::new();
    let leaving = |member: &str| MemberIdentity {
        member_id: member.into(),
        ..Default::default()
    };
    let members = vec![leaving("one"), leaving("two")];
    let request = LeaveGroupRequest {
        group_id: "no such group".into(),
        members,
        ..Default::default()
    };
    let answer = world.ask(5, request);
    assert_eq!(answer.error_code, 0);
    let codes: Vec<_> = answer
        .members
        .iter()
        .map(|m| (m.member_id.as_str(), m.error_code))
        .collect();
    assert_eq!(codes, [("one", 25), ("two", 25)]);
}

#[test]
fn a_batch_of_leaves_makes_one_rebalance() {
    let specs: [Spec; 3] = std::array::from_fn(|_| Spec::timeouts(10_000, 10_000));
    let (mut world, members) = World::stable(&specs);
    world.changes();
    assert_eq!(
        world.leave_codes(&[(&members[0].member_id, None), (&members[1].member_id, None)]),
        [0, 0]
    );
    let started = world
        .changes()
        .iter()
        .filter(|change| change.kind() == "rebalance_started")
        .count();
    assert_eq!(started, 1);
    assert_eq!(world.standing(), (State::PreparingRebalance, 1, 1, 0));
    assert!(
        world.group().is_leader(&members[2].member_id.as_str().into()),
        "leadership is handed on"
    );
}

#[test]
fn a_member_that_leaves_elsewhere_has_its_parked_requests_answered() {
    let spec = Spec::timeouts(10_000, 10_000);
    let (mut world, members) = World::stable(&[spec.clone(), spec.clone()]);
    let parked = world.join(&spec.known(&members[0].member_id));
    assert_eq!(world.leave_codes(&[(&members[0].member_id, None)]), [0]);
    let answer = world.joined(parked);
    assert_eq!((answer.error_code, answer.member_id.as_str()), (25, ""));
}
