//! Groups that move, and a broker that cannot be reached where it says.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_group_that_moves_and_is_read_as_it_was_keeps_its_members_and_generation() {
    let mut stage = Stage::with(2).await;
    let generation = stage.all_beat(2).await;
    let member = stage.member_id("demo-1").await;
    stage
        .play(json!({"fault": "move", "group": "demo", "ms": 1_500}))
        .await;
    let loading = stage.next(json!({"kind": "group_loading"})).await;
    assert_eq!(loading["node"], 2);
    stage
        .next(json!({"kind": "coordinator_dead", "cause": "not_coordinator"}))
        .await;
    let found = stage.next(json!({"kind": "coordinator_found", "node": 2})).await;
    assert_ne!(found["port"], 9092);
    let loaded = stage.next(json!({"kind": "group_loaded"})).await;
    assert_eq!((&loaded["node"], &loaded["took_ms"]), (&json!(2), &json!(1_500)));
    assert_eq!(stage.all_beat(2).await, generation);
    assert_eq!(stage.member_id("demo-1").await, member);
    // And back.
    stage
        .play(json!({"fault": "move", "group": "demo", "ms": 0}))
        .await;
    stage.next(json!({"kind": "coordinator_found", "node": 1})).await;
    assert_eq!(stage.all_beat(2).await, generation);
}

#[tokio::test(start_paused = true)]
async fn a_group_whose_log_is_lost_is_joined_anew() {
    let mut stage = Stage::with(2).await;
    stage
        .play(json!({"fault": "move", "group": "demo", "reload": "none"}))
        .await;
    for _ in 0..2 {
        stage
            .next(json!({"kind": "rejoin_needed", "error": 25, "member_id_cleared": true}))
            .await;
    }
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn who_came_since_the_state_that_is_read_is_not_known() {
    let mut stage = Stage::with(2).await;
    stage.play(json!({"fault": "add"})).await;
    stage.all_beat(3).await;
    let newest = stage.member_id("demo-3").await;
    stage
        .play(json!({"fault": "move", "group": "demo", "reload": "older"}))
        .await;
    stage.next(json!({"kind": "group_loaded"})).await;
    stage
        .next(json!({"kind": "rejoin_needed", "member": newest, "error": 25}))
        .await;
    stage.all_beat(3).await;
    assert_ne!(stage.member_id("demo-3").await, newest);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_cluster_of_two_nodes_serves_again_on_both() {
    let mut stage = Stage::with(1).await;
    stage.play(json!({"fault": "move", "group": "demo"})).await;
    stage.all_beat(1).await;
    stage.play(json!({"fault": "stop"})).await;
    let refused = stage.try_to_play(json!({"fault": "move", "group": "demo"})).await;
    assert!(matches!(refused, Err(Refused::Now(_))), "{refused:?}");
    stage.next(json!({"kind": "coordinator_not_found"})).await;
    stage.play(json!({"fault": "calm"})).await;
    stage.next(json!({"kind": "coordinator_found", "node": 2})).await;
    stage.all_beat(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_names_an_address_nobody_reaches_is_found_there_and_lost_until_it_names_the_true_one() {
    for (host, port) in [(Some("1b34de8e9eaa"), None), (None, Some(9))] {
        let mut stage = Stage::with(1).await;
        stage
            .play(json!({"fault": "advertise", "host": host, "port": port, "ms": 20_000}))
            .await;
        let cut = json!({"fault": "answer", "api": "Heartbeat", "error": "disconnect"});
        stage.try_to_play(cut).await.unwrap();
        let host = json!(host.unwrap_or("127.0.0.1"));
        let port = json!(port.unwrap_or(9092));
        stage
            .next(json!({"kind": "coordinator_found", "host": host, "port": port}))
            .await;
        let dead = stage
            .next(json!({"kind": "coordinator_dead", "cause": "disconnect"}))
            .await;
        let detail = dead["detail"].as_str().unwrap();
        assert!(detail.contains(host.as_str().unwrap()), "{detail}");
        stage
            .next(json!({"kind": "coordinator_found", "host": "127.0.0.1", "port": 9092}))
            .await;
        stage.all_beat(1).await;
    }
}
