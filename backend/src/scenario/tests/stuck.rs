//! Groups that wait: for a SyncGroup, for what restarts left behind.

use shared::event::Change;
use shared::health::Verdict;
use shared::health::words::{count, span};
use shared::time::{Millis, UnixMs};

use super::play::{Play, Scene};

/// When the last generation was formed, and which it is.
fn formed(scene: &Scene, group: &str) -> (UnixMs, i32) {
    let last = scene.events(group, "generation_formed").next_back();
    let last = last.unwrap_or_else(|| panic!("none was formed: {scene}"));
    match last.what.change {
        Change::GenerationFormed { generation, .. } => (last.what.at, generation.0),
        ref other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_heartbeats_and_does_not_sync_keeps_all_waiting_for_one_rebalance_timeout() {
    for (group, client, members, others_ms, beat_ms, rebalance_ms) in [
        ("pricing", "pricer-a", 2, 20_000, 3_000, 900_000),
        ("pri cing", "p\u{e9}", 5, 5_000, 1_000, 400_000),
    ] {
        let mut play = Play::of("silent-sync")
            .set("group", group)
            .set("client", client)
            .set("members", members)
            .set("others_ms", others_ms)
            .set("beat_ms", beat_ms)
            .set("rebalance_ms", rebalance_ms)
            .start()
            .await;
        let scene = play.at(Millis(rebalance_ms * 4 / 5)).await;
        let (since, _) = formed(&scene, group);
        let finding = scene.finding(group, Verdict::Waiting);
        let begins = format!(
            "CompletingRebalance for {}: waiting for SyncGroup of {client}, the leader (it heartbeats, last ",
            span(scene.now.since(since))
        );
        let ends = format!(
            "all {} wait for its assignment.",
            count(members + 1, "member", "members")
        );
        assert!(finding.sentence.starts_with(&begins), "{scene}");
        assert!(finding.sentence.ends_with(&ends), "{scene}");
        assert!(finding.member.unwrap().as_str().starts_with(client), "{scene}");
        let evicted = |scene: &Scene| scene.events(group, "member_evicted").count() == 1;
        let scene = play.until(evicted).await;
        let evicted = scene.events(group, "member_evicted").next().unwrap();
        assert_eq!(evicted.what.at.since(since), Millis(rebalance_ms), "{scene}");
        assert!(
            evicted.what.member.as_ref().unwrap().as_str().starts_with(client),
            "{scene}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_does_not_sync_is_named_though_the_group_is_stable() {
    for (group, client, members, comes_ms, beat_ms) in [
        ("pricing", "pricer-a", 2, 30_000, 3_000),
        ("x#y", "z", 3, 12_000, 700),
    ] {
        let mut play = Play::of("silent-sync")
            .set("group", group)
            .set("client", client)
            .set("members", members)
            .set("comes_ms", comes_ms)
            .set("others_ms", 1_000)
            .set("beat_ms", beat_ms)
            .start()
            .await;
        let scene = play.at(Millis(comes_ms + 60_000)).await;
        let (since, generation) = formed(&scene, group);
        let begins = format!(
            "Stable without {client}: it has joined generation {generation} and its SyncGroup has not come for {} (it heartbeats, last ",
            span(scene.now.since(since))
        );
        let finding = scene.finding(group, Verdict::Waiting);
        assert!(finding.sentence.starts_with(&begins), "{scene}");
        assert!(finding.sentence.ends_with(", so it owns nothing."), "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn restarts_without_leaving_leave_zombies_that_are_counted_with_the_next_to_expire() {
    for (group, client, others, restarts, restart_ms, patience_ms, session_ms, beat_ms) in [
        ("clickhouse", "ClickHouse-db1", 1, 6, 5_500, 5_000, 45_000, 3_000),
        ("click house", "db\u{e9}", 3, 4, 4_000, 3_000, 30_000, 900),
    ] {
        let mut play = Play::of("zombie-restarts")
            .set("group", group)
            .set("client", client)
            .set("others", others)
            .set("restarts", restarts)
            .set("restart_ms", restart_ms)
            .set("patience_ms", patience_ms)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .start()
            .await;
        // The last of them has given up.
        let given_up = 20_000 + restart_ms * (restarts + 1) + patience_ms;
        let scene = play.at(Millis(given_up + 1_000)).await;
        let is_first = |event: &&shared::event::Event| {
            let member = event.what.member.as_ref().map_or("", |member| member.as_str());
            member.starts_with(client)
        };
        let joined = scene
            .events(group, "member_joined")
            .find(is_first)
            .unwrap()
            .what
            .at;
        // It heartbeats for the time of one restart; from the last one on its session runs.
        let beats = (restart_ms - 1) / beat_ms;
        let expires = UnixMs(joined.0 + beats * beat_ms + session_ms);
        let zombies = restarts + 1;
        assert_eq!(
            scene.finding(group, Verdict::Flapping).sentence,
            format!(
                "{zombies} of {} members come from the same host and client id, {client} of /10.0.3.1, and {zombies} of them are \
                 silent: left by restarts without LeaveGroup; the next expires in {}.",
                zombies + others,
                span(expires.since(scene.now))
            ),
            "{scene}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn zombies_whose_joins_were_answered_to_nobody_say_when_they_expire_and_then_what_did_not_come() {
    for (group, client, others, restarts, restart_ms, patience_ms, session_ms, beat_ms) in [
        ("clickhouse", "ClickHouse-db1", 1, 6, 5_500, 5_000, 45_000, 3_000),
        ("click house", "db\u{e9}", 3, 4, 4_000, 3_000, 30_000, 900),
    ] {
        let mut play = Play::of("zombie-restarts")
            .set("group", group)
            .set("client", client)
            .set("others", others)
            .set("restarts", restarts)
            .set("restart_ms", restart_ms)
            .set("patience_ms", patience_ms)
            .set("session_ms", session_ms)
            .set("beat_ms", beat_ms)
            .start()
            .await;
        // The first, which had heartbeats, has expired; the others' joins are answered, and nobody hears it.
        let answered = 20_000 + restart_ms + session_ms + beat_ms + 5_000;
        let scene = play.at(Millis(answered)).await;
        let formed = scene.events(group, "generation_formed").last().unwrap().what.at;
        let said = scene.finding(group, Verdict::Flapping).sentence;
        let expected = format!(
            "{restarts} of {} members come from the same host and client id, {client} of /10.0.3.1, and {restarts} of them are silent: \
             left by restarts without LeaveGroup; the next expires in {}.",
            restarts + others,
            span(UnixMs(formed.0 + session_ms).since(scene.now))
        );
        assert_eq!(said, expected, "{scene}");

        let scene = play.at(Millis(answered + session_ms + 2 * beat_ms)).await;
        let said = scene.finding(group, Verdict::Stable).sentence;
        let expected = format!(
            "Its JoinGroup was answered {} before that, ",
            span(Millis(session_ms))
        );
        assert!(said.contains(&expected), "{scene}");
        assert!(
            said.contains("neither a SyncGroup nor a heartbeat of it has come to our coordinator since"),
            "{scene}"
        );
    }
}
