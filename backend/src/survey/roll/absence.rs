//! Whether a group that is on no list is gone: what its coordinator says of it.

use shared::error_code;
use shared::event::GroupState;
use shared::time::Timestamp;

use super::group::Known;
use super::rights::Rights;
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

    /// Whether a right is missing to look at it.
    pub(super) fn is_hidden(&self) -> bool {
        self.refused.is_some_and(error_code::is_for_want_of_a_right)
    }

    /// Whether it may be there all the same: nobody but lists says that it is not, and those of since then may be short for want
    /// of a right. A cluster that tells no rights is believed of what nobody can look at.
    pub(super) fn may_be_left_out(&self, missing: Timestamp, rights: &Rights) -> bool {
        let told = self.is_hidden() || (self.call().is_none() && rights.are_told());
        told && !rights.are_whole_since(missing)
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
        Err((code, _)) => error_code::is_for_want_of_a_right(*code),
    }
}
