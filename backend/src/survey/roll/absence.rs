//! Whether a group that is on no list is gone: what its coordinator says of it.

use shared::error_code;
use shared::event::GroupState;
use shared::time::Timestamp;

use super::changes;
use super::group::Known;
use crate::survey::look::{Look, Told};

impl Known {
    /// Since when it is not there, as far as lists and looks say the same. Lists alone do not: a coordinator that still reads its
    /// partition leaves its groups out without a word, and answers 14 to whoever asks about one.
    pub(super) fn gone_since(&self) -> Option<Timestamp> {
        let missing = self.missing?;
        match self.call() {
            None => Some(missing),
            Some(_) => self.absent.map(|absent| absent.max(missing)),
        }
    }

    /// Whether who was taken for its coordinator says that another one is.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.refused == Some(error_code::NOT_COORDINATOR)
    }
}

/// A classic call answers so about what is no classic group, and about one that is gone (protocol.md 4.1).
pub(super) fn is_of_none(told: &Told) -> bool {
    told.state == GroupState::Dead && told.members.is_empty()
}

/// Whether an answer leaves it to the lists whether the group is there: its coordinator has none, or may not say.
pub(super) fn denies(look: &Look) -> bool {
    match &look.told {
        Ok(told) => is_of_none(told),
        Err((error_code::GROUP_ID_NOT_FOUND, _)) => true,
        Err((code, _)) => changes::granted(&look.group, *code).is_some(),
    }
}
