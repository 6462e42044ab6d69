//! Heartbeats count once, whether they come singly, summarised, or both.

use super::story::*;
use crate::board::limits::CELLS;
use crate::board::{Cell, Totals};
use crate::event::{BeatSummary, Change, Source};
use crate::histogram::bucket_of;
use crate::ids::{Generation, NodeId};
use crate::sorted::SortedMap;

fn second(from: u64, count: u32, errors: &[(i16, u32)], latency_us: Option<u64>) -> BeatSummary {
    BeatSummary {
        from: at(from),
        to: at(from + 1000),
        generation: Generation(1),
        count,
        behind: 0,
        errors: errors.iter().copied().collect(),
        renewed_at: Some(at(from + 10)),
        commits: 0,
        committed_at: None,
        buckets: latency_us
            .map(|us| (bucket_of(us), count))
            .into_iter()
            .collect::<SortedMap<_, _>>(),
    }
}

fn counted(totals: &Totals) -> (u64, u64, u64) {
    (totals.answered, totals.answered_errors.total(), totals.behind)
}

fn event_count(story: &Story, kind: &str) -> u64 {
    story
        .board
        .events()
        .find(|(name, _)| *name == kind)
        .map_or(0, |(_, n)| n)
}

#[test]
fn beats_followed_by_their_summary_count_once() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story
        .at(1010)
        .probe("m-7", answered(1, 0))
        .at(1510)
        .probe("m-7", answered(1, 14));
    let before = (story.member("m-7").latency.clone(), story.group().latency());
    assert_eq!(counted(&story.member("m-7").totals), (2, 1, 0));
    story.at(2000).probe(
        "m-7",
        Change::HeartbeatsSummarised(second(1000, 2, &[(14, 1)], Some(100))),
    );
    assert_eq!(counted(&story.member("m-7").totals), (2, 1, 0));
    assert_eq!(counted(&story.group().totals), (2, 1, 0));
    assert_eq!(
        (story.member("m-7").latency.clone(), story.group().latency()),
        before
    );
    assert_eq!(event_count(&story, "heartbeat_answered"), 2);
    assert_eq!(event_count(&story, "heartbeats_summarised"), 1);
}

#[test]
fn a_summary_alone_counts_what_it_says() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story.at(2000).probe(
        "m-7",
        Change::HeartbeatsSummarised(second(1000, 2, &[(14, 1)], Some(100))),
    );
    assert_eq!(counted(&story.group().totals), (2, 1, 0));
    assert_eq!(story.member("m-7").latency.count(), 2);
    assert_eq!(story.member("m-7").last_renewed(), Some(at(1010)));
    assert_eq!(event_count(&story, "heartbeat_answered"), 2);
}

#[test]
fn a_second_summary_of_one_second_replaces_the_first() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    for count in [2, 5] {
        story.at(2000).probe(
            "m-7",
            Change::HeartbeatsSummarised(second(1000, count, &[], Some(100))),
        );
    }
    assert_eq!(story.group().totals.answered, 5);
    assert_eq!(story.group().latency().count(), 5);
}

#[test]
fn a_beat_behind_another_request_is_in_no_percentile() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story.at(1010).probe(
        "m-7",
        Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 9_000_000,
            error: 0,
            renews: true,
            behind: Some("SyncGroup".into()),
        },
    );
    assert_eq!(counted(&story.member("m-7").totals), (1, 0, 1));
    assert!(story.member("m-7").latency.is_empty());
    assert!(story.group().latency().is_empty());
    let answer = story.member("m-7").last_answer.clone().unwrap();
    assert_eq!(answer.behind.as_deref(), Some("SyncGroup"));
}

#[test]
fn what_came_in_and_what_was_answered_are_counted_apart() {
    let mut story = Story::default();
    story.embedded("m-7", joined("m", 1)).probe("m-7", joined("m", 1));
    story
        .at(1000)
        .embedded("m-7", received(1, 0))
        .at(1001)
        .probe("m-7", answered(1, 0));
    let totals = &story.group().totals;
    assert_eq!((totals.received, totals.answered), (1, 1));
    let cells: Vec<Source> = story
        .member("m-7")
        .cells
        .iter()
        .map(|cell| match cell {
            Cell::Beat(beat) => beat.source,
            _ => panic!("{cell:?}"),
        })
        .collect();
    assert_eq!(
        cells,
        [Source::Probe],
        "one heartbeat is one cell, the one with a latency"
    );
}

#[test]
fn a_second_has_a_cell_only_where_its_beats_have_none() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story.at(1010).probe("m-7", answered(1, 0));
    story.at(2000).probe(
        "m-7",
        Change::HeartbeatsSummarised(second(1000, 1, &[], Some(100))),
    );
    story.at(3000).probe(
        "m-7",
        Change::HeartbeatsSummarised(second(2000, 3, &[(27, 2), (14, 1)], Some(100))),
    );
    let cells = &story.member("m-7").cells;
    assert_eq!(cells.len(), 2);
    let Cell::Second(cell) = &cells[1] else {
        panic!("{cells:?}")
    };
    assert_eq!(
        (cell.count, cell.errors, cell.error, cell.slowest_us),
        (3, 3, Some(27), Some(101))
    );
}

