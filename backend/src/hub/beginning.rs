//! What a run begins with: nothing, or where the runs before ended.

use shared::board::Board;
use shared::event::Observation;
use shared::time::UnixMs;

use super::history::History;
use crate::journal::{Journal, Keeping};

/// The state of a hub before its first event.
pub(super) struct Beginning {
    /// The number of the newest event that is known.
    pub(super) seq: u64,
    pub(super) board: Board,
    pub(super) history: History,
    /// Where what happens is kept.
    pub(super) journal: Option<Journal>,
    /// What is to be said before all else.
    pub(super) first: Option<Observation>,
}

impl Beginning {
    /// After the runs that are known, at `now`.
    pub(super) fn of(keeping: Keeping, now: UnixMs) -> Self {
        let fresh = |journal| Self {
            seq: 0,
            board: Board::default(),
            history: History::new(),
            journal,
            first: None,
        };
        match keeping {
            Keeping::Nothing | Keeping::Refused => fresh(None),
            Keeping::Journal(journal, None) => fresh(Some(journal)),
            Keeping::Journal(journal, Some(earlier)) => Self {
                seq: earlier.last.seq,
                first: Some(earlier.gap(now)),
                board: earlier.board,
                history: History::after_earlier(earlier.events),
                journal: Some(journal),
            },
        }
    }
}
