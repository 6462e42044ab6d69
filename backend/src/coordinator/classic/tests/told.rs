//! What only the coordinator sees, as it is told: ids handed out, joins and syncs that came, what is owned, commits,
//! refusals.

use shared::event::{Change, TopicPartitions};
use shared::protocol::consumer::{ConsumerProtocol, ConsumerProtocolAssignment, TopicPartition};
use shared::protocol::{HeartbeatRequest, JoinGroupRequest, OffsetCommitRequest, SyncGroupRequest};

use super::context::{GROUP, Spec, World};
use crate::coordinator::{Input, Origin};

/// What was told of a member of late, in order: its id and the event's kind.
fn told(world: &mut World) -> Vec<(String, &'static str)> {
    let events = std::mem::take(&mut world.events);
    let row = |event: crate::coordinator::Observed| {
        let member = event.member.map_or(String::new(), |id| id.as_str().to_owned());
        (member, event.change.kind())
    };
    events.into_iter().map(row).collect()
}

fn find<T>(world: &mut World, wanted: impl Fn(&Change) -> Option<T>) -> Vec<T> {
    let events = std::mem::take(&mut world.events);
    events.iter().filter_map(|event| wanted(&event.change)).collect()
}

fn assignment(topics: &[(&str, &[i32])]) -> Vec<u8> {
    let topic = |(topic, partitions): &(&str, &[i32])| TopicPartition {
        topic: (*topic).into(),
        partitions: partitions.to_vec(),
    };
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: topics.iter().map(topic).collect(),
        ..Default::default()
    };
    assignment.to_bytes(3).unwrap()
}

/// What the one member is told to own when its leader says so in these bytes.
fn owned(bytes: &[u8]) -> (Option<Vec<TopicPartitions>>, u32) {
    let (mut world, members) = World::completing(&[Spec::default()]);
    let id = members[0].member_id.clone();
    world.sync(&members[0], &[(&id, bytes)]);
    let mut told = find(&mut world, |change| match change {
        Change::MemberAssigned {
            partitions, unnamed, ..
        } => Some((partitions.clone(), *unnamed)),
        _ => None,
    });
    assert_eq!(told.len(), 1);
    told.remove(0)
}

fn named(topics: &[(&str, &[i32])]) -> Option<Vec<TopicPartitions>> {
    let topic = |(topic, partitions): &(&str, &[i32])| TopicPartitions {
        topic: (*topic).into(),
        partitions: partitions.to_vec(),
    };
    Some(topics.iter().map(topic).collect())
}

#[test]
fn an_id_is_told_when_it_is_handed_out_and_when_it_was_not_used() {
    let mut world = World::new();
    let given = world.join_now(&Spec::timeouts(1_000, 1_000).version(9));
    assert!(
        told(&mut world).contains(&(given.member_id, "member_id_issued")),
        "79 is no refusal"
    );
    world.advance(1_000);
    let expired = find(&mut world, |change| match change {
        Change::MemberIdExpired { waited_ms } => Some(*waited_ms),
        _ => None,
    });
    assert_eq!(expired, [1_000]);
}

#[test]
fn an_id_that_is_used_does_not_expire() {
    let mut world = World::new();
    let spec = Spec::timeouts(1_000, 1_000).version(9);
    let given = world.join_now(&spec);
    world.join(&spec.known(&given.member_id));
    world.advance(2_000);
    assert!(
        told(&mut world)
            .iter()
            .all(|(_, kind)| *kind != "member_id_expired")
    );
}

#[test]
fn a_rebalance_is_told_join_by_join_and_sync_by_sync() {
    let (mut world, members) = World::stable(&[Spec::default(), Spec::default()]);
    let [leader, follower] = [0, 1].map(|n| members[n].member_id.clone());
    told(&mut world);
    let first = world.join(&Spec::default().known(&leader));
    let second = world.join(&Spec::default().known(&follower));
    let none = String::new;
    assert_eq!(
        told(&mut world),
        [
            (leader.clone(), "join_received"),
            (none(), "rebalance_started"),
            (follower.clone(), "join_received"),
            (none(), "group_state"),
            (none(), "generation_formed"),
        ]
    );
    let (first, second) = (world.joined(first), world.joined(second));
    world.sync(&second, &[]);
    world.sync(&first, &[]);
    assert_eq!(
        told(&mut world),
        [
            (follower.clone(), "sync_received"),
            (leader.clone(), "sync_received"),
            (none(), "rebalance_finished"),
            (leader.clone(), "member_rejoined"),
            (leader, "member_assigned"),
            (follower.clone(), "member_rejoined"),
            (follower, "member_assigned"),
        ]
    );
}

#[test]
fn a_generation_is_told_with_its_leader_its_protocol_and_how_many_it_has() {
    let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
    let formed = find(&mut world, |change| match change {
        Change::GenerationFormed {
            generation,
            leader,
            protocol,
            members,
        } => Some((generation.0, leader.clone(), protocol.clone(), *members)),
        _ => None,
    });
    let leader = members[0].leader.as_str().into();
    assert_eq!(formed, [(1, Some(leader), Some("range".to_owned()), 2)]);
}

