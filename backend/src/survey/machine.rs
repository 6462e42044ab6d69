//! The survey as one machine: its parts, and which of them an input is for.

use std::collections::VecDeque;

use shared::time::Timestamp;

use super::port::{Input, Output};
use super::roll::Roll;

/// What is known of the groups of others, and what is asked next.
///
/// Whoever drives it gives it every input with its time, empties [`Self::poll`] after each, and comes back with
/// [`Input::Time`] at [`Self::deadline`].
#[derive(Debug, Default)]
pub struct Survey {
    roll: Roll,
    /// As long as what one input brings about: it is emptied after each.
    outputs: VecDeque<Output>,
}

impl Survey {
    /// Nothing known, nothing asked; `client_id` is what we call ourselves.
    #[must_use]
    pub fn new(client_id: &str) -> Self {
        Self {
            roll: Roll::new(client_id),
            outputs: VecDeque::new(),
        }
    }

    /// Takes in what happened at `now`.
    pub fn handle(&mut self, now: Timestamp, input: Input) {
        self.roll.handle(now, input, &mut self.outputs);
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::Time`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        self.roll.deadline()
    }
}
