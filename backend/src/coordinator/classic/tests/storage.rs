//! What is stored, and what happens where it cannot be (protocol.md 3.3, 3.4, 4.2).

use shared::event::{Change, RebalanceCause};
use shared::protocol::offsets_log::{GroupMetadataValue, OffsetsRecord};
use shared::protocol::{
    JoinGroupResponse, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};

use super::context::{GROUP, Spec, World};
use crate::coordinator::classic::State;

/// The group's records so far.
fn stored(world: &World) -> Vec<&GroupMetadataValue> {
    let records = world.log.iter();
    records
        .filter_map(|record| match record {
            OffsetsRecord::Group(_, value) => value.as_ref(),
            OffsetsRecord::Commit(..) => None,
        })
        .collect()
}

fn committing(member: &JoinGroupResponse, offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition {
        committed_offset: offset,
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: GROUP.into(),
        generation_id_or_member_epoch: member.generation_id,
        member_id: member.member_id.clone(),
        topics: vec![OffsetCommitRequestTopic {
            name: "demo".into(),
            partitions: vec![partition],
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[test]
fn a_record_is_written_when_the_group_is_made_when_the_assignment_is_there_and_when_nobody_is_left() {
    let (mut world, members) = World::completing(&[Spec::timeouts(5_000, 7_000)]);
    let [made] = stored(&world)[..] else {
        panic!("{:?}", world.log)
    };
    assert_eq!((made.generation, made.members.len()), (0, 0), "not at a join");
    let id = members[0].member_id.clone();
    let synced = world.sync(&members[0], &[(&id, &[4, 5])]);
    assert_eq!(world.synced(synced).assignment, [4, 5]);
    let [_, stable] = stored(&world)[..] else {
        panic!("{:?}", world.log)
    };
    assert_eq!(
        (stable.generation, stable.leader.as_deref()),
        (1, Some(id.as_str()))
    );
    assert_eq!(
        (stable.protocol_type.as_str(), stable.protocol.as_deref()),
        ("consumer", Some("range"))
    );
    let member = &stable.members[0];
    assert_eq!((member.session_timeout, member.rebalance_timeout), (5_000, 7_000));
    assert_eq!(
        (member.client_id.as_str(), member.client_host.as_str()),
        ("client", "/127.0.0.1")
    );
    assert_eq!(
        (&member.subscription[..], &member.assignment[..]),
        (&[0][..], &[4, 5][..])
    );
    world.advance(5_000);
    let [_, _, empty] = stored(&world)[..] else {
        panic!("{:?}", world.log)
    };
    assert_eq!((empty.generation, empty.members.len()), (2, 0));
    assert_eq!((empty.leader.as_ref(), empty.protocol.as_ref()), (None, None));
}

#[test]
fn a_sync_waits_for_the_log_and_until_then_the_group_is_not_stable() {
    let (mut world, members) = World::completing(&[Spec::default()]);
    world.hold_appends();
    let synced = world.sync(&members[0], &[]);
    assert!(world.is_parked(synced));
    assert_eq!(world.state(), State::CompletingRebalance);
    world.log_answers(Ok(()));
    assert_eq!(world.synced(synced).error_code, 0);
    assert_eq!(world.state(), State::Stable);
}

#[test]
fn an_assignment_that_cannot_be_stored_fails_the_syncs_and_starts_a_rebalance() {
    for (log, told) in [
        (3, 15),
        (19, 15),
        (7, 15),
        (6, 16),
        (56, 16),
        (10, -1),
        (18, -1),
        (4, -1),
        (20, 20),
    ] {
        let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
        world.hold_appends();
        let follower = world.sync(&members[1], &[]);
        let leader = world.sync(&members[0], &[]);
        world.changes();
        world.log_answers(Err(log));
        assert_eq!(world.synced(follower).error_code, told, "the log's {log}");
        assert_eq!(world.synced(leader).error_code, told, "the log's {log}");
        assert_eq!(world.state(), State::PreparingRebalance);
        let changes = world.changes();
        assert!(
            matches!(changes[0], Change::AppendFailed { error, partition: 3 } if error == log),
            "{changes:?}"
        );
        let goes_on = matches!(changes.last(), Some(Change::GroupState { .. }));
        assert!(goes_on, "the rebalance that ran goes on: {changes:?}");
    }
}

#[test]
fn an_answer_of_the_log_that_comes_too_late_changes_nothing() {
    let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
    world.hold_appends();
    let first = world.sync(&members[0], &[]);
    let rejoined = world.join(&Spec::default().known(&members[1].member_id).metadata(&[9]));
    assert_eq!(world.synced(first).error_code, 27);
    assert_eq!(world.state(), State::PreparingRebalance);
    world.log_answers(Err(56));
    assert_eq!(world.state(), State::PreparingRebalance);
    assert!(world.is_parked(rejoined));
}

#[test]
fn of_two_assignments_of_a_generation_the_later_one_is_handed_out() {
    let (mut world, members) = World::completing(&[Spec::default()]);
    world.hold_appends();
    let id = members[0].member_id.clone();
    let first = world.sync(&members[0], &[(&id, &[1])]);
    let second = world.sync(&members[0], &[(&id, &[2])]);
    assert_eq!(world.synced(first).error_code, 27);
    world.log_answers(Ok(()));
    assert!(world.is_parked(second));
    world.log_answers(Ok(()));
    assert_eq!(world.synced(second).assignment, [2]);
}

#[test]
fn a_static_seat_that_cannot_be_stored_goes_back_to_the_id_that_had_it() {
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (mut world, members) = World::stable(&[spec.clone(), Spec::fixed("j", 5_000, 5_000)]);
    let old = members[0].member_id.clone();
    world.hold_appends();
    let returning = world.join(&Spec {
        session: 4_000,
        ..spec
    });
    assert!(world.is_parked(returning));
    world.log_answers(Err(19));
    let answer = world.joined(returning);
    assert_eq!((answer.error_code, answer.member_id.as_str()), (15, ""));
    assert!(world.has(&old));
    assert_eq!(world.beat_as(&old, Some("i"), 1), 0);
    assert_eq!(
        world
            .group()
            .members()
            .find(|m| m.id.as_str() == old)
            .unwrap()
            .timeouts
            .session
            .0,
        5_000
    );
    assert_eq!(world.state(), State::Stable);
    let taken_back = world
        .events
        .iter()
        .rfind(|event| matches!(event.change, Change::MemberReplaced { .. }));
    assert!(
        matches!(&taken_back.unwrap().change, Change::MemberReplaced { by: Some(by), .. } if by.as_str() == old)
    );
}

#[test]
fn a_static_member_is_answered_when_its_new_id_is_stored() {
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (mut world, _members) = World::stable(std::slice::from_ref(&spec));
    world.hold_appends();
    let returning = world.join(&spec);
    assert!(world.is_parked(returning));
    world.log_answers(Ok(()));
    let answer = world.joined(returning);
    assert_eq!((answer.error_code, answer.generation_id), (0, 1));
    assert!(answer.skip_assignment);
    assert_eq!(
        stored(&world).last().unwrap().members[0].member_id,
        answer.member_id
    );
}

#[test]
fn a_commit_counts_when_the_log_has_it() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.hold_appends();
    let commit = world.send(9, committing(&members[0], 7));
    assert!(world.is_parked(commit));
    assert_eq!(world.coordinator.committed(GROUP, "demo", 0), None);
    world.log_answers(Ok(()));
    let answer = world.answer::<OffsetCommitRequest>(commit);
    assert_eq!(answer.topics[0].partitions[0].error_code, 0);
    assert_eq!(world.coordinator.committed(GROUP, "demo", 0), Some(7));
}

#[test]
fn a_commit_that_cannot_be_stored_is_refused_and_does_not_count() {
    for (log, told) in [(19, 15), (56, 16), (10, 28)] {
        let (mut world, members) = World::stable(&[Spec::default()]);
        world.hold_appends();
        let commit = world.send(9, committing(&members[0], 7));
        world.log_answers(Err(log));
        let answer = world.answer::<OffsetCommitRequest>(commit);
        assert_eq!(answer.topics[0].partitions[0].error_code, told);
        assert_eq!(world.coordinator.committed(GROUP, "demo", 0), None);
    }
}

#[test]
fn a_group_whose_first_commit_fails_was_never_there() {
    let mut world = World::new();
    world.hold_appends();
    let outside = JoinGroupResponse {
        generation_id: -1,
        ..Default::default()
    };
    let commit = world.send(9, committing(&outside, 7));
    world.log_answers(Err(19));
    world.answer::<OffsetCommitRequest>(commit);
    assert!(!world.coordinator.has_group(GROUP));
    assert_eq!(world.coordinator.desk.load, Default::default());
}

#[test]
fn what_waits_for_the_log_of_a_group_that_goes_is_answered_16() {
    let spec = Spec::fixed("i", 5_000, 5_000);
    let (mut world, members) = World::stable(&[spec.clone(), Spec::default()]);
    world.hold_appends();
    let commit = world.send(9, committing(&members[1], 7));
    let returning = world.join(&spec);
    world.unload();
    assert_eq!(
        world.answer::<OffsetCommitRequest>(commit).topics[0].partitions[0].error_code,
        16
    );
    assert_eq!(world.joined(returning).error_code, 16);
    assert_eq!(world.coordinator.desk.load, Default::default());
    world.log_answers(Ok(()));
    assert!(!world.coordinator.has_group(GROUP), "its answer comes too late");
}

#[test]
fn a_rebalance_by_a_failed_append_says_so_where_the_group_was_stable() {
    let (mut world, members) = World::completing(&[Spec::default()]);
    world.hold_appends();
    world.sync(&members[0], &[]);
    world.log_answers(Err(19));
    let rejoined = world.join_now(&Spec::default().known(&members[0].member_id));
    let synced = world.sync(&rejoined, &[]);
    world.log_answers(Ok(()));
    assert_eq!(world.synced(synced).error_code, 0);
    let finished = world.changes().into_iter().find_map(|change| match change {
        Change::RebalanceFinished(told) => Some(told),
        _ => None,
    });
    let told = finished.unwrap();
    assert_eq!((told.generation.0, told.abandoned), (2, 1));
    assert_eq!(
        told.cause,
        RebalanceCause::MemberJoined,
        "why it began, not why it took longer"
    );
}
