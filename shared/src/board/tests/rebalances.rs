//! One rebalance is one row, whoever saw it, in whatever order it is told.

use super::story::*;
use crate::event::{Change, GroupState, RebalanceCause, Rebalanced, Source};
use crate::ids::{Generation, MemberId};
use crate::time::Millis;

fn full(generation: i32) -> Rebalanced {
    Rebalanced {
        cause: RebalanceCause::MemberTimedOut,
        member: Some(MemberId::from("b-7")),
        took_ms: Some(940),
        took_between_ms: None,
        join_ms: Some(930),
        sync_ms: Some(10),
        joined: Some(vec![]),
        left: Some(vec![MemberId::from("b-7")]),
        ..bare(generation, Some(generation - 1))
    }
}

fn finished(what: Rebalanced) -> Change {
    Change::RebalanceFinished(what)
}

#[test]
fn it_is_open_from_its_start_to_the_first_end_above_the_generation_it_left() {
    let mut story = Story::default();
    story.group_of(Source::Embedded, finished(bare(3, Some(2))));
    story.at(100).group_of(
        Source::Embedded,
        started(RebalanceCause::MemberTimedOut, Some("b-7"), Some(3)),
    );
    let group = story.group();
    assert_eq!(group.state.get(), Some(&GroupState::PreparingRebalance));
    assert_eq!(group.state_since, Some(at(100)));
    let open = group.open.as_ref().unwrap();
    assert_eq!(
        (open.generation, open.cause()),
        (None, RebalanceCause::MemberTimedOut)
    );
    assert_eq!(open.running(at(350)), Some(Millis(250)));
    assert_eq!(open.took(), None);

    story
        .at(400)
        .group_of(Source::Embedded, finished(bare(3, Some(2))));
    assert!(story.group().open.is_some(), "generation 3 is the one it left");
    story.at(1040).group_of(Source::Embedded, finished(full(4)));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(
        (group.rebalances.len(), group.generation.get().unwrap().0),
        (2, 4)
    );
    let row = &group.rebalances[0];
    assert_eq!(
        (row.generation, row.took()),
        (Some(Generation(4)), Some(Millis(940)))
    );
    assert_eq!(
        (row.started.get(), row.finished.get()),
        (Some(&at(100)), Some(&at(1040)))
    );
    assert_eq!(row.running(at(9000)), None);
}

#[test]
fn three_members_and_the_coordinator_that_saw_it_make_one_row_with_the_coordinators_fields() {
    let orders: [[usize; 4]; 4] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]];
    for order in orders {
        let mut story = Story::default();
        for (step, teller) in order.into_iter().enumerate() {
            let ms = 1000 + step as u64;
            if teller == 0 {
                story.at(ms).group_of(Source::Embedded, finished(full(4)));
            } else {
                let own_view = Rebalanced {
                    took_ms: Some(500 + teller as u64),
                    ..bare(4, Some(3))
                };
                story
                    .at(ms)
                    .probe(["", "a-7", "c-7", "d-7"][teller], finished(own_view));
            }
        }
        let group = story.group();
        assert_eq!(group.rebalances.len(), 1, "{order:?}");
        assert_eq!(group.rebalances_total.values().sum::<u64>(), 1, "{order:?}");
        let row = &group.rebalances[0];
        assert_eq!(row.took(), Some(Millis(940)), "{order:?}");
        assert_eq!(row.cause(), RebalanceCause::MemberTimedOut, "{order:?}");
        assert_eq!(row.left.get().unwrap(), &[MemberId::from("b-7")], "{order:?}");
        assert_eq!(
            row.sources.iter().collect::<Vec<_>>(),
            [Source::Embedded, Source::Probe]
        );
    }
}

#[test]
fn what_the_coordinator_left_null_is_filled_by_others_and_not_overwritten() {
    let mut story = Story::default();
    story.group_of(
        Source::Embedded,
        finished(Rebalanced {
            join_ms: None,
            ..full(4)
        }),
    );
    story.probe(
        "a-7",
        finished(Rebalanced {
            join_ms: Some(77),
            took_ms: Some(1),
            ..bare(4, None)
        }),
    );
    story.probe(
        "c-7",
        finished(Rebalanced {
            join_ms: Some(88),
            ..bare(4, None)
        }),
    );
    let row = &story.group().rebalances[0];
    assert_eq!(row.join_ms.get(), Some(&77));
    assert_eq!(row.took_ms.get(), Some(&940));
}

