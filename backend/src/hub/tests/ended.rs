//! The end of a rebalance is told as the row it belongs to has it.

use shared::board::Board;
use shared::event::{Departure, Evidence, Observation, RebalanceCause, Rebalanced};
use shared::ids::{Generation, MemberId};

use super::*;

const GROUP: &str = "g";

fn of_group(at: u64, change: Change) -> Observation {
    Observation {
        at: UnixMs(START.0 + at),
        member: None,
        ..observation(Source::Survey, GROUP, "", change)
    }
}

/// The offsets log tells who came and who went, and neither why it began nor when.
fn over(took_ms: Option<u64>) -> Change {
    Change::RebalanceFinished(Rebalanced {
        generation: Generation(4),
        from_generation: None,
        cause: RebalanceCause::NotVisible,
        member: None,
        took_ms,
        took_between_ms: None,
        join_ms: None,
        sync_ms: None,
        joined: Some(vec!["b".into()]),
        left: Some(vec!["a".into()]),
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    })
}

fn started() -> Observation {
    let change = Change::RebalanceStarted {
        cause: RebalanceCause::MemberJoined,
        member: Some("b".into()),
        from_generation: Some(Generation(3)),
    };
    Observation {
        at_earliest: Some(UnixMs(START.0 + 8_500)),
        evidence: Evidence::Inferred,
        ..of_group(10_000, change)
    }
}

/// The end as it is told after these, and the board then: that of the hub, and that of whoever folds what is told.
async fn told(reports: Vec<Observation>) -> (Rebalanced, Board) {
    let (reporter, hub) = hub();
    for report in reports {
        reporter.report(report).await;
    }
    let events = all(&hub).await;
    let board = hub.board().await.unwrap().board;
    let mut folded = Board::default();
    for event in &events {
        folded.apply(event);
    }
    assert_eq!(folded, board);
    let ends = events.into_iter().filter_map(|event| match event.what.change {
        Change::RebalanceFinished(told) => Some(told),
        _ => None,
    });
    (ends.last().unwrap(), board)
}

#[tokio::test(start_paused = true)]
async fn an_end_has_the_cause_and_the_length_of_its_row() {
    let (told, board) = told(vec![started(), of_group(11_540, over(None))]).await;
    assert_eq!(told.cause, RebalanceCause::MemberJoined);
    assert_eq!(told.member, Some(MemberId::from("b")));
    assert_eq!(told.from_generation, Some(Generation(3)));
    assert_eq!(
        (told.took_ms, told.took_between_ms),
        (None, Some((1_540, Some(3_040))))
    );
    let group = board.groups().next().unwrap();
    assert_eq!(group.rebalances[0].cause(), told.cause);
    let counted = &group.rebalances_total;
    assert!(
        counted.iter().eq([(&RebalanceCause::MemberJoined, &1)]),
        "{counted:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_end_whose_start_nobody_saw_has_no_length_and_no_cause() {
    let (told, _) = told(vec![of_group(11_540, over(None))]).await;
    assert_eq!((told.cause, told.member), (RebalanceCause::NotVisible, None));
    assert_eq!((told.took_ms, told.took_between_ms), (None, None));
}

#[tokio::test(start_paused = true)]
async fn a_length_that_is_exact_has_no_bounds() {
    let (told, _) = told(vec![started(), of_group(11_540, over(Some(2_020)))]).await;
    assert_eq!((told.took_ms, told.took_between_ms), (Some(2_020), None));
}

#[tokio::test(start_paused = true)]
async fn one_of_ours_that_leaves_is_told_to_have_left_whoever_sees_it_first() {
    let leaving = Change::MemberMoved {
        from: shared::member::State::Stable,
        to: shared::member::State::Leaving,
        cause: shared::member::MoveCause::LeaveAsked,
    };
    let (possible, why) = (
        vec![Departure::Left, Departure::TimedOut],
        "no longer listed".into(),
    );
    let start = Change::RebalanceStarted {
        cause: RebalanceCause::NotVisible,
        member: Some("a".into()),
        from_generation: Some(Generation(3)),
    };
    let (reporter, hub) = hub();
    reporter
        .report(observation(Source::Probe, GROUP, "a", leaving))
        .await;
    let gone = Change::MemberGone { possible, why };
    reporter
        .report(observation(Source::Survey, GROUP, "a", gone))
        .await;
    reporter.report(of_group(10, start)).await;
    let events = all(&hub).await;
    let mut folded = Board::default();
    for event in &events {
        folded.apply(event);
    }
    assert_eq!(folded, hub.board().await.unwrap().board);
    let Change::MemberGone { possible, .. } = &events[1].what.change else {
        panic!("{:?}", events[1])
    };
    assert_eq!(possible[..], [Departure::Left]);
    let Change::RebalanceStarted { cause, .. } = &events[2].what.change else {
        panic!("{:?}", events[2])
    };
    assert_eq!(*cause, RebalanceCause::MemberLeft);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_that_began_after_it_happened() {
    let (reporter, hub) = hub();
    let late = Observation {
        at_earliest: Some(UnixMs(START.0 + 10_001)),
        ..started()
    };
    reporter.report(late).await;
    assert_eq!(all(&hub).await[0].what.at_earliest, None);
}
