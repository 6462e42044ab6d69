//! A member's state, to the millisecond of every boundary.

use super::story::*;
use crate::event::{
    BeatSummary, Change, DeathCause, GroupState, Joined, Reconciling, Source, TopicPartitions, WithheldReason,
};
use crate::ids::{Generation, MemberId, NodeId};
use crate::member::{MoveCause, State};
use crate::sorted::SortedMap;
use crate::time::Millis;

/// In the group at 0, a beat a second, a session of six.
fn in_group() -> Story {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story
}

#[test]
fn on_time_to_one_and_a_half_intervals_late_to_the_session_overdue_after() {
    let story = in_group();
    for (ms, state) in [
        (0, "on-time"),
        (1500, "on-time"),
        (1501, "late"),
        (6000, "late"),
        (6001, "overdue"),
        (u64::MAX - START, "overdue"),
    ] {
        assert_eq!(story.state("m-7", ms), state, "at {ms} ms");
    }
}

#[test]
fn an_odd_interval_is_halved_exactly() {
    let mut story = Story::default();
    story.probe(
        "m-7",
        Change::MemberJoined(Joined {
            heartbeat_interval_ms: Some(1001),
            ..facts("m", 1)
        }),
    );
    assert_eq!(story.state("m-7", 1501), "on-time");
    assert_eq!(story.state("m-7", 1502), "late");
}

#[test]
fn a_clock_behind_the_last_beat_is_on_time() {
    let mut story = Story::default();
    story.at(5000).probe("m-7", joined("m", 1));
    assert_eq!(story.state("m-7", 0), "on-time");
    assert_eq!(story.member("m-7").session_left(at(0)), Some(Millis(6000)));
}

#[test]
fn only_an_answer_that_renews_moves_the_state() {
    let mut story = in_group();
    story.at(1400).probe("m-7", answered(1, 14));
    assert_eq!(story.state("m-7", 1501), "late");
    story.at(1600).probe("m-7", answered(1, 0));
    assert_eq!(story.state("m-7", 3100), "on-time");
    assert_eq!(story.state("m-7", 3101), "late");
}

#[test]
fn an_older_answer_told_later_does_not_turn_time_back() {
    let mut story = in_group();
    story.at(1000).probe("m-7", answered(1, 0));
    story.at(900).probe("m-7", answered(1, 0));
    assert_eq!(story.member("m-7").last_renewed(), Some(at(1000)));
}

#[test]
fn the_coordinators_own_view_of_a_session_stands_over_the_members() {
    let mut story = in_group();
    story.at(1).embedded("m-7", joined("m", 1));
    story.at(1000).embedded("m-7", received(1, 0));
    story.at(3000).probe("m-7", answered(1, 0));
    assert_eq!(story.member("m-7").last_renewed(), Some(at(1000)));
}

#[test]
fn joining_has_no_generation_yet() {
    let mut story = Story::default();
    story.probe("m", found(1));
    for to in [State::PreparingRebalance, State::CompletingRebalance] {
        story.probe("m", moved(State::Unjoined, to, MoveCause::JoinSent));
        assert_eq!(story.state("m", 99_999), "joining");
    }
}

#[test]
fn rebalancing_until_joingroup_is_sent_then_rejoining_until_the_assignment_is_there() {
    let mut story = in_group();
    story.at(1000).probe("m-7", answered(1, 27));
    story.at(1000).probe("m-7", rejoin_needed(27, false));
    assert_eq!(
        story.state("m-7", 50_000),
        "rebalancing",
        "it takes precedence over overdue"
    );
    assert_eq!(story.member("m-7").session_left(at(2000)), Some(Millis(5000)));
    story.at(1100).probe(
        "m-7",
        moved(State::Stable, State::PreparingRebalance, MoveCause::JoinSent),
    );
    assert_eq!(story.state("m-7", 50_000), "rejoining");
    assert_eq!(story.member("m-7").session_left(at(2000)), None);
    story.at(1200).probe(
        "m-7",
        moved(
            State::PreparingRebalance,
            State::CompletingRebalance,
            MoveCause::JoinAnswered,
        ),
    );
    assert_eq!(story.state("m-7", 50_000), "rejoining");
    story.at(1300).probe("m-7", rejoined("m", 2, 300));
    assert_eq!(story.state("m-7", 2800), "on-time");
    assert_eq!(story.state("m-7", 2801), "late");
}

