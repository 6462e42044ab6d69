//! What only the coordinator's own events tell.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_leader_that_does_not_sync_holds_all_up_until_the_sync_timeout() {
    let mut stage = Stage::with(2).await;
    let sentence = stage
        .play(json!({"fault": "join_without_sync", "member": "demo-1"}))
        .await;
    assert!(sentence.contains("demo-1"), "{sentence}");
    let formed = stage.next(json!({"kind": "generation_formed"})).await;
    let evicted = stage
        .next(json!({"kind": "member_evicted", "cause": "sync_timeout"}))
        .await;
    assert!(
        evicted["member"].as_str().unwrap().starts_with("demo-1-"),
        "{evicted}"
    );
    let waited = evicted["at"].as_u64().unwrap() - formed["at"].as_u64().unwrap();
    assert_eq!(waited, 10_000, "the group's rebalance timeout");
    stage.pass(60).await;
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_does_not_sync_is_put_out_and_the_others_beat_on() {
    let mut stage = Stage::with(2).await;
    let leader = stage.leader().await;
    let follower = if leader.starts_with("demo-1-") {
        "demo-2"
    } else {
        "demo-1"
    };
    stage
        .play(json!({"fault": "join_without_sync", "member": follower, "times": 1}))
        .await;
    let evicted = stage
        .next(json!({"kind": "member_evicted", "cause": "sync_timeout"}))
        .await;
    assert!(
        evicted["member"].as_str().unwrap().starts_with(follower),
        "{evicted}"
    );
    stage.pass(60).await;
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_rejoins_without_end_rebalances_the_group_as_often_as_it_was_told() {
    let mut stage = Stage::with(2).await;
    let leader = stage.leader().await;
    stage
        .play(json!({"fault": "rejoin", "member": leader, "times": 5, "every_ms": 500}))
        .await;
    stage.pass(60).await;
    let by_leader = json!({"kind": "rebalance_finished", "source": "embedded", "cause": "leader_rejoined"});
    assert_eq!(stage.count(&by_leader), 5);
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_not_used_expires_one_session_later() {
    let mut stage = Stage::with(1).await;
    stage
        .play(json!({"fault": "unused_id", "group": "demo", "count": 2}))
        .await;
    let expired = stage.next(json!({"kind": "member_id_expired"})).await;
    assert_eq!(expired["waited_ms"], 6_000);
    stage.next(json!({"kind": "member_id_expired"})).await;
    stage.all_beat(1).await;
}

#[tokio::test(start_paused = true)]
async fn newcomers_displace_each_other_and_each_leads_in_turn() {
    let mut stage = Stage::with(2).await;
    stage
        .play(json!({"fault": "evict_each_other", "group": "demo", "ms": 20_000}))
        .await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    for _ in 0..3 {
        let formed = stage
            .next(json!({"kind": "generation_formed", "members": 1}))
            .await;
        stage
            .next(json!({"kind": "member_evicted", "cause": "displaced"}))
            .await;
        stage
            .next(json!({"kind": "rejoin_needed", "cause": "unknown_member_id", "error": 25}))
            .await;
        assert!(formed["leader"].is_string(), "{formed}");
    }
    stage.pass(60).await;
    stage.all_beat(3).await;
}

impl Stage {
    /// Who leads, after a rebalance that this asks for.
    async fn leader(&mut self) -> String {
        self.play(json!({"fault": "add"})).await;
        let formed = self
            .next(json!({"kind": "generation_formed", "source": "embedded"}))
            .await;
        self.try_to_play(json!({"fault": "leave", "member": "demo-3"}))
            .await
            .unwrap();
        let leader = formed["leader"].as_str().unwrap().to_owned();
        assert!(!leader.starts_with("demo-3"), "who came last leads: {formed}");
        self.next(json!({"kind": "rebalance_finished", "source": "embedded", "cause": "member_left"}))
            .await;
        self.all_beat(2).await;
        leader
    }
}
