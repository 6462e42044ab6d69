//! The groups of the book by their names. Which was asked for last is remembered: what one request commits stands in the log
//! side by side, so that the next record is mostly of the same group.

use std::collections::BTreeMap;

use shared::ids::GroupId;

use super::Entry;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Entries {
    places: BTreeMap<GroupId, usize>,
    /// Each in a box: a list that grows is up to half empty.
    slots: Vec<(GroupId, Box<Entry>)>,
    /// The place that was asked for last; any number where there is none.
    last: usize,
}

impl Entries {
    pub(super) const fn new() -> Self {
        Self {
            places: BTreeMap::new(),
            slots: Vec::new(),
            last: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn get(&self, group: &str) -> Option<&Entry> {
        let (_, entry) = self.slots.get(self.place(group)?)?;
        Some(entry)
    }

    pub(super) fn get_mut(&mut self, group: &str) -> Option<&mut Entry> {
        self.last = self.place(group)?;
        let (_, entry) = self.slots.get_mut(self.last)?;
        Some(entry)
    }

    /// Puts one in, in place of what was there.
    pub(super) fn insert(&mut self, group: &str, entry: Entry) {
        if let Some(known) = self.get_mut(group) {
            *known = entry;
            return;
        }
        let group = GroupId::from(group);
        self.last = self.slots.len();
        self.places.insert(group.clone(), self.last);
        self.slots.push((group, Box::new(entry)));
    }

    pub(super) fn remove(&mut self, group: &str) -> Option<(GroupId, Box<Entry>)> {
        let place = self.place(group)?;
        Some(self.take_out(place))
    }

    /// Keeps those of which `stays` says so.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(&GroupId, &mut Entry) -> bool) {
        let mut place = 0;
        while let Some((group, entry)) = self.slots.get_mut(place) {
            if stays(group, entry) {
                place += 1;
            } else {
                self.take_out(place);
            }
        }
    }

    /// In no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().map(|(_, entry)| &**entry)
    }

    /// The same, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.slots.iter_mut().map(|(_, entry)| &mut **entry)
    }

    fn place(&self, group: &str) -> Option<usize> {
        let last = self.slots.get(self.last);
        if last.is_some_and(|(of, _)| of.as_str() == group) {
            return Some(self.last);
        }
        self.places.get(group).copied()
    }

    /// Takes out what stands there, which is one of them: the last of all comes in its place.
    fn take_out(&mut self, place: usize) -> (GroupId, Box<Entry>) {
        let out = self.slots.swap_remove(place);
        self.places.remove(out.0.as_str());
        if let Some((moved, _)) = self.slots.get(place)
            && let Some(known) = self.places.get_mut(moved.as_str())
        {
            *known = place;
        }
        out
    }
}
