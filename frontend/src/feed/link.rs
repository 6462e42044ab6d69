//! The link to the server as a machine without IO: when to open a socket, when what is shown is stale, when to give a socket up.
//!
//! ```text
//!               first frame            3 s without a frame
//!   Opening -----------------> Live ------------------------> Stale
//!    ^   |                      ^ |        a frame              | |
//!    |   | none in 10 s         | +-----------------------------+ |
//!    |   | or closed            |                                 |
//!    |   v                      | closed           closed, or 10 s without a frame
//!   Waiting <-------------------+---------------------------------+
//!     (until the backoff is over, or the browser is back online)
//! ```

use shared::backoff::{Backoff, Jitter};
use shared::time::{Millis, Timestamp};

use crate::model::LinkState;

/// Silence after which what is shown is called stale (docs/contract.md).
pub const STALE_AFTER: Millis = Millis(3_000);
/// Silence after which the socket is given up (docs/contract.md).
pub const GIVE_UP_AFTER: Millis = Millis(10_000);
/// A link that held this long starts its delays over when it breaks.
const PROVEN_AFTER: Millis = Millis(5_000);
/// The first delay before another socket.
const FIRST_DELAY: Millis = Millis(250);
/// The longest.
const LONGEST_DELAY: Millis = Millis(5_000);

/// What happened to the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkInput {
    /// A frame came.
    Frame,
    /// The socket is closed, or could not be opened.
    Closed,
    /// What came cannot be understood: the socket is of no use.
    Garbled,
    /// The browser is back online: waiting longer is of no use.
    Online,
    /// The deadline passed.
    Timeout,
}

/// What the driver must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCommand {
    /// Open a socket.
    Open,
    /// Close the socket at hand and hear no more of it.
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening { since: Timestamp },
    Live { since: Timestamp, heard: Timestamp },
    Stale { since: Timestamp, heard: Timestamp },
    Waiting { until: Timestamp },
}

/// The machine.
#[derive(Debug)]
pub struct Link {
    phase: Phase,
    backoff: Backoff,
    lost_before: bool,
}

impl Link {
    /// A link whose first socket is to be opened now.
    #[must_use]
    pub fn new(now: Timestamp, jitter: Jitter) -> (Self, LinkCommand) {
        let link = Self {
            phase: Phase::Opening { since: now },
            backoff: Backoff::exponential(FIRST_DELAY, LONGEST_DELAY, jitter),
            lost_before: false,
        };
        (link, LinkCommand::Open)
    }

    /// What the viewer is told.
    #[must_use]
    pub const fn state(&self) -> LinkState {
        match self.phase {
            Phase::Live { .. } => LinkState::Live,
            Phase::Stale { .. } => LinkState::Stale,
            Phase::Opening { .. } if !self.lost_before => LinkState::Connecting,
            Phase::Opening { .. } | Phase::Waiting { .. } => LinkState::Reconnecting,
        }
    }

    /// When [`LinkInput::Timeout`] is due.
    #[must_use]
    pub fn deadline(&self) -> Timestamp {
        match self.phase {
            Phase::Opening { since } => since + GIVE_UP_AFTER,
            Phase::Live { heard, .. } => heard + STALE_AFTER,
            Phase::Stale { heard, .. } => heard + GIVE_UP_AFTER,
            Phase::Waiting { until } => until,
        }
    }

    /// Takes what happened; says what the driver must do, if anything.
    pub fn handle(&mut self, now: Timestamp, input: LinkInput) -> Option<LinkCommand> {
        match (input, self.phase) {
            (LinkInput::Frame, Phase::Opening { .. }) => self.live(now, now),
            (LinkInput::Frame, Phase::Live { since, .. } | Phase::Stale { since, .. }) => {
                self.live(since, now)
            }
            (LinkInput::Closed, Phase::Opening { .. } | Phase::Live { .. } | Phase::Stale { .. }) => {
                self.wait(now)
            }
            (LinkInput::Garbled, Phase::Opening { .. } | Phase::Live { .. } | Phase::Stale { .. }) => {
                self.give_up(now)
            }
            (LinkInput::Online, Phase::Waiting { .. }) => self.reopen(now),
            (LinkInput::Timeout, phase) if self.deadline() <= now => match phase {
                Phase::Opening { .. } | Phase::Stale { .. } => self.give_up(now),
                Phase::Live { since, heard } => {
                    self.phase = Phase::Stale { since, heard };
                    None
                }
                Phase::Waiting { .. } => self.reopen(now),
            },
            (
                LinkInput::Frame
                | LinkInput::Closed
                | LinkInput::Garbled
                | LinkInput::Online
                | LinkInput::Timeout,
                Phase::Opening { .. } | Phase::Live { .. } | Phase::Stale { .. } | Phase::Waiting { .. },
            ) => None,
        }
    }

    const fn live(&mut self, since: Timestamp, now: Timestamp) -> Option<LinkCommand> {
        self.phase = Phase::Live { since, heard: now };
        None
    }

    fn give_up(&mut self, now: Timestamp) -> Option<LinkCommand> {
        self.wait(now);
        Some(LinkCommand::Close)
    }

    fn wait(&mut self, now: Timestamp) -> Option<LinkCommand> {
        let held_since = match self.phase {
            Phase::Live { since, .. } | Phase::Stale { since, .. } => Some(since),
            Phase::Opening { .. } | Phase::Waiting { .. } => None,
        };
        if held_since.is_some_and(|since| since + PROVEN_AFTER <= now) {
            self.backoff.reset();
        }
        self.lost_before = true;
        self.phase = Phase::Waiting {
            until: now + self.backoff.next().unwrap_or(LONGEST_DELAY),
        };
        None
    }

    const fn reopen(&mut self, now: Timestamp) -> Option<LinkCommand> {
        self.phase = Phase::Opening { since: now };
        Some(LinkCommand::Open)
    }
}

#[cfg(test)]
mod tests;
