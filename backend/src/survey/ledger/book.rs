//! What the offsets log says of each group: the newest record of each key, whichever way it was read.
//!
//! The end of the log is read first and its beginning later, so that each fact knows where in the log it stands: what stands
//! behind it counts, what stands before it does not.

use std::collections::{BTreeSet, VecDeque};

use shared::ids::{GroupId, MemberId};
use shared::protocol::offsets_log::{
    GroupMetadataKeyView, GroupMetadataValueView, OffsetCommitKeyView, OffsetCommitValueView,
};
use shared::time::{Millis, Timestamp, UnixMs};

use super::classic::{Classic, Life, Since, Sitting};
use super::commits::{Commit, Commits};
use super::newer::Newer;
use super::{Ended, News, Turned};
use crate::limits;
use crate::survey::look::Timeouts;

mod entries;
mod epochs;

use entries::Entries;

/// Where and when a record stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) partition: i32,
    pub(super) position: i64,
    pub(super) written_at: UnixMs,
    /// Of a record of the tail: it was written after `since` and read at `now`.
    pub(super) heard: Option<Heard>,
    pub(super) in_transaction: bool,
}

/// When a record was written and read, by our clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
}

/// All groups.
#[derive(Debug)]
pub(super) struct Book {
    entries: Entries,
    /// Partitions of the log that are read from their begin on.
    whole: BTreeSet<i32>,
    /// Bytes it takes, about, and how many it may take.
    weight: usize,
    room: usize,
    /// Records that there was no room for.
    left_out: u64,
    /// The group of which a record said last that there is none of its type any more, in which generation or epoch that was,
    /// and when. Records of another type may follow in the same batch, and go on from there (KIP-848's upgrade and downgrade).
    taken_back: Option<(GroupId, i32, UnixMs)>,
    /// Records, read or not, that say something of groups of newer protocols.
    newer_records: u64,
}

/// One group.
#[derive(Debug)]
pub(super) struct Entry {
    partition: i32,
    /// Where the last record of the group itself stands, -1 nowhere.
    position: i64,
    /// When that was read, if it is of the tail.
    heard: Option<Timestamp>,
    classic: Option<Classic>,
    /// Members that the last records no longer name, the last to go at the back.
    former: VecDeque<(MemberId, Millis, Life)>,
    commits: Commits,
    /// In a box: most groups are classic.
    newer: Option<Box<Newer>>,
}

impl Entry {
    /// Bytes that one takes of which nothing is known, about.
    const fn weight_of(group: &str) -> usize {
        256 + group.len()
    }

    const fn new(partition: i32) -> Self {
        Self {
            partition,
            position: -1,
            heard: None,
            classic: None,
            former: VecDeque::new(),
            commits: Commits::new(),
            newer: None,
        }
    }

    fn weight(&self, group: &GroupId) -> usize {
        let classic = self.classic.as_ref().map_or(0, Classic::weight);
        let newer = self.newer.as_ref().map_or(0, |newer| newer.weight());
        Self::weight_of(group.as_str()) + classic + self.commits.weight() + newer
    }

    fn life(&self, sitting: &Sitting) -> Life {
        sitting
            .life
            .and(self.commits.life(&sitting.owned(), self.position))
    }

    /// The session timeout and the signs of life of a member, of a former one too.
    pub(super) fn member_life(&self, id: &MemberId) -> Option<(Millis, Life)> {
        let sits = self.classic.as_ref().and_then(|classic| classic.member(id));
        if let Some(sitting) = sits {
            return Some((sitting.session, self.life(sitting)));
        }
        let mut former = self.former.iter().rev();
        former
            .find(|(gone, ..)| gone == id)
            .map(|(_, session, life)| (*session, *life))
    }

    fn is_empty(&self) -> bool {
        self.classic.is_none() && self.commits.is_empty() && self.newer.is_none()
    }

    /// Whether a record says that it is there: who commits without being in a group has none.
    pub(super) fn is_there(&self) -> bool {
        self.classic.is_some() || self.newer.as_ref().is_some_and(|newer| !newer.is_empty())
    }

    /// A member's timeouts, whatever the group's type.
    pub(super) fn timeouts(&self, id: &MemberId) -> Option<Timeouts> {
        let classic = self.classic.as_ref().and_then(|classic| classic.member(id));
        let classic = classic.map(|sitting| Timeouts {
            session: Some(sitting.session),
            rebalance: Some(sitting.rebalance),
        });
        classic.or_else(|| self.newer.as_ref()?.timeouts(id))
    }

