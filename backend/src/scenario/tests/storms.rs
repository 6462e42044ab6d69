//! Rebalances without end: assignments that cannot be stored, a leader that joins again, an assignment that never settles.

use shared::event::{Change, Event, RebalanceCause, Source};
use shared::health::Verdict;
use shared::health::words::{many, span};
use shared::time::{Millis, UnixMs};

use super::play::{Play, Scene};

/// When the coordinator saw the first rebalance of that cause begin.
fn begun(scene: &Scene, group: &str, wanted: RebalanceCause) -> UnixMs {
    let is_first = |event: &&Event| {
        let of_cause =
            matches!(&event.what.change, Change::RebalanceStarted { cause, .. } if *cause == wanted);
        of_cause && event.what.source == Source::Embedded
    };
    let first = scene.events(group, "rebalance_started").find(is_first);
    first
        .unwrap_or_else(|| panic!("none is {wanted}: {scene}"))
        .what
        .at
}

/// When each generation since then was formed.
fn formed(scene: &Scene, group: &str, since: UnixMs) -> Vec<UnixMs> {
    let times = scene
        .events(group, "generation_formed")
        .map(|event| event.what.at);
    times.filter(|at| *at >= since).collect()
}

/// "60 rebalances in 3 min, one every 3 s"
fn how_many(since: UnixMs, formed: &[UnixMs]) -> String {
    let (last, turns) = (*formed.last().unwrap(), formed.len());
    // A pace is told of the last sixteen, or of all where that is the same.
    let recent = &formed[turns.saturating_sub(16)..];
    let each = last.since(*recent.first().unwrap()).0 / (recent.len() as u64 - 1);
    let whole = last.since(since).0 / turns as u64;
    let (which, each) = match recent.len() {
        all if all == turns => (String::new(), each),
        _ if whole.abs_diff(each) * 10 <= each => (String::new(), whole),
        some => (format!("the last {some} "), each),
    };
    format!(
        "{} in {}, {which}one every {} (",
        many(turns as u64, "rebalance", "rebalances"),
        span(last.since(since)),
        span(Millis(each))
    )
}

fn nobody_moved(members: u64) -> String {
    let same = many(members, "member", "members");
    format!("; nobody came, left or was removed: the same {same}.")
}

fn assert_said(scene: &Scene, sentence: &str, parts: &[String]) {
    for part in parts {
        assert!(
            sentence.contains(part.as_str()),
            "{part:?} is not in {sentence:?}: {scene}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn assignments_that_cannot_be_stored_are_a_storm_and_the_members_are_innocent() {
    for (group, leader, followers, beat_ms, after_ms) in [
        ("build-events", "builder", 0, 3_000, 90_000),
        ("ci runs", "b#", 2, 500, 70_000),
    ] {
        let mut play = Play::of("unwritable-offsets")
            .set("group", group)
            .set("leader", leader)
            .set("followers", followers)
            .set("beat_ms", beat_ms)
            .set("after_ms", after_ms)
            .start()
            .await;
        let failed = |scene: &Scene| scene.events(group, "append_failed").count() >= 30;
        let scene = play.until(failed).await;
        let since = begun(&scene, group, RebalanceCause::LeaderRejoined);
        let formed = formed(&scene, group, since);
        let last = scene.events(group, "append_failed").next_back().unwrap();
        let Change::AppendFailed { partition, .. } = last.what.change else {
            panic!("{last:?}");
        };
        let finding = scene.finding(group, Verdict::Storm);
        let stored = format!(
            ": {} of them because the coordinator could not store the assignment (__consumer_offsets-{partition}: 19 \
             NOT_ENOUGH_REPLICAS); the members are innocent",
            formed.len() - 1
        );
        let parts = [how_many(since, &formed), stored, nobody_moved(followers + 1)];
        assert_said(&scene, &finding.sentence, &parts);
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_joins_again_without_end_is_named_and_why_is_not_visible() {
    for (group, leader, followers, beat_ms, stays_ms, turns) in [
        ("connect-cluster", "connect-a", 0, 3_000, 4, 400),
        ("two  workers", "w\u{e9}", 2, 300, 20, 40),
    ] {
        let mut play = Play::of("restless-leader")
            .set("group", group)
            .set("leader", leader)
            .set("followers", followers)
            .set("beat_ms", beat_ms)
            .set("stays_ms", stays_ms)
            .start()
            .await;
        let of_leader = |event: &&Event| {
            let change = &event.what.change;
            matches!(
                change,
                Change::RebalanceStarted {
                    cause: RebalanceCause::LeaderRejoined,
                    ..
                }
            ) && event.what.source == Source::Embedded
        };
        let enough =
            |scene: &Scene| scene.events(group, "rebalance_started").filter(of_leader).count() > turns;
        let scene = play.until(enough).await;
        let since = begun(&scene, group, RebalanceCause::LeaderRejoined);
        let finding = scene.finding(group, Verdict::Storm);
        let why =
            format!(": all because the leader, {leader}-1, joined again, though each of its calls succeeded");
        let parts = [
            how_many(since, &formed(&scene, group, since)),
            why,
            nobody_moved(followers + 1),
        ];
        assert_said(&scene, &finding.sentence, &parts);
        assert!(
            finding.evidence.contains("Why it joins again is not visible"),
            "{scene}"
        );
        assert!(finding.member.unwrap().as_str().starts_with(leader), "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_assignment_that_never_settles_is_a_storm_of_the_same_members_without_evictions() {
    for (group, members, movers, beat_ms, well_ms, stays_ms) in [
        ("enrich", 2, 2, 3_000, 90_000, 100),
        ("en#rich", 4, 1, 1_000, 70_000, 50),
    ] {
        let mut play = Play::of("never-balanced")
            .set("group", group)
            .set("members", members)
            .set("movers", movers)
            .set("beat_ms", beat_ms)
            .set("well_ms", well_ms)
            .set("stays_ms", stays_ms)
            .start()
            .await;
        let other = |event: &&Event| {
            let change = &event.what.change;
            matches!(
                change,
                Change::RebalanceStarted {
                    cause: RebalanceCause::MetadataChanged,
                    ..
                }
            )
        };
        let enough = |scene: &Scene| scene.events(group, "rebalance_started").filter(other).count() > 40;
        let scene = play.until(enough).await;
        let since = begun(&scene, group, RebalanceCause::MetadataChanged);
        let finding = scene.finding(group, Verdict::Storm);
        let parts = [
            how_many(since, &formed(&scene, group, since)),
            "joined again with other metadata".to_owned(),
            nobody_moved(members + movers),
        ];
        assert_said(&scene, &finding.sentence, &parts);
        let evidence = "Why the assignment never settles is not visible from here";
        assert!(finding.evidence.contains(evidence), "{scene}");
        for kind in ["member_expired", "member_evicted"] {
            assert_eq!(scene.events(group, kind).count(), 0, "{scene}");
        }
    }
}
