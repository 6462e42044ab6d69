//! The board that a run of Heartline begins with, after others. Groups that a survey had looked at stay as they were, and are not
//! answered for until it tells of them anew; of all others what is over stays, and waits until they are seen again.

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
        let cluster = self.last_surveyed();
        let stays = |group: &&Arc<Group>| Some(&group.key.cluster) == cluster && group.is_surveyed();
        let (kept, others): (Vec<_>, Vec<_>) = self.groups.iter().partition(stays);
        let kept: Vec<Arc<Group>> = kept
            .into_iter()
            .map(|group| Arc::new(group.kept(ended)))
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

    /// The cluster whose groups a survey told of last.
    fn last_surveyed(&self) -> Option<&ClusterId> {
        let surveyed = self.groups.iter().filter(|group| group.is_surveyed());
        let last = surveyed.max_by_key(|group| group.touched);
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

    /// As it was, and not answered for since. Whoever of ours was in it is so no more, but for its coordinator.
    fn kept(&self, ended: UnixMs) -> Self {
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
        if let Some(seat) = &mut group.coordinator {
            let before = NotFound::of_the_run_before(ended);
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
            run: self.run.clone(),
            touched: self.touched,
            ..Self::new(self.key.clone(), self.since)
        }
    }
}
