//! Boards kept from time to time, so that an earlier one is folded from a short stretch of history.
//!
//! They are kept packed: one that shared its rows with the present board would in the end hold a copy of each.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::sync::Arc;

use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use shared::board::Board;
use shared::time::UnixMs;

use super::handle::Snapshot;
use crate::{lean, limits};

/// Boards in order of their numbers; few, and evenly far from one another.
#[derive(Debug)]
pub(super) struct Keyframes {
    frames: VecDeque<Arc<Keyframe>>,
    /// Events from one to the next.
    spacing: u64,
}

/// A board, packed.
#[derive(Debug)]
pub(crate) struct Keyframe {
    seq: u64,
    /// The `seen` of its newest event.
    seen: UnixMs,
    bytes: Box<[u8]>,
}

impl Keyframe {
    /// Packs a board; tens of milliseconds for a large one.
    pub(crate) fn of(board: &Board, seq: u64, seen: UnixMs) -> io::Result<Self> {
        let mut text = BufWriter::with_capacity(limits::KEYFRAME_WRITE, FrameEncoder::new(Vec::new()));
        lean::write(board, &mut text)?;
        text.flush()?;
        let packing = text.into_inner().map_err(io::IntoInnerError::into_error)?;
        let bytes = packing.finish().map_err(io::Error::other)?;
        Ok(Self {
            seq,
            seen,
            bytes: bytes.into_boxed_slice(),
        })
    }

    /// One that was kept elsewhere.
    pub(crate) fn read(seq: u64, seen: UnixMs, bytes: &[u8]) -> Self {
        let bytes = bytes.into();
        Self { seq, seen, bytes }
    }

    /// The number of its newest event.
    pub(crate) const fn seq(&self) -> u64 {
        self.seq
    }

    /// When that was seen.
    pub(crate) const fn seen(&self) -> UnixMs {
        self.seen
    }

    /// Its text, packed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The board, as it was.
    pub(crate) fn unpacked(&self) -> io::Result<Snapshot> {
        let mut text = String::new();
        FrameDecoder::new(&*self.bytes).read_to_string(&mut text)?;
        let board = serde_json::from_str(&text)?;
        Ok(Snapshot { seq: self.seq, board })
    }
}

impl Keyframes {
    /// Starts with the board before this run's first event.
    pub(super) fn new(first: Option<Arc<Keyframe>>) -> Self {
        Self {
            frames: first.into_iter().collect(),
            spacing: limits::KEYFRAME_EVENTS,
        }
    }

    /// Whether the board after event `seq` is to be kept.
    pub(super) fn is_due(&self, seq: u64) -> bool {
        self.since_last(seq) >= self.spacing
    }

    /// Whether that cannot wait any more.
    pub(super) fn is_overdue(&self, seq: u64) -> bool {
        self.since_last(seq) >= self.spacing.saturating_mul(limits::KEYFRAME_WAITS)
    }

    fn since_last(&self, seq: u64) -> u64 {
        let last = self.frames.back().map_or(0, |last| last.seq);
        seq.saturating_sub(last)
    }

    /// Keeps a board. Where there are too many then, every second one goes, from the newest on, and the spacing doubles; where
    /// they are too large the oldest goes.
    pub(super) fn push(&mut self, board: Arc<Keyframe>) {
        self.frames.push_back(board);
        if self.frames.len() > limits::KEYFRAMES {
            let mut keep = self.frames.len().is_multiple_of(2);
            self.frames.retain(|_| {
                keep = !keep;
                keep
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
        let bytes =
            |frames: &VecDeque<Arc<Keyframe>>| frames.iter().map(|frame| frame.bytes.len()).sum::<usize>();
        while self.frames.len() > 1 && bytes(&self.frames) > limits::KEYFRAME_BYTES {
            self.frames.pop_front();
        }
    }

    /// Forgets those from which the history no longer reaches on: it is whole only above `seq`.
    pub(super) fn forget_below(&mut self, seq: u64) {
        while self.frames.front().is_some_and(|frame| frame.seq < seq) {
            self.frames.pop_front();
        }
    }

    /// The newest board whose events had all been seen at `at`, and how many events lie between it and the next one.
    pub(super) fn at(&self, at: UnixMs) -> Option<(&Arc<Keyframe>, u64)> {
        let after = self.frames.partition_point(|frame| frame.seen <= at);
        let frame = self.frames.get(after.checked_sub(1)?)?;
        let next = self.frames.get(after).map_or(u64::MAX, |next| next.seq);
        Some((frame, next.saturating_sub(frame.seq)))
    }

    /// The oldest moment that can be asked for, where the history is whole above `seq`.
    pub(super) fn oldest_above(&self, seq: u64) -> Option<UnixMs> {
        let mut reached = self.frames.iter().filter(|frame| frame.seq >= seq);
        reached.next().map(|frame| frame.seen)
    }
}
