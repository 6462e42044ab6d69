//! The groups of a board: one list, sorted by the keys that its rows hold themselves.
//!
//! As [`crate::sorted`] says, with rows of one pointer: where ten thousand groups come in no order, as brokers list them, each
//! moves half of those that are there.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{Group, GroupKey};
use crate::tree::{FromNode, Misread, Node};

/// Groups, each key there once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Groups(Vec<Arc<Group>>);

impl Groups {
    /// These, each of a key of its own.
    pub(super) fn of(mut groups: Vec<Arc<Group>>) -> Self {
        groups.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        Self(groups)
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// All, in the order of their keys.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Arc<Group>> {
        self.0.iter()
    }

    /// The same, to be changed, but for their keys.
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Arc<Group>> {
        self.0.iter_mut()
    }

    /// Where a group stands, or where it would.
    pub(super) fn place(&self, key: &GroupKey) -> Result<usize, usize> {
        self.0.binary_search_by(|group| group.key.cmp(key))
    }

    /// A group.
    pub(super) fn get(&self, key: &GroupKey) -> Option<&Arc<Group>> {
        self.0.get(self.place(key).ok()?)
    }

    /// A group, to be changed.
    pub(super) fn get_mut(&mut self, key: &GroupKey) -> Option<&mut Arc<Group>> {
        let place = self.place(key).ok()?;
        self.0.get_mut(place)
    }

    /// The group at a place that [`Self::place`] told, to be changed.
    pub(super) fn at(&mut self, place: usize) -> &mut Arc<Group> {
        &mut self.0[place]
    }

    /// Puts a group in its place, where one of the same key goes.
    pub(super) fn insert(&mut self, group: Arc<Group>) -> &mut Arc<Group> {
        let place = match self.place(&group.key) {
            Ok(place) => {
                self.0[place] = group;
                place
            }
            Err(place) => {
                self.0.insert(place, group);
                place
            }
        };
        self.at(place)
    }

    /// Takes a group out.
    pub(super) fn remove(&mut self, key: &GroupKey) -> Option<Arc<Group>> {
        let place = self.place(key).ok()?;
        Some(self.0.remove(place))
    }
}

/// A list: each row holds its own key.
impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl FromNode for Groups {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        let mut groups = Self::default();
        for group in Vec::<Arc<Group>>::from_node(node)? {
            groups.insert(group);
        }
        Ok(groups)
    }
}
