//! Boards kept from time to time, so that an earlier one is folded from a short stretch of history.

use std::collections::VecDeque;

use shared::time::UnixMs;

use super::handle::Snapshot;
use crate::limits;

/// Boards in order of their numbers; few, and evenly far from one another.
#[derive(Debug)]
pub(super) struct Keyframes {
    /// Each with the `seen` of its newest event.
    frames: VecDeque<(UnixMs, Snapshot)>,
    /// Events from one to the next.
    spacing: u64,
}

impl Keyframes {
    /// Starts with a first board.
    pub(super) fn new(seen: UnixMs, first: Snapshot) -> Self {
        Self {
            frames: VecDeque::from([(seen, first)]),
            spacing: limits::KEYFRAME_EVENTS,
        }
    }

    /// Whether the board after event `seq` is to be kept.
    pub(super) fn is_due(&self, seq: u64) -> bool {
        self.frames
            .back()
            .is_none_or(|(_, last)| seq >= last.seq.saturating_add(self.spacing))
    }

    /// Keeps a board. Where there are too many then, every second one goes and the spacing doubles.
    pub(super) fn push(&mut self, seen: UnixMs, board: Snapshot) {
        self.frames.push_back((seen, board));
        if self.frames.len() > limits::KEYFRAMES {
            let mut keep = false;
            self.frames.retain(|_| {
                keep = !keep;
                keep
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
    }

    /// Forgets those from which the history no longer reaches on: it is whole only above `seq`.
    pub(super) fn forget_below(&mut self, seq: u64) {
        while self.frames.front().is_some_and(|(_, frame)| frame.seq < seq) {
            self.frames.pop_front();
        }
    }

    /// The newest board whose events had all been seen at `at`, and how many events lie between it and the next one.
    pub(super) fn at(&self, at: UnixMs) -> Option<(&Snapshot, u64)> {
        let after = self.frames.partition_point(|(seen, _)| *seen <= at);
        let (_, frame) = self.frames.get(after.checked_sub(1)?)?;
        let next = self.frames.get(after).map_or(u64::MAX, |(_, next)| next.seq);
        Some((frame, next.saturating_sub(frame.seq)))
    }

    /// The oldest moment that can be asked for, where the history is whole above `seq`.
    pub(super) fn oldest_above(&self, seq: u64) -> Option<UnixMs> {
        let mut reached = self.frames.iter().filter(|(_, frame)| frame.seq >= seq);
        reached.next().map(|(seen, _)| *seen)
    }
}
