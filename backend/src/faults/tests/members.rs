//! What members of ours do wrong.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_member_that_ignores_rebalances_is_evicted_at_its_rebalance_timeout() {
    let mut stage = Stage::with(2).await;
    let deaf = stage.member_id("demo-1").await;
    stage
        .play(json!({"fault": "ignore_rebalance", "member": "demo-1", "ms": 60_000}))
        .await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    for _ in 0..3 {
        let beat = json!({"kind": "heartbeat_answered", "member": deaf, "error": 27});
        assert_eq!(stage.next(beat).await["renews"], true);
    }
    stage
        .next(json!({"kind": "member_evicted", "member": deaf, "cause": "rebalance_timeout"}))
        .await;
    assert_eq!(stage.count(&json!({"kind": "rejoin_needed", "member": deaf})), 0);
    stage
        .next(json!({"kind": "rejoin_needed", "member": deaf, "cause": "unknown_member_id"}))
        .await;
    stage.all_beat(3).await;
}

#[tokio::test(start_paused = true)]
async fn a_deaf_member_obeys_again_when_its_time_is_over() {
    let mut stage = Stage::with(1).await;
    let member = stage.member_id("demo-1").await;
    stage
        .play(json!({"fault": "ignore_rebalance", "member": member, "ms": 4_000}))
        .await;
    stage.try_to_play(json!({"fault": "add"})).await.unwrap();
    stage
        .next(json!({"kind": "rejoin_needed", "member": member, "cause": "rebalance_in_progress"}))
        .await;
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn heartbeats_queue_behind_a_slow_answer_and_say_so() {
    let mut stage = Stage::with(2).await;
    stage
        .play(json!({"fault": "queue_behind", "member": "demo-2", "ms": 3_500}))
        .await;
    let beat = stage
        .next(json!({"kind": "heartbeat_answered", "behind": "SyncGroup"}))
        .await;
    assert!(beat["member"].as_str().unwrap().starts_with("demo-2-"), "{beat}");
    assert!(beat["latency_us"].as_u64().unwrap() >= 2_000_000, "{beat}");
    stage.all_beat(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_double_fences_whoever_has_its_instance_id_and_is_in_alone() {
    let mut stage = Stage::with(1).await;
    let started = stage.play(json!({"fault": "duplicate_instance"})).await;
    assert!(started.contains("demo-2, demo-3"), "{started}");
    let fenced = stage
        .next(json!({"kind": "member_fenced", "source": "probe"}))
        .await;
    assert!(
        fenced["member"].as_str().unwrap().starts_with("demo-2-static"),
        "{fenced}"
    );
    stage.all_beat(2).await;
    assert_eq!(stage.members.running(), 2, "nobody replaces who was fenced");
    stage
        .play(json!({"fault": "duplicate_instance", "member": "demo-3"}))
        .await;
    stage
        .next(json!({"kind": "member_fenced", "source": "probe"}))
        .await;
    let refused = stage
        .try_to_play(json!({"fault": "duplicate_instance", "member": "demo-1"}))
        .await;
    assert!(
        matches!(&refused, Err(Refused::Now(why)) if why.contains("demo-1 is no static member")),
        "{refused:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn many_groups_come_are_stable_and_leave() {
    let mut stage = Stage::with(1).await;
    stage
        .play(json!({"fault": "groups", "count": 40, "members": 2, "ms": 30_000}))
        .await;
    stage.pass(29).await;
    let stable: std::collections::BTreeSet<String> = stage
        .seen
        .iter()
        .filter(|event| {
            has(
                event,
                &json!({"kind": "rebalance_finished", "source": "embedded"}),
            )
        })
        .filter_map(|event| event["group"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(stable.len(), 40);
    assert!(stable.contains("demo-0001") && stable.contains("demo-0040"));
    assert_eq!(stage.members.running(), 81);
    stage.pass(30).await;
    assert_eq!(
        stage.count(&json!({"kind": "member_left", "source": "embedded"})),
        80
    );
    assert_eq!(stage.members.running(), 1);
    let refused = stage
        .try_to_play(json!({"fault": "groups", "count": 5_000, "members": 3}))
        .await;
    assert!(
        matches!(&refused, Err(Refused::Now(why)) if why.contains("15000 members beside 1")),
        "{refused:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn odd_ids_have_members_and_the_empty_one_takes_commits_only() {
    let mut stage = Stage::with(1).await;
    stage.play(json!({"fault": "odd_ids", "ms": 20_000})).await;
    stage.pass(15).await;
    for id in odd_ids::odd_ids() {
        let joined = json!({"kind": "member_joined", "source": "embedded", "group": id});
        assert_eq!(stage.count(&joined), 1, "{id:?}");
    }
    let refused = json!({"kind": "member_failed", "group": "", "error": 24});
    assert_eq!(stage.count(&refused), 1);
    assert_eq!(stage.count(&json!({"kind": "group_found", "group": ""})), 1);
    stage.pass(30).await;
    assert_eq!(stage.members.running(), 1);
}
