//! Which rows of a long table are drawn: those in the browser's window, and some around them.

use std::ops::Range;

/// How many rows are drawn above and below what is seen: a Tab goes to the next one, and a frame may come late.
const AROUND: usize = 12;

/// The rows begin at a multiple of this, so that most of scrolling changes nothing.
const STEP: usize = 8;

/// Where a table is, in CSS pixels, as the browser tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How much of its rows, drawn or not, is above the window.
    pub above: u32,
    /// How high the window is.
    pub height: u32,
    /// How wide it is.
    pub width: u32,
    /// How high the rows that are drawn are together.
    pub rows: u32,
    /// How many are drawn.
    pub drawn: u32,
}

/// The part of a table that is in the window.
#[derive(Clone, Debug)]
pub struct Window {
    above: u32,
    height: u32,
    width: u32,
    /// How high a row is.
    row: u32,
}

impl Default for Window {
    /// Before the browser has told: its top, on a desk's screen.
    fn default() -> Self {
        Self {
            above: 0,
            height: 900,
            width: 0,
            row: 34,
        }
    }
}

impl Window {
    /// Takes what the browser tells. A row's height is measured at the table's top alone, or in a window of another width:
    /// elsewhere all that is above the window would move with it.
    pub fn see(&mut self, seen: Seen) {
        if self.first() == 0 || self.width != seen.width {
            self.row = seen.rows.checked_div(seen.drawn).unwrap_or(self.row).max(1);
        }
        self.above = seen.above;
        self.height = seen.height;
        self.width = seen.width;
    }

    /// Which of so many rows are drawn.
    #[must_use]
    pub fn range(&self, all: usize) -> Range<usize> {
        let seen = (self.height / self.row) as usize;
        // A table that became shorter still shows its end.
        let first = self.first().min(all.saturating_sub(seen + AROUND) / STEP * STEP);
        first..all.min(first + seen + 2 * AROUND + STEP)
    }

    /// How much room so many rows take, in CSS pixels.
    #[must_use]
    pub const fn room(&self, rows: usize) -> u64 {
        rows as u64 * self.row as u64
    }

    const fn first(&self) -> usize {
        let above = (self.above / self.row) as usize;
        above.saturating_sub(AROUND) / STEP * STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(above: u32) -> Window {
        let mut window = Window::default();
        window.see(Seen {
            above,
            height: 900,
            width: 1280,
            rows: 340,
            drawn: 10,
        });
        window
    }

    #[test]
    fn every_row_that_is_seen_is_drawn_wherever_the_window_is() {
        for above in (0..340_000).step_by(997) {
            let drawn = at(above).range(10_000);
            let (first, last) = (above as usize / 34, ((above + 900) as usize / 34).min(9_999));
            assert!(
                drawn.contains(&first) && drawn.contains(&last),
                "{above}: {drawn:?}"
            );
            assert!(drawn.len() < 70, "{above}: {drawn:?}");
        }
    }

    #[test]
    fn the_drawn_rows_and_the_room_around_them_are_the_whole_table() {
        let window = at(170_000);
        let drawn = window.range(10_000);
        let whole = window.room(drawn.start) + window.room(drawn.len()) + window.room(10_000 - drawn.end);
        assert_eq!(whole, 340_000);
    }

    #[test]
    fn a_table_that_became_shorter_shows_its_end() {
        assert_eq!(at(170_000).range(20), 0..20);
        assert!(at(170_000).range(1_000).contains(&999));
        assert_eq!(at(170_000).range(0), 0..0);
    }

    #[test]
    fn a_rows_height_is_measured_at_the_top_alone() {
        let mut window = at(170_000);
        let seen = Seen {
            above: 170_000,
            height: 900,
            width: 1280,
            rows: 400,
            drawn: 10,
        };
        window.see(seen);
        assert_eq!(window.room(1), 34);
        window.see(Seen { width: 400, ..seen });
        assert_eq!(window.room(1), 40);
        window.see(Seen { drawn: 0, ..seen });
        assert_eq!(window.room(1), 40, "no row is no measure");
    }
}
