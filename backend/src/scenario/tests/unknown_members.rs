//! Members that the coordinator does not know any more: D31, D33.

use shared::event::Source;
use shared::health::Verdict;
use shared::health::words::span;
use shared::time::Millis;

use super::play::Play;
use super::said::{of_client, says};

#[tokio::test(start_paused = true)]
async fn d31_who_outlives_its_session_again_and_again_makes_two_rebalances_each_time() {
    for (group, client, witnesses, session_ms, silent_ms, backoff_ms) in [
        ("low-traffic", "service", 1, 6_000, 9_000, 1_000),
        ("l t", "s#", 2, 8_000, 13_000, 2_500),
    ] {
        let mut play = Play::of("outlived-session")
            .set("group", group)
            .set("client", client)
            .set("witnesses", witnesses)
            .set("session_ms", session_ms)
            .set("silent_ms", silent_ms)
            .set("backoff_ms", backoff_ms)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Flapping)).await;
        let own = of_its_own(&scene, group, client);
        let all = scene.group(group).unwrap().generation.get().unwrap().0;
        says(
            &scene,
            group,
            Verdict::Flapping,
            &[
                format!("{client} of /10.0.9.4 came back 2 times in "),
                "each time its session ran out without a single heartbeat of it: its connection for heartbeats does not work".to_owned(),
                format!(
                    "it learnt so from an answer to its JoinGroup, 25 UNKNOWN_MEMBER_ID, {} after it was last heard, and asked to \
                     join under a new id {} later.",
                    span(Millis(silent_ms)),
                    span(Millis(backoff_ms))
                ),
                format!("It made {own} of the last {all} rebalances, 1 when it came and 2 for each return."),
            ],
        );

        let scene = play.until(|scene| scene.has(group, Verdict::Storm)).await;
        let removed = scene.events(group, "member_expired").count();
        let sentence = scene.finding(group, Verdict::Storm).sentence;
        assert!(!sentence.contains("displace"), "{scene}");
        says(
            &scene,
            group,
            Verdict::Storm,
            &[format!("0 left, {removed} were removed by the coordinator")],
        );
    }
}

/// Rebalances that the client made, as the coordinator saw them.
fn of_its_own(scene: &super::play::Scene, group: &str, client: &str) -> usize {
    use shared::event::Change;
    let is_its_own = |change: &Change| {
        let Change::RebalanceFinished(what) = change else {
            return false;
        };
        let member = what.member.as_ref();
        member.is_some_and(|member| member.as_str().starts_with(&format!("{client}-")))
    };
    scene
        .events(group, "rebalance_finished")
        .filter(|event| event.what.source == Source::Embedded && is_its_own(&event.what.change))
        .count()
}

#[tokio::test(start_paused = true)]
async fn d33_two_that_displace_each_other_faster_than_any_session_runs_out() {
    for (group, client, session_ms, beat_ms) in
        [("brod-group", "node", 10_000, 3_000), ("é", "n m", 8_000, 1_000)]
    {
        let apart_ms = beat_ms / 2;
        let mut play = Play::of("displaced-leaders")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .set("apart_ms", apart_ms)
            .start()
            .await;
        let scene = play
            .until(|scene| super::said::tells(scene, group, Verdict::Flapping, "displace each other"))
            .await;
        says(
            &scene,
            group,
            Verdict::Flapping,
            &[
                format!("{client}-1 of /10.0.13.1"),
                format!("{client}-2 of /10.0.13.2"),
                format!(
                    "each generation has one member and lasts about {}",
                    span(Millis(apart_ms))
                ),
                format!(
                    "too short for a session of {} to run out: a fault of the protocol or the broker, not of the network",
                    span(Millis(session_ms))
                ),
            ],
        );
        assert_eq!(scene.events(group, "member_expired").count(), 0, "{scene}");
        assert!(
            of_client(&scene, group, "member_joined", client).len() >= 4,
            "{scene}"
        );
    }
}
