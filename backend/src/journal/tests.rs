//! The journal as its users see it: what was written is there, whatever happened in between.

mod trouble;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use shared::board::Board;
use shared::event::{Change, Event, GroupType, Source};
use shared::time::UnixMs;

use super::*;
use crate::hub::fixtures::{answered, left, observation};
use crate::hub::{Numbered, Tier};

const NOW: UnixMs = UnixMs(1_764_417_600_000);

/// A folder that is gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = format!("heartline-journal-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        let _none = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("journal")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// A writer in the test's own thread, and a reader beside it.
fn open(path: &Path) -> (Writer, Reader, Option<Last>) {
    let owned = path.to_owned();
    let state = Arc::new(State::new(path, move || open_database(&owned, 1 << 20)));
    let file = state.open().unwrap();
    let last = file.last;
    let mut writer = Writer::new(file, Clock::starting_at(NOW), Arc::clone(&state));
    writer.begin().unwrap();
    (writer, Reader::new(state), last)
}

/// An event of a tier: a heartbeat, or one of a group's comings and goings.
fn event(seq: u64, tier: Tier) -> Event {
    let group = format!("g-{}", seq % 5);
    let what = match (tier, seq % 3) {
        (Tier::Beats, _) => answered(&group, "a", 100 + seq, 0),
        (_, 0) => left(&group, "a"),
        (_, _) => observation(
            Source::Survey,
            &group,
            "a",
            Change::GroupFound {
                group_type: GroupType::Classic,
                protocol_type: None,
            },
        ),
    };
    let seen = UnixMs(NOW.0 + seq * 10);
    Event { seq, seen, what }
}

fn range(events: &[Event]) -> Arc<Range> {
    let numbered = events.iter().cloned().map(Numbered::new).map(Arc::new);
    Arc::new(Range {
        from: events.first().map_or(0, |event| event.seq),
        to: events.last().map_or(0, |event| event.seq),
        events: numbered.collect(),
    })
}

fn all(reader: &Reader) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.seq);
        let kept = reader.events(after, 100).unwrap();
        if kept.events.is_empty() {
            return events;
        }
        events.extend(kept.events.iter().map(|numbered| numbered.event.clone()));
    }
}

fn fold(events: &[Event]) -> Board {
    let mut board = Board::default();
    events.iter().for_each(|event| board.apply(event));
    board
}

#[test]
fn a_journal_tells_where_it_ended_and_whether_in_an_orderly_way() {
    let scratch = Scratch::new("ended");
    let (mut writer, _, last) = open(&scratch.file());
    assert_eq!(last, None);
    let events: Vec<Event> = (1..=3).map(|seq| event(seq, Tier::Transitions)).collect();
    writer.take(Job::Events(range(&events)));
    assert!(writer.write(NOW, false));
    drop(writer);
    let seen = events[2].seen;
    let killed = Last {
        seq: 3,
        seen,
        ended: None,
    };
    let (mut writer, _, last) = open(&scratch.file());
    assert_eq!(last, Some(killed));
    let end = UnixMs(NOW.0 + 5_000);
    assert!(writer.write(end, true));
    drop(writer);
    let (writer, reader, last) = open(&scratch.file());
    let ended = Some(end);
    assert_eq!(last, Some(Last { ended, ..killed }));
    assert_eq!(all(&reader), events);
    drop((writer, reader));
    let (_, _, last) = open(&scratch.file());
    assert_eq!(
        last,
        Some(killed),
        "a run that did not write its end has not ended"
    );
}

