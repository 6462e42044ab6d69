//! More than the group's row has, and times of which nothing is known.

use frontend::views::timeline::beyond::Beyond;
use frontend::views::timeline::lanes::Timeline;
use frontend::views::timeline::marks::What;
use frontend::views::timeline::span::Span;
use shared::event::{Change, Joined, RebalanceCause, Source};
use shared::ids::Generation;
use shared::time::UnixMs;

use super::stage::{NOON, Stage};
use super::{FIRST, expire, group, live};

/// A rebalance by a member that comes and goes, again and again.
fn storm(stage: &mut Stage, times: i32) {
    for turn in 1..=times {
        let id = format!("payments-7-5f2c91ab-0a1b-4c3d-8e4f-{turn:012}");
        stage.rebalance(RebalanceCause::MemberJoined, Some(&id), turn, 90, 10);
        let joined = Joined {
            generation: Some(Generation(turn)),
            client_id: Some("payments-7".to_owned()),
            host: Some("127.0.0.1".to_owned()),
            ..Joined::default()
        };
        stage.tell(Source::Embedded, Some(&id), Change::MemberJoined(joined));
        stage.pass(900);
        expire(stage, &id);
    }
}

#[test]
fn rebalances_that_the_row_has_no_room_for_are_drawn_where_they_are_known_and_else_said_to_be_missing() {
    let mut stage = live();
    storm(&mut stage, 50);
    let of = |stage: &Stage| Beyond::of(&stage.model, group(stage));
    let beyond = of(&stage);
    // The page has seen all of it, and yet nobody has told that this is all.
    let oldest = group(&stage).whole_since();
    assert!(oldest > UnixMs(NOON) && beyond.since == oldest);
    let timeline = Timeline::of(group(&stage), &beyond);
    assert_eq!(timeline.bands.len(), 50);
    assert!(timeline.bands.is_sorted_by_key(|band| band.from));
    assert_eq!(timeline.lanes.len(), 1, "{:#?}", timeline.lanes);
    assert_eq!(timeline.lanes[0].lives.len(), 50);
    let ends: Vec<_> = timeline.bands.iter().map(|band| band.until).collect();
    assert!(ends.windows(2).all(|two| two[0] < two[1]), "each once");

    let span = Span::last(60_000, stage.now());
    let older = |beyond: &Beyond| {
        let turns = timeline.turns(group(&stage), beyond, span);
        turns
            .iter()
            .find(|mark| matches!(mark.what, What::Older))
            .map(|mark| mark.at)
    };
    assert_eq!(older(&beyond), Some(oldest));
    let whole = Beyond {
        since: span.from,
        ..beyond.clone()
    };
    assert_eq!(older(&whole), None);

    let mut quiet = live();
    storm(&mut quiet, 20);
    let beyond = of(&quiet);
    assert_eq!(
        (beyond.since, beyond.earlier),
        (UnixMs(0), None),
        "its row has all"
    );
}

#[test]
fn a_time_in_which_heartline_was_not_running_is_a_mark_of_its_own_and_others_gaps_are_not() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10)]);
    stage.pass(30_000);
    let (from, to) = (UnixMs(NOON + 10_000), stage.now());
    let gap = |what: &str, not_running: bool| Change::Gap {
        what: what.to_owned(),
        from,
        to,
        why: "Heartline was stopped, and started again".to_owned(),
        not_running,
    };
    stage.survey("", gap("whatever happened", true));
    stage.survey("another cluster", gap("its log", false));
    stage.pass(5_000);
    let beyond = Beyond::of(&stage.model, group(&stage));
    let timeline = Timeline::of(group(&stage), &beyond);
    let span = Span::last(60_000, stage.now());
    let turns = timeline.turns(group(&stage), &beyond, span);
    let unseen = turns.iter().filter_map(|mark| match mark.what {
        What::Unseen(gap) => Some((mark.at, gap.from, gap.to, gap.is_stop())),
        _ => None,
    });
    assert_eq!(unseen.collect::<Vec<_>>(), [(from, from, to, true)]);
    let late = Span::last(500, stage.now());
    let turns = timeline.turns(group(&stage), &beyond, late);
    assert!(turns.iter().all(|mark| !matches!(mark.what, What::Unseen(_))));
}
