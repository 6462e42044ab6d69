//! Heartbeat, DescribeGroups and ListGroups as each version has them (protocol.md 5.G).

use shared::protocol::{
    ApiKey, DescribeGroupsRequest, HeartbeatRequest, JoinGroupResponse, LeaveGroupRequest, ListGroupsRequest,
    MemberIdentity, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};

use super::World;
use super::client::{Client, joining};

async fn beat(client: &mut Client, version: i16, group: &str, member: &str, generation: i32) -> i16 {
    let request = HeartbeatRequest {
        group_id: group.into(),
        generation_id: generation,
        member_id: member.into(),
        group_instance_id: None,
    };
    client.ask(version, request).await.error_code
}

#[tokio::test]
async fn heartbeats_are_answered_as_kafka_does_in_every_version() {
    let world = World::new();
    for version in ApiKey::Heartbeat.versions().iter() {
        let (mut client, mut second) = (world.client().await, world.client().await);
        let group = format!("g{version}");
        assert_eq!(beat(&mut client, version, &group, "nobody", 1).await, 25);
        let JoinGroupResponse {
            member_id,
            generation_id,
            ..
        } = client.join(&group).await;
        assert_eq!(
            beat(&mut client, version, "no such group", &member_id, 1).await,
            25
        );
        assert_eq!(
            beat(&mut client, version, &group, "nobody", generation_id).await,
            25
        );
        assert_eq!(beat(&mut client, version, &group, &member_id, -1).await, 22);
        assert_eq!(
            beat(&mut client, version, &group, &member_id, generation_id).await,
            0,
            "completing"
        );
        let joined = JoinGroupResponse {
            leader: member_id.clone(),
            member_id,
            generation_id,
            ..Default::default()
        };
        client.sync(&group, &joined).await;
        let member = joined.member_id;
        assert_eq!(
            beat(&mut client, version, &group, &member, generation_id).await,
            0,
            "stable"
        );
        // A second member's JoinGroup is parked: the group prepares a rebalance.
        let given = second.ask(9, joining(&group, "")).await;
        second.send(9, joining(&group, &given.member_id)).await;
        while beat(&mut client, version, &group, &member, generation_id).await == 0 {}
        assert_eq!(
            beat(&mut client, version, &group, &member, generation_id).await,
            27,
            "preparing"
        );
        let leaving = |member: &str| MemberIdentity {
            member_id: member.into(),
            ..Default::default()
        };
        let members = vec![leaving(&member), leaving(&given.member_id)];
        let leave = LeaveGroupRequest {
            group_id: group.clone(),
            members,
            ..Default::default()
        };
        client.ask(5, leave).await;
        assert_eq!(
            beat(&mut client, version, &group, &member, generation_id).await,
            25,
            "empty"
        );
        assert_eq!(beat(&mut client, version, "", &member, generation_id).await, 24);
    }
}

#[tokio::test]
async fn groups_are_described_by_their_state_in_every_version() {
    let world = World::new();
    let stable = world.client().await.stable("grp-1").await.member_id;
    let completing = world.client().await.join("grp-2").await.member_id;
    let mut client = world.client().await;
    for version in ApiKey::DescribeGroups.versions().iter() {
        let groups = ["grp-1", "grp-2", "grp-unknown", ""].map(str::to_owned).to_vec();
        let request = DescribeGroupsRequest {
            groups,
            ..Default::default()
        };
        let groups = client.ask(version, request).await.groups;
        let [one, two, unknown, empty] = groups.as_slice() else {
            panic!("{groups:?}")
        };

        assert_eq!((one.error_code, one.group_state.as_str()), (0, "Stable"));
        assert_eq!(
            (one.protocol_type.as_str(), one.protocol_data.as_str()),
            ("consumer", "consumer-range")
        );
        let member = one.members.first().unwrap();
        assert_eq!(
            (member.member_id.as_str(), member.client_id.as_str()),
            (stable.as_str(), "client")
        );
        assert_eq!(member.client_host, "/127.0.0.1");
        assert_eq!(
            (
                member.member_metadata.as_slice(),
                member.member_assignment.as_slice()
            ),
            (&[1, 2, 3][..], &[4, 5, 6][..])
        );

        assert_eq!(
            (two.group_state.as_str(), two.protocol_data.as_str()),
            ("CompletingRebalance", "")
        );
        let member = two.members.first().unwrap();
        assert_eq!(member.member_id, completing);
        assert!(member.member_metadata.is_empty() && member.member_assignment.is_empty());

        for (group, id) in [(unknown, "grp-unknown"), (empty, "")] {
            let told = version >= 6;
            assert_eq!(
                (group.error_code, group.group_state.as_str()),
                (if told { 69 } else { 0 }, "Dead")
            );
            assert_eq!(
                group.error_message,
                told.then(|| format!("Group {id} not found."))
            );
            assert_eq!(group.authorized_operations, i32::MIN);
        }
    }
}

#[tokio::test]
async fn groups_are_listed_through_filters_that_know_no_case() {
    let world = World::new();
    world.client().await.stable("a").await;
    world.client().await.join("b").await;
    let mut client = world.client().await;
    for version in ApiKey::ListGroups.versions().iter() {
        let groups = client.ask(version, ListGroupsRequest::default()).await.groups;
        let ids: Vec<&str> = groups.iter().map(|group| group.group_id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        assert!(groups.iter().all(|group| group.protocol_type == "consumer"));
    }
    let mut listed = async |states: &[&str], types: &[&str]| {
        let request = ListGroupsRequest {
            states_filter: states.iter().map(|&state| state.to_owned()).collect(),
            types_filter: types.iter().map(|&kind| kind.to_owned()).collect(),
        };
        let groups = client.ask(5, request).await.groups;
        groups
            .into_iter()
            .map(|group| (group.group_id, group.group_state, group.group_type))
            .collect::<Vec<_>>()
    };
    let stable = vec![("a".to_owned(), "Stable".to_owned(), "classic".to_owned())];
    assert_eq!(listed(&["sTABLE"], &["CLASSIC"]).await, stable);
    assert_eq!(listed(&["no such state"], &[]).await, []);
    assert_eq!(listed(&[], &["consumer"]).await, []);
}

#[tokio::test]
async fn commits_are_taken_by_name_or_by_id_for_partitions_that_are_there() {
    let world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let demo = Topics::parse("demo:6").unwrap().by_name("demo").unwrap().id;
    for version in Broker::versions(ApiKey::OffsetCommit).unwrap().iter() {
        let partition = |index| OffsetCommitRequestPartition {
            partition_index: index,
            committed_offset: 7,
            committed_metadata: Some("note".into()),
            ..Default::default()
        };
        let topic = |name: &str, topic_id| OffsetCommitRequestTopic {
            name: name.into(),
            topic_id,
            partitions: vec![partition(5), partition(6)],
        };
        let other = shared::protocol::Uuid([9; 16]);
        let request = OffsetCommitRequest {
            group_id: "g".into(),
            generation_id_or_member_epoch: joined.generation_id,
            member_id: joined.member_id.clone(),
            topics: vec![topic("demo", demo), topic("nowhere", other)],
            ..Default::default()
        };
        let topics = client.ask(version, request).await.topics;
        let codes: Vec<Vec<i16>> = topics
            .iter()
            .map(|topic| topic.partitions.iter().map(|p| p.error_code).collect())
            .collect();
        let unknown = if version >= 10 { 100 } else { 3 };
        assert_eq!(codes, [vec![0, 3], vec![unknown, unknown]], "version {version}");
    }
}

use crate::coordinator::topics::Topics;
use crate::embedded::broker::Broker;
