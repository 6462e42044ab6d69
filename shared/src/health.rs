//! Verdicts: what is wrong with a group, as values with their sentences and the evidence they rest on.
//!
//! Computed from the rows of the board and the time of day, never stored. Each word of the closed vocabulary [`Verdict`]
//! has its function; [`thresholds`] says from when on, and why. What cannot be seen is said to be not visible.
//!
//! # Layout
//!
//! - `round`: one look at the whole board, and the list of all verdicts
//! - `storm`, `flapping`, `waiting`: rebalances without end, clients that come back again and again, whom a group waits for;
//!   `given_up`: joins whose clients did not wait; `zombies`: what restarts leave behind
//! - `member`: silent and late; `own_word`: what ours saw themselves meanwhile; `coordinator`, `loading`, `slow`: gone, reading its log, answering late;
//!   `storage`: what it could not store
//! - `late_sync`: a SyncGroup that comes when its session is over, told beside others
//! - `refused`: clients kept out by an answer; `partitions`: without an owner, or not read on
//! - `group`: rebalancing, stable, empty; `aftermath`: what has just been lost, said beside these
//! - `unseen`: what cannot be judged, and what would make it visible

mod aftermath;
mod comeback;
mod coordinator;
mod flapping;
mod given_up;
mod group;
mod late_sync;
mod loading;
mod member;
mod own_word;
mod partitions;
mod refused;
mod round;
mod slow;
mod storage;
mod storm;
pub mod thresholds;
mod unseen;
mod verdict;
mod waiting;
pub mod words;
mod zombies;

pub use round::Round;
pub use verdict::{Finding, Verdict};

use crate::board::{Board, Group};
use crate::time::UnixMs;

/// All that is to be said of a group of `board` at `now`, the worst first, and last what cannot be judged; never empty. For more than one group of a
/// board: [`Round`].
#[must_use]
pub fn verdicts(board: &Board, group: &Group, now: UnixMs) -> Vec<Finding> {
    Round::new(board, now).verdicts(group)
}

/// The worst of [`verdicts`].
#[must_use]
pub fn verdict(board: &Board, group: &Group, now: UnixMs) -> Finding {
    Round::new(board, now).verdict(group)
}

#[cfg(test)]
mod tests;
