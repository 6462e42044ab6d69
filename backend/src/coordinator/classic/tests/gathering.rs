//! The first join phase of a group that was empty, and who is in when a join phase ends.

use super::context::{Spec, World};
use crate::coordinator::classic::Group;
use crate::coordinator::classic::State;
use crate::coordinator::desk::Desk;

#[test]
pub(super) fn a_first_join_waits_for_the_initial_delay() {
    let mut world = World::new();
    let join = world.join(&Spec::default());
    world.advance(1_500);
    assert!(world.is_parked(join));
    world.advance(1_501);
    assert_eq!(world.joined(join).error_code, 0);
}

#[test]
pub(super) fn a_newcomer_prolongs_the_gathering_once_by_the_delay() {
    let mut world = World::new();
    let spec = Spec::timeouts(500, 9_000);
    let a = world.join(&spec);
    world.advance(2_999);
    let b = world.join(&spec);
    world.advance(2);
    assert!(world.is_parked(a) && world.is_parked(b));
    world.advance(1_501);
    assert!(world.is_parked(a) && world.is_parked(b));
    world.advance(1_500);
    assert_eq!((world.joined(a).error_code, world.joined(b).error_code), (0, 0));
}

#[test]
pub(super) fn the_gathering_is_no_longer_than_the_rebalance_timeout() {
    let mut world = World::new();
    let spec = Spec::timeouts(500, 6_000);
    let (a, b) = (world.join(&spec), world.join(&spec));
    world.advance(3_001);
    let c = world.join(&spec);
    assert!([a, b, c].iter().all(|join| world.is_parked(*join)));
    world.advance(2_998);
    assert!([a, b, c].iter().all(|join| world.is_parked(*join)));
    world.advance(1);
    assert!([a, b, c].iter().all(|join| !world.is_parked(*join)));
    assert!(
        [a, b, c]
            .into_iter()
            .all(|join| world.joined(join).error_code == 0)
    );
}

#[test]
pub(super) fn the_member_above_the_maximum_is_turned_away() {
    let mut world = World::with(&["group.max.size=10"]);
    let joins: Vec<_> = (0..11).map(|_| world.join(&Spec::default())).collect();
    let (last, ten) = joins.split_last().unwrap();
    assert!(ten.iter().all(|join| world.is_parked(*join)));
    let refused = world.joined(*last);
    assert_eq!((refused.error_code, refused.member_id.as_str()), (81, ""));
}

#[test]
pub(super) fn ids_handed_out_do_not_count_against_the_maximum() {
    let mut world = World::with(&["group.max.size=10", "group.initial.rebalance.delay.ms=50"]);
    let spec = Spec::default().version(9);
    let given: Vec<_> = (0..11).map(|_| world.join_now(&spec)).collect();
    assert!(given.iter().all(|answer| answer.error_code == 79));
    assert_eq!(world.standing(), (State::Empty, 0, 0, 0));
    assert_eq!(world.group().pending.len(), 11);

    let count = |codes: &[i16], code| codes.iter().filter(|c| **c == code).count();
    let joins: Vec<_> = given
        .iter()
        .map(|answer| world.join(&spec.known(&answer.member_id)))
        .collect();
    world.advance(50);
    world.advance(50);
    let codes: Vec<i16> = joins
        .into_iter()
        .map(|join| world.joined(join).error_code)
        .collect();
    assert_eq!((count(&codes, 0), count(&codes, 81)), (10, 1));
    assert_eq!(world.standing(), (State::CompletingRebalance, 1, 10, 0));
    assert!(world.group().pending.is_empty());

    let again: Vec<i16> = given
        .iter()
        .map(|answer| world.join_now(&spec.known(&answer.member_id)).error_code)
        .collect();
    assert_eq!((count(&again, 0), count(&again, 81)), (10, 1));
}

#[test]
pub(super) fn dynamic_members_that_do_not_rejoin_in_time_are_out() {
    let spec = Spec::timeouts(1_000, 1_000);
    let (mut world, members) = World::completing(std::slice::from_ref(&spec));
    let newcomer = world.join(&spec);
    world.advance(1_000);
    let answer = world.joined(newcomer);
    assert_eq!((answer.error_code, answer.generation_id), (0, 2));
    assert_eq!(world.standing(), (State::CompletingRebalance, 2, 1, 0));
    assert!(!world.has(&members.first().unwrap().member_id));
}

#[test]
pub(super) fn an_expired_id_lets_the_join_phase_end() {
    let mut world = World::new();
    let spec = Spec::timeouts(5_000, 10_000);
    let joins = [world.join(&spec), world.join(&spec)];
    assert_eq!(
        world
            .join_now(&Spec::timeouts(2_500, 10_000).version(9))
            .error_code,
        79
    );
    world.advance(3_000);
    assert_eq!(world.standing(), (State::CompletingRebalance, 1, 2, 0));
    assert!(world.group().pending.is_empty());
    assert!(joins.into_iter().all(|join| world.joined(join).error_code == 0));
}

#[test]
fn an_id_in_use_holds_up_the_join_phase_of_others() {
    let spec = Spec::timeouts(5_000, 10_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    assert_eq!(world.join_now(&spec.clone().version(9)).error_code, 79);
    let rejoin = world.join(&spec.known(&members.first().unwrap().member_id));
    assert!(
        world.is_parked(rejoin),
        "the id that was handed out is waited for"
    );
    world.advance(5_000);
    assert_eq!(world.joined(rejoin).generation_id, 2);
}

#[test]
fn of_a_group_that_is_too_large_the_last_to_rejoin_stays_out() {
    let spec = Spec::timeouts(10_000, 10_000);
    let (mut world, members) = World::stable(&[spec.clone(), spec.clone(), spec.clone()]);
    world.force(|_, desk: &mut Desk| desk.config.max_size = 2);
    let [one, two, three] = members.as_slice() else {
        panic!("{members:?}")
    };
    let joins = [one, two].map(|member| world.join(&spec.known(&member.member_id)));
    let refused = world.join_now(&spec.known(&three.member_id));
    assert_eq!((refused.error_code, world.has(&three.member_id)), (81, false));
    world.advance(10_000);
    for join in joins {
        assert_eq!(world.joined(join).generation_id, 2);
    }
}

#[test]
pub(super) fn the_leader_stays_if_it_rejoins_and_else_the_first_that_did_leads() {
    let spec = Spec::timeouts(10_000, 10_000);
    let (mut world, members) = World::stable(&[spec.clone(), spec.clone(), spec.clone()]);
    let [leader, second, third] = members.as_slice() else {
        panic!("{members:?}")
    };
    let leads = |world: &World| world.group().leader.as_ref().unwrap().as_str().to_owned();
    let elect = |group: &mut Group, _: &mut Desk| assert!(group.leader_is_here());

    world.join(&spec.clone().metadata(&[1]).known(&third.member_id));
    world.force(elect);
    assert_eq!(
        leads(&world),
        third.member_id,
        "the leader is not here, the third is"
    );
    world.force(|group, _| group.leader = Some(leader.member_id.as_str().into()));
    world.join(&spec.known(&second.member_id));
    world.force(elect);
    assert_eq!(
        leads(&world),
        second.member_id,
        "of those that are here the first to have arrived leads"
    );
    world.join(&spec.known(&leader.member_id));
    assert_eq!(leads(&world), second.member_id);
}
