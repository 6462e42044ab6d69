//! A value that few rows have: a pointer, until it is something else than nothing.
//!
//! Of a member that others run no heartbeat is ever seen; ten thousand groups of such members are rows of which half would be
//! room for heartbeats. In JSON, and to whoever reads it, it is the value itself; where it is not there it is nothing.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::{Serialize, Serializer};

use crate::tree::{FromNode, Misread, Node};

/// What a type is where nothing was ever put into it: its default, to be pointed at.
pub trait Blank: Default + PartialEq + 'static {
    /// That value.
    const BLANK: &'static Self;
}

impl<T: PartialEq + 'static> Blank for Vec<T> {
    const BLANK: &'static Self = &Self::new();
}

/// A value that mostly is [`Blank::BLANK`].
#[derive(Clone, Default)]
pub struct Seldom<T>(Option<Box<T>>);

impl<T: Blank> Deref for Seldom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::BLANK)
    }
}

/// From then on it takes its full room, be it blank.
impl<T: Blank> DerefMut for Seldom<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Blank> From<T> for Seldom<T> {
    fn from(value: T) -> Self {
        Self((value != *T::BLANK).then(|| Box::new(value)))
    }
}

impl<T: Blank> Seldom<T> {
    /// Whether it is nothing, as most are: for `skip_serializing_if`.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        **self == *T::BLANK
    }

    /// The value itself.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0.map_or_else(T::default, |value| *value)
    }
}

impl<T: Blank> PartialEq for Seldom<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Blank + Eq> Eq for Seldom<T> {}

impl<T: Blank + fmt::Debug> fmt::Debug for Seldom<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Blank + Serialize> Serialize for Seldom<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<T: Blank + FromNode> FromNode for Seldom<T> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        T::from_node(node).map(Self::from)
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_a_pointer_and_reads_as_what_it_holds() {
        assert_eq!(size_of::<Seldom<Vec<u64>>>(), size_of::<usize>());
        let mut list = Seldom::<Vec<u64>>::default();
        assert!(list.is_empty());
        assert_eq!(serde_json::to_string(&list).unwrap(), "[]");
        list.push(7);
        assert_eq!(serde_json::to_string(&list).unwrap(), "[7]");
        assert_eq!(list.into_inner(), [7]);
    }

    #[test]
    fn what_became_blank_again_equals_what_never_was_anything_else() {
        let mut list = Seldom::<Vec<u64>>::default();
        list.push(7);
        list.clear();
        assert_eq!(list, Seldom::default());
        let blank = Node::List(Vec::new());
        assert!(Seldom::<Vec<u64>>::from_node(&blank).unwrap().0.is_none());
    }
}
