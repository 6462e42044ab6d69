//! Following the stream: the board at a number, and every later event applied once.
//!
//! ```text
//!   Nothing yet --welcome--> Waiting for a board --board at seq or later--> Following
//!                              ^  (events are held)                          |
//!                              +---- not resumed, lagged, a hole ------------+
//! ```
//!
//! While a board is awaited the old one stays on show. That no event is applied twice is the board's own law: it ignores
//! those that it has seen.

use std::sync::Arc;

use shared::board::Board;
use shared::event::Event;
use shared::time::UnixMs;
use shared::tree::FromNode;

/// How many events are held while a board is on its way; more are let go, and a later board is asked for.
pub const HELD_MAX: usize = 20_000;

/// What `/api/board` answers.
#[derive(Clone, Debug, FromNode)]
pub struct BoardAnswer {
    /// The run of the server it belongs to.
    pub stream: String,
    /// The last event in it.
    pub seq: u64,
    /// The server's time.
    pub now: UnixMs,
    /// From when on boards are kept, where one of an earlier moment was asked for.
    #[serde(default)]
    pub oldest: Option<UnixMs>,
    /// The board.
    pub board: Board,
}

/// What the page must do after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the stream goes on.
    GoOn,
    /// Take a board; events after this number were not seen.
    TakeBoard { unseen_after: u64 },
    /// Take a board: it is another stream, nothing of the old one holds.
    StartOver,
}

/// The stream as far as it is known.
#[derive(Debug, Default)]
pub struct Follow {
    stream: Option<String>,
    /// The stream was received up to this number; what a hello resumes after.
    received: u64,
    board: Option<Board>,
    /// Events after the board that is awaited; none while the stream is followed.
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    /// The board must hold all events below this one.
    from: u64,
    events: Vec<Arc<Event>>,
}

impl Follow {
    /// The board on show; none before the first.
    #[must_use]
    pub const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// Whether the board on show waits for a newer one.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        self.held.is_some()
    }

    /// The run of the server that is followed.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        self.stream.as_deref()
    }

    /// Where to go on: the stream, and the last number received.
    #[must_use]
    pub fn resume(&self) -> Option<(String, u64)> {
        Some((self.stream.clone()?, self.received))
    }

    /// The server's answer to hello.
    pub fn welcome(&mut self, stream: &str, seq: u64, resumed: bool) -> Next {
        let same = self.stream.as_deref() == Some(stream);
        if same && resumed {
            return Next::GoOn;
        }
        let unseen_after = self.received;
        self.stream = Some(stream.to_owned());
        self.wait_from(seq.saturating_add(1));
        if same {
            Next::TakeBoard { unseen_after }
        } else {
            Next::StartOver
        }
    }

    /// The viewer fell behind; ranges go on after `seq`.
    pub fn lagged(&mut self, seq: u64) -> Next {
        let unseen_after = self.received;
        self.wait_from(seq.saturating_add(1));
        Next::TakeBoard { unseen_after }
    }

    /// A range of events. Those received before are not applied again; a hole before it means that a board is needed.
    pub fn events(&mut self, from: u64, to: u64, events: &[Arc<Event>]) -> Next {
        let mut next = Next::GoOn;
        if from > self.received.saturating_add(1) {
            next = Next::TakeBoard {
                unseen_after: self.received,
            };
            self.wait_from(from);
        }
        let before = self.received;
        self.received = before.max(to);
        match (&mut self.held, &mut self.board) {
            (Some(held), _) => {
                held.events
                    .extend(events.iter().filter(|event| event.seq > before).cloned());
                if held.events.len() > HELD_MAX {
                    // Any board from here on holds all of them.
                    self.wait_from(self.received.saturating_add(1));
                    next = Next::TakeBoard { unseen_after: before };
                }
            }
            (None, Some(board)) => {
                for event in events {
                    board.apply(event);
                }
            }
            (None, None) => {}
        }
        next
    }

    /// A board: it goes on show, with what was held applied to it. False where it is of another stream or too old.
    pub fn take(&mut self, answer: BoardAnswer) -> bool {
        let Some(held) = &self.held else { return true };
        if self.stream.as_deref() != Some(answer.stream.as_str()) || answer.seq.saturating_add(1) < held.from
        {
            return false;
        }
        let mut board = answer.board;
        for event in &held.events {
            board.apply(event);
        }
        self.board = Some(board);
        self.held = None;
        true
    }

    fn wait_from(&mut self, from: u64) {
        self.received = from.saturating_sub(1);
        self.held = Some(Held {
            from,
            events: Vec::new(),
        });
    }
}

#[cfg(test)]
mod tests;
