//! Since when a group is in its state, as far as that is known, and whether its generation is older than that.

use super::{Group, Rebalance};
use crate::event::{GroupState, GroupType};
use crate::time::UnixMs;

/// Since when something is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    /// Since then.
    pub at: UnixMs,
    /// Or for longer: it was so when somebody saw it for the first time.
    pub at_latest: bool,
}

impl Group {
    /// Since when it is in its state, and in its generation where that can change while the state does not.
    #[must_use]
    pub fn at_rest_since(&self) -> Option<Since> {
        let seen = Since {
            at: self.state_since?,
            at_latest: self.state_since_at_latest,
        };
        let state = self.state.get()?;
        if state.is_rebalancing() {
            return Some(seen);
        }
        let last = self.rebalances.first();
        let last =
            last.filter(|row| row.generation.is_some() && row.generation.as_ref() == self.generation.get());
        let ended = last.and_then(|row| row.finished.get().copied());
        match ended.filter(|ended| seen.at_latest || *ended > seen.at) {
            Some(at) => Some(Since { at, at_latest: false }),
            None => Some(seen),
        }
    }

    /// Whether its generation is known to be that of before: it rests again after a rebalance that left this one, and the end of
    /// which, with the next one, is not told yet. So it is while the part of the offsets log that the group is in is not read.
    #[must_use]
    pub fn has_left_its_generation(&self) -> bool {
        let rests = matches!(self.state.get(), Some(GroupState::Stable | GroupState::Empty));
        let left = |row: &Rebalance| {
            row.from_generation
                .get()
                .copied()
                .filter(|_| row.generation.is_none())
        };
        let left = match (&self.open, self.rebalances.first()) {
            (Some(open), _) => left(open),
            (None, Some(last)) => left(last),
            (None, None) => None,
        };
        rests && self.has_generations() && left.is_some() && left.as_ref() == self.generation.get()
    }

    /// Whether it counts generations: share groups are called Stable while their members take a new epoch over.
    fn has_generations(&self) -> bool {
        self.group_type
            .get()
            .is_none_or(|told| *told == GroupType::Classic)
    }
}
