//! Rebalances one after the other: whoever tells of one, and however late, each is there once, in the order of their generations,
//! and none began before the one before it was over.

use std::sync::Arc;

use super::{Group, News};
use crate::board::bounded::push_newest;
use crate::board::rebalance::{Rebalance, Sighting};
use crate::event::{Evidence, Source};
use crate::ids::Generation;

impl Group {
    /// The finished one whose start is told here, late: the group has left that generation since. What its coordinator tells comes in
    /// its order.
    pub(super) fn started_late(&self, from: Generation, start: &Sighting) -> Option<usize> {
        let (open, known) = (self.open.is_some(), self.generation.get().copied());
        let past = !open && known.is_some_and(|known| known > from);
        let over = |row: &Rebalance| {
            start.source != Source::Embedded && row.finished.get().is_some_and(|over| *over >= start.at)
        };
        let rows = self.rebalances.iter().enumerate();
        let late = rows.filter_map(|(place, row)| {
            let ended = row.generation.filter(|ended| *ended > from)?;
            (past || over(row)).then_some((ended, place))
        });
        late.min().map(|(_, place)| place)
    }

    /// The same of a new member of ours, which cannot say which generation the group left.
    pub(super) fn joined_late(&self, start: &Sighting) -> Option<usize> {
        let rows = self.rebalances.iter().enumerate();
        let over = rows.filter_map(|(place, row)| Some((*row.finished.get()?, place)));
        let late = over.filter(|(over, _)| start.source == Source::Probe && *over >= start.at);
        late.min().map(|(_, place)| place)
    }

    /// A group with epochs has the next one before all its members were in the last, as its records tell: the rebalance that runs ended
    /// with that, at the epoch that is left now.
    pub(super) fn gives_way_to(&mut self, from: Generation, next: &Sighting, limit: usize) {
        let recorded = next.source == Source::Survey && next.evidence == Evidence::Observed;
        let before = |open: &mut Arc<Rebalance>| {
            let left = open.from_generation.get();
            recorded && open.sources.iter().all(|source| source == Source::Survey) && left < Some(&from)
        };
        if !self.open.as_mut().is_some_and(before) {
            return;
        }
        self.turned(from, next.at, 0);
        let Some(mut row) = self.open.take().map(Arc::unwrap_or_clone) else {
            return;
        };
        row.gives_way_at(from, next);
        self.tell_rejoins(&mut row);
        let total = self.rebalances_total.get_or_default(row.cause());
        *total = total.saturating_add(1);
        self.keep_finished(row, limit);
    }

    /// Who of its members is told to have come into its generation.
    pub(super) fn tell_rejoins(&self, row: &mut Rebalance) {
        for member in self.members.values() {
            let mut rejoins = member.rejoins.iter();
            if let Some(rejoin) = rejoins.find(|rejoin| rejoin.generation == row.generation) {
                row.tell_rejoin(&member.id, rejoin.took_ms);
            }
        }
    }

    /// Puts a finished one where it belongs. Whether that is before all others: what is told late may be older.
    pub(super) fn keep_finished(&mut self, row: Rebalance, limit: usize) -> bool {
        self.rebalances.retain(|older| older.generation != row.generation);
        let later = |other: &&Arc<Rebalance>| {
            other.generation > row.generation && other.finished.get() > row.finished.get()
        };
        let place = self.rebalances.iter().take_while(later).count();
        let mut newer: Vec<_> = self.rebalances.drain(..place).collect();
        self.keep_newest(Arc::new(row), limit);
        while let Some(row) = newer.pop() {
            self.keep_newest(row, limit);
        }
        place == 0
    }

    /// Puts one before all others, and forgets those that there is no room for.
    pub(super) fn keep_newest(&mut self, row: Arc<Rebalance>, limit: usize) {
        let mut forgotten = self.rebalances.iter().skip(limit.saturating_sub(1));
        self.rebalances_unseen |= forgotten.any(|row| row.skips());
        let out = push_newest(&mut self.rebalances, row, limit);
        self.forgotten = self.forgotten.saturating_add(out);
    }

    /// What one of ours takes for one rebalance, from its JoinGroup to the answer to its SyncGroup, were several where the cluster
    /// tells of a generation in between.
    pub(super) fn part_rebalances(&mut self, news: &News<'_>) {
        for place in 1..self.rebalances.len() {
            let Some((newer, [older, ..])) = self.rebalances[place - 1..].split_first_mut() else {
                return;
            };
            if !newer.takes_in(older) {
                continue;
            }
            let (newer, older) = (Arc::make_mut(newer), Arc::make_mut(older));
            let counted = [&*newer, &*older].map(|row| (row.cause(), row.settles(news.seen)));
            newer.give_back(older);
            let causes = [newer.cause(), older.cause()];
            for ((counted, settles), cause) in counted.into_iter().zip(causes) {
                if settles {
                    self.recount(counted, cause);
                }
            }
        }
    }
}
