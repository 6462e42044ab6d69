//! What a run begins with of what the run before knew.

use super::story::*;
use crate::board::Board;
use crate::event::{Change, GroupState, GroupType, Source};
use crate::health::{Verdict, verdict};
use crate::ids::{ClusterId, NodeId};

/// A group with a finished rebalance, a member that went and one that is in it.
fn lived() -> Story {
    let mut story = Story::default();
    story
        .embedded("m-1", joined("m", 1))
        .embedded("m-2", joined("m", 1))
        .group_of(Source::Embedded, Change::RebalanceFinished(bare(1, None)))
        .at(500)
        .embedded("m-2", Change::MemberLeft { cause: "x".into() });
    story
}

/// The next run of the same server.
fn next_run(story: &mut Story) -> Board {
    let before = story.board.clone();
    story.board = before.of_a_new_run(story.events.len() as u64, at(story.now));
    before
}

fn is_seen(story: &mut Story, group: &str) {
    let change = Change::GroupFound {
        group_type: GroupType::Classic,
        protocol_type: None,
    };
    story.tell(Source::Survey, Some(group), None, change);
}

#[test]
fn a_group_that_is_seen_again_has_what_is_over_and_nothing_that_may_have_changed() {
    let mut story = lived();
    let before = next_run(&mut story);
    assert_eq!(story.board.groups().len(), 0, "nobody has looked yet");
    is_seen(story.at(60_000), "demo");
    let was = before.group(&key("demo")).unwrap();
    let group = story.group();
    assert_eq!(
        (&group.rebalances, &group.departed, &group.parties),
        (&was.rebalances, &was.departed, &was.parties)
    );
    assert_eq!((group.members.len(), group.state.get()), (0, None));
    assert_eq!(group.since, at(60_000));
    assert_eq!(story.departed(), ["m-2"]);
}

#[test]
fn a_group_that_is_not_there_any_more_is_not_shown_and_remembered_through_the_next_run() {
    let mut story = lived();
    next_run(&mut story);
    is_seen(story.at(60_000), "another");
    let shown: Vec<&str> = story
        .board
        .groups()
        .map(|group| group.key.group.as_str())
        .collect();
    assert_eq!(shown, ["another"]);
    next_run(&mut story);
    is_seen(story.at(120_000), "demo");
    assert_eq!(story.departed(), ["m-2"]);
}

#[test]
fn the_group_of_another_cluster_with_the_same_name_is_another_group() {
    let mut story = lived();
    next_run(&mut story);
    let mut event = story.events[0].clone();
    event.seq = story.events.len() as u64 + 1;
    event.what.cluster = ClusterId::from("d");
    story.board.apply(&event);
    let group = story.board.groups().next().unwrap();
    assert_eq!((group.rebalances.len(), group.departed.len()), (0, 0));
}

#[test]
fn what_is_remembered_counts_against_the_bound_of_all_history_and_is_forgotten_with_its_group() {
    let mut story = lived();
    next_run(&mut story);
    assert_eq!(
        story.board.history, 3,
        "a rebalance, a member that went, and who that was"
    );
    is_seen(story.at(60_000), "demo");
    assert_eq!(story.board.history, story.group().history());
    let gone = Change::GroupGone {
        group_type: GroupType::Classic,
    };
    story.group_of(Source::Survey, gone);
    assert_eq!(story.board.history, 0);
    assert!(story.board.remembered.is_empty());
}

#[test]
fn it_is_read_back_as_it_was_and_goes_on_as_the_one_it_was_read_from() {
    let mut story = lived();
    next_run(&mut story);
    let text = serde_json::to_string(&story.board).unwrap();
    let mut again: Board = serde_json::from_str(&text).unwrap();
    assert_eq!(again, story.board);
    let stable = Change::GroupState {
        from: None,
        to: GroupState::Stable,
    };
    story.at(60_000).group_of(Source::Survey, stable);
    again.apply(story.events.last().unwrap());
    assert_eq!(again, story.board);
}

/// A group of others that rebalanced, and in which a member was and another one still is.
fn surveyed() -> Story {
    let mut story = Story::default();
    is_seen(&mut story, "demo");
    story
        .group_of(
            Source::Survey,
            Change::CoordinatorFound {
                node: NodeId(1),
                host: "b".into(),
                port: 9_092,
            },
        )
        .survey("m-1", joined("m", 1))
        .survey("m-2", joined("m", 1))
        .group_of(Source::Survey, Change::RebalanceFinished(bare(2, Some(1))))
        .at(500)
        .survey(
            "m-2",
            Change::MemberGone {
                possible: Vec::new(),
                why: "x".into(),
            },
        );
    story
}

#[test]
fn a_group_of_others_stays_as_it_was_and_is_not_answered_for_until_a_survey_tells_of_it() {
    let mut story = surveyed();
    let before = next_run(&mut story);
    let was = before.group(&key("demo")).unwrap();
    let group = story.group();
    assert_eq!(
        (
            &group.members,
            &group.rebalances,
            &group.rebalances_total,
            &group.departed
        ),
        (
            &was.members,
            &was.rebalances,
            &was.rebalances_total,
            &was.departed
        )
    );
    assert_eq!(
        (group.generation, group.state.get()),
        (was.generation, was.state.get())
    );
    let unanswered = |story: &Story| {
        let seat = story.group().coordinator.clone().unwrap();
        seat.unanswered.map(|untold| untold.at)
    };
    assert_eq!(unanswered(&story), Some(at(500)));
    let said = verdict(&story.board, story.group(), at(3_500));
    assert_eq!(said.verdict, Verdict::CoordinatorGone);
    assert_eq!(
        said.sentence,
        "Not answered for 3 s: broker 1, which coordinated the group before Heartline was restarted, has told nothing of it \
         since. All that is shown of the group is as it was before."
    );
    // Nor in the run after that.
    next_run(story.at(4_000));
    assert!(unanswered(&story).is_some());
    story.at(5_000).group_of(
        Source::Survey,
        Change::CoordinatorFound {
            node: NodeId(1),
            host: "b".into(),
            port: 9_092,
        },
    );
    assert_eq!(unanswered(&story), None);
    assert_eq!(story.group().rebalance_count(), Some(1));
}

#[test]
fn our_own_members_of_the_run_before_are_there_as_long_as_their_coordinator_lists_them() {
    let mut story = surveyed();
    story.probe("m-3", joined("m", 2));
    assert!(story.member("m-3").is_ours());
    next_run(&mut story);
    let row = story.member("m-3");
    assert_eq!((row.is_ours(), row.killed), (false, Some(at(500))));
}
