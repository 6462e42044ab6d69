//! What several sources say about one field, and which of them a row keeps.

use serde::{Serialize, Serializer};

use crate::event::Source;
use crate::time::UnixMs;
use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// A field that takes its best source: embedded before probe before survey; of a group as such, its state and its generation,
/// embedded before survey before probe ([`Told::tell_of_group`]).
///
/// JSON: null, or `[value, source]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(transparent)]
pub struct Told<T>(Option<(T, Source)>);

impl<T> Default for Told<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Told<T> {
    /// What is known; `None` is "not visible".
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(value, _)| value)
    }

    /// Who told it.
    pub fn source(&self) -> Option<Source> {
        self.0.as_ref().map(|(_, source)| *source)
    }

    /// Takes a newer value from a source as good as the one that told the last, or better.
    pub(super) fn tell(&mut self, value: Option<T>, source: Source) {
        if let Some(value) = value
            && self.source().is_none_or(|told| source <= told)
        {
            self.0 = Some((value, source));
        }
    }

    /// The same of a group as such. A member of ours knows what was told to its seat, and nothing of what becomes of the group
    /// without it: what the cluster tells whoever asks stands against that.
    pub(super) fn tell_of_group(&mut self, value: Option<T>, source: Source) {
        let rank = |source| match source {
            Source::Embedded => 0,
            Source::Survey => 1,
            Source::Probe => 2,
        };
        if let Some(value) = value
            && self.source().is_none_or(|told| rank(source) <= rank(told))
        {
            self.0 = Some((value, source));
        }
    }

    /// Takes a value from a better source, or where there is none yet.
    pub(super) fn fill(&mut self, value: Option<T>, source: Source) {
        if let Some(value) = value
            && self.source().is_none_or(|told| source < told)
        {
            self.0 = Some((value, source));
        }
    }

    /// Fills from another row about the same thing.
    pub(super) fn absorb(&mut self, other: Self) {
        if let Some((value, source)) = other.0 {
            self.fill(Some(value), source);
        }
    }

    /// Forgets what `source` told: it no longer sees.
    pub(super) fn forget(&mut self, source: Source) {
        if self.source() == Some(source) {
            self.0 = None;
        }
    }
}

impl Told<UnixMs> {
    /// The same, of something that only moves forward: what is told late does not turn time back.
    pub(super) fn tell_latest(&mut self, at: UnixMs, source: Source) {
        let newer = self.source() != Some(source) || self.get().is_none_or(|last| at > *last);
        self.tell(newer.then_some(at), source);
    }
}

/// The sources that saw a row. JSON: a list, the best one first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sources(u8);

impl Sources {
    const ORDER: [Source; 3] = [Source::Embedded, Source::Probe, Source::Survey];

    const fn bit(source: Source) -> u8 {
        match source {
            Source::Embedded => 1,
            Source::Probe => 2,
            Source::Survey => 4,
        }
    }

    pub(super) const fn insert(&mut self, source: Source) {
        self.0 |= Self::bit(source);
    }

    pub(super) const fn absorb(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// `source` does not see it any more.
    pub(super) const fn remove(&mut self, source: Source) {
        self.0 &= !Self::bit(source);
    }

    /// Whether `source` saw it.
    #[must_use]
    pub const fn contains(self, source: Source) -> bool {
        self.0 & Self::bit(source) != 0
    }

    /// Those that saw it, the best one first.
    pub fn iter(self) -> impl Iterator<Item = Source> {
        Self::ORDER
            .into_iter()
            .filter(move |source| self.contains(*source))
    }
}

impl From<Source> for Sources {
    fn from(source: Source) -> Self {
        Self(Self::bit(source))
    }
}

impl Serialize for Sources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl FromNode for Sources {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        let mut sources = Self::default();
        for source in node.list()? {
            sources.insert(Source::from_node(source)?);
        }
        Ok(sources)
    }
}

deserialize_from_node!(Sources);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worse_source_never_overwrites() {
        let mut told = Told::default();
        told.tell(Some(1), Source::Probe);
        told.tell(Some(2), Source::Survey);
        assert_eq!(told.get(), Some(&1));
        told.tell(Some(3), Source::Probe);
        assert_eq!(told.get(), Some(&3));
        told.tell(Some(4), Source::Embedded);
        assert_eq!(told.get(), Some(&4));
    }

    #[test]
    fn null_from_the_best_source_is_filled_by_the_next() {
        let mut told = Told::default();
        told.tell(None, Source::Embedded);
        told.tell(Some(9), Source::Survey);
        assert_eq!((told.get(), told.source()), (Some(&9), Some(Source::Survey)));
    }

    #[test]
    fn of_a_group_as_such_the_cluster_s_word_stands_against_that_of_a_seat_in_it() {
        let mut told = Told::default();
        told.tell_of_group(Some(1), Source::Probe);
        told.tell_of_group(Some(2), Source::Survey);
        told.tell_of_group(Some(3), Source::Probe);
        assert_eq!((told.get(), told.source()), (Some(&2), Some(Source::Survey)));
        told.tell_of_group(Some(4), Source::Embedded);
        told.tell_of_group(Some(5), Source::Survey);
        assert_eq!((told.get(), told.source()), (Some(&4), Some(Source::Embedded)));
    }

    #[test]
    fn filling_keeps_the_first_of_equals() {
        let mut told = Told::default();
        told.fill(Some(1), Source::Probe);
        told.fill(Some(2), Source::Probe);
        assert_eq!(told.get(), Some(&1));
        told.fill(Some(3), Source::Embedded);
        assert_eq!(told.get(), Some(&3));
    }

    #[test]
    fn sources_are_listed_best_first() {
        let mut sources = Sources::from(Source::Survey);
        sources.insert(Source::Embedded);
        assert_eq!(
            serde_json::to_string(&sources).unwrap(),
            r#"["embedded","survey"]"#
        );
        assert_eq!(
            serde_json::from_str::<Sources>(r#"["survey","embedded"]"#).unwrap(),
            sources
        );
    }
}
