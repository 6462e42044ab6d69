//! A group whose partition of `__consumer_offsets` goes, loads and comes back (protocol.md 3.8).

use shared::event::{Change, RebalanceCause};
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{
    DescribeGroupsRequest, LeaveGroupRequest, ListGroupsRequest, OffsetCommitRequest,
    OffsetCommitRequestPartition, OffsetCommitRequestTopic, OffsetFetchRequest, SyncGroupRequest,
};

use super::context::{GROUP, Spec, World};
use crate::coordinator::classic::State;

fn committing(group: &str) -> OffsetCommitRequest {
    let topic = OffsetCommitRequestTopic {
        name: "demo".into(),
        partitions: vec![OffsetCommitRequestPartition {
            committed_offset: 5,
            ..Default::default()
        }],
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: group.into(),
        topics: vec![topic],
        ..Default::default()
    }
}

/// The codes of one request of each kind about the group, by a member that has an id.
fn codes(world: &mut World, member: &str) -> Vec<(&'static str, i16)> {
    let join = world.join_now(&Spec::default().known(member)).error_code;
    let sync = SyncGroupRequest {
        group_id: GROUP.into(),
        generation_id: 1,
        member_id: member.into(),
        ..Default::default()
    };
    let commit = world.ask(9, committing(GROUP));
    let describe = DescribeGroupsRequest {
        groups: vec![GROUP.into()],
        ..Default::default()
    };
    let leave = LeaveGroupRequest {
        group_id: GROUP.into(),
        ..Default::default()
    };
    let fetch = OffsetFetchRequest {
        group_id: GROUP.into(),
        topics: None,
        ..Default::default()
    };
    vec![
        ("JoinGroup", join),
        ("SyncGroup", world.ask(4, sync).error_code),
        ("Heartbeat", world.beat_as(member, None, 1)),
        ("OffsetCommit", commit.topics[0].partitions[0].error_code),
        ("OffsetFetch", world.ask(7, fetch).error_code),
        ("LeaveGroup", world.ask(5, leave).error_code),
        ("DescribeGroups", world.ask(5, describe).groups[0].error_code),
        (
            "ListGroups",
            world.ask(4, ListGroupsRequest::default()).error_code,
        ),
    ]
}

#[test]
pub(super) fn what_waits_in_a_group_that_goes_is_answered_16() {
    let (mut world, members) = World::stable(&[Spec::default(), Spec::default()]);
    let parked = world.join(&Spec::default().known(&members[0].member_id));
    world.unload();
    let answer = world.joined(parked);
    assert_eq!(
        (answer.error_code, answer.member_id.as_str()),
        (16, members[0].member_id.as_str())
    );

    let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
    let parked = world.sync(&members[1], &[]);
    world.unload();
    let answer = world.synced(parked);
    assert_eq!((answer.error_code, answer.assignment.len()), (16, 0));
    world.advance(1_000);
    assert_eq!(world.coordinator.deadline(), None, "nothing of it rings any more");
    let told = world.changes();
    assert!(
        matches!(told.last(), Some(Change::GroupUnloaded { node, .. }) if node.0 == 1),
        "{told:?}"
    );
}

#[test]
pub(super) fn heartbeats_are_blindly_answered_0_while_the_group_loads() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.begin_to_load();
    assert_eq!(world.beat(&members[0]), 0);
    assert_eq!(world.beat_as("nobody", None, 7), 0);
}

#[test]
pub(super) fn while_a_group_loads_everything_but_a_heartbeat_is_put_off() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.begin_to_load();
    let put_off = [
        ("JoinGroup", 14),
        ("SyncGroup", 27),
        ("Heartbeat", 0),
        ("OffsetCommit", 14),
        ("OffsetFetch", 14),
        ("LeaveGroup", 14),
        ("DescribeGroups", 14),
        ("ListGroups", 14),
    ];
    assert_eq!(codes(&mut world, &members[0].member_id), put_off);
    let loading = |change: &Change| matches!(change, Change::GroupLoading { .. });
    assert!(world.changes().iter().any(loading));
}

#[test]
pub(super) fn who_asks_for_a_group_that_is_elsewhere_is_told_16() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.unload();
    for (api, code) in codes(&mut world, &members[0].member_id) {
        // A list has what is here.
        assert_eq!(code, if api == "ListGroups" { 0 } else { 16 }, "{api}");
    }
}

#[test]
fn a_group_of_another_partition_is_not_touched() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    let another = crate::coordinator::offsets_log::partition_of(GROUP) + 1;
    let node = super::context::NODE;
    let partition = another % crate::coordinator::offsets_log::PARTITIONS;
    world.step(crate::coordinator::Input::Unload { node, partition });
    assert_eq!(world.beat(&members[0]), 0);
}

