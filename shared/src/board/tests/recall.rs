//! More of a group's past than its row keeps, from its events.

use super::story::*;
use crate::board::{Group, limits};
use crate::event::{Change, RebalanceCause, Rebalanced, Source};

/// A client that leaves and joins again so often, a rebalance each time.
fn storm(times: i32) -> Story {
    let mut story = Story::default();
    for turn in 0..times {
        let id = format!("m-{turn}");
        let ended = Rebalanced {
            took_ms: Some(200),
            ..bare(turn + 1, Some(turn))
        };
        story
            .at(1_000 * turn as u64)
            .group_of(
                Source::Embedded,
                started(RebalanceCause::MemberJoined, Some(&id), Some(turn)),
            )
            .embedded(&id, joined("m", turn + 1))
            .at(1_000 * turn as u64 + 200)
            .group_of(Source::Embedded, Change::RebalanceFinished(ended))
            .at(1_000 * turn as u64 + 700)
            .embedded(&id, Change::MemberLeft { cause: "x".into() });
    }
    story
}

#[test]
fn its_events_make_all_rebalances_and_departures_of_which_its_row_has_the_newest() {
    let story = storm(50);
    let mut recalled = Group::unknown(key("demo"));
    for event in &story.events {
        recalled.recall(event, 1_000);
    }
    let row = story.group();
    assert_eq!(
        (row.rebalances.len(), row.departed.len()),
        (limits::REBALANCES, limits::DEPARTED)
    );
    assert_eq!((recalled.rebalances.len(), recalled.departed.len()), (50, 50));
    assert_eq!(recalled.rebalances[..limits::REBALANCES], row.rebalances[..]);
    assert_eq!(recalled.departed[..limits::DEPARTED], row.departed[..]);
    let oldest = recalled.rebalances.last().unwrap();
    assert_eq!(oldest.started.get(), Some(&at(0)));
}

#[test]
fn a_row_is_whole_since_the_oldest_that_it_has_where_there_were_more() {
    assert_eq!(storm(20).group().whole_since().0, 0);
    let story = storm(21);
    let row = story.group();
    let oldest = row.departed.last().unwrap().end.at;
    assert_eq!((row.whole_since(), oldest), (oldest, at(1_700)));
}

#[test]
fn events_of_another_group_are_left_alone() {
    let mut other = Group::unknown(key("other"));
    for event in &storm(3).events {
        other.recall(event, 1_000);
    }
    assert_eq!(other, Group::unknown(key("other")));
}
