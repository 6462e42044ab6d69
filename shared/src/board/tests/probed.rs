//! Groups of ours on a cluster that a survey tells of too: the cluster's word of the group, our members' of themselves.

use super::story::*;
use crate::board::{Departed, MemberState};
use crate::event::{Change, Departure, GroupState, GroupType, Joined, RebalanceCause, Rebalanced, Source};
use crate::ids::{Generation, MemberId};
use crate::member::{MoveCause, State};

fn state(to: GroupState) -> Change {
    Change::GroupState { from: None, to }
}

fn generation(story: &Story) -> Option<i32> {
    story.group().generation.get().map(|generation| generation.0)
}

/// `m-7`, a member of ours, is in generation 1, and a survey has seen it there.
fn probed() -> Story {
    let mut story = Story::default();
    story.probe("m", found(1)).probe("m-7", joined("m", 1));
    story.group_of(Source::Probe, Change::RebalanceFinished(bare(1, None)));
    story.at(50).group_of(Source::Survey, state(GroupState::Stable));
    let listed = Joined {
        client_id: Some("m".into()),
        ..Joined::default()
    };
    story.survey("m-7", Change::MemberJoined(listed));
    story
}

/// It ends, and its coordinator is not told.
fn ends(story: &mut Story) {
    story.probe("m", moved(State::Stable, State::Ended, MoveCause::LeaveEnded));
}

fn missed() -> Change {
    Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut, Departure::Evicted],
        why: "The coordinator no longer lists it.".into(),
    }
}

#[test]
fn one_that_ended_without_leaving_is_in_the_group_until_its_coordinator_lists_it_no_more() {
    let mut story = probed();
    ends(story.at(100));
    assert_eq!(story.members(), ["m-7"], "a stranger is told that it is there");
    let group = story.group();
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.member_count(), Some(1));
    let row = story.member("m-7");
    assert!(!row.is_ours() && row.killed().is_some());
    let reason = row.state_reason(at(1_100));
    assert!(reason.ends_with("It ended 1 s ago without leaving."), "{reason}");

    // Its session is over: the log tells the end first, then a look misses it.
    let end = Rebalanced {
        member: Some(MemberId::from("m-7")),
        joined: Some(Vec::new()),
        left: Some(vec![MemberId::from("m-7")]),
        ..bare(2, Some(1))
    };
    story
        .at(6_000)
        .group_of(Source::Survey, Change::RebalanceFinished(end));
    story.at(6_100).group_of(Source::Survey, state(GroupState::Empty));
    story.survey("m-7", missed());
    assert!(story.members().is_empty());
    let group = story.group();
    assert_eq!(group.state.get(), Some(&GroupState::Empty));
    assert_eq!(generation(&story), Some(2));
    let last = &group.rebalances[0];
    assert_eq!(
        (last.generation, last.cause()),
        (Some(Generation(2)), RebalanceCause::MemberTimedOut)
    );
    let gone: &Departed = &group.departed[0];
    assert_eq!(gone.end.state, MemberState::Gone);
    assert_eq!(
        gone.reason(),
        "Ended by us without leaving: its coordinator has removed it."
    );
}

#[test]
fn who_starts_again_beside_it_has_a_row_of_its_own() {
    let mut story = probed();
    ends(story.at(100));
    story.at(200).probe("m", found(2)).probe("m-8", joined("m", 2));
    assert_eq!(story.members(), ["m-7", "m-8"]);
    assert!(story.member("m-8").is_ours() && !story.member("m-7").is_ours());
    // The last second of the one before is told late.
    story.survey("m-7", missed());
    assert_eq!((story.members(), story.departed()), (vec!["m-8"], vec!["m-7"]));
}

#[test]
fn one_that_is_missed_while_it_beats_is_not_kept_for_its_coordinator_when_it_ends() {
    let mut story = probed();
    story.at(100).survey("m-7", missed());
    assert_eq!(story.members(), ["m-7"]);
    ends(story.at(200));
    assert!(story.members().is_empty());
}