#[test]
fn the_bar_keeps_the_newest() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    for beat in 0..100 {
        story
            .at(beat * 1000)
            .probe("m-7", if beat % 9 == 0 { failed(1) } else { answered(1, 0) });
    }
    let cells = &story.member("m-7").cells;
    assert_eq!(cells.len(), CELLS);
    assert_eq!(cells.last().unwrap().at(), at(99_000));
    assert_eq!(story.member("m-7").totals.failed, 12);
}

#[test]
fn a_summary_after_the_member_has_gone_counts_its_last_beats_once() {
    for singly in [true, false] {
        let mut story = Story::default();
        story.probe("m-7", joined("m", 1));
        if singly {
            story.at(1010).probe("m-7", answered(1, 0));
        }
        story
            .at(1500)
            .probe("m-7", Change::MemberLeft { cause: "x".into() });
        story.at(2000).probe(
            "m-7",
            Change::HeartbeatsSummarised(second(1000, 1, &[], Some(100))),
        );
        assert!(story.members().is_empty());
        assert_eq!(story.group().totals.answered, 1, "{singly}");
        assert_eq!(story.group().latency().count(), 1, "{singly}");
    }
}

#[test]
fn a_summary_after_the_member_lost_its_id_goes_to_its_row() {
    for singly in [true, false] {
        let mut story = Story::default();
        story.probe("m", found(1)).probe("m-7", joined("m", 1));
        if singly {
            story.at(1010).probe("m-7", answered(1, 25));
        }
        story.at(1010).probe("m-7", rejoin_needed(25, true));
        let mut summary = second(1000, 1, &[(25, 1)], Some(100));
        summary.renewed_at = None;
        story.at(2000).probe("m-7", Change::HeartbeatsSummarised(summary));
        assert_eq!(story.members(), ["m"], "{singly}");
        assert_eq!(counted(&story.member("m").totals), (1, 1, 0), "{singly}");
        assert_eq!(counted(&story.group().totals), (1, 1, 0), "{singly}");
    }
}

#[test]
fn beats_of_who_is_no_member_are_counted_by_their_summary_alone() {
    for singly in [true, false] {
        let mut story = Story::default();
        if singly {
            story.at(1010).embedded("zombie", received(1, 25));
        }
        let mut summary = second(1000, 1, &[(25, 1)], None);
        summary.renewed_at = None;
        story
            .at(2000)
            .embedded("zombie", Change::HeartbeatsSummarised(summary));
        assert!(story.members().is_empty());
        assert_eq!(story.group().totals.received, 1, "{singly}");
        assert_eq!(story.group().totals.received_errors.total(), 1, "{singly}");
    }
}

#[test]
fn latency_is_kept_apart_by_coordinator() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1)).probe("m-7", found(1));
    story.at(1010).probe("m-7", answered(1, 0));
    story.at(1500).probe("m-7", found(2));
    story
        .at(2010)
        .probe("m-7", answered(1, 0))
        .at(2020)
        .probe("m-7", answered(1, 0));
    let by_node: Vec<(NodeId, u64)> = story
        .group()
        .latency
        .iter()
        .map(|entry| (entry.node, entry.latency.count()))
        .collect();
    assert_eq!(by_node, [(NodeId(1), 1), (NodeId(2), 2)]);
}

#[test]
fn codes_nobody_knows_are_counted_together() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    for code in 1000..3000 {
        story.at(1010).probe("m-7", answered(1, code));
    }
    let errors = &story.group().totals.answered_errors;
    assert_eq!((errors.unknown(), errors.by_code().count()), (2000, 0));
}

#[test]
fn an_accepted_commit_renews_the_session_and_has_no_cell() {
    for singly in [true, false] {
        let mut story = Story::default();
        story.embedded("m-7", joined("m", 1));
        if singly {
            story.at(1010).embedded("m-7", committed(1, 0));
            story.at(1500).embedded("m-7", committed(1, 22));
        }
        let mut summary = second(1000, 0, &[], None);
        summary.renewed_at = None;
        summary.commits = 2;
        summary.committed_at = Some(at(1010));
        story
            .at(2000)
            .embedded("m-7", Change::HeartbeatsSummarised(summary));
        let row = story.member("m-7");
        assert_eq!(row.last_renewed(), Some(at(1010)), "{singly}");
        assert_eq!(row.committed, Some(at(1010)), "{singly}");
        assert!(row.cells.is_empty(), "{singly}");
        let totals = &story.group().totals;
        assert_eq!((totals.commits, totals.received), (2, 0), "{singly}");
        let counted = story.board.events().find(|(kind, _)| *kind == "commit_received");
        assert_eq!(counted, Some(("commit_received", 2)), "{singly}");
    }
}

#[test]
fn a_commit_of_who_is_no_member_makes_no_row() {
    let mut story = Story::default();
    story.embedded("m-7", joined("m", 1));
    story.at(1010).embedded("", committed(-1, 0));
    story.at(1020).embedded("zombie", committed(1, 25));
    assert_eq!(story.members(), ["m-7"]);
}
