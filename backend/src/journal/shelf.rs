//! What lies in the file, an entry a piece: what is to go is found without reading it.

use std::collections::VecDeque;

use shared::time::UnixMs;

/// A piece of the file: a pack of events, or a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The number of its newest event.
    pub(super) to: u64,
    /// When that was seen.
    pub(super) seen: UnixMs,
    pub(super) bytes: u64,
}

/// How long and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// In milliseconds.
    pub age_ms: u64,
    /// About what the file takes for it.
    pub bytes: u64,
}

/// The pieces of one kind, oldest first.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pieces: VecDeque<Piece>,
    bytes: u64,
}

impl Shelf {
    /// Puts a piece behind all others.
    pub(super) fn put(&mut self, piece: Piece) {
        self.bytes += piece.bytes;
        self.pieces.push_back(piece);
    }

    /// Takes those away that reach to a number or beyond: others come in their place.
    pub(super) fn cut_from(&mut self, number: u64) {
        while let Some(newest) = self.pieces.pop_back_if(|newest| newest.to >= number) {
            self.bytes -= newest.bytes;
        }
    }

    /// Takes away what is too old or too much, the oldest first.
    pub(super) fn expire(&mut self, now: UnixMs, bounds: Bounds) -> Vec<Piece> {
        let mut gone = Vec::new();
        while let Some(oldest) = self.pieces.front()
            && (self.bytes > bounds.bytes || now.0.saturating_sub(oldest.seen.0) > bounds.age_ms)
        {
            self.bytes -= oldest.bytes;
            gone.extend(self.pieces.pop_front());
        }
        gone
    }

    /// Takes away those from whose number on the events are no longer whole, and, while they are too much, every second one but
    /// the newest: the older a moment is, the further apart are the pieces around it.
    pub(super) fn thin(&mut self, whole_above: u64, bytes: u64) -> Vec<Piece> {
        let mut gone: Vec<Piece> = Vec::new();
        while self.pieces.front().is_some_and(|oldest| oldest.to < whole_above) {
            gone.extend(self.pieces.pop_front());
        }
        self.bytes -= gone.iter().map(|piece| piece.bytes).sum::<u64>();
        while self.bytes > bytes && self.pieces.len() > 1 {
            let mut keep = self.pieces.len().is_multiple_of(2);
            let pieces = &mut self.pieces;
            let before = gone.len();
            pieces.retain(|piece| {
                keep = !keep;
                if !keep {
                    gone.push(*piece);
                }
                keep
            });
            self.bytes -= gone.iter().skip(before).map(|piece| piece.bytes).sum::<u64>();
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(pieces: impl IntoIterator<Item = (u64, u64)>) -> Shelf {
        let mut shelf = Shelf::default();
        for (to, bytes) in pieces {
            let seen = UnixMs(to * 1_000);
            shelf.put(Piece { to, seen, bytes });
        }
        shelf
    }

    fn numbers(pieces: &[Piece]) -> Vec<u64> {
        pieces.iter().map(|piece| piece.to).collect()
    }

    #[test]
    fn what_is_too_old_goes_and_then_the_oldest_until_the_rest_is_small_enough() {
        let mut shelf = shelf((1..=10).map(|to| (to, 100)));
        let bounds = |age_ms, bytes| Bounds { age_ms, bytes };
        assert_eq!(shelf.expire(UnixMs(10_000), bounds(9_000, 1_000)), []);
        assert_eq!(
            numbers(&shelf.expire(UnixMs(13_000), bounds(9_000, 1_000))),
            [1, 2, 3]
        );
        assert_eq!(numbers(&shelf.expire(UnixMs(13_000), bounds(9_000, 550))), [4, 5]);
        assert_eq!(shelf.bytes, 500);
    }

    #[test]
    fn of_too_many_boards_every_second_one_goes_and_the_newest_stays() {
        let mut shelf = shelf((1..=9).map(|to| (to, 100)));
        assert_eq!(numbers(&shelf.thin(0, 500)), [2, 4, 6, 8]);
        assert_eq!(numbers(&shelf.thin(4, 500)), [1, 3]);
        assert_eq!(numbers(&shelf.thin(4, 100)), [7, 5]);
        assert_eq!(numbers(&shelf.thin(4, 0)), Vec::<u64>::new());
        assert_eq!(shelf.bytes, 100);
    }
}
