//! What became of classic groups while nobody looked: their records of that time stand in what was written before our start, and each
//! tells what it left of the one before it. The first of them is held against who was there when the run before this one ended.

use std::collections::{BTreeMap, VecDeque};

use shared::event::RebalanceCause;
use shared::ids::GroupId;
use shared::protocol::offsets_log::GroupMetadataValueView;
use shared::time::Timestamp;

use super::news::news;
use super::{Heard, Place};
use crate::limits;
use crate::survey::ledger::classic::{Classic, Since};
use crate::survey::ledger::{News, Turned};

/// Such groups, until what was written before our start is read of each.
#[derive(Debug, Default)]
pub(super) struct Unseen(BTreeMap<GroupId, Left>);

/// One of them.
#[derive(Debug)]
struct Left {
    /// Where its records stand, as soon as one is read.
    partition: Option<i32>,
    /// As its last record says, before the first as it was left; none where it was deleted since.
    last: Option<Classic>,
    /// Whether a record was read that is not from before that.
    reached: bool,
    /// Whether it was deleted, so that what came after is another.
    anew: bool,
    turns: VecDeque<Turned>,
    /// What was written since our start and read before all that stands before it.
    behind: VecDeque<(Classic, Heard)>,
}

impl Unseen {
    pub(super) const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// A group as it was left.
    pub(super) fn put(&mut self, group: GroupId, left: Classic) {
        let left = Left {
            partition: None,
            last: Some(left),
            reached: false,
            anew: false,
            turns: VecDeque::new(),
            behind: VecDeque::new(),
        };
        self.0.insert(group, left);
    }

    /// Whether the group is one of them.
    pub(super) fn has(&self, group: &GroupId) -> bool {
        !self.0.is_empty() && self.0.contains_key(group)
    }

    /// Takes a record in; `whole` says that nothing of before is left to read. Whether what it tells has to wait for that.
    pub(super) fn read(
        &mut self,
        place: &Place,
        group: &str,
        value: Option<&GroupMetadataValueView<'_>>,
        whole: bool,
    ) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Some(left) = self.0.get_mut(group) else {
            return false;
        };
        left.partition = Some(place.partition);
        let record = value.map(|value| Classic::new(value, place.written_at));
        match (place.heard, record) {
            (None, Some(record)) => left.wrote(group, record),
            (None, None) => left.deleted(),
            (Some(heard), Some(record)) if !whole => {
                // Of too many in between the next one tells how many it missed.
                if left.behind.len() >= limits::LEDGER_UNSEEN {
                    left.behind.pop_front();
                }
                left.behind.push_back((record, heard));
                return true;
            }
            (Some(_), _) => drop(self.0.remove(group)),
        }
        false
    }

    /// All of a partition is read: what its groups' records tell.
    pub(super) fn tell(&mut self, partition: i32) -> Vec<News> {
        let mut all = Vec::new();
        for (group, left) in self.0.extract_if(.., |_, left| left.partition == Some(partition)) {
            let Left {
                mut last,
                anew,
                turns,
                behind,
                ..
            } = left;
            if anew || !turns.is_empty() {
                all.push(News::Unseen {
                    group: group.clone(),
                    anew,
                    turns: turns.into(),
                });
            }
            for (record, heard) in behind {
                let since = record.since(last.as_ref(), true);
                all.extend(news(group.clone(), since, &record, heard));
                last = Some(record);
            }
        }
        all
    }

    /// The log is another than it was: nothing follows from where its groups were left.
    pub(super) fn forget(&mut self, partition: i32) {
        self.0.retain(|_, left| left.partition != Some(partition));
    }
}

impl Left {
    fn wrote(&mut self, group: &str, record: Classic) {
        let before = self.last.as_ref().map(|last| last.generation);
        if !self.reached && before.is_some_and(|before| record.generation < before) {
            // It was left in a later one.
            return;
        }
        if before.is_some_and(|before| record.generation < before) {
            // Its end is in the log no more.
            self.deleted();
        }
        let is_left = !self.reached && before == Some(record.generation);
        if !is_left && let Since::Rebalanced(rebalanced) = record.since(self.last.as_ref(), true) {
            self.turns.push_back(Turned {
                group: GroupId::from(group),
                rebalanced,
                formed_at: record.formed_at,
                at: record.written_at,
                since: Timestamp::default(),
                concluded: !self.reached,
            });
            self.make_room();
        }
        self.reached = true;
        self.last = Some(record);
    }

    fn deleted(&mut self) {
        if self.reached {
            self.anew = true;
            self.last = None;
            self.turns.clear();
        }
    }

    /// Of too many the oldest is one that the next missed.
    fn make_room(&mut self) {
        if self.turns.len() <= limits::LEDGER_UNSEEN {
            return;
        }
        let oldest = self.turns.pop_front();
        if let Some((oldest, next)) = oldest.zip(self.turns.front_mut()) {
            let (oldest, next) = (oldest.rebalanced, &mut next.rebalanced);
            next.from_generation = oldest.from_generation;
            next.missed = next.missed.saturating_add(oldest.missed).saturating_add(1);
            (next.cause, next.member) = (RebalanceCause::NotVisible, None);
            (next.joined, next.left, next.unnamed) = (None, None, 0);
        }
    }
}