#[test]
fn a_start_told_late_goes_to_the_row_of_the_end_and_opens_nothing() {
    let mut story = Story::default();
    story.embedded("a-7", joined("a", 4));
    story.group_of(Source::Embedded, finished(bare(4, Some(3))));
    story
        .at(900)
        .probe("a-7", started(RebalanceCause::MemberLeft, Some("b-7"), Some(3)));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.rebalances[0].cause(), RebalanceCause::MemberLeft);
    assert_eq!(group.rebalances[0].member.get().unwrap().as_str(), "b-7");
}

#[test]
fn an_end_that_a_member_tells_before_the_coordinator_does_leaves_the_group_stable() {
    let mut story = Story::default();
    story.embedded("a-7", joined("a", 3));
    story.group_of(
        Source::Embedded,
        started(RebalanceCause::MemberJoined, Some("n-7"), Some(3)),
    );
    let (from, to) = (None, GroupState::CompletingRebalance);
    story.group_of(Source::Embedded, Change::GroupState { from, to });
    story.probe("a-7", finished(bare(4, Some(3))));
    story.group_of(Source::Embedded, finished(bare(4, Some(3))));
    let group = story.group();
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.generation.get(), Some(&Generation(4)));
    assert_eq!(group.rebalances.len(), 1);
}

#[test]
fn a_new_members_late_start_opens_nothing_where_the_coordinator_has_seen_the_end() {
    let mut story = Story::default();
    story.embedded("a-7", joined("a", 4));
    story.group_of(Source::Embedded, finished(bare(4, Some(3))));
    // A new member does not know which generation the group left.
    story
        .at(900)
        .probe("n-7", started(RebalanceCause::MemberJoined, Some("n-7"), None));
    story.at(901).probe("n-7", finished(bare(4, None)));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.rebalances.len(), 1);
    assert_eq!(group.rebalances[0].cause(), RebalanceCause::MemberJoined);
}

#[test]
fn starts_of_several_sources_are_one_open_rebalance() {
    let mut story = Story::default();
    story
        .at(10)
        .probe("a-7", started(RebalanceCause::NotVisible, None, Some(3)));
    story.at(12).group_of(
        Source::Embedded,
        started(RebalanceCause::MemberJoined, Some("n-7"), Some(3)),
    );
    story
        .at(14)
        .probe("c-7", started(RebalanceCause::NotVisible, None, Some(3)));
    let open = story.group().open.clone().unwrap();
    assert_eq!(
        (open.cause(), open.started.get()),
        (RebalanceCause::MemberJoined, Some(&at(12)))
    );
}

#[test]
fn a_coordinator_that_counts_anew_closes_it_when_the_end_says_so() {
    let mut story = Story::default();
    story.group_of(Source::Probe, finished(bare(42, Some(41))));
    story
        .at(100)
        .group_of(Source::Probe, started(RebalanceCause::NotVisible, None, Some(42)));
    story.at(200).group_of(Source::Probe, finished(bare(1, Some(42))));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.generation.get().unwrap().0, 1);
    story
        .at(300)
        .group_of(Source::Probe, started(RebalanceCause::NotVisible, None, Some(1)));
    assert!(story.group().open.is_some());
}

#[test]
fn who_rejoined_and_how_long_it_took_stands_in_its_row_in_either_order() {
    for joins_first in [true, false] {
        let mut story = Story::default();
        story.probe("a-7", joined("a", 3)).probe("b-7", joined("b", 3));
        story.at(100).group_of(
            Source::Probe,
            started(RebalanceCause::MemberJoined, None, Some(3)),
        );
        if joins_first {
            story
                .probe("a-7", rejoined("a", 4, 1000))
                .probe("b-7", rejoined("b", 4, 310));
            story.group_of(Source::Probe, finished(bare(4, Some(3))));
        } else {
            story.group_of(Source::Probe, finished(bare(4, Some(3))));
            story
                .probe("a-7", rejoined("a", 4, 1000))
                .probe("b-7", rejoined("b", 4, 310));
        }
        let rejoined: Vec<(&str, u64)> = story.group().rebalances[0]
            .rejoined
            .iter()
            .map(|row| (row.member.as_str(), *row.took_ms.get().unwrap()))
            .collect();
        assert_eq!(rejoined, [("a-7", 1000), ("b-7", 310)], "{joins_first}");
    }
}

