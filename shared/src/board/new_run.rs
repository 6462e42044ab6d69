//! The board that a run of Heartline begins with, after others. Groups that a survey had looked at stay as they were, and are not
//! answered for until it tells of them anew; so do those of our own coordinator, which reads them from its log at once; of all
//! others what is over stays, and waits until they are seen again.

use std::sync::Arc;

use super::groups::Groups;
use super::{Board, Group, NotFound, limits};
use crate::event::Source;
use crate::ids::ClusterId;
use crate::sorted::SortedMap;
use crate::time::UnixMs;

impl Board {
    /// The board of a run whose first event comes after `seq`, where the one before ended at `ended`. A group that no survey is to
    /// tell of is not shown before it is seen again; nor one of another cluster than the last that was looked at.
    #[must_use]
    pub fn of_a_new_run(&self, seq: u64, ended: UnixMs) -> Self {
        let (theirs, ours) = (self.last_of(Group::is_surveyed), self.last_of(Group::is_of_ours));
        let stays = |group: &&Arc<Group>| {
            let cluster = Some(&group.key.cluster);
            cluster == theirs && group.is_surveyed() || cluster == ours && group.is_of_ours()
        };
        let (kept, others): (Vec<_>, Vec<_>) = self.groups.iter().partition(stays);
        let kept: Vec<Arc<Group>> = kept
            .into_iter()
            .map(|group| Arc::new(group.kept(ended, self.answered_until(group, ended))))
            .collect();
        let never_seen = self.remembered.iter();
        let mut remembered: Vec<Arc<Group>> = others
            .into_iter()
            .map(|group| Arc::new(group.remembered()))
            .chain(never_seen.cloned())
            .filter(|group| group.history() > 0)
            .collect();
        // The newest are kept where that is too many.
        remembered.sort_unstable_by_key(|group| std::cmp::Reverse(group.touched));
        remembered.truncate(limits::GROUPS);
        let all = || kept.iter().chain(&remembered);
        Self {
            seq,
            seen: self.seen,
            history: all().map(|group| group.history()).sum(),
            members: kept.iter().map(|group| group.members.len()).sum(),
            groups: Groups::of(kept.clone()),
            remembered: Groups::of(remembered.clone()),
            gone: self.gone.clone(),
            faults: self.faults.clone(),
            gaps: self.gaps.clone(),
            ..Self::default()
        }
    }

    /// Until when a group was answered for in a run that ended at `ended`: not to its end where its coordinator was silent by then, or
    /// told nothing of it.
    fn answered_until(&self, group: &Group, ended: UnixMs) -> UnixMs {
        let seat = group.coordinator.as_ref();
        let untold = seat.and_then(|seat| seat.unanswered.as_ref().map(|failure| failure.at));
        let row = seat.and_then(|seat| self.coordinator(&group.key.cluster, seat.node));
        let since = [untold, row.and_then(|row| row.silent)].into_iter().flatten();
        since.chain([ended]).min().unwrap_or(ended)
    }

    /// The cluster of which such a group was told of last.
    fn last_of(&self, is_such: fn(&Group) -> bool) -> Option<&ClusterId> {
        let such = self.groups.iter().filter(|group| is_such(group));
        let last = such.max_by_key(|group| group.touched);
        last.map(|group| &group.key.cluster)
    }
}

impl Group {
    /// Whether a survey tells of it, and of its coordinator: then one tells of it again, or that it is gone.
    fn is_surveyed(&self) -> bool {
        self.sources.contains(Source::Survey)
            && !self.sources.contains(Source::Embedded)
            && self.coordinator.is_some()
    }

    /// Whether our own coordinator tells of it: the next one reads it from the same log, or tells that it is not there.
    fn is_of_ours(&self) -> bool {
        self.sources.contains(Source::Embedded)
    }

    /// As it was when it was `answered` for last, and not answered for since. Whoever of ours was in it when the run `ended` is so no
    /// more, but for its coordinator.
    fn kept(&self, ended: UnixMs, answered: UnixMs) -> Self {
        let mut group = self.clone();
        group
            .members
            .retain(|_, member| member.named && !member.has_failed());
        for member in group.members.values_mut().filter(|member| member.is_ours()) {
            Arc::make_mut(member).given_up(ended);
        }
        group.forget_blind_probe();
        group.aliases = SortedMap::new();
        group.not_found = None;
        if group.is_of_ours() {
            // That it is read again says that what ran is cut off, of what its coordinator saw.
            group
                .open
                .take_if(|open| !open.sources.contains(Source::Embedded));
            Arc::make_mut(&mut group.coordination).pending.clear();
            for member in group.members.values_mut() {
                Arc::make_mut(member).waits_for_nothing(ended);
            }
            if let Some(seat) = &mut group.coordinator {
                seat.dead = None;
            }
            return group;
        }
        if let Some(seat) = &mut group.coordinator {
            let before = NotFound::of_the_run_before(answered);
            (seat.dead, seat.unanswered) = (None, Some(Box::new(before)));
        }
        group
    }

    /// What is over.
    fn remembered(&self) -> Self {
        Self {
            departed: self.departed.clone(),
            rebalances: self.rebalances.clone(),
            forgotten: self.forgotten,
            parties: self.parties.clone(),
            outages: self.outages.clone(),
            run: self.run.clone(),
            touched: self.touched,
            ..Self::new(self.key.clone(), self.since)
        }
    }
}
