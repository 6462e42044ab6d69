//! The present held still: the board and the moment as they were when the viewer said so. What happens meanwhile is followed
//! behind it and counted.

use shared::board::Board;
use shared::time::{Millis, UnixMs};

use super::Model;

/// What stands still.
#[derive(Debug)]
pub struct Paused {
    pub(super) board: Board,
    /// The moment it is true for.
    pub(super) at: UnixMs,
}

impl Model {
    /// Holds the page still, or lets it go on. An earlier moment stands still anyway.
    pub(super) fn pause(&mut self, still: bool) {
        let board = self.follow.board().filter(|_| still && self.past.is_none());
        let at = self.clock.shown(self.latest, true);
        self.paused = board.cloned().zip(at).map(|(board, at)| Paused { board, at });
    }

    /// Since when the page stands still; none while it goes on.
    #[must_use]
    pub fn paused_at(&self) -> Option<UnixMs> {
        self.paused.as_ref().map(|paused| paused.at)
    }

    /// How old what stands still is, by the server's clock, and how many events of what is looked at have come since.
    #[must_use]
    pub fn missed(&self) -> Option<(Millis, usize)> {
        let at = self.paused_at()?;
        let now = self.clock.shown(self.latest, true)?;
        let listing = self.log.listing(&self.log_filter(), self.board());
        Some((now.since(at), listing.waiting))
    }
}