    /// When a partition was committed last.
    pub(super) fn committed_at(&self, topic: &str, partition: i32) -> Option<UnixMs> {
        self.commits.at(topic, partition)
    }

    pub(super) const fn classic(&self) -> Option<&Classic> {
        self.classic.as_ref()
    }

    pub(super) const fn position(&self) -> i64 {
        self.position
    }

    pub(super) const fn heard(&self) -> Option<Timestamp> {
        self.heard
    }

    /// What the members of before leave to those of now; those who are gone are kept.
    fn hand_over(&mut self, after: &mut Classic) {
        let Some(before) = self.classic.take() else { return };
        let gone = after.inherit(before, |sitting| self.life(sitting));
        self.former.extend(gone);
        let over = self.former.len().saturating_sub(limits::LEDGER_FORMER);
        self.former.drain(..over);
    }
}

impl Default for Book {
    fn default() -> Self {
        Self::with_room(limits::LEDGER_BYTES)
    }
}

impl Book {
    /// An empty one, for so many bytes.
    pub(super) const fn with_room(room: usize) -> Self {
        Self {
            entries: Entries::new(),
            whole: BTreeSet::new(),
            weight: 0,
            room,
            left_out: 0,
            taken_back: None,
            newer_records: 0,
        }
    }

    /// Counts a record that says something of a group of a newer protocol.
    pub(super) const fn count_newer(&mut self) {
        self.newer_records = self.newer_records.wrapping_add(1);
    }

    pub(super) const fn newer_records(&self) -> u64 {
        self.newer_records
    }

    /// What is known of a group; none while that may be out of date, since its partition is not read from its begin on.
    pub(super) fn entry(&self, group: &GroupId) -> Option<&Entry> {
        let entry = self.entries.get(group.as_str())?;
        (entry.heard.is_some() || self.whole.contains(&entry.partition)).then_some(entry)
    }

    /// Whether a partition is read from its begin on.
    pub(super) fn is_whole(&self, partition: i32) -> bool {
        self.whole.contains(&partition)
    }

    /// How many partitions are.
    pub(super) fn wholes(&self) -> usize {
        self.whole.len()
    }

    pub(super) const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// How many groups there are, and committed partitions of all of them.
    pub(super) fn kept(&self) -> (usize, usize) {
        let commits = self.entries.iter().map(|entry| entry.commits.len());
        (self.entries.len(), commits.sum())
    }

    /// A partition is read from its begin on: nothing can come that was taken back.
    pub(super) fn whole(&mut self, partition: i32) {
        self.whole.insert(partition);
        let weight = &mut self.weight;
        self.entries.retain(|group, entry| {
            if entry.partition != partition {
                return true;
            }
            let before = entry.weight(group);
            entry.commits.sweep();
            if let Some(newer) = &mut entry.newer {
                newer.caught_up();
            }
            entry.newer.take_if(|newer| newer.is_empty());
            let stays = !entry.is_empty();
            let after = if stays { entry.weight(group) } else { 0 };
            *weight = weight.saturating_sub(before.saturating_sub(after));
            stays
        });
    }

    /// The log is another than it was: nothing of this partition counts.
    pub(super) fn forget(&mut self, partition: i32) {
        self.whole.remove(&partition);
        let weight = &mut self.weight;
        self.entries.retain(|group, entry| {
            let stays = entry.partition != partition;
            if !stays {
                *weight = weight.saturating_sub(entry.weight(group));
            }
            stays
        });
    }