#[test]
fn what_a_member_owns_is_told_in_order_and_as_far_as_it_can_be_read() {
    let bytes = assignment(&[("b", &[3, 1]), ("a", &[0]), ("b", &[2, 1])]);
    assert_eq!(owned(&bytes), (named(&[("a", &[0]), ("b", &[1, 2, 3])]), 0));
    assert_eq!(owned(&[]), (named(&[]), 0), "left out, it owns nothing");
    assert_eq!(owned(&[9, 9, 9]), (None, 0));
    let long = "t".repeat(250);
    assert_eq!(owned(&assignment(&[(&long, &[1])])), (None, 0));
    let many: Vec<i32> = (0..300).collect();
    assert_eq!(
        owned(&assignment(&[("a", &many), ("b", &[7])])),
        (named(&[("a", &many[..256])]), 45)
    );
}

#[test]
fn a_join_whose_client_goes_is_told_once_with_how_long_it_may_still_be_held() {
    let (mut world, members) = World::stable(&[Spec::timeouts(5_000, 9_000), Spec::timeouts(5_000, 9_000)]);
    let spec = Spec::timeouts(5_000, 9_000).known(&members[0].member_id);
    let parked = world.join(&spec);
    told(&mut world);
    world.advance(300);
    world.step(Input::Gone(parked));
    let again = world.join(&spec);
    let abandoned = find(&mut world, |change| match change {
        Change::JoinAbandoned {
            waited_ms,
            rebalance_timeout_ms,
        } => Some((*waited_ms, *rebalance_timeout_ms)),
        Change::RequestRefused { .. } => panic!("nobody hears the 27"),
        _ => None,
    });
    assert_eq!(abandoned, [(300, 9_000)]);
    assert_eq!(world.answer::<JoinGroupRequest>(parked).error_code, 27);

    // Over another connection, before it is known that the first is closed.
    world.advance(200);
    world.join(&spec);
    assert!(told(&mut world).contains(&(members[0].member_id.clone(), "join_abandoned")));
    world.step(Input::Gone(again));
    assert_eq!(told(&mut world), [], "its request is answered already");
}

#[test]
fn a_client_that_goes_while_its_sync_waits_is_no_abandoned_join() {
    let (mut world, members) = World::completing(&[Spec::default(), Spec::default()]);
    let parked = world.sync(&members[1], &[]);
    told(&mut world);
    world.step(Input::Gone(parked));
    assert_eq!(told(&mut world), []);
}

fn committing(member: &str, generation: i32, partition: i32) -> OffsetCommitRequest {
    let partition = shared::protocol::OffsetCommitRequestPartition {
        partition_index: partition,
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: GROUP.into(),
        generation_id_or_member_epoch: generation,
        member_id: member.into(),
        topics: vec![shared::protocol::OffsetCommitRequestTopic {
            name: "demo".into(),
            partitions: vec![partition],
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[test]
fn a_member_s_commit_is_told_with_its_answer_and_a_stranger_s_is_not() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    let id = members[0].member_id.as_str();
    told(&mut world);
    world.ask(9, committing(id, 1, 0));
    world.ask(9, committing(id, 7, 0));
    world.ask(9, committing(id, 1, 99));
    world.ask(9, committing("stranger", 1, 0));
    let commits = find(&mut world, |change| match change {
        Change::CommitReceived { generation, error } => Some((generation.0, *error)),
        _ => None,
    });
    assert_eq!(commits, [(1, 0), (7, 22), (1, 3)]);
}

#[test]
fn refusals_are_told_once_a_second_with_how_many_there_were() {
    let (mut world, members) = World::stable(&[Spec::timeouts(60_000, 60_000)]);
    told(&mut world);
    let sync = |generation_id| SyncGroupRequest {
        group_id: GROUP.into(),
        generation_id,
        member_id: members[0].member_id.clone(),
        ..Default::default()
    };
    for _ in 0..5 {
        world.ask(4, sync(9));
        world.advance(100);
    }
    world.advance(10_000);
    let refused = find(&mut world, |change| match change {
        Change::RequestRefused {
            api,
            error,
            client_id,
            host,
            times,
        } => Some((api.clone(), *error, client_id.clone(), host.clone(), *times)),
        _ => None,
    });
    let row = |times| {
        (
            "SyncGroup".to_owned(),
            22,
            "client".to_owned(),
            "/127.0.0.1".to_owned(),
            times,
        )
    };
    assert_eq!(refused, [row(1), row(4)]);
}

#[test]
fn what_a_fault_refuses_is_told_and_of_groups_that_are_not_there_only_who_wants_to_join() {
    let mut world = World::new();
    let from = Origin {
        client_id: "c",
        host: "/h",
    };
    let join = Spec::default().request().into();
    world.step(Input::Refused(from, &join, 15));
    let sync = SyncGroupRequest {
        group_id: GROUP.into(),
        ..Default::default()
    };
    world.step(Input::Refused(from, &sync.into(), 15));
    let beat = HeartbeatRequest {
        group_id: GROUP.into(),
        ..Default::default()
    };
    world.step(Input::Refused(from, &beat.into(), 15));
    assert_eq!(told(&mut world), [(String::new(), "request_refused")]);
    assert_eq!(world.join_now(&Spec::timeouts(i32::MAX, 1)).error_code, 26);
    assert_eq!(told(&mut world), [(String::new(), "request_refused")]);
}
