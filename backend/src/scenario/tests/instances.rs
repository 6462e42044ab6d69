//! Static members that fence each other or themselves: E39, E41.

use shared::health::Verdict;
use shared::health::words::{ago, span};
use shared::time::Millis;

use super::play::Play;
use super::said::{last, says, since};

#[tokio::test(start_paused = true)]
async fn e39_a_client_fenced_by_its_own_new_join_fenced_itself() {
    for (group, client, instance, beat_ms, well_ms, late_ms) in [
        ("etl", "rdkafka", "etl-1", 3_000, 30_000, 300),
        ("e t", "r#", "i é", 1_500, 12_000, 1_250),
    ] {
        let mut play = Play::of("self-fencing")
            .set("group", group)
            .set("client", client)
            .set("instance", instance)
            .set("beat_ms", beat_ms)
            .set("well_ms", well_ms)
            .set("late_ms", late_ms)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Refused)).await;
        let replaced = last(&scene, group, "member_replaced").what.at;
        let told = last(&scene, group, "member_fenced").what.at;
        assert_eq!(told.since(replaced), Millis(late_ms), "{scene}");
        let by = last(&scene, group, "member_joined").what.member.clone().unwrap();
        let length = ago(since(&scene, replaced));
        says(
            &scene,
            group,
            Verdict::Refused,
            &[
                format!(
                    "Instance {instance}: {client} of /10.0.11.5 was fenced {length}, by {by} from the same host and client id"
                ),
                format!("in since {length}: it fenced itself, or was started again before it had gone."),
                format!(
                    "Heartbeat of {client} of /10.0.11.5 was answered 82 FENCED_INSTANCE_ID 1 time, the last {}.",
                    ago(since(&scene, told))
                ),
            ],
        );
    }
}

#[tokio::test(start_paused = true)]
async fn e41_two_that_take_one_instance_from_each_other_leave_it_to_nobody() {
    for (group, client, instance, session_ms, well_ms, closing_ms, waiting) in [
        ("ingest", "bulker", "bulker-0", 45_000, 30_000, 2_000, 120),
        ("in", "b k", "b#0", 9_000, 17_000, 900, 7),
    ] {
        let mut play = Play::of("restart-overlap")
            .set("group", group)
            .set("client", client)
            .set("instance", instance)
            .set("session_ms", session_ms)
            .set("well_ms", well_ms)
            .set("closing_ms", closing_ms)
            .set("waiting", waiting)
            .start()
            .await;
        let scene = play.until(|scene| scene.has(group, Verdict::Refused)).await;
        let fenced = last(&scene, group, "member_replaced").what.at;
        says(
            &scene,
            group,
            Verdict::Refused,
            &[
                format!(
                    "Instance {instance}: {client} of /10.0.10.5 was fenced {}, by ",
                    ago(since(&scene, fenced))
                ),
                "was started again before it had gone".to_owned(),
                format!("Heartbeat of {client} of /10.0.10.5 was answered 82 FENCED_INSTANCE_ID 1 time"),
            ],
        );

        let waits = format!("{waiting} records wait to be read.");
        let scene = play
            .until(|scene| super::said::tells(scene, group, Verdict::Empty, &waits))
            .await;
        let expired = last(&scene, group, "member_expired").what.at;
        says(
            &scene,
            group,
            Verdict::Empty,
            &[
                format!("{client} of /10.0.10.5 expired {} ", ago(since(&scene, expired))),
                "and has not come back.".to_owned(),
                format!(
                    "Instance {instance}: 3 member ids within {}, and none now.",
                    span(Millis(well_ms + 1_000 + closing_ms))
                ),
            ],
        );
        let refused = "nobody holds the instance now: the one that took it has gone too".to_owned();
        says(&scene, group, Verdict::Refused, &[refused]);
    }
}
