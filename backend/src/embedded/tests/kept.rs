//! A coordinator with a data directory: what it has answered is there when it runs again.

use shared::protocol::{
    HeartbeatRequest, ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic, OffsetCommitRequest,
    OffsetCommitRequestPartition, OffsetCommitRequestTopic, OffsetFetchRequest, OffsetFetchRequestGroup,
};

use super::*;
use crate::embedded::store::DataDir;
use crate::embedded::store::tests::{Scratch, fresh};

fn start(scratch: &Scratch) -> World {
    let config = EmbeddedConfig {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        topics: Topics::parse("demo:6").unwrap(),
        coordinator: Config::from_settings(["group.initial.rebalance.delay.ms=0"]).unwrap(),
    };
    let (reporter, reports) = Reporter::channel(1_000);
    let kept = DataDir::open(scratch.path(), &fresh()).unwrap();
    World {
        embedded: Embedded::start_with(config, Some(kept), Clock::start(), reporter).unwrap(),
        reports,
    }
}

fn committing(group: &str, member: &str, generation: i32) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition {
        partition_index: 2,
        committed_offset: 42,
        committed_metadata: Some("note".into()),
        ..Default::default()
    };
    let topic = OffsetCommitRequestTopic {
        name: "demo".into(),
        partitions: vec![partition],
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: group.into(),
        generation_id_or_member_epoch: generation,
        member_id: member.into(),
        topics: vec![topic],
        ..Default::default()
    }
}

#[tokio::test]
async fn a_member_finds_its_generation_its_assignment_and_its_offsets_after_a_restart() {
    let scratch = Scratch::new("restart");
    let world = start(&scratch);
    let cluster = world.embedded.cluster_id();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let answer = client
        .ask(9, committing("g", &joined.member_id, joined.generation_id))
        .await;
    assert_eq!(answer.topics[0].partitions[0].error_code, 0);
    world.embedded.shutdown().await;

    let mut world = start(&scratch);
    assert_eq!(world.embedded.cluster_id(), cluster);
    let (generation, member) = world
        .event(|event| match &event.change {
            Change::GroupLoaded { generation, .. } => Some((*generation, event.group.clone())),
            _ => None,
        })
        .await;
    assert_eq!(
        (generation.0, member.unwrap().as_str()),
        (joined.generation_id, "g")
    );
    let mut client = world.client().await;
    let beat = HeartbeatRequest {
        group_id: "g".into(),
        generation_id: joined.generation_id,
        member_id: joined.member_id.clone(),
        group_instance_id: None,
    };
    assert_eq!(client.ask(4, beat).await.error_code, 0);
    let synced = client.sync("g", &joined).await;
    assert_eq!((synced.error_code, synced.assignment), (0, vec![4, 5, 6]));
    let asked = OffsetFetchRequestGroup {
        group_id: "g".into(),
        topics: None,
        ..Default::default()
    };
    let fetched = client
        .ask(
            8,
            OffsetFetchRequest {
                groups: vec![asked],
                ..Default::default()
            },
        )
        .await;
    let row = &fetched.groups[0].topics[0].partitions[0];
    assert_eq!((row.partition_index, row.committed_offset), (2, 42));
    assert_eq!(row.metadata.as_deref(), Some("note"));
    assert_eq!(
        end_of(&mut client, 2).await,
        42,
        "nothing is before what was committed"
    );
    world.embedded.shutdown().await;
}

/// The offset after the last record of a partition of `demo`.
async fn end_of(client: &mut client::Client, partition_index: i32) -> i64 {
    let partition = ListOffsetsPartition {
        partition_index,
        timestamp: -1,
        ..Default::default()
    };
    let topic = ListOffsetsTopic {
        name: "demo".into(),
        partitions: vec![partition],
    };
    let request = ListOffsetsRequest {
        replica_id: -1,
        topics: vec![topic],
        ..Default::default()
    };
    client.ask(7, request).await.topics[0].partitions[0].offset
}

#[tokio::test]
async fn without_a_shutdown_what_was_answered_is_there_too() {
    let scratch = Scratch::new("killed");
    let world = start(&scratch);
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    // A process that is killed leaves the file as it is at any moment: so does this copy.
    let copy = Scratch::new("killed-copy");
    let folder = copy.path().join(fresh().as_str());
    std::fs::create_dir_all(&folder).unwrap();
    let from = scratch.path().join(fresh().as_str()).join("coordinator");
    std::fs::copy(from, folder.join("coordinator")).unwrap();
    std::fs::copy(scratch.path().join("cluster-id"), copy.path().join("cluster-id")).unwrap();

    let again = start(&copy);
    let mut client = again.client().await;
    let synced = client.sync("g", &joined).await;
    assert_eq!((synced.error_code, synced.assignment), (0, vec![4, 5, 6]));
}
