//! Who is waited for, from when on it is said, and when nobody is.

use super::stage::*;
use crate::event::{Change, RebalanceCause, Rebalanced};
use crate::health::Verdict;
use crate::ids::Generation;

fn pair() -> [(&'static str, Client); 2] {
    [("one-1", client("one", "/a")), ("two-1", client("two", "/b"))]
}

fn finished(stage: &mut Stage, generation: i32, join_ms: u64, sync_ms: u64) {
    stage.group_of(Change::RebalanceFinished(Rebalanced {
        generation: Generation(generation),
        from_generation: Some(Generation(generation - 1)),
        cause: RebalanceCause::MemberJoined,
        member: Some("one-1".into()),
        took_ms: Some(join_ms + sync_ms),
        took_between_ms: None,
        join_ms: Some(join_ms),
        sync_ms: Some(sync_ms),
        joined: None,
        left: None,
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    }));
}

#[test]
fn the_first_generation_of_an_empty_group_is_slow_because_of_nobody() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage
        .started(RebalanceCause::MemberJoined, "one-1")
        .join("one-1", one.1);
    stage.at(4_000).join("two-1", two.1);
    has(
        &stage.says(Verdict::Rebalancing),
        &[
            "Nobody is slow: the group was empty",
            "group.initial.rebalance.delay.ms",
        ],
    );
    stage.at(6_000).formed("one-1", 2);
    stage.in_group("one-1", one.1).in_group("two-1", two.1);
    finished(&mut stage, 1, 6_000, 2);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &["done in 6 s, because the group was empty", "nobody was slow"],
    );
    assert!(!sentence.contains("slow to join"), "{sentence}");
}

/// `came_late` is a member of the last generation, or comes for the first time.
fn third_comes_late(was_in: bool) -> String {
    let mut stage = Stage::default();
    let three = ("three-1", client("three", "/c"));
    let [one, two] = pair();
    let before = if was_in {
        vec![one, two, three]
    } else {
        vec![one, two]
    };
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &before, 10);
    stage.at(100_000).started(RebalanceCause::MemberJoined, "four-1");
    stage.join("four-1", client("four", "/d")).join("one-1", one.1);
    stage.at(102_000).join("two-1", two.1);
    stage.at(109_000).join("three-1", three.1).formed("one-1", 4);
    finished(&mut stage, 2, 9_000, 2);
    stage.says(Verdict::Stable)
}

#[test]
fn who_comes_for_the_first_time_is_not_slow_to_join_again() {
    has(
        &third_comes_late(true),
        &["because three was slow to join again (9 s)"],
    );
    let sentence = third_comes_late(false);
    assert!(!sentence.contains("slow to join again"), "{sentence}");
}

#[test]
fn a_leader_that_computes_for_long_is_what_a_slow_rebalance_waited_for() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    stage.at(100_000).started(RebalanceCause::MemberJoined, "one-1");
    stage.at(109_000);
    finished(&mut stage, 2, 500, 8_500);
    has(
        &stage.says(Verdict::Stable),
        &["done in 9 s, most of it waiting for the leader's assignment"],
    );
}

/// A stable group, but for a follower whose SyncGroup has not come.
fn without_the_follower() -> Stage {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one.1).join("two-1", two.1).formed("one-1", 2);
    stage.in_group("one-1", one.1);
    finished(&mut stage, 2, 1, 1);
    stage
}

#[test]
fn a_follower_without_a_sync_is_told_of_one_heartbeat_interval_after_its_join_was_answered() {
    let mut stage = without_the_follower();
    stage.at(102_900).beats(&["one-1", "two-1"]).is_calm();
    stage.at(103_000);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "Stable without two: it has joined generation 2 and its SyncGroup has not come for 3 s (it heartbeats",
        ],
    );
}

#[test]
fn a_leader_without_an_assignment_is_told_of_three_heartbeat_intervals_after_its_join_was_answered() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one.1).join("two-1", two.1).formed("one-1", 2);
    stage.at(108_900).beats(&["one-1", "two-1"]).is_calm();
    stage.at(109_000);
    has(
        &stage.says(Verdict::Waiting),
        &["CompletingRebalance for 9 s: waiting for SyncGroup of one, the leader"],
    );
}

#[test]
fn a_member_that_does_not_join_again_is_told_of_as_soon_as_its_own_interval_allows() {
    for (interval, session, patience) in [
        (Some(500), 10_000, 1_500),
        (Some(100), 10_000, 1_000),
        (Some(3_000), 10_000, 9_000),
        (None, 6_000, 6_000),
        (None, 45_000, 10_000),
    ] {
        let mut stage = Stage::default();
        for (id, client) in pair() {
            let mut joined = stage.joined(client);
            (joined.heartbeat_interval_ms, joined.session_timeout_ms) = (interval, Some(session));
            stage.of(id, Change::MemberJoined(joined));
        }
        stage.at(100_000).beat("two-1", 0);
        stage.started(RebalanceCause::LeaderRejoined, "one-1");
        let one = client("one", "/a");
        stage.join("one-1", Client { session, ..one });
        let waits = |stage: &Stage| {
            let said = stage.said("orders");
            said.iter().any(|finding| finding.verdict == Verdict::Waiting)
        };
        stage.at(100_000 + patience - 1).beat("two-1", 27);
        assert!(!waits(&stage), "{interval:?} {session}");
        stage.at(100_000 + patience);
        has(
            &stage.says(Verdict::Waiting),
            &["waiting for two of /b, which was told to join again and has not"],
        );
    }
}