#[test]
fn a_rebalance_that_nobody_is_left_in_ends_empty() {
    let mut story = Story::default();
    story.embedded("a-7", joined("a", 1));
    story.group_of(
        Source::Embedded,
        finished(Rebalanced {
            joined: Some(vec![MemberId::from("a-7")]),
            ..bare(1, None)
        }),
    );
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));
    story.embedded(
        "a-7",
        Change::MemberLeft {
            cause: "closed".into(),
        },
    );
    story.group_of(
        Source::Embedded,
        started(RebalanceCause::MemberLeft, Some("a-7"), Some(1)),
    );
    let nobody = Rebalanced {
        joined: Some(vec![]),
        ..bare(2, Some(1))
    };
    story.group_of(Source::Embedded, finished(nobody));
    assert_eq!(story.group().state.get(), Some(&GroupState::Empty));
    story.embedded("b-7", joined("b", 3));
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));
}

#[test]
fn an_end_told_before_its_joins_is_stable_where_it_says_who_joined() {
    let mut story = Story::default();
    story.group_of(
        Source::Embedded,
        finished(Rebalanced {
            joined: Some(vec![MemberId::from("a-7")]),
            ..bare(1, None)
        }),
    );
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));
}

#[test]
fn an_end_that_tells_neither_who_is_in_nor_who_came_leaves_the_state_not_visible() {
    let mut story = Story::default();
    story.group_of(Source::Survey, started(RebalanceCause::NotVisible, None, Some(3)));
    assert_eq!(story.group().state.get(), Some(&GroupState::PreparingRebalance));
    story.group_of(Source::Survey, finished(bare(4, Some(3))));
    assert_eq!(
        (story.group().state.get(), story.group().state_since),
        (None, None)
    );
}

#[test]
fn a_worse_source_does_not_change_the_state_a_better_one_told() {
    let mut story = Story::default();
    story.embedded("a-7", joined("a", 1));
    story.group_of(Source::Embedded, finished(bare(1, None)));
    story.at(50).group_of(
        Source::Survey,
        Change::GroupState {
            from: None,
            to: GroupState::Dead,
        },
    );
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));
    assert_eq!(story.group().state_since, Some(at(0)));
}

#[test]
fn only_so_many_are_named_and_the_rest_are_counted() {
    let many: Vec<MemberId> = (0..60).map(|n| MemberId::from(format!("m-{n}"))).collect();
    let mut story = Story::default();
    story.group_of(
        Source::Embedded,
        finished(Rebalanced {
            joined: Some(many),
            unnamed: 5,
            ..bare(1, None)
        }),
    );
    let row = &story.group().rebalances[0];
    let named = crate::board::limits::NAMED;
    assert_eq!(row.joined.get().unwrap().len(), named);
    assert_eq!(row.unnamed as usize, 5 + 60 - named);
}

#[test]
fn a_member_that_slept_through_a_rebalance_does_not_widen_the_coordinators_row() {
    for coordinator_first in [true, false] {
        let mut story = Story::default();
        story.embedded("a-7", joined("a", 1)).probe("a-7", joined("a", 1));
        for generation in [1, 2] {
            let told = Rebalanced {
                took_ms: Some(10),
                ..bare(generation, Some(generation - 1))
            };
            story.group_of(Source::Embedded, Change::RebalanceFinished(told));
        }
        story.at(100).group_of(
            Source::Embedded,
            started(RebalanceCause::MemberJoined, Some("b-7"), Some(2)),
        );
        let of_coordinator = Change::RebalanceFinished(Rebalanced {
            cause: RebalanceCause::MemberJoined,
            member: Some(MemberId::from("b-7")),
            took_ms: Some(900),
            ..bare(3, Some(2))
        });
        let of_member = Change::RebalanceFinished(Rebalanced {
            took_ms: Some(40),
            missed: 1,
            ..bare(3, Some(1))
        });
        story
            .at(900)
            .probe("a-7", started(RebalanceCause::NotVisible, None, Some(1)));
        story.at(1000);
        if coordinator_first {
            story
                .group_of(Source::Embedded, of_coordinator)
                .probe("a-7", of_member);
        } else {
            story
                .probe("a-7", of_member)
                .group_of(Source::Embedded, of_coordinator);
        }
        let group = story.group();
        assert!(group.open.is_none());
        let rows: Vec<_> = group
            .rebalances
            .iter()
            .map(|row| row.generation.unwrap().0)
            .collect();
        assert_eq!(rows, [3, 2, 1], "{coordinator_first}: one row each");
        let row = &group.rebalances[0];
        assert_eq!(row.from_generation.get(), Some(&Generation(2)));
        assert_eq!(row.missed.get(), Some(&0));
        assert_eq!(
            (row.took_ms.get(), row.started.get()),
            (Some(&900), Some(&at(100)))
        );
        assert_eq!(row.cause(), RebalanceCause::MemberJoined);
        assert_eq!(group.rebalances_total.values().sum::<u64>(), 3);
    }
}
