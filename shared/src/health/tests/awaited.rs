//! What a rebalance waited for is told as it was: joins of those that had to join, syncs of leaders, ids of nobody.

use super::stage::*;
use crate::event::{Change, EvictionCause, GroupState, RebalanceCause, Source};
use crate::health::Verdict;
use crate::member::{MoveCause, State};

fn pair() -> [(&'static str, Client); 2] {
    [("one-1", client("one", "/a")), ("two-1", client("two", "/b"))]
}

/// A stable group whose leader joins again at 100 s, and whose next generation is formed a second later.
fn formed_at_101() -> Stage {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, one.0, &pair(), 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, one.0);
    stage.join(one.0, one.1);
    stage.at(101_000).join(two.0, two.1).formed(one.0, 2);
    stage
}

/// The leader is removed `ms` after the start, and the other joins `joins` later.
fn without_its_leader(ms: u64, joins: u64) -> String {
    let mut stage = formed_at_101();
    let [one, two] = pair();
    let cause = EvictionCause::SyncTimeout;
    stage
        .at(100_000 + ms)
        .of(one.0, Change::MemberEvicted { cause })
        .group_of(Change::GroupState {
            from: Some(GroupState::CompletingRebalance),
            to: GroupState::PreparingRebalance,
        })
        .started(RebalanceCause::MemberEvicted, one.0);
    stage
        .at(100_000 + ms + joins)
        .join(two.0, two.1)
        .formed(two.0, 1)
        .in_group(two.0, two.1);
    stage.finished(RebalanceCause::MemberEvicted, one.0, ms + joins);
    stage.says(Verdict::Stable)
}

#[test]
fn a_sync_phase_that_the_leader_let_run_out_is_not_laid_to_a_member_that_joined_again_after_it() {
    let sentence = without_its_leader(11_000, 900);
    has(
        &sentence,
        &["waiting for SyncGroup of one, the leader, until it was removed (10 s)"],
    );
    assert!(!sentence.contains("slow to join"), "{sentence}");
}

#[test]
fn who_joins_late_after_a_short_sync_phase_is_slow_by_as_long_as_it_was_asked() {
    has(
        &without_its_leader(3_000, 9_000),
        &["because two was slow to join again (9 s)"],
    );
}

#[test]
fn a_member_that_has_not_beaten_since_the_rebalance_began_was_not_told_of_it() {
    for (beats_again, told) in [(false, false), (true, true)] {
        let mut stage = Stage::default();
        let slow = |client: Client| Client {
            session: 45_000,
            ..client
        };
        let [one, two] = pair();
        for (id, client) in [one, two] {
            let mut joined = stage.joined(slow(client));
            joined.heartbeat_interval_ms = None;
            stage.of(id, Change::MemberJoined(joined));
        }
        stage.at(93_700).beat(two.0, 0);
        stage.at(100_000).started(RebalanceCause::LeaderRejoined, one.0);
        stage.join(one.0, slow(one.1));
        if beats_again {
            stage.at(101_000).beat(two.0, 27);
        }
        stage.at(111_700);
        let sentence = stage.says(Verdict::Waiting);
        assert_eq!(sentence.contains("it heartbeats"), told, "{sentence}");
        let untold = "two of /b, which has not joined again for 12 s: it has been silent for 18 s, so that it was not told, and is \
                      removed when its session is over, in 27 s";
        assert_eq!(sentence.contains(untold), !told, "{sentence}");
    }
}

#[test]
fn who_is_only_on_its_way_in_is_not_counted_with_the_members_of_a_stable_group() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    let (from, to, cause) = (State::Unjoined, State::PreparingRebalance, MoveCause::JoinSent);
    stage.at(1_000).tell(
        "orders",
        Source::Probe,
        Some("three"),
        Change::MemberMoved { from, to, cause },
    );
    has(
        &stage.says(Verdict::Stable),
        &["in generation 1: 2 members, and 1 more on its way in."],
    );
    assert_eq!(stage.group("orders").member_count(), Some(3));
}

#[test]
fn a_wait_of_some_seconds_for_ids_that_nobody_used_is_told_with_their_number() {
    for (ids, told) in [
        (
            &["three-8"][..],
            "waiting for pending id three-8, issued to three and never used (4.8 s)",
        ),
        (
            &["three-7", "three-8"],
            "waiting for 2 pending ids, the last three-8, issued to three and never used (4.8 s)",
        ),
    ] {
        let mut stage = Stage::default();
        let [one, _] = pair();
        let three = ("three-9", client("three", "/c"));
        stage.rebalance(RebalanceCause::MemberJoined, one.0, &[one], 10);
        stage.at(99_000);
        for id in ids {
            let (client_id, host) = ("three".into(), "/c".into());
            stage.of(id, Change::MemberIdIssued { client_id, host });
        }
        stage.at(100_000).started(RebalanceCause::MemberJoined, three.0);
        stage.join(three.0, three.1);
        stage.at(101_000).join(one.0, one.1);
        stage.at(104_800);
        for id in ids {
            stage.of(id, Change::MemberIdExpired { waited_ms: 5_800 });
        }
        stage
            .formed(one.0, 2)
            .in_group(one.0, one.1)
            .in_group(three.0, three.1);
        stage.finished(RebalanceCause::MemberJoined, three.0, 4_800);
        has(
            &stage.says(Verdict::Stable),
            &["three joined; done in 4.8 s", told],
        );
    }
}

#[test]
fn a_newcomer_whose_interval_is_not_told_yet_does_not_put_off_what_is_said_of_an_unused_id() {
    let mut stage = Stage::default();
    let [one, _] = pair();
    let mut joined = stage.joined(one.1);
    joined.heartbeat_interval_ms = Some(1_000);
    stage.of(one.0, Change::MemberJoined(joined));
    let (client_id, host) = ("three".into(), "/c".into());
    stage.of("three-8", Change::MemberIdIssued { client_id, host });
    stage.at(100_000).started(RebalanceCause::MemberJoined, "three-9");
    stage.join("three-9", client("three", "/c")).join(one.0, one.1);
    stage.at(103_000);
    has(
        &stage.says(Verdict::Waiting),
        &["PreparingRebalance for 3 s: waiting for pending id three-8"],
    );
}
