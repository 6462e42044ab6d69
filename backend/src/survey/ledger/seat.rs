//! One broker's seat: the connection over which its part of the offsets log is read.

use shared::ids::NodeId;
use shared::time::Timestamp;

use crate::kafka::address::Address;
use crate::survey::line::Line;
use crate::survey::port::{Lane, Link};

/// A broker.
#[derive(Debug, Default)]
pub(super) struct Seat {
    pub(super) address: Option<Address>,
    pub(super) line: Line,
    /// What it has been asked and has not answered: one thing at a time, since an answer may be held back.
    pub(super) asked: Option<Asked>,
    /// It wants to be asked nothing before this (KIP-219), or what it answered last was of no use.
    pub(super) rests: Timestamp,
    /// When the next records of before our start may be asked for.
    pub(super) past_due: Timestamp,
    /// Whether the tail was asked for last.
    pub(super) tail_last: bool,
    /// Requests so far: which partition stands first in a Fetch goes round.
    pub(super) turn: usize,
}

/// A request that is out.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) token: u64,
    pub(super) at: Timestamp,
    pub(super) what: What,
}

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Where the log's partitions are.
    Where,
    /// Where its partitions end.
    Ends,
    /// Where they begin.
    Begins,
    /// What is new.
    Tail,
    /// What was written before our start.
    Past,
}

impl Seat {
    /// Whether it can be asked something at once.
    pub(super) fn is_idle(&self, now: Timestamp) -> bool {
        self.line.is_up() && self.asked.is_none() && self.rests <= now
    }

    /// What an answer is to.
    pub(super) fn take(&mut self, token: u64) -> Option<Asked> {
        self.asked.take_if(|asked| asked.token == token)
    }
}

/// The connection to it.
pub(super) const fn link(node: NodeId) -> Link {
    Link {
        node,
        lane: Lane::Log,
    }
}
