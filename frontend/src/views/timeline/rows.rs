//! Where the lanes of a timeline stand: a line for each host, its lanes below it.

use super::lanes::Timeline;

/// What stands above the lanes, in CSS pixels: times and generations.
pub(super) const AXIS: f64 = 36.0;
const HOST: f64 = 20.0;
const LANE: f64 = 22.0;
/// Below the last lane.
const FOOT: f64 = 8.0;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The host of a lane and of those that follow.
    Host(usize),
    /// A lane.
    Lane(usize),
}

impl Row {
    pub(super) const fn lane(self) -> usize {
        match self {
            Self::Host(lane) | Self::Lane(lane) => lane,
        }
    }

    const fn height(self) -> f64 {
        match self {
            Self::Host(_) => HOST,
            Self::Lane(_) => LANE,
        }
    }
}

/// All lines, from above.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) all: Vec<Row>,
    /// Of each line, the middle.
    middles: Vec<f64>,
    /// Of all, in CSS pixels.
    pub(super) height: f64,
}

impl Rows {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let mut rows = Self {
            height: AXIS,
            ..Self::default()
        };
        let mut host = None;
        for (place, lane) in timeline.lanes.iter().enumerate() {
            if host != Some(&lane.host) {
                rows.push(Row::Host(place));
                host = Some(&lane.host);
            }
            rows.push(Row::Lane(place));
        }
        rows.height += FOOT;
        rows
    }

    fn push(&mut self, row: Row) {
        self.middles.push(self.height + row.height() / 2.0);
        self.height += row.height();
        self.all.push(row);
    }

    /// Of all, as an attribute says it: whole, and without the code that writes fractions.
    pub(super) const fn pixels(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a sum of heights of rows: positive and far below 2^32"
        )]
        let pixels = self.height as u32;
        pixels
    }

    /// The middle of a line.
    pub(super) fn middle(&self, place: usize) -> f64 {
        self.middles.get(place).copied().unwrap_or_default()
    }

    /// The middle of a lane.
    pub(super) fn of_lane(&self, lane: usize) -> Option<f64> {
        let place = self.all.iter().position(|row| *row == Row::Lane(lane))?;
        Some(self.middle(place))
    }

    /// The lane at a height.
    pub(super) fn lane_at(&self, y: f64) -> Option<usize> {
        let place = self
            .middles
            .iter()
            .position(|middle| (y - middle).abs() <= LANE / 2.0)?;
        match self.all.get(place)? {
            Row::Lane(lane) => Some(*lane),
            Row::Host(_) => None,
        }
    }
}