#[test]
fn a_group_that_comes_back_is_stable_with_a_full_session_for_each_member() {
    let specs = [Spec::timeouts(1_000, 2_000), Spec::fixed("i", 3_000, 2_000)];
    let (mut world, members) = World::stable(&specs);
    let records = world.log.clone();
    world.advance(400);
    world.unload();
    world.advance(60_000);
    world.begin_to_load();
    world.advance(250);
    world.changes();
    world.load(records);
    assert_eq!(world.standing(), (State::Stable, 1, 2, 0));
    let told = world.changes();
    let [
        Change::GroupLoaded {
            took_ms, generation, ..
        },
        Change::GroupState { from: None, .. },
        Change::MemberAssigned { .. },
        Change::MemberAssigned { .. },
    ] = told.as_slice()
    else {
        panic!("its members were known: {told:?}");
    };
    assert_eq!((*took_ms, generation.0), (250, 1));
    world.advance(999);
    assert_eq!(world.beat(&members[0]), 0, "one session is not over");
    world.advance(1_000);
    assert!(!world.has(&members[0].member_id), "after it nobody came");
    assert!(world.has(&members[1].member_id));
    let again = world.sync_now(&members[1]);
    assert_eq!(again.error_code, 27, "a rebalance is under way");
}

#[test]
fn each_load_gives_a_silent_member_a_full_session_again() {
    let (mut world, members) = World::stable(&[Spec::timeouts(1_000, 2_000)]);
    let records = world.log.clone();
    world.advance(500);
    world.unload();
    world.load(records.clone());
    assert_eq!(world.standing(), (State::Stable, 1, 1, 0));
    world.advance(600);
    world.unload();
    world.load(records);
    // Its last heartbeat is 1100 ms old: when that was is in no record, so that Kafka cannot count from there.
    assert_eq!(world.standing(), (State::Stable, 1, 1, 0));
    world.advance(999);
    assert!(world.has(&members[0].member_id));
    world.advance(1);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
}

#[test]
fn of_a_group_never_seen_before_all_is_told_when_it_loads() {
    let (world, members) = World::stable(&[Spec::default()]);
    let mut other = World::new();
    other.load(world.log);
    let told = other.changes();
    let kinds: Vec<_> = told.iter().map(Change::kind).collect();
    let expected = ["group_found", "group_loaded", "group_state", "member_joined"];
    assert_eq!(kinds[..4], expected, "{told:?}");
    assert_eq!(other.beat(&members[0]), 0);
}

#[test]
fn an_older_record_brings_the_older_member_id_back() {
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    let older = world.log.clone();
    let returned = world.join_now(&spec);
    assert_eq!(returned.error_code, 0);
    world.unload();
    world.changes();
    world.load(older);
    assert!(world.has(&members[0].member_id));
    assert_eq!(
        world.beat_as(&returned.member_id, Some("i"), 1),
        82,
        "the newer one is fenced"
    );
    let gone = world
        .events
        .iter()
        .find(|event| matches!(event.change, Change::MemberGone { .. }));
    assert_eq!(
        gone.unwrap().member.as_ref().unwrap().as_str(),
        returned.member_id
    );
}

#[test]
fn an_empty_group_comes_back_with_its_generation_and_offsets() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.leave_codes(&[(&members[0].member_id, None)]);
    world.ask(9, committing(GROUP));
    let records = world.log.clone();
    world.unload();
    world.load(records);
    assert_eq!(world.standing(), (State::Empty, 2, 0, 0));
    assert_eq!(world.coordinator.committed(GROUP, "demo", 0), Some(5));
}

#[test]
fn a_group_that_is_forgotten_takes_its_records_back() {
    let mut world = World::with(&["offsets.retention.minutes=1"]);
    world.ask(9, committing("simple"));
    world.advance(60_000);
    assert!(!world.coordinator.has_group("simple"));
    let tombstones = world.log.iter().filter(|record| {
        matches!(
            record,
            OffsetsRecord::Commit(_, None) | OffsetsRecord::Group(_, None)
        )
    });
    assert_eq!(tombstones.count(), 2);
}

#[test]
fn a_loaded_group_above_the_maximum_rebalances() {
    let (world, _members) = World::stable(&[Spec::default(), Spec::default()]);
    let mut small = World::with(&["group.max.size=1"]);
    small.load(world.log);
    assert_eq!(small.state(), State::PreparingRebalance);
    let started = small.changes().into_iter().find_map(|change| match change {
        Change::RebalanceStarted { cause, .. } => Some(cause),
        _ => None,
    });
    assert_eq!(started, Some(RebalanceCause::CoordinatorMoved));
}

#[test]
fn a_group_that_did_not_come_back_is_gone() {
    let (mut world, _members) = World::stable(&[Spec::default()]);
    world.unload();
    world.changes();
    world.load(Vec::new());
    assert!(!world.coordinator.has_group(GROUP));
    assert!(matches!(world.changes().last(), Some(Change::GroupGone { .. })));
}

#[test]
fn what_loads_while_the_coordinator_stands_still_is_not_kept_for_longer() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.leave_codes(&[(&members[0].member_id, None)]);
    let records = world.log.clone();
    world.unload();
    world.freeze();
    world.jump(3_600_000);
    world.load(records);
    world.thaw();
    world.advance(599_999);
    assert!(world.coordinator.has_group(GROUP));
    world.advance(1);
    assert!(
        !world.coordinator.has_group(GROUP),
        "ten minutes from the thaw on"
    );
}
