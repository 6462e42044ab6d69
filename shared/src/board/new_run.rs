//! The board that a run of Heartline begins with, after others: what is over stays as it was, what is present nobody knows yet.

use std::sync::Arc;

use super::groups::Groups;
use super::{Board, Group, limits};

impl Board {
    /// The board of a run whose first event comes after `seq`: this one, as the run before ended, less all that may have changed
    /// while nobody looked. What is over (rebalances, members that went, who keeps coming back) waits until its group is seen
    /// again: a group that is not there any more, or of a cluster that is not looked at any more, is not shown.
    #[must_use]
    pub fn of_a_new_run(&self, seq: u64) -> Self {
        let known = self.groups.iter();
        let never_seen = self.remembered.iter();
        let mut remembered: Vec<Arc<Group>> = known
            .map(|group| Arc::new(group.remembered()))
            .chain(never_seen.cloned())
            .filter(|group| group.history() > 0)
            .collect();
        // The newest are kept where that is too many.
        remembered.sort_unstable_by_key(|group| std::cmp::Reverse(group.touched));
        remembered.truncate(limits::GROUPS);
        Self {
            seq,
            seen: self.seen,
            history: remembered.iter().map(|group| group.history()).sum(),
            remembered: Groups::of(remembered),
            gone: self.gone.clone(),
            faults: self.faults.clone(),
            gaps: self.gaps.clone(),
            ..Self::default()
        }
    }
}

impl Group {
    /// What is over.
    fn remembered(&self) -> Self {
        Self {
            departed: self.departed.clone(),
            rebalances: self.rebalances.clone(),
            forgotten: self.forgotten,
            parties: self.parties.clone(),
            run: self.run.clone(),
            touched: self.touched,
            ..Self::new(self.key.clone(), self.since)
        }
    }
}