#[test]
fn a_lost_generation_is_rebalancing_with_the_code_that_told_it() {
    let mut story = in_group();
    story.at(1000).probe("m-7", rejoin_needed(22, false));
    story.at(1000).probe(
        "m-7",
        moved(State::Stable, State::Unjoined, MoveCause::MembershipLost),
    );
    assert_eq!(story.state("m-7", 1000), "rebalancing");
    let reason = story.member("m-7").state_reason(at(1200));
    assert_eq!(
        reason,
        "Told to join again 200 ms ago, answered 22 ILLEGAL_GENERATION; its JoinGroup is not sent yet."
    );
}

#[test]
fn a_member_only_listed_says_nothing_of_its_heartbeats() {
    let mut story = Story::default();
    story.survey("m-7", joined("m", 1));
    assert_eq!(story.state("m-7", 999_999), "listed");
    assert_eq!(
        story.member("m-7").state_reason(at(0)),
        "In the group; its heartbeats cannot be seen from here."
    );
}

#[test]
fn beats_without_any_told_time_do_not_tell_a_state() {
    let mut story = Story::default();
    story.embedded("m-7", received(1, 0));
    assert_eq!(story.state("m-7", 0), "not-visible");
}

#[test]
fn a_missing_right_shows_until_an_answer_renews_the_session() {
    let mut story = in_group();
    story.at(1000).probe(
        "m-7",
        Change::NotAuthorized {
            error: 30,
            right: "READ on group demo".into(),
        },
    );
    assert_eq!(story.state("m-7", 1000), "not-authorized");
    assert_eq!(
        story.member("m-7").state_reason(at(1000)),
        "READ on group demo is missing (answered 30 GROUP_AUTHORIZATION_FAILED)."
    );
    story.at(2000).probe("m-7", answered(1, 0));
    assert_eq!(story.state("m-7", 2000), "on-time");
}

/// A stock client on our own coordinator: its interval is not told.
fn stock(beats: u64) -> Story {
    let mut story = Story::default();
    story.embedded(
        "s-7",
        Change::MemberJoined(Joined {
            heartbeat_interval_ms: None,
            ..facts("s", 1)
        }),
    );
    for beat in 1..=beats {
        let ms = beat * 3000;
        story.at(ms).embedded("s-7", received(1, 0));
        story.at(ms + 1000).embedded("s-7", one_beat(ms));
    }
    story
}

fn one_beat(ms: u64) -> Change {
    Change::HeartbeatsSummarised(BeatSummary {
        from: at(ms),
        to: at(ms + 1000),
        generation: Generation(1),
        count: 1,
        behind: 0,
        errors: SortedMap::new(),
        renewed_at: Some(at(ms)),
        commits: 0,
        committed_at: None,
        buckets: SortedMap::new(),
    })
}

#[test]
fn without_an_interval_a_member_is_on_time_or_overdue_until_there_are_ten_gaps() {
    let story = stock(10);
    assert_eq!(
        story.member("s-7").interval(),
        None,
        "ten beats have nine gaps between them"
    );
    assert_eq!(story.state("s-7", 30_000 + 6000), "on-time");
    assert_eq!(story.state("s-7", 30_000 + 6001), "overdue");
}

#[test]
fn ten_gaps_make_an_interval_which_is_inferred() {
    let story = stock(11);
    let interval = story.member("s-7").interval().unwrap();
    assert_eq!((interval.every, interval.inferred), (Millis(3000), true));
    assert_eq!(story.state("s-7", 33_000 + 4500), "on-time");
    assert_eq!(story.state("s-7", 33_000 + 4501), "late");
    assert!(
        story
            .member("s-7")
            .state_reason(at(33_000))
            .contains("about every 3 s"),
        "{}",
        story.member("s-7").state_reason(at(33_000))
    );
}

#[test]
fn a_member_of_others_is_rebalancing_once_our_coordinator_answered_it_27() {
    let mut story = stock(1);
    story.at(6000).embedded("s-7", received(1, 27));
    assert_eq!(story.state("s-7", 6000), "rebalancing");
    story.at(6500).group_of(
        Source::Embedded,
        Change::GroupState {
            from: Some(GroupState::PreparingRebalance),
            to: GroupState::CompletingRebalance,
        },
    );
    assert_eq!(story.state("s-7", 6500), "rejoining");
    story.at(6600).embedded("s-7", rejoined("s", 2, 500));
    assert_eq!(story.state("s-7", 6600), "on-time");
}

#[test]
fn a_late_summary_with_27_of_the_generation_before_does_not_make_it_rebalance_again() {
    let mut story = stock(1);
    story.at(6000).embedded("s-7", received(1, 27));
    story.at(6400).embedded("s-7", rejoined("s", 2, 400));
    let Change::HeartbeatsSummarised(mut summary) = one_beat(6000) else {
        unreachable!()
    };
    summary.errors.insert(27, 1);
    story
        .at(7000)
        .embedded("s-7", Change::HeartbeatsSummarised(summary));
    assert_eq!(story.state("s-7", 7000), "on-time");
}

