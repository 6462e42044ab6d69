//! What our own member says of why it is not heard goes before what can be concluded from others.

use super::stage::*;
use crate::event::{BeatSummary, Change, RebalanceCause, Source, WithheldReason};
use crate::health::Verdict;
use crate::ids::Generation;
use crate::member::{MoveCause, State};
use crate::time::UnixMs;

const ONE: &str = "one-1";

fn pair() -> [(&'static str, Client); 2] {
    [(ONE, client("one", "/a")), ("two-1", client("two", "/b"))]
}

/// One of ours and another in a stable group.
fn stable() -> Stage {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, ONE, &pair(), 10);
    let joined = Change::MemberJoined(stage.joined(client("one", "/a")));
    says_itself(&mut stage, joined);
    stage
}

fn says_itself(stage: &mut Stage, change: Change) -> &mut Stage {
    stage.tell("orders", Source::Probe, Some(ONE), change)
}

fn moves(stage: &mut Stage, from: State, to: State, cause: MoveCause) {
    says_itself(stage, Change::MemberMoved { from, to, cause });
}

/// It joins again, and as the coordinator sees it all is well; the answer to its SyncGroup does not reach it.
fn behind_its_sync() -> Stage {
    let mut stage = stable();
    stage.at(100_000);
    moves(
        &mut stage,
        State::Stable,
        State::PreparingRebalance,
        MoveCause::JoinSent,
    );
    moves(
        &mut stage,
        State::PreparingRebalance,
        State::CompletingRebalance,
        MoveCause::JoinAnswered,
    );
    stage.rebalance(RebalanceCause::LeaderRejoined, ONE, &pair(), 10);
    stage.at(104_600).beat("two-1", 0);
    stage
}

const BLAMES: &str = "it is this member's process or its network";

fn blames(sentence: &str) -> bool {
    sentence.contains(BLAMES) || sentence.contains("was paused")
}

#[test]
fn a_member_whose_heartbeats_wait_behind_its_sync_is_not_blamed() {
    let stage = behind_its_sync();
    let sentence = stage.says(Verdict::MemberLate);
    has(
        &sentence,
        &["By its own word its SyncGroup has had no answer for 4.6 s, and what it sends waits behind that"],
    );
    assert!(!blames(&sentence), "{sentence}");
}

#[test]
fn one_whose_sync_was_answered_and_that_falls_silent_is() {
    let mut stage = stable();
    stage.at(100_000);
    let (preparing, completing) = (State::PreparingRebalance, State::CompletingRebalance);
    moves(&mut stage, State::Stable, preparing, MoveCause::JoinSent);
    moves(&mut stage, preparing, completing, MoveCause::JoinAnswered);
    stage.rebalance(RebalanceCause::LeaderRejoined, ONE, &pair(), 10);
    moves(&mut stage, completing, State::Stable, MoveCause::SyncAnswered);
    stage.at(104_600).beat("two-1", 0);
    let sentence = stage.says(Verdict::MemberLate);
    assert!(blames(&sentence) && !sentence.contains("own word"), "{sentence}");
}

#[test]
fn one_that_expired_behind_its_sync_is_not_blamed_afterwards() {
    let mut stage = behind_its_sync();
    stage.at(110_020).beat("two-1", 0);
    moves(
        &mut stage,
        State::CompletingRebalance,
        State::Unjoined,
        MoveCause::SyncFailed,
    );
    let cause = "silent".to_owned();
    stage.at(110_021).of(ONE, Change::MemberExpired { cause });
    let two = pair()[1];
    stage.rebalance(RebalanceCause::MemberTimedOut, ONE, &[two], 10);
    stage.at(111_000).beat("two-1", 0);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "one of /a expired",
            "By its own word its SyncGroup had no answer for 10 s",
        ],
    );
    assert!(!blames(&sentence), "{sentence}");
}

#[test]
fn a_throttled_member_is_not_blamed_while_it_is_throttled() {
    for (after, blamed) in [(4_700, false), (6_100, true)] {
        let mut stage = stable();
        stage.at(100_000).beat(ONE, 0);
        let answered = Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 300,
            error: 0,
            renews: true,
            behind: None,
        };
        says_itself(&mut stage, answered);
        let reason = WithheldReason::Throttled;
        let for_ms = Some(6_000);
        says_itself(&mut stage, Change::HeartbeatWithheld { reason, for_ms });
        stage.at(100_000 + after).beat("two-1", 0);
        let sentence = stage.says(Verdict::MemberLate);
        assert_eq!(blames(&sentence), blamed, "{sentence}");
        let told =
            "told it to send nothing for 6 s (throttle_time_ms, KIP-219): the coordinator throttles it";
        assert_eq!(sentence.contains(told), !blamed, "{sentence}");
    }
}

#[test]
fn a_member_whose_heartbeats_are_answered_with_an_error_is_not_blamed_by_single_beats_or_by_their_summaries()
{
    let single = |_: u64| Change::HeartbeatAnswered {
        generation: Generation(1),
        latency_us: 300,
        error: 14,
        renews: false,
        behind: None,
    };
    let summary = |from: u64| {
        Change::HeartbeatsSummarised(BeatSummary {
            from: UnixMs(START + from),
            to: UnixMs(START + from + 1000),
            generation: Generation(1),
            count: 1,
            behind: 0,
            errors: [(14, 1)].into(),
            renewed_at: None,
            buckets: [].into(),
            commits: 0,
            committed_at: None,
        })
    };
    let kinds: [&dyn Fn(u64) -> Change; 2] = [&single, &summary];
    for change in kinds {
        let mut stage = stable();
        stage.at(100_000).beats(&[ONE, "two-1"]);
        for second in [101_000, 104_000] {
            stage.at(second);
            says_itself(&mut stage, change(second));
        }
        stage.at(104_600).beat("two-1", 0);
        let sentence = stage.says(Verdict::MemberLate);
        has(
            &sentence,
            &["Its heartbeats were answered, the last 600 ms ago, with 14 COORDINATOR_LOAD_IN_PROGRESS"],
        );
        assert!(!blames(&sentence), "{sentence}");
    }
}