#[test]
fn single_heartbeats_go_after_an_hour_and_what_is_whole_is_said() {
    let scratch = Scratch::new("beats");
    let (mut writer, reader, _) = open(&scratch.file());
    writer.take(Job::Board(Arc::new(
        Keyframe::of(&Board::default(), 0, NOW).unwrap(),
    )));
    let events: Vec<Event> = (1..=600)
        .map(|seq| {
            event(
                seq,
                if seq % 2 == 0 {
                    Tier::Beats
                } else {
                    Tier::Transitions
                },
            )
        })
        .collect();
    for events in events.chunks(100) {
        writer.take(Job::Events(range(events)));
        assert!(writer.write(NOW, false));
    }
    assert_eq!(all(&reader), events);
    let later = UnixMs(NOW.0 + limits::JOURNAL_BEATS.age_ms + 10_000);
    assert!(writer.write(later, false));
    let kept = reader.events(0, 1_000).unwrap();
    assert_eq!(kept.events.len(), 300);
    assert_eq!((kept.whole_above, kept.every_beat_above), (0, 600));
    let others: Vec<Event> = events.iter().step_by(2).cloned().collect();
    let past = reader.past(later).unwrap().unwrap();
    assert_eq!(
        past.board,
        fold(&others),
        "but for the beats it is the whole fold"
    );
    // The row that was not full went too; what comes next does not bring its events back.
    let next: Vec<Event> = (601..=602).map(|seq| event(seq, Tier::Beats)).collect();
    writer.take(Job::Events(range(&next)));
    assert!(writer.write(NOW, false));
    let kept = reader.events(0, 1_000).unwrap();
    assert_eq!(kept.events.len(), 302);
}

#[test]
fn what_was_lost_on_the_way_is_never_said_to_be_whole() {
    let scratch = Scratch::new("lost");
    let (mut writer, reader, _) = open(&scratch.file());
    let events: Vec<Event> = (1..=10).map(|seq| event(seq, Tier::Transitions)).collect();
    writer.take(Job::Events(range(&events[..4])));
    reader.state.lose(7, 3);
    writer.take(Job::Events(range(&events[7..])));
    assert!(writer.write(NOW, false));
    let kept = reader.events(0, 100).unwrap();
    assert_eq!((kept.events.len(), kept.whole_above), (7, 7));
    assert_eq!(reader.lost(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn the_board_at_any_moment_is_the_whole_fold_up_to_it_across_restarts(
        tiers in proptest::collection::vec(0..3_usize, 1..900),
        steps in proptest::collection::vec(0..5_u8, 1..20),
        asked in 0..1_000_u64,
    ) {
        let scratch = Scratch::new("fold");
        let events: Vec<Event> = (1..).zip(tiers).map(|(seq, tier)| event(seq, Tier::ALL[tier])).collect();
        let (mut writer, mut reader, _) = open(&scratch.file());
        writer.take(Job::Board(Arc::new(Keyframe::of(&Board::default(), 0, NOW).unwrap())));
        for (events_now, step) in events.chunks(events.len().div_ceil(steps.len())).zip(&steps) {
            writer.take(Job::Events(range(events_now)));
            let last = events_now.last().unwrap();
            if *step == 1 {
                let board = fold(&events[..last.seq as usize]);
                writer.take(Job::Board(Arc::new(Keyframe::of(&board, last.seq, last.seen).unwrap())));
            }
            if *step < 4 {
                prop_assert!(writer.write(NOW, false));
            }
            if *step == 3 {
                drop((writer, reader));
                let last;
                (writer, reader, last) = open(&scratch.file());
                prop_assert_eq!(last.unwrap().seq, events_now.last().unwrap().seq);
            }
        }
        prop_assert!(writer.write(NOW, false));
        prop_assert_eq!(&all(&reader), &events);
        let at = UnixMs(NOW.0 + asked * 10);
        let up_to = events.partition_point(|event| event.seen <= at);
        let past = reader.past(at).unwrap().unwrap();
        prop_assert_eq!(past.board, fold(&events[..up_to]));
        prop_assert_eq!(past.seq, up_to as u64);
        prop_assert_eq!(reader.past(UnixMs(NOW.0 - 1)).unwrap().unwrap_err(), Some(NOW));
    }
}
