//! What the hub is told.

use shared::event::{Change, Evidence, Source};
use shared::protocol::{HeartbeatRequest, LeaveGroupRequest, MemberIdentity};

use super::World;

#[tokio::test]
async fn the_life_of_a_member_is_told_in_order() {
    let mut world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let beat = HeartbeatRequest {
        group_id: "g".into(),
        generation_id: joined.generation_id,
        member_id: joined.member_id.clone(),
        group_instance_id: None,
    };
    client.ask(4, beat).await;
    let members = vec![MemberIdentity {
        member_id: joined.member_id.clone(),
        ..Default::default()
    }];
    client
        .ask(
            5,
            LeaveGroupRequest {
                group_id: "g".into(),
                members,
                ..Default::default()
            },
        )
        .await;
    let mut told = Vec::new();
    while told.last() != Some(&"rebalance_finished") || told.len() < 8 {
        let event = world.event(|event| Some(event.clone())).await;
        assert_eq!(
            (event.source, event.evidence),
            (Source::Embedded, Evidence::Observed)
        );
        assert_eq!(event.cluster, world.embedded.cluster_id());
        assert_eq!(event.group.as_ref().unwrap().as_str(), "g");
        told.push(event.change.kind());
    }
    let expected = [
        "group_found",
        "rebalance_started",
        "group_state",
        "rebalance_finished",
        "member_joined",
        "heartbeat_received",
        "member_left",
        "rebalance_started",
        "rebalance_finished",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn after_the_hub_has_ended_requests_are_still_answered() {
    let World { embedded, reports } = World::new();
    drop(reports);
    let mut client = super::client::Client::connect(embedded.local_addr(), "client").await;
    for group in 0..200 {
        client.stable(&format!("g{group}")).await;
    }
    embedded.shutdown().await;
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn a_shutdown_reports_what_has_happened_first() {
    let mut world = World::new();
    let mut client = world.client().await;
    client.stable("g").await;
    world.embedded.shutdown().await;
    assert!(client.rest().await.is_empty());
    world
        .event(|event| matches!(event.change, Change::MemberJoined(_)).then_some(()))
        .await;
}
