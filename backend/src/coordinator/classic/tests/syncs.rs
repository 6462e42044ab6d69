//! SyncGroup: who waits for whom, and who is put out for not coming.

use super::context::{Spec, World};
use crate::coordinator::classic::State;

fn three() -> [Spec; 3] {
    std::array::from_fn(|_| Spec::timeouts(5_000, 5_000))
}

#[test]
fn each_member_gets_its_part_and_one_that_is_left_out_gets_none() {
    let (mut world, members) = World::completing(&three());
    let [leader, second, third] = members.as_slice() else {
        panic!("{members:?}")
    };
    let waiting = [world.sync(second, &[]), world.sync(third, &[])];
    let parts = [(second.member_id.as_str(), &[2_u8][..]), ("a stranger", &[9])];
    let ticket = world.sync(leader, &parts);
    assert!(world.synced(ticket).assignment.is_empty());
    let got: Vec<_> = waiting
        .into_iter()
        .map(|sync| world.synced(sync).assignment)
        .collect();
    assert_eq!(got, [vec![2], vec![]]);
    assert_eq!(
        world.sync_now(second).assignment,
        [2],
        "a stable group answers at once"
    );
}

#[test]
fn a_sync_is_refused_by_what_is_wrong_with_it() {
    let (mut world, members) = World::completing(&[Spec::default()]);
    let member = members.first().unwrap();
    let as_it_should_be = shared::protocol::SyncGroupRequest {
        group_id: "g".into(),
        generation_id: 1,
        member_id: member.member_id.clone(),
        group_instance_id: None,
        protocol_type: Some("consumer".into()),
        protocol_name: Some("range".into()),
        assignments: Vec::new(),
    };
    let mut refused = |version, code, change: fn(&mut shared::protocol::SyncGroupRequest)| {
        let mut request = as_it_should_be.clone();
        change(&mut request);
        assert_eq!(world.ask(version, request).error_code, code);
    };
    refused(5, 24, |request| request.group_id = String::new());
    refused(5, 25, |request| request.group_id = "no such group".into());
    refused(5, 25, |request| request.member_id = "nobody".into());
    refused(5, 25, |request| request.group_instance_id = Some("nobody".into()));
    refused(5, 22, |request| request.generation_id = 2);
    refused(5, 23, |request| request.protocol_type = Some("connect".into()));
    refused(5, 23, |request| request.protocol_name = Some("sticky".into()));
    refused(5, 23, |request| request.protocol_type = None);
    refused(5, 23, |request| request.protocol_name = None);
    refused(4, 0, |request| {
        (request.protocol_type, request.protocol_name) = (None, None)
    });
    world.force(|group, _| group.state = State::Empty);
    assert_eq!(world.sync_now(member).error_code, 25);
    world.force(|group, _| group.state = State::PreparingRebalance);
    assert_eq!(world.sync_now(member).error_code, 27);
    world.force(|group, _| group.state = State::Dead);
    assert_eq!(world.sync_now(member).error_code, 15);
}

#[test]
pub(super) fn when_the_leader_fails_the_waiting_follower_is_told_to_rejoin() {
    let spec = Spec::timeouts(5_000, 10_000);
    let (mut world, members) = World::completing(&[spec.clone(), spec]);
    let [leader, follower] = members.as_slice() else {
        panic!("{members:?}")
    };
    let waiting = world.sync(follower, &[]);
    world.jump(10_000);
    assert_eq!(world.synced(waiting).error_code, 27);
    assert_eq!(world.standing(), (State::PreparingRebalance, 1, 1, 0));
    assert!(world.has(&follower.member_id) && !world.has(&leader.member_id));
}

#[test]
pub(super) fn members_that_never_sync_are_out_after_the_rebalance_timeout() {
    let (mut world, members) = World::completing(&three());
    world.advance(2_500);
    assert!(members.iter().all(|member| world.beat(member) == 0));
    world.advance(2_500);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
    assert_eq!((&world.group().leader, &world.group().protocol), (&None, &None));
    assert!(members.iter().all(|member| world.beat(member) == 25));
}

#[test]
pub(super) fn a_member_alone_that_never_syncs_leaves_its_group_empty() {
    let (mut world, members) = World::completing(&[Spec::timeouts(30_000, 500)]);
    world.advance(499);
    assert_eq!(world.beat(members.first().unwrap()), 0);
    world.advance(301);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
}

#[test]
pub(super) fn a_leader_that_never_syncs_is_out_and_the_followers_rejoin() {
    let (mut world, members) = World::completing(&three());
    let [leader, second, third] = members.as_slice() else {
        panic!("{members:?}")
    };
    world.advance(2_500);
    assert!(members.iter().all(|member| world.beat(member) == 0));
    let waiting = [world.sync(second, &[]), world.sync(third, &[])];
    assert!(waiting.iter().all(|sync| world.is_parked(*sync)));
    world.advance(2_500);
    assert!(
        waiting
            .into_iter()
            .all(|sync| world.synced(sync).error_code == 27)
    );
    assert_eq!(
        (world.beat(leader), world.beat(second), world.beat(third)),
        (25, 27, 27)
    );
}

#[test]
fn a_follower_that_never_syncs_is_out_although_the_group_is_stable_and_it_heartbeats() {
    let (mut world, members) = World::completing(&three());
    let [leader, second, third] = members.as_slice() else {
        panic!("{members:?}")
    };
    assert_eq!(world.sync_now(leader).error_code, 0);
    assert_eq!(world.sync_now(second).error_code, 0);
    world.advance(2_500);
    assert!(members.iter().all(|member| world.beat(member) == 0));
    world.advance(2_500);
    assert_eq!(
        (world.beat(leader), world.beat(second), world.beat(third)),
        (27, 27, 25)
    );
}

#[test]
pub(super) fn a_group_whose_members_all_synced_stays_stable() {
    let (mut world, members) = World::completing(&three());
    world.sync_all(&members);
    for _ in 0..2 {
        world.advance(2_500);
        assert!(members.iter().all(|member| world.beat(member) == 0));
    }
    assert_eq!(world.standing(), (State::Stable, 1, 3, 0));
}

#[test]
fn while_its_sync_is_parked_a_members_session_does_not_end_and_after_that_it_does() {
    let specs = [Spec::timeouts(60_000, 30_000), Spec::timeouts(1_000, 30_000)];
    let (mut world, members) = World::completing(&specs);
    let waiting = world.sync(&members[1], &[]);
    world.advance(20_000);
    assert_eq!(world.sync_now(&members[0]).error_code, 0);
    assert_eq!(world.synced(waiting).error_code, 0);
    world.advance(999);
    assert!(world.has(&members[1].member_id));
    world.advance(1);
    assert!(
        !world.has(&members[1].member_id),
        "its alarm is set again when it is answered"
    );
}
