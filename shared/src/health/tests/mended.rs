//! Who is blamed, and which numbers stand together: sentences that plays showed to be wrong.

use super::stage::*;
use crate::event::{Change, DeathCause, Departure, EvictionCause, GroupState, RebalanceCause, Source};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

fn expired(stage: &mut Stage, member: &str) {
    let cause = "Silent past its session.".into();
    stage.of(member, Change::MemberExpired { cause });
}

fn is_said(stage: &Stage, verdict: Verdict) -> bool {
    let said = stage.said("orders");
    said.iter().any(|finding| finding.verdict == verdict)
}

/// Generations whose assignments cannot be stored: a member of ours is answered 15 each time, and finds it again.
fn unstored(stage: &mut Stage, turns: u64) {
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    let found = || Change::CoordinatorFound {
        node: NodeId(1),
        host: "b1".into(),
        port: 9092,
    };
    let joined = stage.joined(one);
    stage.tell("orders", Source::Probe, Some("one-1"), found());
    stage.tell(
        "orders",
        Source::Probe,
        Some("one-1"),
        Change::MemberJoined(joined),
    );
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    for turn in 0..turns {
        stage.at(100_104 + turn * 504);
        stage.tell("orders", Source::Probe, Some("one-1"), found());
        stage.join("one-1", one).formed("one-1", 1);
        stage.group_of(Change::AppendFailed {
            partition: 32,
            error: 19,
        });
        stage.group_of(Change::GroupState {
            from: Some(GroupState::CompletingRebalance),
            to: GroupState::PreparingRebalance,
        });
        let dead = Change::CoordinatorDead {
            node: NodeId(1),
            cause: DeathCause::CoordinatorNotAvailable,
            detail: None,
            unsent: 0,
            again: 0,
        };
        stage.tell("orders", Source::Probe, Some("one-1"), dead);
    }
}

#[test]
fn a_coordinator_that_cannot_store_is_not_gone_and_the_storm_says_what_it_is() {
    let mut stage = Stage::default();
    unstored(&mut stage, 30);
    assert!(
        !is_said(&stage, Verdict::CoordinatorGone),
        "{:#?}",
        stage.said("orders")
    );
    has(
        &stage.says(Verdict::Storm),
        &["19 NOT_ENOUGH_REPLICAS", "the members are innocent"],
    );
    let later = stage.now + 20_000;
    stage.at(later);
    let dead = Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    let found = Change::CoordinatorFound {
        node: NodeId(1),
        host: "b1".into(),
        port: 9092,
    };
    stage.tell("orders", Source::Probe, Some("one-1"), found);
    stage.tell("orders", Source::Probe, Some("one-1"), dead);
    assert!(
        is_said(&stage, Verdict::CoordinatorGone),
        "it is gone all the same"
    );
}

#[test]
fn a_few_assignments_that_could_not_be_stored_are_named_afterwards() {
    let mut stage = Stage::default();
    unstored(&mut stage, 3);
    let named = "3 writes of the group could not be stored, the last just now (__consumer_offsets-32: 19 NOT_ENOUGH_REPLICAS)";
    has(&stage.says(Verdict::Rebalancing), &[named]);
    stage
        .at(102_000)
        .join("one-1", client("one", "/a"))
        .formed("one-1", 1);
    stage.in_group("one-1", client("one", "/a"));
    stage.finished(RebalanceCause::LeaderRejoined, "one-1", 2000);
    stage.beat("one-1", 0);
    has(
        &stage.says(Verdict::Stable),
        &[
            "3 writes of the group could not be stored",
            "the members are innocent",
        ],
    );
}

#[test]
fn who_was_refused_81_was_never_in_the_group_and_all_of_them_are_counted() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    for name in ["two", "three"] {
        let refused = client(name, "/a");
        let later = stage.now + 1000;
        stage.at(later).refused("", refused, "JoinGroup", 81, 1);
        let ended = Change::MemberFailed {
            error: Some(81),
            sentence: "The group is full.".into(),
            again: 0,
        };
        stage.tell("orders", Source::Probe, Some(name), ended);
    }
    has(
        &stage.says(Verdict::Refused),
        &[
            "JoinGroup of 2 clients (three of /a and two of /a) was answered 81 GROUP_MAX_SIZE_REACHED 2 times in 1 s",
        ],
    );
    let stable = stage.says(Verdict::Stable);
    has(&stable, &["1 member; 2 that an error ended were never in it"]);
    assert!(!stable.contains("until removed"), "{stable}");
}

#[test]
fn heartbeats_that_never_came_do_not_stop_when_a_join_with_the_old_id_is_refused() {
    let mut stage = Stage::default();
    let (one, stays) = (client("service", "/a"), ("stays-1", client("stays", "/b")));
    for turn in 0..4_u64 {
        let id = format!("service-{turn}");
        stage.at(100_000 + turn * 20_000);
        stage.rebalance(RebalanceCause::MemberJoined, &id, &[stays, (&id, one)], 10);
        stage.beat("stays-1", 0);
        if turn < 3 {
            stage.at(110_010 + turn * 20_000);
            expired(&mut stage, &id);
            stage.rebalance(RebalanceCause::MemberTimedOut, &id, &[stays], 10);
            stage
                .at(113_000 + turn * 20_000)
                .refused(&id, one, "JoinGroup", 25, 1);
        }
    }
    let said = stage.says(Verdict::Flapping);
    has(
        &said,
        &[
            "without a single heartbeat of it",
            "from an answer to its JoinGroup, 25",
        ],
    );
    assert!(!said.contains("its heartbeats stop"), "{said}");
}

