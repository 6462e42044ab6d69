//! What the hub is told.

use shared::event::{Change, Evidence, Source};
use shared::protocol::{HeartbeatRequest, LeaveGroupRequest, MemberIdentity};

use super::World;
use super::client::joining;

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
    while told.last() != Some(&"rebalance_finished") || told.len() < 14 {
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
        "member_id_issued",
        "join_received",
        "rebalance_started",
        "group_state",
        "generation_formed",
        "sync_received",
        "rebalance_finished",
        "member_joined",
        "member_assigned",
        "heartbeat_received",
        "member_left",
        "rebalance_started",
        "rebalance_finished",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_client_that_closes_while_its_join_waits_is_told_of() {
    let mut world = World::new();
    let mut first = world.client().await;
    first.stable("g").await;
    let mut client = world.client().await;
    let given = client.ask(9, joining("g", "")).await;
    client.send(9, joining("g", &given.member_id)).await;
    world
        .event(|event| {
            let its = event
                .member
                .as_ref()
                .is_some_and(|id| id.as_str() == given.member_id);
            (its && matches!(event.change, Change::JoinReceived { .. })).then_some(())
        })
        .await;
    drop(client);
    let (member, allowed) = world
        .event(|event| match &event.change {
            Change::JoinAbandoned {
                rebalance_timeout_ms, ..
            } => Some((event.member.clone(), *rebalance_timeout_ms)),
            _ => None,
        })
        .await;
    assert_eq!(member.unwrap().as_str(), given.member_id);
    assert_eq!(allowed, 60_000);
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