    /// A committed offset, or that it is forgotten.
    pub(super) fn commit(
        &mut self,
        place: &Place,
        key: &OffsetCommitKeyView<'_>,
        value: Option<&OffsetCommitValueView<'_>>,
    ) {
        if !(0..limits::LEDGER_PARTITION).contains(&key.partition) {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        if value.is_none() && self.is_whole(place.partition) {
            if let Some(entry) = self.entries.get_mut(key.group) {
                let before = entry.commits.weight();
                entry.commits.take(key.topic, key.partition);
                self.weight = self
                    .weight
                    .saturating_sub(before.saturating_sub(entry.commits.weight()));
            }
            return;
        }
        let commit = Commit {
            position: place.position,
            at: place.written_at,
            since: place.heard.map(|heard| heard.since),
            in_transaction: place.in_transaction,
            taken_back: value.is_none(),
            partition: key.partition,
        };
        match self.put(key, place.partition, commit) {
            Some(weight) => self.weight += weight,
            None => self.left_out = self.left_out.saturating_add(1),
        }
    }

    /// Takes a commit in, by one look for its group: most records are of this kind. What it weighs; none where there is no
    /// room for it.
    fn put(&mut self, key: &OffsetCommitKeyView<'_>, partition: i32, commit: Commit) -> Option<usize> {
        let room = self.room.saturating_sub(self.weight);
        if let Some(entry) = self.entries.get_mut(key.group) {
            return entry.commits.put(key.topic, commit, room);
        }
        let own = Entry::weight_of(key.group);
        let mut entry = Entry::new(partition);
        let weight = entry.commits.put(key.topic, commit, room.checked_sub(own)?)?;
        self.entries.insert(key.group, entry);
        Some(own + weight)
    }

    /// A classic group, or that there is none of the name any more. What became of it, where that is news.
    pub(super) fn group(
        &mut self,
        place: &Place,
        key: &GroupMetadataKeyView<'_>,
        value: Option<&GroupMetadataValueView<'_>>,
    ) -> Option<News> {
        let known = self.entries.get(key.group);
        if known.is_some_and(|entry| entry.position >= place.position) {
            return None;
        }
        let after = value.map(|value| Classic::new(value, place.written_at));
        let mut more = after.as_ref().map_or(0, Classic::weight);
        more += known.map_or(Entry::weight_of(key.group), |_| 0);
        let first = self.is_whole(place.partition) || known.is_some_and(|entry| entry.position >= 0);
        let converted = self.taken_back_at(place, key.group);
        let Some(entry) = self.room(key.group, place.partition, more) else {
            // Nothing is better than what is out of date.
            if let Some((group, old)) = self.entries.remove(key.group) {
                self.weight = self.weight.saturating_sub(old.weight(&group));
            }
            return None;
        };
        let before = entry.classic.as_ref().map_or(0, Classic::weight);
        let mut taken_back = None;
        let mut news = after.as_ref().zip(place.heard).and_then(|(after, heard)| {
            // It was of another type, and is no further than it was.
            if converted == Some(after.generation) {
                return None;
            }
            let since = after.since(entry.classic.as_ref(), first);
            news(GroupId::from(key.group), since, after, heard)
        });
        if let Some(mut after) = after {
            entry.hand_over(&mut after);
            entry.classic = Some(after);
        } else {
            taken_back = entry.classic.take().map(|gone| gone.generation);
            entry.former.clear();
            news = ended(place, key.group, taken_back);
        }
        entry.position = place.position;
        entry.heard = place.heard.map(|heard| heard.now);
        let empty = entry.is_empty();
        self.take_back(key.group, taken_back, place);
        self.weight = self.weight.saturating_sub(before);
        if empty && self.is_whole(place.partition) {
            self.entries.remove(key.group);
            self.weight = self.weight.saturating_sub(Entry::weight_of(key.group));
        }
        news
    }

    /// The group's entry, if there is room for so many bytes more.
    fn room(&mut self, group: &str, partition: i32, more: usize) -> Option<&mut Entry> {
        if self.weight.saturating_add(more) > self.room {
            self.left_out = self.left_out.saturating_add(1);
            return None;
        }
        self.weight += more;
        if self.entries.get(group).is_none() {
            self.entries.insert(group, Entry::new(partition));
        }
        self.entries.get_mut(group)
    }
}

/// That there is no group of that name any more, where that is news.
fn ended(place: &Place, group: &str, number: Option<i32>) -> Option<News> {
    let heard = place.heard?;
    Some(News::Ended(Ended {
        group: GroupId::from(group),
        number,
        at: place.written_at,
        since: heard.since,
    }))
}

fn news(group: GroupId, since: Since, after: &Classic, heard: Heard) -> Option<News> {
    match since {
        Since::Nothing => None,
        Since::Replaced(heirs) if heirs.is_empty() => None,
        Since::Replaced(heirs) => Some(News::Replaced {
            group,
            at: after.written_at,
            heirs,
        }),
        Since::Rebalanced(rebalanced) => Some(News::Turned(Turned {
            group,
            rebalanced,
            formed_at: after.formed_at,
            at: after.written_at,
            since: heard.since,
        })),
    }
}