#[test]
fn joins_answered_14_for_longer_than_a_load_takes_are_refused() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    for second in 0..=46_u64 {
        stage.at(100_000 + second * 1000);
        stage.refused("two-1", client("two", "/b"), "JoinGroup", 14, 1);
        assert_eq!(is_said(&stage, Verdict::Refused), second > 10, "after {second} s");
    }
    has(
        &stage.says(Verdict::Refused),
        &[
            "JoinGroup of two of /b was answered 14 COORDINATOR_LOAD_IN_PROGRESS 47 times in 46 s, the last just now.",
        ],
    );
    stage.group_of(Change::GroupLoading {
        node: NodeId(1),
        partition: 3,
    });
    assert!(!is_said(&stage, Verdict::Refused), "it loads, and says so");
    assert!(is_said(&stage, Verdict::Loading));
}

#[test]
fn rebalances_of_another_time_are_not_told_beside_returns() {
    let mut stage = Stage::default();
    let (one, stays) = (client("restless", "/a"), ("stays-1", client("stays", "/b")));
    for turn in 0..5_u64 {
        let id = format!("restless-{turn}");
        // A rest of two minutes between two: each return is a run of its own.
        stage.at(100_000 + turn * 120_000);
        stage.rebalance(RebalanceCause::MemberJoined, &id, &[stays, (&id, one)], 10);
        if turn < 4 {
            stage.at(101_000 + turn * 120_000);
            expired(&mut stage, &id);
            stage.rebalance(RebalanceCause::MemberTimedOut, &id, &[stays], 10);
        }
    }
    let said = stage.says(Verdict::Flapping);
    has(&said, &["restless of /a came back 4 times"]);
    assert!(!said.contains("It made"), "{said}");
}

#[test]
fn a_few_rebalances_have_no_pace() {
    let mut stage = Stage::default();
    for turn in 0..4_u64 {
        let (id, name) = (format!("m-{turn}"), ["m0", "m1", "m2", "m3"][turn as usize]);
        stage.at(100_000 + turn);
        if turn > 0 {
            let cause = EvictionCause::Displaced;
            stage.of(&format!("m-{}", turn - 1), Change::MemberEvicted { cause });
        }
        stage.rebalance(RebalanceCause::MemberJoined, &id, &[(&id, client(name, "/a"))], 0);
    }
    let said = stage.says(Verdict::Storm);
    has(&said, &["4 rebalances in 3 ms, generation"]);
    assert!(!said.contains("a second"), "{said}");
}

#[test]
fn who_was_told_evicted_and_is_forgotten_does_not_go_again() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    let gone = Change::MemberGone {
        possible: vec![Departure::TimedOut, Departure::Evicted],
        why: "It is not in the leader's list any more.".into(),
    };
    stage.at(21_600);
    stage.tell("orders", Source::Probe, Some("two-long-forgotten"), gone);
    let group = stage.group("orders");
    assert!(group.departed.is_empty(), "{:#?}", group.departed);
    let run = group.run.as_ref().unwrap();
    assert_eq!((run.gone, run.removed), (0, 0));
    assert_eq!(group.generation.get(), Some(&Generation(1)));
}

#[test]
fn a_member_that_finds_and_loses_the_coordinator_is_named_while_the_others_live() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    let joined = stage.joined(one);
    stage.tell(
        "orders",
        Source::Probe,
        Some("one-1"),
        Change::MemberJoined(joined),
    );
    let found = || Change::CoordinatorFound {
        node: NodeId(1),
        host: "nowhere.invalid".into(),
        port: 9092,
    };
    for turn in 0..8_u64 {
        let dead = Change::CoordinatorDead {
            node: NodeId(1),
            cause: DeathCause::Disconnect,
            detail: Some("nowhere.invalid cannot be resolved".into()),
            unsent: 0,
            again: 0,
        };
        stage.at(100_000 + turn * 2000);
        stage.tell("orders", Source::Probe, Some("four"), found());
        stage.tell("orders", Source::Probe, Some("four"), dead);
        stage.beat("one-1", 0);
    }
    let lost =
        "found its coordinator and lost it again, 8 times in 14 s (nowhere.invalid cannot be resolved)";
    has(
        &stage.says(Verdict::Stable),
        &[
            &format!(" four {lost}: the connection to it ended."),
            "advertised host nowhere.invalid does not resolve here",
        ],
    );
    let now = crate::time::UnixMs(START + stage.now);
    let reason = |stage: &Stage| stage.group("orders").members["four"].state_reason(now);
    has(
        &reason(&stage),
        &["it has no generation yet.", &format!("It {lost}.")],
    );
    stage.tell("orders", Source::Probe, Some("four"), found());
    let joined = stage.joined(client("four", "/b"));
    let now = stage.now + 1;
    stage.at(now).tell(
        "orders",
        Source::Probe,
        Some("four-1"),
        Change::MemberJoined(joined),
    );
    assert!(!stage.says(Verdict::Stable).contains("lost it again"));
}
