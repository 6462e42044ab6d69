//! Groups of the newer protocols in the book.

use shared::ids::GroupId;

use super::{Book, Entry, Place, ended};
use crate::survey::ledger::News;
use crate::survey::ledger::newer::{Fact, Newer, Step};

impl Entry {
    /// Where the record of its epoch stands, and which that is; none of a group that has none.
    fn epoch_at(&self) -> Option<(i64, Option<i32>)> {
        let newer = self.newer.as_ref()?;
        Some((newer.epoch_at(), newer.followed()))
    }
}

impl Book {
    /// A fact of a group of a newer protocol. What became of it, where that is news.
    pub(in crate::survey::ledger) fn fact(
        &mut self,
        place: &Place,
        group: &str,
        fact: Fact<'_>,
    ) -> impl Iterator<Item = News> + use<> {
        let id = GroupId::from(group);
        let at = place.written_at;
        let epoch = self.entries.get(group).and_then(Entry::epoch_at);
        let gone = (fact == Fact::Epoch(None) && epoch.is_none_or(|(at, _)| at < place.position))
            .then(|| ended(place, group, epoch.and_then(|(_, epoch)| epoch)));
        let steps = self.steps(place, group, fact);
        let steps = steps.into_iter().map(move |step| News::Stepped {
            group: id.clone(),
            at,
            step,
        });
        gone.flatten().into_iter().chain(steps)
    }

    fn steps(&mut self, place: &Place, group: &str, fact: Fact<'_>) -> Vec<Step> {
        let whole = self.is_whole(place.partition);
        let complete = whole && self.left_out == 0;
        let converted = self.taken_back_at(place, group);
        let member = fact.member();
        let known = self.entries.get(group);
        let entry_weight = known.map_or(Entry::weight_of(group), |_| 0);
        let newer = known.and_then(|entry| entry.newer.as_ref());
        let before = newer.map_or(0, |newer| newer.weight());
        let room = entry_weight + newer.map_or(Newer::new().weight(), |_| 0) + Newer::weight_of(member);
        let Some(entry) = self.room(group, place.partition, room) else {
            return Vec::new();
        };
        let newer = entry.newer.get_or_insert_with(|| Box::new(Newer::new()));
        let epoch = newer.followed();
        let steps = newer.take(place, complete, converted, fact);
        entry.newer.take_if(|newer| whole && newer.is_empty());
        let after = entry.newer.as_ref().map_or(0, |newer| newer.weight());
        let nothing = whole && entry.is_empty();
        // What it takes, in place of the room that was made for it.
        let weight = self.weight.saturating_sub(room).saturating_sub(before);
        self.weight = weight.saturating_add(entry_weight).saturating_add(after);
        if nothing {
            self.entries.remove(group);
            self.weight = self.weight.saturating_sub(Entry::weight_of(group));
        }
        if fact == Fact::Epoch(None) {
            self.take_back(group, epoch, place);
        }
        steps
    }

    /// A record of the group was in a version that is not known: no more can be concluded from the others.
    pub(in crate::survey::ledger) fn cannot_be_read(&mut self, group: &str) {
        let newer = self.entries.get_mut(group).and_then(|entry| entry.newer.as_mut());
        if let Some(newer) = newer {
            newer.cannot_be_read();
        }
    }

    /// Records of this partition were deleted unread: what they said of any of its groups is missing.
    pub(in crate::survey::ledger) fn cut(&mut self, partition: i32) {
        let entries = self.entries.iter_mut();
        for entry in entries.filter(|entry| entry.partition == partition) {
            if let Some(newer) = &mut entry.newer {
                newer.cannot_be_read();
            }
        }
    }

    /// The epoch of a group, where the log tells all that becomes of it.
    pub(in crate::survey::ledger) fn followed(&self, group: &GroupId) -> Option<i32> {
        let entry = self.entries.get(group.as_str())?;
        let follows = self.left_out == 0 && self.is_whole(entry.partition);
        entry.newer.as_ref().filter(|_| follows)?.followed()
    }

    /// What the rebalance of a group began at that runs, as far as that is known; none where none runs.
    pub(in crate::survey::ledger) fn runs_from(&self, group: &GroupId) -> Option<Option<i32>> {
        let entry = self.entries.get(group.as_str())?;
        entry.newer.as_ref()?.runs_from()
    }

    /// Notes that there is no group of that name and type any more, and where it was.
    pub(super) fn take_back(&mut self, group: &str, number: Option<i32>, place: &Place) {
        if let Some(number) = number {
            self.taken_back = Some((GroupId::from(group), number, place.written_at));
        }
    }

    /// Where a group goes on from that was of another type until this batch.
    pub(super) fn taken_back_at(&self, place: &Place, group: &str) -> Option<i32> {
        let (taken, number, at) = self.taken_back.as_ref()?;
        (taken.as_str() == group && *at == place.written_at).then_some(*number)
    }
}
