//! Slow applications: B12, B14.

use shared::health::Verdict;
use shared::health::words::{ago, many, span};
use shared::time::Millis;

use super::play::Play;
use super::said::{last, of_client, says, since, tells};

#[tokio::test(start_paused = true)]
async fn b12_who_leaves_in_the_midst_and_comes_back_stalls_and_does_not_crash() {
    for (group, client, poll_ms, beat_ms, rest_ms) in [
        ("mailer", "kafka-python", 8_000, 3_000, 2_000),
        ("m q", "py#", 17_000, 2_500, 4_300),
    ] {
        let mut play = Play::of("stalled-poll-loop")
            .set("group", group)
            .set("client", client)
            .set("poll_ms", poll_ms)
            .set("beat_ms", beat_ms)
            .set("rest_ms", rest_ms)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Flapping)).await;
        let member = scene.finding(group, Verdict::Flapping).member.unwrap();
        let n = if member.as_str().starts_with(&format!("{client}-1-")) {
            1
        } else {
            2
        };
        let name = format!("{client}-{n}");
        let came: Vec<_> = of_client(&scene, group, "member_joined", &name)
            .iter()
            .map(|event| event.what.at)
            .collect();
        let (first, newest) = (came[0], came[came.len() - 1]);
        let returns = came.len() as u64 - 1;
        let left = of_client(&scene, group, "member_left", &name)
            .last()
            .unwrap()
            .what
            .at;
        says(
            &scene,
            group,
            Verdict::Flapping,
            &[
                format!(
                    "{name} of /10.0.4.{n} came back {} in {} under new member ids, ",
                    many(returns, "time", "times"),
                    span(newest.since(first))
                ),
                "it left by itself each time, so it does not crash: a poll loop that stalls does that"
                    .to_owned(),
                "which of them is not visible from here".to_owned(),
                format!(
                    "(the last {}: consumer poll timeout has expired)",
                    ago(since(&scene, left))
                ),
                format!(
                    "it was back in the group as {member} after {}",
                    span(newest.since(left))
                ),
            ],
        );
        // One is in while the other waits: each turn takes twice as long as one heartbeats.
        let beats = poll_ms / beat_ms + u64::from(poll_ms % beat_ms != 0) - 1;
        assert_eq!(
            newest.since(came[came.len() - 2]),
            Millis(2 * beats * beat_ms),
            "{scene}"
        );
        assert_eq!(scene.events(group, "member_expired").count(), 0, "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn b14_a_join_given_up_contradicts_the_rebalance_timeout_that_was_promised() {
    for (group, client, slow, patience_ms, rebalance_ms, busy_ms) in [
        ("batch", "loader", "crunch", 30_000, 2_147_483_647, 100_000),
        ("b&b", "l é", "c", 12_500, 900_000_000, 55_000),
    ] {
        let mut play = Play::of("abandoned-join")
            .set("group", group)
            .set("client", client)
            .set("slow", slow)
            .set("patience_ms", patience_ms)
            .set("rebalance_ms", rebalance_ms)
            .set("busy_ms", busy_ms)
            .start()
            .await;
        let given_up = format!(
            "{client} of /10.0.5.2 gave its JoinGroup up after {} though it promised a rebalance timeout of {}",
            span(Millis(patience_ms)),
            span(Millis(rebalance_ms))
        );
        let scene = play
            .until(|scene| tells(scene, group, Verdict::Waiting, &given_up))
            .await;
        assert_eq!(scene.since(), Millis(10_000 + patience_ms), "{scene}");
        says(
            &scene,
            group,
            Verdict::Waiting,
            &[
                format!(
                    "PreparingRebalance for {}: waiting for {slow} of /10.0.5.1",
                    span(Millis(patience_ms))
                ),
                "so it lives and does not join".to_owned(),
                "the timeouts contradict each other (1 time lately, the last just now)".to_owned(),
            ],
        );

        let scene = play.until(|scene| scene.has(group, Verdict::Stable)).await;
        let times = scene.events(group, "join_abandoned").count() as u64;
        let joined = of_client(&scene, group, "join_received", slow)
            .last()
            .unwrap()
            .what
            .at;
        let waited = scene.since_start(joined).0 - 10_000;
        assert_eq!(times, waited / patience_ms, "{scene}");
        let abandoned = last(&scene, group, "join_abandoned").what.at;
        says(
            &scene,
            group,
            Verdict::Waiting,
            &[
                given_up,
                format!(
                    "({} lately, the last {})",
                    many(times, "time", "times"),
                    ago(since(&scene, abandoned))
                ),
            ],
        );
        let slow = format!(
            "because {slow} was slow to join again ({}), not because the coordinator was slow",
            span(Millis(waited))
        );
        says(&scene, group, Verdict::Stable, &[slow]);
    }
}
