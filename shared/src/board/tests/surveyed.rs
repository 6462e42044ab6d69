//! What a survey tells: lists and descriptions, which see the state and no generation.

use super::story::*;
use crate::event::{Change, GroupState, RebalanceCause, Source};
use crate::ids::Generation;
use crate::time::Millis;

#[test]
fn one_that_only_a_survey_sees_ends_with_the_state_and_its_generation_is_not_visible() {
    let mut story = Story::default();
    let state = |to| Change::GroupState { from: None, to };
    story.group_of(Source::Survey, state(GroupState::Stable));
    story.at(100).group_of(
        Source::Survey,
        started(RebalanceCause::MemberJoined, Some("b-7"), None),
    );
    story.group_of(Source::Survey, state(GroupState::PreparingRebalance));
    assert!(story.group().open.is_some());
    story.at(700).group_of(Source::Survey, state(GroupState::Stable));
    let group = story.group();
    assert!(group.open.is_none());
    let row = &group.rebalances[0];
    assert_eq!((row.generation, row.took()), (None, Some(Millis(600))));
    assert_eq!(row.running(at(900)), None);
    assert_eq!(group.rebalances_total[&RebalanceCause::MemberJoined], 1);

    // The offsets log tells later which generation that was, and that it ended at 650.
    story
        .at(650)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(4, Some(3))));
    let group = story.group();
    assert_eq!(group.rebalances.len(), 1);
    assert_eq!(group.rebalances[0].generation, Some(Generation(4)));
    assert_eq!(group.rebalances[0].took(), Some(Millis(550)));
    assert_eq!(group.rebalances_total.values().sum::<u64>(), 1);
}

#[test]
fn one_that_a_member_of_ours_sees_too_ends_when_that_tells_its_generation() {
    let mut story = Story::default();
    let state = |to| Change::GroupState { from: None, to };
    story.group_of(Source::Survey, state(GroupState::Stable));
    story.at(100).group_of(
        Source::Probe,
        started(RebalanceCause::MemberJoined, Some("b-7"), None),
    );
    story.at(700).group_of(Source::Survey, state(GroupState::Stable));
    assert!(story.group().open.is_some());
}
