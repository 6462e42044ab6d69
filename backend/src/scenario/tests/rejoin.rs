//! Members that are told to join again and do not: A03.

use shared::error_code::REBALANCE_IN_PROGRESS;
use shared::event::Change;
use shared::health::Verdict;
use shared::health::words::{ago, span};
use shared::time::Millis;

use super::play::Play;
use super::said::{last, of_client, says, since, tells};

#[tokio::test(start_paused = true)]
async fn a03_who_works_on_when_told_to_rejoin_is_named_then_unknown_then_the_next_cause() {
    for (group, client, newcomer, session_ms, beat_ms, well_ms, busy_ms) in [
        ("test-group", "test", "later", 30_000, 3_000, 20_000, 40_000),
        ("räume", "c#9", "x", 12_000, 1_700, 11_000, 21_500),
    ] {
        let mut play = Play::of("told-to-rejoin")
            .set("group", group)
            .set("client", client)
            .set("newcomer", newcomer)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .set("well_ms", well_ms)
            .set("busy_ms", busy_ms)
            .start()
            .await;
        let is_silent = |scene: &_| tells(scene, group, Verdict::Waiting, "it has been silent for");
        let scene = play.until(is_silent).await;
        let length = Millis(scene.since().0 - 10_000 - well_ms);
        let beats = of_client(&scene, group, "heartbeat_received", client);
        let told = beats.last().unwrap();
        let is_27 = matches!(told.what.change, Change::HeartbeatReceived { error, .. } if error == REBALANCE_IN_PROGRESS);
        assert!(is_27, "{told:?}");
        let silent = since(&scene, told.what.at);
        says(
            &scene,
            group,
            Verdict::Waiting,
            &[
                format!(
                    "PreparingRebalance for {}: waiting for {client} of /10.0.3.7",
                    span(length)
                ),
                format!("which was told to join again and has not for {}", span(length)),
                format!("it has been silent for {}", span(silent)),
                format!(
                    "removed when its session is over, in {}",
                    span(Millis(session_ms - silent.0))
                ),
            ],
        );

        let back = |scene: &_| tells(scene, group, Verdict::Stable, "and came back as");
        let scene = play.until(back).await;
        let expired = last(&scene, group, "member_expired").what.at;
        assert_eq!(expired.since(told.what.at), Millis(session_ms), "{scene}");
        let again = of_client(&scene, group, "member_joined", client);
        let id = again.last().unwrap().what.member.clone().unwrap();
        let rebalances = scene.group(group).unwrap().generation.get().unwrap().0;
        let late = span(Millis(busy_ms - session_ms));
        let back = again.last().unwrap().what.at.since(expired);
        let (back, unheard) = (span(back), span(Millis(back.0 + session_ms)));
        says(
            &scene,
            group,
            Verdict::Stable,
            &[
                format!(": {client} joined; done in"),
                format!(
                    "{client} of /10.0.3.7 expired {} (silent for {session}, its session is {session}) and came back as {id} after {back}, \
                     {unheard} after it was last heard.",
                    ago(since(&scene, expired)),
                    session = span(Millis(session_ms)),
                ),
                "It had been told to join again (27) and did not.".to_owned(),
                format!("It learnt so {late} later from an answer to its Heartbeat, 25 UNKNOWN_MEMBER_ID."),
                format!("It made 2 of the last {rebalances} rebalances."),
                "whether GC or CPU is not visible from here".to_owned(),
            ],
        );
    }
}
