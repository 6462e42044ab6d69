//! An hour in which nothing goes wrong: joins, leaves, commits, a rolling restart. All verdicts stay silent.

use shared::health::Verdict;
use shared::health::words::span;
use shared::time::Millis;

use super::play::{Play, Playing, Scene};

/// What an operator may read while all is well.
const CALM: [Verdict; 3] = [Verdict::Stable, Verdict::Rebalancing, Verdict::Empty];

/// Looks every five seconds until that long after the start: never anything else than these.
async fn stays_calm(play: &mut Playing, until: Millis) -> Scene {
    loop {
        let scene = play.pass(Millis(5_000)).await;
        for group in scene.board.groups() {
            for finding in scene.findings(group.key.group.as_str()) {
                assert!(CALM.contains(&finding.verdict), "{}: {scene}", finding.verdict);
            }
        }
        if scene.since() >= until {
            return scene;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_joins_leaves_commits_and_a_rolling_restart_is_calm_and_the_restart_is_one_story() {
    for (group, client, members, down_ms, apart_ms, deploy_ms) in [
        ("orders", "app", 10, 4_000, 20_000, 1_200_000),
        ("o é", "w#", 6, 9_500, 31_000, 900_000),
    ] {
        let mut play = Play::of("healthy-hour")
            .set("group", group)
            .set("client", client)
            .set("members", members)
            .set("down_ms", down_ms)
            .set("apart_ms", apart_ms)
            .set("deploy_ms", deploy_ms)
            .start()
            .await;
        let restarted = deploy_ms + (members - 1) * apart_ms + down_ms + 10_000;
        let scene = stays_calm(&mut play, Millis(restarted)).await;
        let group_now = scene.group(group).unwrap();
        assert_eq!(group_now.members.len() as u64, members, "{scene}");
        let run = group_now.run.clone().unwrap();
        assert_eq!(run.starters.len() as u64, members, "{scene}");
        let story = format!(
            "The last {} rebalances belong together, within {}: {members} clients left or joined one after another, as in a rolling \
             restart, and the coordinator removed nobody.",
            run.turns,
            span(run.last.since(run.since))
        );
        // Each goes and comes, which is two rebalances, or one where it is back before the others have heard of it.
        assert!((members..=2 * members).contains(&run.turns), "{scene}");
        super::said::says(&scene, group, Verdict::Stable, &[story]);
        assert!(scene.since_start(run.since).0 >= deploy_ms, "{scene}");

        let scene = stays_calm(&mut play, Millis(3_600_000)).await;
        let left = scene
            .events(group, "member_left")
            .filter(|event| event.what.source == shared::event::Source::Embedded);
        assert_eq!(left.count() as u64, members + 3, "{scene}");
        assert_eq!(scene.events(group, "member_expired").count(), 0, "{scene}");
        let audit = format!("{group}-audit");
        assert!(scene.has(&audit, Verdict::Stable), "{scene}");
    }
}
