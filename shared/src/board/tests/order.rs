//! Two tell of the same rebalances, each in its order, however their words fall between each other: each is there once.

use super::story::*;
use crate::event::{Change, GroupState, Joined, RebalanceCause, Rebalanced, Source};
use crate::ids::{Generation, MemberId};
use crate::split_mix;
use crate::time::Millis;

/// When something is told, by whom, and what.
type News = (u64, Source, Change);

fn finished(what: Rebalanced) -> Change {
    Change::RebalanceFinished(what)
}

fn took(generation: i32, from: Option<i32>, took_ms: u64) -> Rebalanced {
    Rebalanced {
        took_ms: Some(took_ms),
        join_ms: Some(took_ms - 1),
        cause: RebalanceCause::MemberJoined,
        member: Some(MemberId::from("m-7")),
        ..bare(generation, from)
    }
}

/// A member of ours joins at 5; its SyncGroup for generation 3 is answered 15 at 1,000; it joins again, and is in generation 4 at
/// 1,200. It takes all that for one.
fn seat() -> Vec<News> {
    let start = started(RebalanceCause::MemberJoined, Some("m-7"), None);
    vec![
        (20, Source::Probe, start),
        (1_200, Source::Probe, finished(took(4, None, 1_195))),
    ]
}

/// The same, as looks and the log tell it.
fn cluster() -> Vec<News> {
    let state = |to| Change::GroupState { from: None, to };
    let start = |from| started(RebalanceCause::NotVisible, None, Some(from));
    vec![
        (10, Source::Survey, start(2)),
        (10, Source::Survey, state(GroupState::PreparingRebalance)),
        (30, Source::Survey, state(GroupState::CompletingRebalance)),
        (21, Source::Survey, finished(bare(3, Some(2)))),
        (1_100, Source::Survey, start(3)),
        (1_110, Source::Survey, finished(bare(4, Some(3)))),
        (1_250, Source::Survey, state(GroupState::Stable)),
    ]
}

/// The group had its generations 1 and 2, and both tell what came after, one of the other's words after another.
fn told(mut pick: impl FnMut() -> bool) -> Story {
    let mut story = Story::default();
    story.group_of(Source::Survey, finished(bare(1, Some(0))));
    story.at(2).group_of(Source::Survey, finished(bare(2, Some(1))));
    story.at(5).probe("m", found(1));
    let (mut seat, mut cluster) = (seat(), cluster());
    while !seat.is_empty() || !cluster.is_empty() {
        let ours = cluster.is_empty() || (!seat.is_empty() && pick());
        let (ms, source, change) = if ours { seat.remove(0) } else { cluster.remove(0) };
        if ours && matches!(change, Change::RebalanceFinished(_)) {
            let joined = Joined {
                took_ms: Some(1_195),
                ..facts("m", 4)
            };
            story.at(ms).probe("m-7", Change::MemberJoined(joined));
        }
        story.at(ms).group_of(source, change);
    }
    story
}

#[test]
fn what_a_member_of_ours_took_for_one_is_two_where_the_log_tells_of_a_generation_between() {
    // As it was told on a cluster whose broker was killed: the log is read when the member is in.
    let mut left = 4;
    let story = told(|| {
        left -= 1;
        left < 0 || left == 3
    });
    let group = story.group();
    let rows: Vec<_> = group
        .rebalances
        .iter()
        .map(|row| {
            (
                row.generation.map(|of| of.0),
                row.from_generation.get().map(|of| of.0),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Some(4), Some(3)),
            (Some(3), Some(2)),
            (Some(2), Some(1)),
            (Some(1), Some(0))
        ]
    );
    let [last, before, ..] = &group.rebalances[..] else {
        panic!("four rebalances")
    };
    assert!(last.took().is_none_or(|took| took < Millis(200)), "{last:?}");
    assert_eq!(before.cause(), RebalanceCause::MemberJoined);
}

#[test]
fn in_whatever_order_two_tell_them_each_rebalance_is_there_once_and_none_begins_before_the_last_is_over() {
    for seed in 0..500 {
        let mut state = seed;
        let story = told(|| split_mix::next(&mut state) & 1 == 1);
        let group = story.group();
        let generations: Vec<_> = group.rebalances.iter().map(|row| row.generation).collect();
        assert_eq!(
            generations,
            [4, 3, 2, 1].map(|of| Some(Generation(of))),
            "seed {seed}"
        );
        assert!(group.open.is_none(), "seed {seed}");
        assert_eq!(group.generation.get(), Some(&Generation(4)), "seed {seed}");
        assert_eq!(group.state.get(), Some(&GroupState::Stable), "seed {seed}");
        for pair in group.rebalances.windows(2) {
            let [newer, older] = pair else { continue };
            let (began, over) = (newer.started.get(), older.finished.get());
            assert!(began.is_none() || began >= over, "seed {seed}: {newer:?}");
            assert!(newer.started_earliest.as_ref() <= began, "seed {seed}: {newer:?}");
            assert!(
                newer.from_generation.get() >= older.generation.as_ref(),
                "seed {seed}"
            );
            assert!(
                newer.took().is_none_or(|took| took < Millis(200)),
                "seed {seed}: {newer:?}"
            );
        }
    }
}

#[test]
fn no_rebalance_begins_at_the_earliest_after_it_began() {
    let mut story = Story::default();
    let start = started(RebalanceCause::NotVisible, None, Some(3));
    story.of_group_since(at(2_000), at(400), start);
    let open = story.group().open.as_ref().unwrap();
    assert_eq!(
        (open.started.get(), open.started_earliest),
        (Some(&at(400)), None)
    );
    assert!(!open.starts_exactly(), "when it began is not known");
}

#[test]
fn the_first_one_ends_with_the_generation_that_a_look_saw_before_the_log_told_of_its_start() {
    let mut story = Story::default();
    let formed = Change::GenerationFormed {
        generation: Generation(2),
        leader: None,
        protocol: None,
        members: 1,
    };
    story.at(100).group_of(Source::Survey, formed);
    let start = started(RebalanceCause::MemberJoined, Some("a"), None);
    story.at(50).group_of(Source::Survey, start);
    story.at(60).group_of(Source::Survey, finished(bare(2, None)));
    let group = story.group();
    assert!(group.open.is_none(), "{:?}", group.open);
    assert_eq!(group.rebalances.len(), 1);
    assert_eq!(group.rebalances[0].started.get(), Some(&at(50)));
    assert_eq!(group.rebalances[0].from_generation.get(), None);
}
