//! Member ids that are handed out and never used.

use shared::event::RebalanceCause;
use shared::health::Verdict;
use shared::health::words::{ago, span};
use shared::ids::MemberId;
use shared::time::Millis;

use super::play::{Play, Scene};

/// The members that something happened to, in order.
fn members(scene: &Scene, group: &str, kind: &str) -> Vec<MemberId> {
    scene
        .events(group, kind)
        .filter_map(|event| event.what.member.clone())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn an_id_that_is_never_used_holds_the_rebalance_for_its_session() {
    for (group, client, session_ms, apart_ms, there, after_ms) in [
        ("orders", "rdkafka", 45_000, 2, 1, 20_000),
        ("x y", "p#", 14_000, 1_234, 4, 31_000),
    ] {
        let mut play = Play::of("unused-member-id")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("apart_ms", apart_ms)
            .set("members", there)
            .set("after_ms", after_ms)
            .start()
            .await;
        let waited = session_ms - apart_ms - 500;
        let scene = play.at(Millis(after_ms + session_ms - 500)).await;
        let issued: Vec<MemberId> = members(&scene, group, "member_id_issued")
            .into_iter()
            .filter(|id| id.as_str().starts_with(client))
            .collect();
        let [unused, used] = issued.as_slice() else {
            panic!("{issued:?} {scene}")
        };
        let finding = scene.finding(group, Verdict::Waiting);
        assert_eq!(
            finding.sentence,
            format!(
                "PreparingRebalance for {}: waiting for pending id {unused}, issued to the same client ({client} of /10.0.1.9) {} before \
                 {used} {} and never used: it is awaited until its session is over.",
                span(Millis(waited)),
                span(Millis(apart_ms)),
                ago(Millis(session_ms - 500))
            ),
            "{scene}"
        );
        assert_eq!(finding.member.as_ref(), Some(unused), "{scene}");
        assert!(!scene.has(group, Verdict::Stable), "{scene}");

        let scene = play.until(|scene| scene.has(group, Verdict::Stable)).await;
        let row = scene.group(group).unwrap();
        assert_eq!(row.members.len(), there + 1, "{scene}");
        let rebalance = row.rebalances.first().unwrap();
        assert_eq!(
            rebalance.cause.get(),
            Some(&RebalanceCause::MemberJoined),
            "{scene}"
        );
        let took = session_ms - apart_ms;
        assert_eq!(rebalance.took_ms.get(), Some(&took), "{scene}");
        let sentence = scene.finding(group, Verdict::Stable).sentence;
        let why = format!(
            "{client} joined; done in {took}, waiting for pending id {unused}, issued to {client} and never used ({took}).",
            took = span(Millis(took))
        );
        assert!(sentence.contains(&why), "{why} {scene}");
    }
}
