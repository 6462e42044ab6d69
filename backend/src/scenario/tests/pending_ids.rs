//! Member ids that are handed out and never used.

use shared::event::RebalanceCause;
use shared::health::Verdict;
use shared::time::Millis;

use super::play::Play;

#[tokio::test(start_paused = true)]
async fn an_id_that_is_never_used_holds_the_rebalance_for_its_session() {
    for (group, client, session_ms, apart_ms, members) in [
        ("orders", "rdkafka", 45_000, 2, 1),
        ("x y", "p#", 10_000, 1_234, 4),
    ] {
        let mut play = Play::of("unused-member-id")
            .set("group", group)
            .set("client", client)
            .set("session_ms", session_ms)
            .set("apart_ms", apart_ms)
            .set("members", members)
            .start()
            .await;
        let scene = play.at(Millis(20_000 + session_ms - 500)).await;
        assert!(!scene.has(group, Verdict::Stable), "{scene}");
        let scene = play.until(|scene| scene.has(group, Verdict::Stable)).await;
        let row = scene.group(group).unwrap();
        assert_eq!(row.members.len(), members + 1, "{scene}");
        let rebalance = row.rebalances.front().unwrap();
        assert_eq!(
            rebalance.cause.get(),
            Some(&RebalanceCause::MemberJoined),
            "{scene}"
        );
        assert_eq!(rebalance.took_ms.get(), Some(&(session_ms - apart_ms)), "{scene}");
    }
}
