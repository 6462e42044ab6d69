//! A group as events of its past make it: the same fold, with room for more of what is over than a board keeps.

use super::GroupKey;
use super::group::{Group, Room};
use crate::event::Event;
use crate::time::UnixMs;

impl Group {
    /// A group of which nothing is known yet.
    #[must_use]
    pub fn unknown(key: GroupKey) -> Self {
        Self::new(key, UnixMs(0))
    }

    /// Folds in an event; one of another group is left alone. So many departed members, and as many rebalances, are kept.
    pub fn recall(&mut self, event: &Event, most: usize) {
        let what = &event.what;
        let is_of_it = |group| GroupKey::new(&what.cluster, group) == self.key;
        if !what.group.as_ref().is_some_and(is_of_it) {
            return;
        }
        let room = Room {
            member: true,
            history: (most, most),
            parties: 0,
            late: 0,
        };
        for part in what.parts() {
            self.apply(event, part, room);
        }
    }

    /// Since when its row has all that is over of what was seen of it: 0 where it never had more than it keeps.
    #[must_use]
    pub fn whole_since(&self) -> UnixMs {
        let rebalance = self.rebalances.last().and_then(|row| row.finished.get().copied());
        let oldest = rebalance.max(self.departed.last().map(|gone| gone.end.at));
        oldest.filter(|_| self.forgotten > 0).unwrap_or_default()
    }
}
