//! Members that are silent past their session.

use shared::event::RebalanceCause;
use shared::health::Verdict;
use shared::health::words::{ago, micros, span};
use shared::ids::MemberId;
use shared::time::Millis;

use super::play::{Play, Scene};

/// What a test gives a scenario and expects of it.
struct Case {
    group: &'static str,
    client: &'static str,
    session_ms: u64,
    beat_ms: u64,
}

const CASES: [Case; 2] = [
    Case {
        group: "source",
        client: "source-2cb8",
        session_ms: 30_000,
        beat_ms: 3_000,
    },
    Case {
        group: "meter readings",
        client: "é#2",
        session_ms: 12_000,
        beat_ms: 1_700,
    },
];

/// The last member that expired, by the client id that its id begins with, and when that was.
fn expired(scene: &Scene, group: &str) -> (MemberId, Millis) {
    let last = scene.events(group, "member_expired").next_back();
    let last = last.unwrap_or_else(|| panic!("nobody expired: {scene}"));
    (last.what.member.clone().unwrap(), scene.since_start(last.what.at))
}

#[tokio::test(start_paused = true)]
async fn a_member_expires_at_its_session_and_the_rebalance_lasts_as_long_as_the_busy_one_is_busy() {
    for (case, busy_ms) in CASES.iter().zip([9_800, 7_650]) {
        let Case {
            group,
            client,
            session_ms,
            beat_ms,
        } = *case;
        let mut play = Play::of("expired-member")
            .set("group", group)
            .set("silent", client)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .set("busy_ms", busy_ms)
            .start()
            .await;
        let scene = play
            .until(|scene| scene.events(group, "member_expired").count() == 1)
            .await;
        let (who, at) = expired(&scene, group);
        assert!(who.as_str().starts_with(client), "{who}");
        // Its last heartbeat came one interval at most before the 65 s were over.
        let joined = scene.events(group, "member_joined").next_back().unwrap().what.at;
        let beats = 65_000 / beat_ms - u64::from(65_000 % beat_ms == 0);
        let expected = scene.since_start(joined).0 + beats * beat_ms + session_ms;
        assert_eq!(at.0, expected, "{scene}");

        let scene = play.pass(Millis(busy_ms - 1_000)).await;
        let finding = scene.finding(group, Verdict::Rebalancing);
        assert!(finding.sentence.contains(client), "{scene}");
        let scene = play.pass(Millis(8_000)).await;
        let sentence = scene.finding(group, Verdict::Stable).sentence;
        let took = span(Millis(busy_ms));
        let busy = "source-37a1";
        let since = Millis(scene.since().0 - at.0);
        for part in [
            format!(
                "generation 2 to 3, {}: {client} was silent past its session; done in {took}, because {busy} was slow to join again \
                 ({took}), not because the coordinator was slow.",
                ago(Millis(since.0 - busy_ms))
            ),
            format!(
                "{client} of /10.0.0.2 expired {} (silent for {session}, its session is {session}) and has not come back.",
                ago(since),
                session = span(Millis(session_ms))
            ),
            "whether GC or CPU is not visible from here.".to_owned(),
        ] {
            assert!(sentence.contains(&part), "{part} {scene}");
        }
        let rebalance = scene.group(group).unwrap().rebalances.first().unwrap();
        assert_eq!(
            rebalance.cause.get(),
            Some(&RebalanceCause::MemberTimedOut),
            "{scene}"
        );
        assert_eq!(rebalance.member.get(), Some(&who), "{scene}");
        assert_eq!(rebalance.took_ms.get(), Some(&busy_ms), "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_starved_client_expires_while_others_are_answered_and_is_unknown_when_it_returns() {
    for (case, (starved_ms, answer_ms)) in CASES.iter().zip([(47_000, 100), (17_000, 340)]) {
        let Case {
            group,
            client,
            session_ms,
            beat_ms,
        } = *case;
        let mut play = Play::of("starved-client")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .set("starved_ms", starved_ms)
            .set("answer_ms", answer_ms)
            .set("witnesses", 3)
            .start()
            .await;
        let scene = play
            .until(|scene| scene.events(group, "member_expired").count() == 1)
            .await;
        let (who, at) = expired(&scene, group);
        assert!(who.as_str().starts_with(client), "{who}");
        // It comes back under another id, having been told that the old one is unknown.
        let is_back = |scene: &Scene| {
            let group = scene.group(group).unwrap();
            group
                .members
                .keys()
                .any(|id| *id != who && id.as_str().starts_with(client))
        };
        let scene = play.until(is_back).await;
        assert!(scene.since().0 >= at.0 + starved_ms - session_ms, "{scene}");
        let expired = scene.events(group, "member_expired").count();
        assert_eq!(expired, 1, "{scene}");

        let scene = play.until(|scene| scene.has(group, Verdict::Stable)).await;
        let row = scene.group(group).unwrap();
        let back = row
            .members
            .values()
            .find(|member| member.name() == client)
            .unwrap();
        let back_at = scene.since_start(back.rejoins.first().unwrap().at);
        let sentence = scene.finding(group, Verdict::Stable).sentence;
        let latency = row.latency();
        let measured = |percent| latency.percentile(percent).unwrap();
        // Buckets are an eighth of a power of two wide; in virtual time nothing else takes time.
        for percent in [50.0, 99.0] {
            let us = measured(percent);
            assert!((answer_ms * 1_000..answer_ms * 1_200).contains(&us), "{us}");
        }
        for part in [
            format!(
                "{client} of /10.0.2.8 expired {} (silent for {session}, its session is {session}) and came back as {} after {}, {} after \
                 it was last heard.",
                ago(Millis(scene.since().0 - at.0)),
                back.id,
                span(Millis(back_at.0 - at.0)),
                span(Millis(back_at.0 - at.0 + session_ms)),
                session = span(Millis(session_ms))
            ),
            format!(
                "half of all heartbeats of ours within {}, 99 of 100 within {}): it is this member's process or its network; whether GC \
                 or CPU is not visible from here.",
                micros(measured(50.0)),
                micros(measured(99.0))
            ),
        ] {
            assert!(sentence.contains(&part), "{part} {scene}");
        }
    }
}
