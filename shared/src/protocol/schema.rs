//! What a schema table says, as values: the same facts as Kafka's own `common/message/*.json`.
//!
//! The tables themselves stand in one file per API, written with the macros of [`super::table`]. A test
//! compares these values with the schema files in Kafka's jars, field by field.

use std::fmt;

/// Versions from `min` to `max`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// The lowest version.
    pub min: i16,
    /// The highest version; [`i16::MAX`] where the range is open, Kafka's `3+`.
    pub max: i16,
}

impl VersionRange {
    /// No version at all, Kafka's `none`.
    pub const NONE: Self = Self { min: 0, max: -1 };

    /// Versions from `min` to `max`, both inclusive.
    #[must_use]
    pub const fn new(min: i16, max: i16) -> Self {
        Self { min, max }
    }

    /// Version `min` and all after it, Kafka's `3+`.
    #[must_use]
    pub const fn from(min: i16) -> Self {
        Self { min, max: i16::MAX }
    }

    /// Whether it holds no version.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.max < self.min
    }

    /// Whether `version` lies in it.
    #[must_use]
    pub const fn contains(self, version: i16) -> bool {
        self.min <= version && version <= self.max
    }

    /// The versions in both, `None` where there is none.
    #[must_use]
    pub fn intersect(self, other: Self) -> Option<Self> {
        let both = Self::new(self.min.max(other.min), self.max.min(other.max));
        (!both.is_empty()).then_some(both)
    }

    /// Each version, rising.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = i16> + use<> {
        self.min..=self.max
    }
}

/// Kafka's notation: `none`, `3+`, `2-4`, `1`.
impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            _ if self.is_empty() => f.write_str("none"),
            (min, i16::MAX) => write!(f, "{min}+"),
            (min, max) if min == max => write!(f, "{min}"),
            (min, max) => write!(f, "{min}-{max}"),
        }
    }
}

/// A whole message: the body of a request or an answer, or the bytes a consumer puts into a JoinGroup.
#[derive(Debug)]
pub struct Schema {
    /// Kafka's name, `JoinGroupRequest`.
    pub name: &'static str,
    /// The versions that Kafka 3.9 and 4.x accept.
    pub versions: VersionRange,
    /// The versions with compact lengths and tagged fields (KIP-482).
    pub flexible: VersionRange,
    /// In wire order.
    pub fields: &'static [Field],
}

/// A structure inside a message.
#[derive(Debug)]
pub struct Structure {
    /// Kafka's name, `JoinGroupRequestProtocol`.
    pub name: &'static str,
    /// In wire order.
    pub fields: &'static [Field],
}

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Kafka's name in snake case, `group_instance_id`.
    pub name: &'static str,
    /// What is written.
    pub kind: Kind,
    /// The versions that carry it.
    pub versions: VersionRange,
    /// The versions in which it may be null.
    pub nullable: VersionRange,
    /// The versions in which it is a tagged field, with its tag.
    pub tag: Option<(u32, VersionRange)>,
    /// Its default in Kafka's spelling (`null`, `-1`, `true`) where that is not the zero of its type.
    pub default: Option<&'static str>,
    /// Whether a value may be dropped silently when a version does not carry the field.
    pub ignorable: bool,
    /// The versions in which the message may end before it, because a vendor leaves it out; its default then
    /// stands.
    pub omissible: VersionRange,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One byte; anything but 0 is true.
    Bool,
    /// One byte, signed.
    Int8,
    /// Two bytes, signed, big endian.
    Int16,
    /// Two bytes, unsigned, big endian.
    Uint16,
    /// Four bytes, signed, big endian.
    Int32,
    /// Eight bytes, signed, big endian.
    Int64,
    /// Sixteen bytes.
    Uuid,
    /// UTF-8 after its length in bytes: INT16, or UVARINT of length + 1 where flexible.
    String,
    /// Bytes after their length: INT32, or UVARINT of length + 1 where flexible.
    Bytes,
    /// Record batches, as [`Self::Bytes`].
    Records,
    /// Items after their count: INT32, or UVARINT of count + 1 where flexible.
    Array(&'static Self),
    /// A structure; where it may be null, after an INT8 that says so (-1 null, 1 present).
    Structure(&'static Structure),
}

impl Field {
    /// A field that no version carries yet: the macros add the rest.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            versions: VersionRange::NONE,
            nullable: VersionRange::NONE,
            tag: None,
            default: None,
            ignorable: false,
            omissible: VersionRange::NONE,
        }
    }

    pub(crate) const fn versions(self, versions: VersionRange) -> Self {
        Self { versions, ..self }
    }

    pub(crate) const fn nullable(self, nullable: VersionRange) -> Self {
        Self { nullable, ..self }
    }

    pub(crate) const fn tag(self, tag: u32, versions: VersionRange) -> Self {
        Self {
            tag: Some((tag, versions)),
            ..self
        }
    }

    pub(crate) const fn default_value(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    pub(crate) const fn ignorable(self) -> Self {
        Self {
            ignorable: true,
            ..self
        }
    }

    pub(crate) const fn omissible(self, omissible: VersionRange) -> Self {
        Self { omissible, ..self }
    }

    /// The tag it has in `version`, where it is a tagged field there.
    #[must_use]
    pub const fn tag_in(&self, version: i16) -> Option<u32> {
        match self.tag {
            Some((tag, versions)) if versions.contains(version) && self.versions.contains(version) => {
                Some(tag)
            }
            _ => None,
        }
    }

    /// Whether `version` carries it at its place among the others.
    #[must_use]
    pub const fn in_place(&self, version: i16) -> bool {
        self.versions.contains(version) && self.tag_in(version).is_none()
    }
}