#[test]
fn the_reason_has_the_numbers() {
    let mut story = in_group();
    let reason = |story: &Story, ms| story.member("m-7").state_reason(at(ms));
    assert_eq!(
        reason(&story, 2600),
        "Last answered 2.6 s ago; it beats every 1 s and its session is 6 s: 3.4 s left."
    );
    assert_eq!(
        reason(&story, 7000),
        "Last answered 7 s ago; it beats every 1 s and its session is 6 s: over by 1 s."
    );
    story.at(3000).probe(
        "m-7",
        Change::HeartbeatWithheld {
            reason: crate::event::WithheldReason::CoordinatorUnknown,
            for_ms: None,
        },
    );
    assert!(
        reason(&story, 3000).ends_with("It looks for its coordinator."),
        "{}",
        reason(&story, 3000)
    );
    story.at(3500).probe("m-7", answered(1, 0));
    assert!(
        !reason(&story, 3500).contains("looks for"),
        "an answer came through since"
    );
}

#[test]
fn the_session_runs_down_to_nothing() {
    let story = in_group();
    let left = |ms| story.member("m-7").session_left(at(ms)).unwrap().0;
    assert_eq!(
        (left(0), left(2600), left(6000), left(60_000)),
        (6000, 3400, 0, 0)
    );
}

#[test]
fn one_that_was_killed_says_so_and_is_not_asked_whether_the_coordinator_lives() {
    let dead = |node| Change::CoordinatorDead {
        node,
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    let looks = || Change::HeartbeatWithheld {
        reason: WithheldReason::CoordinatorUnknown,
        for_ms: None,
    };
    let mut story = Story::default();
    for (name, id) in [("a", "a-7"), ("b", "b-7")] {
        story.embedded(id, joined(name, 1)).probe(id, joined(name, 1));
        story.probe(id, found(1));
    }
    story.at(1000).probe("a-7", looks());
    assert!(
        story
            .member("a-7")
            .state_reason(at(1000))
            .ends_with("It looks for its coordinator.")
    );
    let fault = crate::fault::Fault::Kill {
        member: MemberId::from("a"),
    };
    story.at(2000).embedded("a-7", Change::FaultPlayed { fault });
    let reason = story.member("a-7").state_reason(at(9000));
    assert!(
        reason.ends_with("over by 3 s. It ended 7 s ago without leaving."),
        "{reason}"
    );
    story.at(2100).probe("b-7", dead(NodeId(1)));
    assert!(
        story.group().death().is_some(),
        "the only one that runs has lost it"
    );
    assert_eq!(story.members(), ["a-7", "b-7"]);
}

fn way(epoch: i32, gives_up: &[i32], awaits: &[i32]) -> Change {
    let part = |partitions: &[i32]| match partitions {
        [] => Vec::new(),
        partitions => vec![TopicPartitions {
            topic: "orders".into(),
            partitions: partitions.to_vec(),
        }],
    };
    Change::MemberReconciling(Reconciling {
        epoch: Generation(epoch),
        target_epoch: Generation(7),
        gives_up: part(gives_up),
        awaits: part(awaits),
        unnamed: 0,
    })
}

#[test]
fn a_member_on_its_way_to_its_assignment_is_reconciling_until_it_has_arrived() {
    let mut story = Story::default();
    story.survey("m-7", joined("m", 5));
    assert_eq!(story.state("m-7", 0), "listed");
    story.at(1000).survey("m-7", way(5, &[3], &[4, 5]));
    assert_eq!(story.state("m-7", 3000), "reconciling");
    assert_eq!(
        story.member("m-7").state_reason(at(3000)),
        "Reconciling for 2 s: epoch 5 of 7; must give up orders-3; waits for orders-4 and orders-5."
    );
    story.at(4000).survey("m-7", way(7, &[], &[4]));
    assert_eq!(
        story.member("m-7").state_reason(at(5000)),
        "Reconciling for 4 s: epoch 7; waits for orders-4."
    );
    story.at(6000).survey("m-7", way(7, &[], &[]));
    assert_eq!(story.state("m-7", 6000), "listed");
}

#[test]
fn a_member_whose_heartbeats_are_seen_is_judged_by_them_though_it_reconciles() {
    let mut story = in_group();
    story.survey("m-7", way(5, &[3], &[]));
    assert_eq!(story.state("m-7", 1000), "on-time");
    assert_eq!(story.state("m-7", 6001), "overdue");
}
