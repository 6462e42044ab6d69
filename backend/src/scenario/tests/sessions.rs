//! Members that are silent past their session.

use shared::event::RebalanceCause;
use shared::health::Verdict;
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
    for (case, busy_ms) in CASES.iter().zip([9_800, 4_321]) {
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
        let scene = play.until(|scene| scene.has(group, Verdict::Stable)).await;
        let rebalance = scene.group(group).unwrap().rebalances.front().unwrap();
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
    for (case, starved_ms) in CASES.iter().zip([47_000, 17_000]) {
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
        let witnesses = scene.events(group, "member_expired").count();
        assert_eq!(witnesses, 1, "{scene}");
    }
}
