//! What the runs before left: where they ended, the board they ended with, and as much of their events as memory holds.

use shared::board::Board;
use shared::event::{Change, Evidence, Observation, Source};
use shared::ids::ClusterId;
use shared::time::UnixMs;

use super::file::Last;
use super::reader::Newest;
use super::{Failed, Reader};
use crate::hub::Tier;
use crate::limits;

/// What was not seen while Heartline was not running.
pub(crate) const WHATEVER: &str = "whatever happened";

/// The end of the last run, and what is remembered of it.
#[derive(Debug)]
pub struct Earlier {
    pub(crate) last: Last,
    /// The cluster that was looked at.
    cluster: ClusterId,
    /// The board that this run begins with.
    pub(crate) board: Board,
    /// The newest events by tier, oldest first, and the number above which they are all there.
    pub(crate) events: [Newest; Tier::ALL.len()],
}

impl Earlier {
    /// Blocks; takes its time where the last board is far from the end.
    pub(super) fn read(last: Last, reader: &Reader) -> Result<Self, Failed> {
        let board = match reader.past(UnixMs(u64::MAX)) {
            Ok(Ok(end)) => end.board,
            Ok(Err(_none)) => Board::default(),
            Err(Failed::Unreadable(error)) => {
                tracing::warn!(%error, "history: the last board cannot be read: this run begins with an empty one");
                Board::default()
            }
            Err(error) => return Err(error),
        };
        let events = reader.newest([
            limits::HISTORY_BEATS,
            limits::HISTORY_SUMMARIES,
            limits::HISTORY_TRANSITIONS,
        ])?;
        let cluster = cluster(&board);
        let board = board.of_a_new_run(last.seq, ended(&last));
        Ok(Self {
            last,
            cluster,
            board,
            events,
        })
    }

    /// When the run ended, as far as that is known: what it saw is of before.
    pub(crate) fn ended(&self) -> UnixMs {
        ended(&self.last)
    }

    /// What is to be said of the time until `now`: nobody looked, and what the last second brought may be lost.
    pub(crate) fn gap(&self, now: UnixMs) -> Observation {
        let why = match self.last.ended {
            Some(_) => "Heartline was stopped, and started again",
            None => {
                "Heartline ended without having been stopped, and was started again: what it saw in its last second may be lost"
            }
        };
        let from = self.ended();
        Observation {
            at: now,
            at_earliest: None,
            source: Source::Survey,
            evidence: Evidence::Observed,
            cluster: self.cluster.clone(),
            group: None,
            member: None,
            change: Change::Gap {
                what: WHATEVER.to_owned(),
                from,
                to: now,
                why: why.to_owned(),
            },
        }
    }
}

fn ended(last: &Last) -> UnixMs {
    last.ended.unwrap_or(last.seen).max(last.seen)
}

fn cluster(board: &Board) -> ClusterId {
    let of_group = board.groups().next().map(|group| &group.key.cluster);
    let of_broker = || board.coordinators().next().map(|row| &row.cluster);
    of_group.or_else(of_broker).cloned().unwrap_or_default()
}