#[test]
fn joins_given_up_by_nobody_in_particular_are_not_laid_to_one_client() {
    for known in [true, false] {
        let mut stage = Stage::default();
        let abandoned = Change::JoinAbandoned {
            waited_ms: 30_000,
            rebalance_timeout_ms: 300_000,
        };
        for id in ["m-1", "m-2", "m-3"] {
            let mut joined = stage.joined(client("app", "/a"));
            if !known {
                (joined.client_id, joined.host) = (None, None);
            }
            stage
                .of(id, Change::MemberJoined(joined))
                .of(id, abandoned.clone());
        }
        let sentence = stage.says(Verdict::Waiting);
        has(&sentence, &["3 were left behind by joins given up"]);
        assert_eq!(sentence.contains("for 1 client host"), known, "{sentence}");
        assert_eq!(sentence.contains("3 of them by app of /a"), known, "{sentence}");
        assert!(
            known || !sentence.contains("a client without an id"),
            "{sentence}"
        );
    }
}

/// Three starts of one client, each of which gave its JoinGroup up, beside another client; all were answered at 130 s.
fn zombies() -> (Stage, [&'static str; 3]) {
    let mut stage = Stage::default();
    let ids = ["app-1", "app-2", "app-3"];
    let app = Client {
        session: 45_000,
        ..client("app", "/a")
    };
    let other = ("other-1", client("other", "/b"));
    stage.rebalance(RebalanceCause::MemberJoined, other.0, &[other], 10);
    stage.at(100_000).started(RebalanceCause::MemberJoined, ids[0]);
    for (n, id) in ids.into_iter().enumerate() {
        let came = 100_000 + n as u64 * 6_000;
        stage.at(came).join(id, app);
        let abandoned = Change::JoinAbandoned {
            waited_ms: 5_000,
            rebalance_timeout_ms: 300_000,
        };
        stage.at(came + 5_000).of(id, abandoned);
    }
    stage.at(130_000).join(other.0, other.1).formed(other.0, 4);
    stage.in_group(other.0, other.1);
    finished(&mut stage, 2, 30_000, 1);
    (stage, ids)
}

#[test]
fn g58_a_join_answered_to_nobody_starts_a_session_whose_end_is_told_beforehand() {
    let (mut stage, _) = zombies();
    stage.at(160_000).beat("other-1", 0);
    has(
        &stage.says(Verdict::Flapping),
        &[
            "3 of 4 members come from the same host and client id, app of /a, and 3 of them are silent",
            "the next expires in 15 s",
        ],
    );
    has(
        &stage.says(Verdict::Waiting),
        &["it was never heard: its client had given its JoinGroup up, and its session runs out in 15 s"],
    );
}

#[test]
fn g58_who_expires_after_a_join_answered_to_nobody_says_what_did_not_come_and_to_whom() {
    let (mut stage, ids) = zombies();
    stage.at(175_000).beat("other-1", 0);
    for id in ids {
        let cause = "silent".to_owned();
        stage.of(id, Change::MemberExpired { cause });
    }
    let other = ("other-1", client("other", "/b"));
    stage.rebalance(RebalanceCause::MemberTimedOut, ids[0], &[other], 10);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "app of /a expired",
            "Its JoinGroup was answered 45 s before that, 13 s after its client had given it up",
            "neither a SyncGroup nor a heartbeat of it has come to our coordinator since",
        ],
    );
    assert!(!sentence.contains("connection for heartbeats"), "{sentence}");
}

#[test]
fn a_group_whose_last_absent_member_was_refused_81_says_until_when_it_goes_on_waiting() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one.1);
    let full = crate::event::EvictionCause::GroupFull;
    stage
        .at(101_000)
        .of("two-1", Change::MemberEvicted { cause: full })
        .refused("two-1", two.1, "JoinGroup", 81, 1);
    stage.at(108_000).beats(&[]);
    let waits = |stage: &Stage| {
        let said = stage.said("orders");
        said.iter().any(|finding| finding.verdict == Verdict::Waiting)
    };
    assert!(!waits(&stage));
    stage.at(109_000);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "PreparingRebalance for 9 s: every member has joined, but for two of /b, which was awaited and then refused with 81",
            "at the rebalance timeout of 5 min, 4 min 51 s from now",
        ],
    );
    has(
        &stage.says(Verdict::Refused),
        &["The group is full: it has 1 member,"],
    );
}
