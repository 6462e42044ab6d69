//! Static members (KIP-345): who keeps a seat, who takes it over.

use shared::event::RebalanceCause;

use super::context::{Spec, World};
use crate::coordinator::classic::State;
use crate::coordinator::classic::story::Cause;

fn rebalance(world: &mut World) {
    let cause = Cause::Rebalance {
        why: RebalanceCause::MetadataChanged,
        member: None,
    };
    world.force(|group, desk| group.rebalance(desk, cause));
}

#[test]
pub(super) fn a_static_member_that_joins_twice_fences_its_first_join() {
    let mut world = World::new();
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (first, second) = (world.join(&spec), world.join(&spec));
    assert_eq!(world.joined(first).error_code, 82);
    assert_eq!(world.standing(), (State::PreparingRebalance, 0, 1, 1));
    world.advance(3_000);
    assert_eq!(world.joined(second).error_code, 0);
}

#[test]
pub(super) fn the_join_phase_goes_on_while_only_absent_static_members_are_in() {
    let specs = [Spec::fixed("a", 30_000, 10_000), Spec::fixed("b", 30_000, 10_000)];
    let (mut world, members) = World::stable(&specs);
    let rejoins: Vec<_> = specs
        .iter()
        .zip(&members)
        .map(|(spec, member)| world.join(&spec.known(&member.member_id)))
        .collect();
    let members: Vec<_> = rejoins.into_iter().map(|join| world.joined(join)).collect();
    world.sync_all(&members);
    assert_eq!(world.standing(), (State::Stable, 2, 2, 0));

    rebalance(&mut world);
    for _ in 0..2 {
        world.advance(10_000);
        assert_eq!(world.standing(), (State::PreparingRebalance, 2, 2, 0));
    }
    let rejoins: Vec<_> = specs
        .iter()
        .zip(&members)
        .map(|(spec, member)| world.join(&spec.known(&member.member_id)))
        .collect();
    for join in rejoins {
        let answer = world.joined(join);
        assert_eq!((answer.error_code, answer.generation_id), (0, 3));
    }
}

#[test]
pub(super) fn an_absent_static_follower_is_in_the_leaders_list() {
    let specs = [
        Spec::fixed("leader", 15_000, 10_000),
        Spec::fixed("follower", 15_000, 10_000),
    ];
    let (mut world, members) = World::stable(&specs);
    let newcomer = world.join(&Spec::fixed("new", 15_000, 10_000));
    let rejoin = world.join(&specs[0].known(&members[0].member_id));
    world.advance(10_000);
    let (leader, newcomer) = (world.joined(rejoin), world.joined(newcomer));
    assert_eq!((leader.error_code, leader.generation_id), (0, 2));
    assert_eq!((newcomer.error_code, newcomer.members.len()), (0, 0));
    let mut instances: Vec<_> = leader
        .members
        .iter()
        .filter_map(|m| m.group_instance_id.as_deref())
        .collect();
    instances.sort_unstable();
    assert_eq!(instances, ["follower", "leader", "new"]);
}

#[test]
pub(super) fn an_absent_static_member_stays_until_its_session_ends() {
    let (mut world, members) = World::stable(&[Spec::fixed("m1", 5_000, 10_000)]);
    let first = members.first().unwrap();
    let dynamic = Spec::timeouts(2_500, 10_000);
    let join = world.join(&dynamic);
    for _ in 0..2 {
        world.advance(2_500);
        assert_eq!(world.beat_as(&first.member_id, Some("m1"), 1), 27);
    }
    world.jump(8_000);
    let second = world.joined(join);
    assert_eq!((second.error_code, second.generation_id), (0, 2));
    assert_eq!(world.standing(), (State::CompletingRebalance, 2, 2, 0));
    assert_eq!(world.sync_now(&second).error_code, 0);
    assert_eq!(world.beat_as(&first.member_id, Some("m1"), 1), 22);
    let mut beats = Vec::new();
    for _ in 0..3 {
        world.advance(2_000);
        beats.push(world.beat(&second));
    }
    assert_eq!(beats, [0, 0, 27]);
    assert!(!world.has(&first.member_id), "its session is over");
    let again = world.join_now(&dynamic.known(&second.member_id));
    assert_eq!((again.error_code, again.generation_id), (0, 3));
    assert_eq!(world.sync_now(&again).error_code, 0);
    for _ in 0..20 {
        world.advance(2_000);
        assert_eq!(world.beat(&again), 0);
    }
}

#[test]
pub(super) fn an_absent_static_member_can_hold_up_a_rebalance() {
    let specs = [
        Spec::fixed("leader", 10_000, 5_000),
        Spec::fixed("follower", 10_000, 5_000),
    ];
    let (mut world, members) = World::stable(&specs);
    let dynamic = world.join(&Spec::timeouts(10_000, 5_000));
    world.advance(5_000);
    let dynamic = world.joined(dynamic);
    assert_eq!((dynamic.generation_id, dynamic.members.len()), (2, 3));
    assert_eq!(dynamic.leader, dynamic.member_id);
    assert_eq!(
        world.leave_codes(&[(&members[1].member_id, Some("follower"))]),
        [0]
    );
    assert_eq!(world.state(), State::PreparingRebalance);
    world.advance(5_000);
    assert_eq!(world.standing(), (State::PreparingRebalance, 2, 1, 0));
    assert!(world.has(&members[0].member_id), "only the static leader remains");
}

