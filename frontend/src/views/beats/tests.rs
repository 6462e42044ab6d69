//! The heartbeat bar.

use shared::event::{LinkFault, Source};
use shared::time::Millis;

use super::*;

const EVERY: Option<Interval> = Some(Interval {
    every: Millis(1_000),
    inferred: false,
});

fn beat(at: u64, generation: i32, error: i16) -> Cell {
    Cell::Beat(BeatCell {
        at: UnixMs(at),
        seen: UnixMs(at),
        source: Source::Probe,
        generation: Generation(generation),
        latency_us: Some(100),
        error,
        behind: false,
        renews: error == 0,
    })
}

/// The marks without the empty ones at the left.
fn told(cells: &[Cell], interval: Option<Interval>, until: Option<u64>) -> Vec<Mark> {
    let bar = marks(cells, interval, until.map(UnixMs));
    assert_eq!(bar.len(), CELLS);
    bar.into_iter().skip_while(|mark| *mark == Mark::Empty).collect()
}

#[test]
fn beats_in_step_are_on_time() {
    let cells = [beat(1_000, 1, 0), beat(2_000, 1, 0), beat(3_400, 1, 0)];
    assert_eq!(told(&cells, EVERY, Some(4_800)), [Mark::OnTime; 3]);
}

#[test]
fn a_gap_holds_what_is_missing_and_the_beat_that_ends_it_is_late() {
    let cells = [beat(1_000, 1, 0), beat(2_600, 1, 0), beat(5_600, 1, 0)];
    let bar = [
        Mark::OnTime,
        Mark::Missed,
        Mark::Late,
        Mark::Missed,
        Mark::Missed,
        Mark::Late,
    ];
    assert_eq!(told(&cells, EVERY, None), bar);
}

#[test]
fn silence_goes_on_missing_beats_while_they_are_due() {
    let cells = [beat(1_000, 1, 0)];
    let missed = |until| {
        told(&cells, EVERY, Some(until))
            .iter()
            .filter(|mark| **mark == Mark::Missed)
            .count()
    };
    assert_eq!(
        [2_499, 2_500, 3_499, 3_500, 90_000].map(missed),
        [0, 1, 1, 2, CELLS]
    );
    assert_eq!(told(&cells, EVERY, None), [Mark::OnTime], "none is due");
}

#[test]
fn no_beat_is_missed_between_two_generations() {
    let cells = [beat(1_000, 1, 0), beat(9_000, 2, 0)];
    assert_eq!(
        told(&cells, EVERY, None),
        [Mark::OnTime, Mark::Rejoined, Mark::OnTime]
    );
}

#[test]
fn a_normal_code_is_told_and_a_serious_one_is_an_error() {
    let failed = Cell::Failed {
        at: UnixMs(3_000),
        cause: LinkFault::Timeout,
    };
    let cells = [beat(1_000, 1, 27), beat(2_000, 1, 30), failed];
    assert_eq!(told(&cells, EVERY, None), [Mark::Told, Mark::Error, Mark::Error]);
}

#[test]
fn without_an_interval_nothing_is_late_or_missed() {
    let cells = [beat(1_000, 1, 0), beat(60_000, 1, 0)];
    assert_eq!(told(&cells, None, Some(900_000)), [Mark::OnTime, Mark::OnTime]);
}

#[test]
fn the_bar_is_told_in_words() {
    let cells = [beat(1_000, 1, 0), beat(2_600, 1, 0), beat(3_600, 1, 30)];
    let bar = told(&cells, EVERY, None);
    assert_eq!(
        summary(&bar),
        "last 4 heartbeats: 1 on time, 1 late, 1 missed, 1 failed"
    );
    assert_eq!(summary(&[Mark::Empty; CELLS]), "no heartbeat seen yet");
}
