//! Members that are starved, or whose heartbeats never come: C22, C26, C30.

use shared::health::Verdict;
use shared::health::words::{ago, count, many, span};
use shared::time::Millis;

use super::play::Play;
use super::said::{last, of_client, says, since};

#[tokio::test(start_paused = true)]
async fn c22_a_member_without_a_heartbeat_dies_one_session_after_it_joined() {
    for (group, client, session_ms, again_ms) in [
        ("azure-app", "rdkafka", 300_000, 1_000),
        ("net", "a b", 16_000, 2_500),
    ] {
        let mut play = Play::of("no-heartbeats")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("again_ms", again_ms)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Empty)).await;
        let joined = last(&scene, group, "member_joined").what.at;
        let expired = last(&scene, group, "member_expired").what.at;
        assert_eq!(expired.since(joined), Millis(session_ms), "{scene}");
        let session = span(Millis(session_ms));
        says(
            &scene,
            group,
            Verdict::Empty,
            &[
                format!(
                    "{client} of /10.0.6.9 expired {} (silent for {session}, its session is {session}) and has not come back.",
                    ago(since(&scene, expired))
                ),
                "No heartbeat of it ever came to our coordinator: its connection for heartbeats never worked, or it sends none"
                    .to_owned(),
                "it went one session after it had joined".to_owned(),
            ],
        );

        let scene = play.until(|scene| scene.has(group, Verdict::Flapping)).await;
        let came = of_client(&scene, group, "member_joined", client);
        let (returns, turn) = (came.len() as u64 - 1, session_ms + again_ms);
        let id = came.last().unwrap().what.member.clone().unwrap();
        says(
            &scene,
            group,
            Verdict::Flapping,
            &[
                format!(
                    "{client} of /10.0.6.9 came back {returns} times in {} under new member ids, about every {}: ",
                    span(Millis(returns * turn)),
                    span(Millis(turn))
                ),
                "each time its session ran out without a single heartbeat of it".to_owned(),
                format!(
                    "it was back in the group as {id} after {}",
                    span(Millis(again_ms))
                ),
            ],
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c26_a_leader_is_removed_while_it_computes_and_syncs_too_late() {
    for (group, client, session_ms, compute_ms) in [
        ("streams-app", "StreamThread-1", 10_000, 10_400),
        ("s", "Thread 7", 7_000, 9_300),
    ] {
        let mut play = Play::of("slow-leader")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("compute_ms", compute_ms)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Storm)).await;
        let removed = scene.events(group, "member_expired").count() as u64;
        let late = format!(
            "{client}, the leader, was removed in CompletingRebalance {} after its JoinGroup was answered, {}: {client}'s SyncGroup \
             came {} after it had been removed (its session is {}): a longer session.timeout.ms would have let it finish.",
            span(Millis(session_ms)),
            many(removed, "time", "times"),
            span(Millis(compute_ms - session_ms)),
            span(Millis(session_ms))
        );
        let ids = scene.events(group, "generation_formed").count() as u64;
        assert!(ids > removed, "{scene}");
        says(
            &scene,
            group,
            Verdict::Storm,
            &[late.clone(), format!("{removed} were removed by the coordinator")],
        );
        says(
            &scene,
            group,
            Verdict::Flapping,
            &[
                late,
                "each time its session ran out before its SyncGroup came: it sends no heartbeats while it computes or hangs".to_owned(),
            ],
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c30_members_of_one_process_that_fall_silent_at_once_point_at_the_process() {
    for (group, client, groups, witnesses, session_ms, beat_ms, well_ms, paused_ms) in [
        ("omag", "egeria", 2, 2, 10_000, 3_000, 30_000, 82_000),
        ("g", "jvm é", 3, 1, 8_000, 1_500, 21_000, 30_000),
    ] {
        let mut play = Play::of("paused-process")
            .set("group", group)
            .set("client", client)
            .set("groups", groups)
            .set("witnesses", witnesses)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .set("well_ms", well_ms)
            .set("paused_ms", paused_ms)
            .start()
            .await;
        let all: Vec<String> = (1..=groups).map(|n| format!("{group}-{n}")).collect();
        let together = format!(
            "{groups} members of {groups} groups from /10.0.8.50 fell silent at the same moment while {} heard: that process or host \
             was paused (GC, CPU) or cut off, which of these is not visible from here.",
            count(
                witnesses,
                "member on another host is",
                "members on other hosts are"
            )
        );
        let session = span(Millis(session_ms));
        let scene = play
            .until(|scene| {
                all.iter().all(|group| {
                    scene.events(group, "member_expired").count() == 1 && scene.has(group, Verdict::Stable)
                })
            })
            .await;
        for group in &all {
            let expired = last(&scene, group, "member_expired").what.at;
            says(
                &scene,
                group,
                Verdict::Stable,
                &[
                    format!(
                        "{client} of /10.0.8.50 expired {} (silent for {session}, its session is {session}) and has not come back.",
                        ago(since(&scene, expired))
                    ),
                    together.clone(),
                ],
            );
        }

        let is_back = |scene: &super::play::Scene, group: &String| {
            of_client(scene, group, "member_joined", client).len() > 1 && scene.has(group, Verdict::Stable)
        };
        let is_there = |scene: &_| all.iter().all(|group| is_back(scene, group));
        let scene = play.until(is_there).await;
        for group in &all {
            let learnt = format!(
                "It learnt so {} later from an answer to its Heartbeat, 25 UNKNOWN_MEMBER_ID.",
                span(Millis(paused_ms - session_ms))
            );
            says(&scene, group, Verdict::Stable, &[learnt, together.clone()]);
        }
    }
}