#[test]
pub(super) fn a_static_leader_that_returns_to_a_stable_group_disturbs_nobody() {
    for skips in [true, false] {
        let specs = [
            Spec::fixed("leader", 10_000, 5_000),
            Spec::fixed("follower", 10_000, 5_000),
        ];
        let (mut world, members) = World::stable(&specs);
        let old = &members[0].member_id;
        let returning = specs[0].clone().version(if skips { 9 } else { 8 });
        let answer = world.join_now(&returning);
        assert_eq!((answer.error_code, answer.generation_id), (0, 1));
        assert_eq!(world.standing(), (State::Stable, 1, 2, 0));
        assert_ne!(&answer.member_id, old);
        let leader = if skips { &answer.member_id } else { old };
        assert_eq!((&answer.leader, answer.skip_assignment), (leader, skips));
        assert_eq!(answer.members.len(), if skips { 2 } else { 0 });
        assert!(world.group().is_leader(&answer.member_id.as_str().into()));

        assert_eq!(world.join_now(&returning.known(old)).error_code, 82);
        let stale = shared::protocol::JoinGroupResponse {
            member_id: old.clone(),
            ..answer.clone()
        };
        let with_instance = shared::protocol::SyncGroupRequest {
            group_id: "g".into(),
            generation_id: 1,
            member_id: old.clone(),
            group_instance_id: Some("leader".into()),
            ..Default::default()
        };
        assert_eq!(world.ask(4, with_instance).error_code, 82);
        assert_eq!(world.sync_now(&stale).error_code, 25);
        assert_eq!(
            world.sync_now(&answer).error_code,
            0,
            "the assignment still holds"
        );
        assert_eq!(world.beat_as(&answer.member_id, Some("leader"), 1), 0);
    }
}

#[test]
fn a_static_member_that_returns_with_another_protocol_starts_a_rebalance() {
    let spec = Spec::fixed("i", 10_000, 5_000).speaking(&["range", "roundrobin"]);
    let (mut world, _) = World::stable(std::slice::from_ref(&spec));
    let answer = world.join_now(&spec.speaking(&["roundrobin", "range"]));
    assert_eq!((answer.error_code, answer.generation_id), (0, 2));
    assert_eq!(answer.protocol_name.as_deref(), Some("roundrobin"));
}

#[test]
fn a_static_member_that_returns_before_the_sync_starts_the_rebalance_over() {
    let specs = [Spec::fixed("a", 10_000, 5_000), Spec::fixed("b", 10_000, 5_000)];
    let (mut world, members) = World::completing(&specs);
    let waiting = world.sync(&members[1], &[]);
    let join = world.join(&specs[0]);
    assert_eq!(world.synced(waiting).error_code, 27);
    assert!(world.is_parked(join));
    assert_eq!(world.standing(), (State::PreparingRebalance, 1, 2, 1));
}

#[test]
pub(super) fn a_duplicate_of_a_parked_static_follower_fences_it() {
    let specs = [
        Spec::fixed("leader", 10_000, 5_000),
        Spec::fixed("follower", 10_000, 5_000),
    ];
    let (mut world, members) = World::stable(&specs);
    let follower = &members[1].member_id;
    rebalance(&mut world);
    let parked = world.join(&specs[1].known(follower));
    let duplicate = world.join(&specs[1]);
    let fenced = world.joined(parked);
    assert_eq!((fenced.error_code, fenced.generation_id), (82, -1));
    assert_eq!(
        (fenced.protocol_name.as_deref(), fenced.leader.as_str()),
        (None, "")
    );
    assert!(world.is_parked(duplicate));
    assert_eq!(world.join_now(&specs[1].known(follower)).error_code, 82);
}

#[test]
pub(super) fn a_replaced_member_hands_on_all_that_was_its() {
    let (mut world, members) = World::completing(&[Spec::fixed("i", 10_000, 5_000)]);
    let (old, new) = (members[0].member_id.as_str().into(), "new".into());
    let (join, sync) = (
        crate::coordinator::Ticket(1_001),
        crate::coordinator::Ticket(1_002),
    );
    world.force(|group, desk| {
        let member = group.members.get_mut(&old).unwrap();
        member.join = Some(crate::coordinator::classic::Parked {
            ticket: join,
            version: 9,
        });
        member.sync = Some(crate::coordinator::classic::Parked {
            ticket: sync,
            version: 5,
        });
        group.parked_joins += 1;
        group.change_id(desk, &old, &new, "test");
    });
    world.advance(0);
    assert_eq!(world.joined(join).error_code, 82);
    assert_eq!(world.synced(sync).error_code, 82);
    let group = world.group();
    assert!(group.is_leader(&new) && !group.members.contains_key(&old));
    assert_eq!(group.instances.get("i"), Some(&new));
    assert!(group.pending_sync.contains(&new) && !group.pending_sync.contains(&old));
}
