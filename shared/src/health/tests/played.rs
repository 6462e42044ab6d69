//! What the coordinator's own order of events taught: told as it tells incidents of kinds C, F, H and L.

use super::stage::*;
use crate::event::{Change, DeathCause, GroupState, RebalanceCause, Source};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

fn starts_over(stage: &mut Stage) -> &mut Stage {
    stage
        .group_of(Change::AppendFailed {
            partition: 32,
            error: 19,
        })
        .group_of(Change::GroupState {
            from: Some(GroupState::CompletingRebalance),
            to: GroupState::PreparingRebalance,
        })
}

#[test]
fn a_member_s_late_word_of_a_start_is_no_other_cause() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one).formed("one-1", 1);
    let late = Change::RebalanceStarted {
        cause: RebalanceCause::LeaderRejoined,
        member: Some("one-1".into()),
        from_generation: Some(Generation(1)),
    };
    stage.tell("orders", Source::Probe, Some("one-1"), late);
    for turn in 1..10 {
        starts_over(&mut stage);
        stage
            .at(100_000 + turn * 900)
            .join("one-1", one)
            .formed("one-1", 1);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "10 rebalances in 8.1 s, one every 900 ms (1.1 a second)",
            "9 of them because the coordinator could not store the assignment",
        ],
    );
}

#[test]
fn a_rest_before_a_storm_does_not_slow_its_pace() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage.at(40_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one).formed("one-1", 1);
    for turn in 1..10 {
        starts_over(&mut stage);
        stage
            .at(40_000 + turn * 500)
            .join("one-1", one)
            .formed("one-1", 1);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "11 rebalances in 45 s, the last 10 one every 500 ms (2 a second)",
            "made by 1 client and others, 1 new member id, 0 left, nobody was removed",
        ],
    );
}

#[test]
fn a_rebalance_that_started_over_says_how_long_it_is_in_its_state_and_how_long_in_all() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.at(104_000).join("one-1", one).formed("one-1", 1);
    starts_over(&mut stage);
    stage.at(105_000);
    has(
        &stage.says(Verdict::Rebalancing),
        &["PreparingRebalance for 1 s, 5 s after the rebalance began: "],
    );
}

#[test]
fn f49_a_member_whose_requests_are_refused_is_not_said_to_be_paused_or_cut_off() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", one), ("two-1", two)],
        10,
    );
    for beat in 1..10 {
        stage.at(beat * 3000).beats(&["one-1", "two-1"]);
    }
    stage.at(30_000).beats(&["two-1"]);
    stage
        .at(33_000)
        .beats(&["two-1"])
        .refused("one-1", one, "JoinGroup", 16, 1);
    stage.at(34_000);
    let sentence = stage.says(Verdict::MemberLate);
    has(
        &sentence,
        &["It is not silent: its JoinGroup was answered 16 NOT_COORDINATOR, the last 1 s ago."],
    );
    assert!(!sentence.contains("GC"), "{sentence}");
}

#[test]
fn f51_a_coordinator_that_is_found_and_lost_again_has_not_answered_since_it_was_lost_first() {
    let mut stage = Stage::default();
    for turn in 0..3 {
        stage.at(1000 + turn * 1000);
        let found = Change::CoordinatorFound {
            node: NodeId(1),
            host: "1b34".into(),
            port: 9092,
        };
        let dead = Change::CoordinatorDead {
            node: NodeId(1),
            cause: DeathCause::Disconnect,
            detail: Some("its name cannot be resolved".into()),
            unsent: 0,
            again: 0,
        };
        stage.tell("orders", Source::Probe, Some("p"), found);
        stage.tell("orders", Source::Probe, Some("p"), dead);
    }
    stage.at(3500);
    has(
        &stage.says(Verdict::CoordinatorGone),
        &[
            "broker 1 (1b34:9092), has not answered for 2.5 s",
            "Its advertised host 1b34 does not resolve here",
            "It was found 2 times meanwhile and lost again each time.",
        ],
    );
}

#[test]
fn l80_members_that_an_error_has_ended_are_told_beside_those_that_are_in() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", one), ("two-1", two)],
        10,
    );
    let failed = Change::MemberFailed {
        error: Some(30),
        sentence: "not allowed".into(),
        again: 0,
    };
    stage
        .at(3000)
        .tell("orders", Source::Probe, Some("one-1"), failed);
    has(
        &stage.says(Verdict::Stable),
        &["1 member, and 1 more that an error has ended: in the group until removed."],
    );
}
