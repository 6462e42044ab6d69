//! The stream followed: resumed, not resumed, lagged, with holes, across runs of the server.

use shared::event::{Change, Evidence, Observation, Source};

use super::*;

fn event(seq: u64) -> Arc<Event> {
    Arc::new(Event {
        seq,
        seen: UnixMs(seq * 10),
        what: Observation {
            at: UnixMs(seq * 10),
            at_earliest: None,
            source: Source::Embedded,
            evidence: Evidence::Observed,
            cluster: "c".into(),
            group: Some(format!("g{seq}").as_str().into()),
            member: None,
            change: Change::GroupFound {
                group_type: shared::event::GroupType::Classic,
                protocol_type: None,
            },
        },
    })
}

fn events(range: std::ops::RangeInclusive<u64>) -> Vec<Arc<Event>> {
    range.map(event).collect()
}

/// The board as the server has it at a number.
fn answer(stream: &str, seq: u64) -> BoardAnswer {
    let mut board = Board::default();
    for event in events(1..=seq) {
        board.apply(&event);
    }
    BoardAnswer {
        stream: stream.to_owned(),
        seq,
        now: UnixMs(0),
        oldest: None,
        board,
    }
}

fn following(seq: u64) -> Follow {
    let mut follow = Follow::default();
    assert_eq!(follow.welcome("run", seq, false), Next::StartOver);
    assert!(follow.take(answer("run", seq)));
    follow
}

fn groups(follow: &Follow) -> usize {
    follow.board().map_or(0, |board| board.groups().len())
}

#[test]
fn events_that_come_before_the_board_are_applied_to_it_once() {
    let mut follow = Follow::default();
    follow.welcome("run", 5, false);
    assert_eq!(follow.events(6, 9, &events(6..=9)), Next::GoOn);
    assert!(follow.take(answer("run", 7)));
    assert_eq!(follow.events(10, 10, &events(10..=10)), Next::GoOn);
    assert_eq!(follow.board(), Some(&answer("run", 10).board));
}

#[test]
fn a_board_older_than_the_stream_or_of_another_run_is_refused() {
    let mut follow = Follow::default();
    follow.welcome("run", 5, false);
    assert!(!follow.take(answer("run", 4)));
    assert!(!follow.take(answer("other", 5)));
    assert!(follow.is_waiting());
    assert!(follow.take(answer("run", 5)));
}

#[test]
fn a_board_ahead_of_the_stream_does_not_move_where_the_stream_is_resumed() {
    let mut follow = Follow::default();
    follow.welcome("run", 5, false);
    assert!(follow.take(answer("run", 8)));
    assert_eq!(
        follow.resume(),
        Some(("run".to_owned(), 5)),
        "6 to 8 are still to come for the log"
    );
    follow.events(6, 9, &events(6..=9));
    assert_eq!(groups(&follow), 9);
}

#[test]
fn a_resumed_stream_goes_on_where_it_was() {
    let mut follow = following(5);
    follow.events(6, 8, &events(6..=8));
    assert_eq!(follow.resume(), Some(("run".to_owned(), 8)));
    assert_eq!(follow.welcome("run", 20, true), Next::GoOn);
    assert_eq!(follow.events(9, 20, &events(9..=20)), Next::GoOn);
    assert_eq!(groups(&follow), 20);
}

#[test]
fn what_watch_leaves_out_lies_inside_a_range_and_is_no_hole() {
    let mut follow = following(5);
    assert_eq!(follow.events(6, 100, &[]), Next::GoOn);
    assert_eq!(follow.events(101, 101, &events(101..=101)), Next::GoOn);
    assert_eq!(follow.resume(), Some(("run".to_owned(), 101)));
}

#[test]
fn the_same_run_not_resumed_needs_a_board_and_the_events_in_between() {
    let mut follow = following(5);
    assert_eq!(
        follow.welcome("run", 900, false),
        Next::TakeBoard { unseen_after: 5 }
    );
    assert_eq!(groups(&follow), 5, "the old board stays on show");
    assert!(follow.take(answer("run", 900)));
    assert_eq!(groups(&follow), 900);
}

#[test]
fn another_run_starts_over() {
    let mut follow = following(50);
    assert_eq!(follow.welcome("run-2", 3, false), Next::StartOver);
    assert_eq!(follow.events(4, 4, &events(4..=4)), Next::GoOn);
    assert!(follow.take(answer("run-2", 3)));
    assert_eq!(groups(&follow), 4);
}

#[test]
fn another_run_that_claims_to_resume_is_not_believed() {
    let mut follow = following(50);
    assert_eq!(follow.welcome("run-2", 3, true), Next::StartOver);
}

#[test]
fn a_viewer_that_fell_behind_takes_a_board_and_goes_on_after_it() {
    let mut follow = following(5);
    assert_eq!(follow.lagged(70), Next::TakeBoard { unseen_after: 5 });
    follow.events(71, 72, &events(71..=72));
    assert!(follow.take(answer("run", 71)));
    assert_eq!(groups(&follow), 72);
}

#[test]
fn a_hole_in_the_ranges_asks_for_a_board() {
    let mut follow = following(5);
    assert_eq!(
        follow.events(8, 9, &events(8..=9)),
        Next::TakeBoard { unseen_after: 5 }
    );
    assert!(follow.take(answer("run", 7)));
    assert_eq!(groups(&follow), 9);
}

#[test]
fn a_range_that_comes_twice_changes_nothing() {
    let mut follow = following(5);
    follow.events(6, 8, &events(6..=8));
    assert_eq!(follow.events(6, 8, &events(6..=8)), Next::GoOn);
    assert_eq!(follow.resume(), Some(("run".to_owned(), 8)));
    assert_eq!(groups(&follow), 8);
}

#[test]
fn too_many_held_events_are_let_go_and_a_later_board_is_asked_for() {
    let mut follow = Follow::default();
    follow.welcome("run", 0, false);
    let many = HELD_MAX as u64 + 1;
    assert_eq!(
        follow.events(1, many, &events(1..=many)),
        Next::TakeBoard { unseen_after: 0 }
    );
    assert!(
        !follow.take(answer("run", many - 1)),
        "a board from before does not hold them"
    );
    assert_eq!(follow.resume(), Some(("run".to_owned(), many)));
}