#[test]
fn a_generation_that_one_of_ours_is_in_is_there_before_the_cluster_tells_it_and_the_cluster_s_word_stands() {
    let mut story = probed();
    story.group_of(Source::Survey, Change::RebalanceFinished(bare(1, None)));
    story.at(100).probe("m-7", rejoined("m", 2, 10));
    assert_eq!(generation(&story), Some(2));
    story
        .at(200)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(3, Some(2))));
    assert_eq!(generation(&story), Some(3));
}

#[test]
fn a_start_that_a_look_shows_late_is_that_of_the_rebalance_whose_end_ours_has_told() {
    let mut story = probed();
    story
        .at(100)
        .group_of(Source::Probe, started(RebalanceCause::NotVisible, None, Some(1)));
    story.at(150).probe("m-7", rejoined("m", 2, 10));
    story.group_of(Source::Probe, Change::RebalanceFinished(bare(2, Some(1))));
    story
        .at(160)
        .group_of(Source::Survey, started(RebalanceCause::NotVisible, None, None));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.rebalances.len(), 2);
}

#[test]
fn a_group_that_is_on_no_list_any_more_is_as_our_members_were_told() {
    let mut story = probed();
    story
        .at(100)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(4, Some(1))));
    let group_type = GroupType::Classic;
    story
        .at(200)
        .group_of(Source::Survey, Change::GroupGone { group_type });
    let group = story.group();
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.state.source(), Some(Source::Probe));
    assert_eq!(generation(&story), Some(1));
}

#[test]
fn without_a_survey_the_generation_is_not_visible_once_the_last_of_ours_is_gone() {
    let mut story = Story::default();
    story.probe("m", found(1)).probe("m-7", joined("m", 1));
    assert_eq!(generation(&story), Some(1));
    story.at(10).probe(
        "m-7",
        Change::MemberLeft {
            cause: "told to".into(),
        },
    );
    assert_eq!((story.group().state.get(), generation(&story)), (None, None));
}

/// What a survey says of `m-7` and of the rebalance that its leaving began.
fn seen_to_have_gone(story: &mut Story) {
    story.survey("m-7", missed());
    let start = started(RebalanceCause::NotVisible, Some("m-7"), Some(1));
    story.group_of(Source::Survey, start);
    let end = Rebalanced {
        member: Some(MemberId::from("m-7")),
        joined: Some(Vec::new()),
        left: Some(vec![MemberId::from("m-7")]),
        ..bare(2, Some(1))
    };
    story.group_of(Source::Survey, Change::RebalanceFinished(end));
}

#[test]
fn one_of_ours_that_was_told_to_leave_has_left_whatever_a_survey_makes_of_it() {
    let leaves = |story: &mut Story| {
        story.probe("m-7", moved(State::Stable, State::Leaving, MoveCause::LeaveAsked));
    };
    let left = |story: &mut Story| {
        let cause = "LeaveGroup was answered".into();
        story.probe("m-7", Change::MemberLeft { cause });
        story.probe("m-7", moved(State::Leaving, State::Ended, MoveCause::LeaveEnded));
    };
    for seen_first in [true, false] {
        let mut story = probed();
        story.at(90).probe("m-7", answered(1, 0));
        leaves(story.at(100));
        story.at(150);
        if seen_first {
            seen_to_have_gone(&mut story);
            assert_eq!(story.group().departed[0].end.possible, [Departure::Left]);
            left(story.at(190));
        } else {
            left(&mut story);
            seen_to_have_gone(story.at(190));
        }
        let group = story.group();
        assert_eq!((story.members(), story.departed()), (vec![], vec!["m-7"]));
        let gone: &Departed = &group.departed[0];
        assert_eq!(
            (gone.end.state, gone.end.source),
            (MemberState::Left, Source::Probe)
        );
        assert_eq!(group.rebalances[0].cause(), RebalanceCause::MemberLeft);
    }
    // Where a start was told before anybody knew that it leaves.
    let mut story = probed();
    story.at(100).group_of(
        Source::Survey,
        started(RebalanceCause::NotVisible, Some("m-7"), Some(1)),
    );
    left(story.at(110));
    assert_eq!(
        story.group().open.as_ref().map(|open| open.cause()),
        Some(RebalanceCause::MemberLeft)
    );
}
