//! The heartbeat bar: one cell per beat. Each kind of cell has a shape of its own, so that nothing is told by colour alone.

use shared::board::{BeatCell, Cell, Interval, SecondCell};
use shared::error_code::{self, Severity};
use shared::ids::Generation;
use shared::time::UnixMs;
use yew::prelude::*;

use super::still::Part;
use super::words;

/// How many cells a bar has.
pub const CELLS: usize = 40;

const STEP: usize = 5;
const HEIGHT: usize = 16;

/// What one cell says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing yet.
    Empty,
    /// A beat within one and a half intervals of the one before.
    OnTime,
    /// A beat after more than that.
    Late,
    /// A beat that should have been there.
    Missed,
    /// A beat answered with a code that is part of normal life, 27 above all.
    Told,
    /// A beat answered with any other code, or not at all.
    Error,
    /// The member came into another generation: between its beats lies a join, in which none is due.
    Rejoined,
}

impl Mark {
    /// Those that stand for a heartbeat, in the order in which they are counted.
    pub const BEATS: [Self; 5] = [Self::OnTime, Self::Late, Self::Missed, Self::Told, Self::Error];

    /// As the legend and a bar's summary say it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Empty => "no heartbeat",
            Self::OnTime => "on time",
            Self::Late => "late",
            Self::Missed => "missed",
            Self::Told => "told to rejoin or wait",
            Self::Error => "failed",
            Self::Rejoined => "rejoined",
        }
    }

    /// As `data-beat` says it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::OnTime => "on-time",
            Self::Late => "late",
            Self::Missed => "missed",
            Self::Told => "told",
            Self::Error => "error",
            Self::Rejoined => "rejoined",
        }
    }

    /// Its shape in a cell 4 wide and 16 high.
    const fn shape(self) -> &'static str {
        match self {
            Self::Empty => "h4v2h-4z",
            Self::OnTime => "h4v16h-4z",
            Self::Late => "h4v10h-4z",
            Self::Missed => "h4v16h-4zm1 1v14h2v-14z",
            Self::Told => "h4v6h-4zm0 8h4v8h-4z",
            Self::Error => "h4v4h-4zm0 6h4v4h-4zm0 6h4v4h-4z",
            Self::Rejoined => "l2-3l2 3l-2 3z",
        }
    }

    /// How far below the top its shape starts.
    const fn top(self) -> usize {
        match self {
            Self::Empty => 14,
            Self::OnTime | Self::Missed | Self::Told | Self::Error => 0,
            Self::Late => 6,
            Self::Rejoined => 8,
        }
    }
}

/// The last [`CELLS`] marks of a member's beats at `now`, oldest first, filled up with empty ones from the left.
///
/// A gap of about two intervals holds one beat that is missing, of three two, and so on; the beat that ends it is late.
/// Where the interval is not known nothing is late or missing. After `due_until`, or without one, no beat is due.
#[must_use]
pub fn marks(cells: &[Cell], interval: Option<Interval>, due_until: Option<UnixMs>) -> Vec<Mark> {
    let every = interval
        .map(|interval| interval.every.0)
        .filter(|every| *every > 0);
    let mut marks = Vec::with_capacity(CELLS * 2);
    let mut last: Option<(UnixMs, Option<Generation>)> = None;
    for cell in cells {
        let generation = generation_of(cell);
        let rejoined =
            last.is_some_and(|(_, before)| before.is_some() && generation.is_some() && before != generation);
        let gap = last
            .zip(every)
            .map(|((before, _), every)| (cell.at().since(before).0, every));
        if rejoined {
            marks.push(Mark::Rejoined);
        } else if let Some((gap, every)) = gap {
            marks.extend(std::iter::repeat_n(Mark::Missed, missing(gap, every)));
        }
        let late =
            !rejoined && matches!(cell, Cell::Beat(_)) && gap.is_some_and(|(gap, every)| gap * 2 > every * 3);
        marks.push(mark_of(cell, late));
        last = Some((cell.at(), generation.or(last.and_then(|(_, before)| before))));
    }
    if let (Some((before, _)), Some(every), Some(until)) = (last, every, due_until) {
        let gap = until.since(before).0;
        let due = gap.saturating_mul(2).saturating_sub(every) / (every * 2);
        marks.extend(std::iter::repeat_n(Mark::Missed, capped(due)));
    }
    marks.drain(..marks.len().saturating_sub(CELLS));
    let mut bar = vec![Mark::Empty; CELLS - marks.len()];
    bar.append(&mut marks);
    bar
}

/// How many beats a finished gap lacks: the gap in whole intervals, rounded, less the beat that ends it.
fn missing(gap: u64, every: u64) -> usize {
    capped((gap.saturating_mul(2).saturating_add(every) / (every * 2)).saturating_sub(1))
}

fn capped(count: u64) -> usize {
    usize::try_from(count).unwrap_or(CELLS).min(CELLS)
}

const fn generation_of(cell: &Cell) -> Option<Generation> {
    match cell {
        Cell::Beat(beat) => Some(beat.generation),
        Cell::Second(second) => Some(second.generation),
        Cell::Failed { .. } => None,
    }
}

fn mark_of(cell: &Cell, late: bool) -> Mark {
    let code = match cell {
        Cell::Failed { .. } => return Mark::Error,
        Cell::Beat(BeatCell { error, .. }) => *error,
        Cell::Second(SecondCell { error, .. }) => error.unwrap_or(error_code::NONE),
    };
    match (code, error_code::severity(code)) {
        (error_code::NONE, _) if late => Mark::Late,
        (error_code::NONE, _) => Mark::OnTime,
        (_, Severity::Normal) => Mark::Told,
        (_, Severity::Serious) => Mark::Error,
    }
}

/// A bar in words: "last 38 heartbeats: 36 on time, 2 missed".
#[must_use]
pub fn summary(marks: &[Mark]) -> String {
    let mut parts = Vec::new();
    let mut all = 0;
    for kind in Mark::BEATS {
        let count = marks.iter().filter(|mark| **mark == kind).count();
        if count > 0 {
            parts.push(format!("{count} {}", kind.words()));
            all += count;
        }
    }
    if parts.is_empty() {
        return "no heartbeat seen yet".to_owned();
    }
    format!(
        "last {}: {}",
        words::count(all as u64, "heartbeat", "heartbeats"),
        parts.join(", ")
    )
}

/// One cell alone, for the legend.
pub fn key(mark: Mark) -> Html {
    let path = format!("M0 {}{}", mark.top(), mark.shape());
    html! { <svg width="4" height={HEIGHT.to_string()}><path data-beat={mark.name()} d={path} /></svg> }
}

#[derive(PartialEq)]
pub struct Bar {
    /// [`marks`] of a member.
    pub marks: Vec<Mark>,
}

impl Part for Bar {
    fn draw(&self) -> Html {
        let cells = self.marks.iter().enumerate().map(|(place, mark)| {
            let path = format!("M{} {}{}", place * STEP, mark.top(), mark.shape());
            html! { <path data-beat={mark.name()} d={path} /> }
        });
        let width = CELLS * STEP - 1;
        html! {
            <svg class="beats" role="img" aria-label={summary(&self.marks)} width={width.to_string()} height={HEIGHT.to_string()}
                viewBox={format!("0 0 {width} {HEIGHT}")} preserveAspectRatio="none">{ for cells }</svg>
        }
    }
}

#[cfg(test)]
mod tests;
