//! Since when a group is in its state, as far as that is known.

use super::Group;
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
}
