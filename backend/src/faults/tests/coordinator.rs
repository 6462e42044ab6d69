//! What the coordinator does wrong.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_broker_that_says_16_and_is_looked_up_again_is_found_again_until_its_time_is_over() {
    for (error, cause) in [(15, "coordinator_not_available"), (16, "not_coordinator")] {
        let mut stage = Stage::with(1).await;
        let generation = stage.all_beat(1).await;
        stage
            .play(json!({"fault": "refuse", "error": error, "ms": 5_000, "group": "demo"}))
            .await;
        for _ in 0..3 {
            stage
                .next(json!({"kind": "coordinator_dead", "cause": cause}))
                .await;
            let found = stage.next(json!({"kind": "coordinator_found"})).await;
            assert_eq!(found["node"], 1, "the lookup contradicts");
        }
        stage.pass(10).await;
        assert!(stage.all_beat(1).await >= generation);
    }
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_says_14_keeps_its_members_and_lets_nobody_in() {
    let mut stage = Stage::with(1).await;
    let generation = stage.all_beat(1).await;
    stage
        .play(json!({"fault": "refuse", "error": "COORDINATOR_LOAD_IN_PROGRESS", "ms": 4_000}))
        .await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    stage.pass(3).await;
    assert_eq!(stage.count(&json!({"kind": "rebalance_started"})), 0);
    assert_eq!(stage.count(&json!({"kind": "coordinator_dead"})), 0);
    let answered_14 = json!({"kind": "rejoin_needed", "error": 14, "cause": "join_failed"});
    assert!(stage.count(&answered_14) >= 3, "{:?}", stage.seen);
    assert!(stage.all_beat(2).await > generation);
}

/// Their heartbeats are answered 0 all the while, and no session ends while a group is read.
#[tokio::test(start_paused = true)]
async fn a_broker_that_says_14_for_longer_than_a_session_loses_nobody() {
    let mut stage = Stage::with(2).await;
    let generation = stage.all_beat(2).await;
    stage
        .play(json!({"fault": "refuse", "error": "COORDINATOR_LOAD_IN_PROGRESS", "ms": 60_000}))
        .await;
    stage.pass(70).await;
    assert_eq!(stage.count(&json!({"kind": "member_expired"})), 0);
    assert_eq!(stage.all_beat(2).await, generation);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_stored_fails_the_sync_and_the_group_rebalances() {
    let mut stage = Stage::with(2).await;
    let generation = stage.all_beat(2).await;
    stage
        .play(json!({"fault": "fail_storage", "group": "demo", "times": 3}))
        .await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    for _ in 0..3 {
        stage
            .next(json!({"kind": "append_failed", "group": "demo", "error": 19}))
            .await;
    }
    assert!(stage.all_beat(3).await >= generation + 4);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_too_many_is_refused_81_until_the_group_is_as_large_as_before() {
    let mut stage = Stage::with(2).await;
    stage.play(json!({"fault": "full", "max": 2, "ms": 5_000})).await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    stage.next(json!({"kind": "member_failed", "error": 81})).await;
    stage.all_beat(3).await;
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_group_is_answered_30_and_its_members_come_back_when_it_is_not() {
    let mut stage = Stage::with(2).await;
    stage
        .play(json!({"fault": "forbid", "group": "demo", "ms": 15_000}))
        .await;
    let denied = stage.next(json!({"kind": "not_authorized", "error": 30})).await;
    assert_eq!(denied["right"], "READ on group demo");
    stage
        .next(json!({"kind": "not_authorized", "error": 30, "right": "READ on group demo"}))
        .await;
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_throttled_member_is_silent_for_as_long_as_it_is_told() {
    let mut stage = Stage::with(1).await;
    stage
        .play(json!({"fault": "throttle", "ms": 4_000, "member": "demo-1"}))
        .await;
    let throttled = stage
        .next(json!({"kind": "heartbeat_received", "error": 0}))
        .await;
    let after = stage
        .next(json!({"kind": "heartbeat_received", "error": 0}))
        .await;
    let gap = after["at"].as_u64().unwrap() - throttled["at"].as_u64().unwrap();
    assert!((4_000..4_100).contains(&gap), "{gap} ms");
    assert_eq!(stage.count(&json!({"kind": "coordinator_dead"})), 0);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_beyond_the_session_costs_the_membership() {
    let mut stage = Stage::with(1).await;
    stage
        .play(json!({"fault": "throttle", "ms": 20_000, "api": "Heartbeat"}))
        .await;
    stage
        .next(json!({"kind": "coordinator_dead", "cause": "session_over"}))
        .await;
    stage.all_beat(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_half_open_connection_costs_a_session_and_a_new_one_is_free_of_it() {
    let mut stage = Stage::with(2).await;
    let member = stage.member_id("demo-1").await;
    stage
        .play(json!({"fault": "half_open", "member": member, "ms": 600_000}))
        .await;
    let dead = stage.next(json!({"kind": "coordinator_dead"})).await;
    assert_eq!(
        (&dead["member"], &dead["cause"]),
        (&json!(member), &json!("session_over"))
    );
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_moves_the_coordinators_times_and_no_deadline() {
    let mut stage = Stage::with(1).await;
    let before = stage.next(json!({"kind": "heartbeat_received"})).await["at"]
        .as_u64()
        .unwrap();
    stage.play(json!({"fault": "clock_step", "ms": -3_600_000})).await;
    let after = stage.next(json!({"kind": "heartbeat_received"})).await["at"]
        .as_u64()
        .unwrap();
    assert!(after < before, "{after} after {before}");
    stage.pass(30).await;
    assert_eq!(stage.count(&json!({"kind": "member_expired"})), 0);
    assert_eq!(stage.count(&json!({"kind": "coordinator_dead"})), 0);
}
