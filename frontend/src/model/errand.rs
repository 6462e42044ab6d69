//! Something to fetch from the server: asked for until it is answered, one request at a time.

use shared::backoff::{Backoff, Jitter};
use shared::time::{Millis, Timestamp};

const FIRST_DELAY: Millis = Millis(500);
const LONGEST_DELAY: Millis = Millis(10_000);

/// The number of one request of an errand: an answer to an earlier one is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Due { at: Timestamp },
    Out { ticket: Ticket },
}

/// One errand.
#[derive(Debug)]
pub struct Errand {
    state: State,
    made: u32,
    backoff: Backoff,
}

impl Errand {
    /// One that nobody wants yet.
    #[must_use]
    pub fn new(jitter: Jitter) -> Self {
        Self {
            state: State::Idle,
            made: 0,
            backoff: Backoff::exponential(FIRST_DELAY, LONGEST_DELAY, jitter),
        }
    }

    /// Asks for it anew: an answer still on its way is no longer wanted.
    pub fn want(&mut self) {
        self.state = State::Due { at: Timestamp(0) };
        self.backoff.reset();
    }

    /// No longer wanted, whether it is on its way or not.
    pub const fn drop_it(&mut self) {
        self.state = State::Idle;
    }

    /// Whether it is neither done nor dropped.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.state != State::Idle
    }

    /// A request on its way may have died with its connection: asks again.
    pub fn renew(&mut self) {
        if let State::Out { .. } = self.state {
            self.want();
        }
    }

    /// The ticket of a request to make now, if one is due.
    pub fn poll(&mut self, now: Timestamp) -> Option<Ticket> {
        let State::Due { at } = self.state else {
            return None;
        };
        if at > now {
            return None;
        }
        self.made = self.made.wrapping_add(1);
        let ticket = Ticket(self.made);
        self.state = State::Out { ticket };
        Some(ticket)
    }

    /// Takes an answer's ticket; whether that answer is the one waited for. The errand is then done.
    pub fn settle(&mut self, ticket: Ticket) -> bool {
        let current = self.state == State::Out { ticket };
        if current {
            self.state = State::Idle;
        }
        current
    }

    /// The request failed, or its answer was of no use: it is made again after a delay.
    pub fn retry(&mut self, now: Timestamp) {
        self.state = State::Due {
            at: now + self.backoff.next().unwrap_or(LONGEST_DELAY),
        };
    }
}

#[cfg(test)]
mod tests;
