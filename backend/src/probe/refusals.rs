//! A member that an error ended is replaced, and mostly ended by the same error again: that is told once, and then counted.

use shared::event::Change;
use shared::member::{MoveCause, State};
use shared::time::Timestamp;

use super::repeats::Told;
use crate::limits;

/// The end of a life by an error, as the life after it must know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    error: Option<i16>,
    sentence: String,
    /// When it was told last.
    told: Timestamp,
    /// How often it came again since.
    again: u32,
}

/// What of one life's events says nothing that the lives before it have not said.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// How the one before ended, as long as this life goes the same way.
    before: Option<Failure>,
    /// What was not told of it for that: the few events up to the answer that ended the one before.
    held: Vec<Told>,
    /// How this one ended, and whether the one before had ended so too.
    failed: Option<Failure>,
    counted: bool,
}

impl Refusals {
    /// Of a life after one that ended so.
    pub(super) fn after(before: Option<Failure>) -> Self {
        Self {
            before,
            ..Self::default()
        }
    }

    /// How this life ended, if an error ended it.
    pub(super) fn into_failure(self) -> Option<Failure> {
        self.failed
    }

    /// What is to be told when something has happened.
    pub(super) fn pass(&mut self, mut told: Told) -> Vec<Told> {
        match &mut told.change {
            Change::MemberFailed {
                error,
                sentence,
                again,
            } => {
                let same = |before: &mut Failure| before.error == *error && before.sentence == *sentence;
                let Some(mut before) = self.before.take_if(same) else {
                    self.failed = Some(Failure {
                        error: *error,
                        sentence: sentence.clone(),
                        told: told.at,
                        again: 0,
                    });
                    return self.goes_otherwise(told);
                };
                self.held.clear();
                self.counted = true;
                before.again = before.again.saturating_add(1);
                let due = told.at >= before.told + limits::FAILURE_TOLD_AGAIN;
                if due {
                    *again = std::mem::take(&mut before.again);
                    before.told = told.at;
                }
                self.failed = Some(before);
                due.then_some(told).into_iter().collect()
            }
            Change::MemberMoved {
                to: State::Ended,
                cause: MoveCause::Fatal,
                ..
            } if self.counted => Vec::new(),
            Change::CoordinatorFound { .. }
            | Change::NotAuthorized { .. }
            | Change::HeartbeatWithheld { .. }
            | Change::MemberMoved {
                cause: MoveCause::JoinSent,
                ..
            } if self.before.is_some() => {
                self.held.push(told);
                Vec::new()
            }
            _ => self.goes_otherwise(told),
        }
    }

    /// This life is not as the one before: how often that came again, what was held back, and what happened now.
    fn goes_otherwise(&mut self, told: Told) -> Vec<Told> {
        let before = self.before.take().filter(|before| before.again > 0);
        let counted = before.map(|before| Told {
            at: told.at,
            member: self.held.first().unwrap_or(&told).member.clone(),
            change: Change::MemberFailed {
                error: before.error,
                sentence: before.sentence,
                again: before.again,
            },
        });
        let held = std::mem::take(&mut self.held);
        counted.into_iter().chain(held).chain([told]).collect()
    }
}

#[cfg(test)]
mod tests;
