//! JSON in two steps: text becomes a tree of [`Node`]s, and a value takes what it needs out of the tree.
//!
//! Serde compiles the reading of every type once for every format and buffer it can come from; the page carried all
//! of that code. Here only the tree is read by serde. `#[derive(FromNode)]` (crate `derive`) makes one plain function
//! a type from the `#[serde(...)]` notes that serde writes it by, and serde's `Deserialize` by way of the tree: whoever
//! reads JSON, TOML or anything else that describes itself reads these types as any other.
//!
//! Complaints have serde's words, and the place: `change.errors: invalid value: ...`.
//!
//! # Bounds
//!
//! A tree is as deep as serde_json lets text be (128) and takes memory in proportion to the text. No list is allocated
//! by an announced length. An unknown field is passed over unless the type forbids it; of a field that comes twice the
//! first counts, unless the type forbids unknown ones: then it is refused.
//!
//! # Layout
//!
//! - here: [`Node`], [`FromNode`], [`Fields`]
//! - `misread`: [`Misread`], what is wrong and where
//! - `parse`: how serde makes a tree
//! - `values`: numbers, texts, options, lists, maps

mod misread;
mod parse;
mod values;

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub use derive::FromNode;
pub use misread::Misread;
pub(crate) use values::map;

/// A JSON value; texts without escapes are those of the text it was read from.
#[derive(Clone, Debug, PartialEq)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number from 0.
    Unsigned(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number.
    Float(f64),
    /// `"..."`
    Text(Cow<'a, str>),
    /// `[...]`
    List(Vec<Self>),
    /// `{...}`, in the order of the text.
    Object(Vec<(Cow<'a, str>, Self)>),
}

/// What can be read from a [`Node`]; derived.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a tree",
    label = "derive `shared::tree::FromNode` in place of serde's `Deserialize`"
)]
pub trait FromNode: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// What is wrong, and where.
    fn from_node(node: &Node<'_>) -> Result<Self, Misread>;

    /// What stands for a field of this type that is not there; `None` where it must be.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// Reads a value by way of a tree: the body of `Deserialize` for every [`FromNode`].
///
/// # Errors
///
/// What is wrong, in the words of the format that is read.
pub fn deserialize<'de, T: FromNode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::from_node(&Node::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Gives a type whose [`FromNode`] is written by hand serde's `Deserialize`, as the derive does.
macro_rules! deserialize_from_node {
    ($($name:ty),+) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tree::deserialize(deserializer)
            }
        }
    )+};
}

pub(crate) use deserialize_from_node;

impl From<i64> for Node<'_> {
    fn from(number: i64) -> Self {
        u64::try_from(number).map_or(Self::Negative(number), Self::Unsigned)
    }
}

impl<'a> Node<'a> {
    /// The text.
    ///
    /// # Errors
    ///
    /// Where it is anything else.
    pub fn text(&self) -> Result<&str, Misread> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(other.is_not("a string")),
        }
    }

    /// The list.
    ///
    /// # Errors
    ///
    /// Where it is anything else.
    pub fn list(&self) -> Result<&[Self], Misread> {
        match self {
            Self::List(list) => Ok(list),
            other => Err(other.is_not("a sequence")),
        }
    }

    /// The entries of an object.
    ///
    /// # Errors
    ///
    /// Where it is anything else.
    pub fn object(&self) -> Result<&[(Cow<'a, str>, Self)], Misread> {
        match self {
            Self::Object(entries) => Ok(entries),
            other => Err(other.is_not("a map")),
        }
    }

    /// That another kind of value should stand here.
    #[must_use]
    pub fn is_not(&self, expected: &str) -> Misread {
        Misread::custom(format_args!("invalid type: {}, expected {expected}", self.told()))
    }

    /// That another value of this kind should stand here.
    #[must_use]
    pub fn is_no(&self, expected: &str) -> Misread {
        Misread::custom(format_args!(
            "invalid value: {}, expected {expected}",
            self.told()
        ))
    }

    /// In serde's words, but for a float's figures: how they are written in decimals would be a hundredth of the page.
    fn told(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(it) => format!("boolean `{it}`"),
            Self::Unsigned(number) => format!("integer `{number}`"),
            Self::Negative(number) => format!("integer `{number}`"),
            Self::Float(_) => "floating point".to_owned(),
            Self::Text(text) => format!("string \"{text}\""),
            Self::List(_) => "sequence".to_owned(),
            Self::Object(_) => "map".to_owned(),
        }
    }
}

/// The place of a word among those that are allowed: always below their number.
///
/// # Errors
///
/// Where it is none of them, or no word.
pub fn word(node: &Node<'_>, allowed: &'static [&'static str]) -> Result<usize, Misread> {
    let word = node.text()?;
    let place = allowed.iter().position(|known| *known == word);
    place.ok_or_else(|| Misread::unknown_variant(word, allowed))
}

/// The place of a variant's word among those that are allowed, and what the variant holds: null where only the word is
/// said, else the value under it.
///
/// # Errors
///
/// Where it is none of them, or neither a word nor an object of one field.
pub fn variant<'a>(
    node: &'a Node<'a>,
    allowed: &'static [&'static str],
) -> Result<(usize, &'a Node<'a>), Misread> {
    match node {
        Node::Object(entries) if let [(name, held)] = entries.as_slice() => {
            let place = allowed.iter().position(|known| known == name);
            let place = place.ok_or_else(|| Misread::unknown_variant(name, allowed))?;
            Ok((place, held))
        }
        node => Ok((word(node, allowed)?, &Node::Null)),
    }
}

/// The fields of an object, taken out by name. They are mostly asked for in the order in which they were written, so each
/// search begins where the last one ended.
#[derive(Debug)]
pub struct Fields<'a> {
    entries: &'a [(Cow<'a, str>, Node<'a>)],
    next: usize,
}

impl<'a> Fields<'a> {
    /// The fields of an object.
    ///
    /// # Errors
    ///
    /// Where the node is anything else.
    pub fn of(node: &'a Node<'_>) -> Result<Self, Misread> {
        let entries = node.object()?;
        Ok(Self { entries, next: 0 })
    }

    #[inline(never)]
    fn find(&mut self, name: &str) -> Option<&'a Node<'a>> {
        let (before, after) = self.entries.split_at_checked(self.next)?;
        let mut entries = after.iter().chain(before).enumerate();
        let (distance, (_, node)) = entries.find(|(_, (key, _))| key == name)?;
        self.next = (self.next + distance + 1) % self.entries.len();
        Some(node)
    }

    /// A field that must be there, unless its type knows what stands for it.
    ///
    /// # Errors
    ///
    /// Where it is missing or cannot be read.
    pub fn get<T: FromNode>(&mut self, name: &'static str) -> Result<T, Misread> {
        match self.find(name) {
            Some(node) => T::from_node(node).map_err(|wrong| wrong.within(name)),
            None => T::absent().ok_or_else(|| Misread::missing_field(name)),
        }
    }

    /// A field that has a default.
    ///
    /// # Errors
    ///
    /// Where it is there and cannot be read.
    pub fn get_or<T: FromNode>(&mut self, name: &'static str, default: fn() -> T) -> Result<T, Misread> {
        match self.find(name) {
            Some(node) => T::from_node(node).map_err(|wrong| wrong.within(name)),
            None => Ok(default()),
        }
    }

    /// A field that must be there and is read by a function of its own.
    ///
    /// # Errors
    ///
    /// Where it is missing or cannot be read.
    pub fn get_by<T>(
        &mut self,
        name: &'static str,
        read: fn(&Node<'_>) -> Result<T, Misread>,
    ) -> Result<T, Misread> {
        let node = self.find(name).ok_or_else(|| Misread::missing_field(name))?;
        read(node).map_err(|wrong| wrong.within(name))
    }

    /// The place of a field's word among those that are allowed; see [`word`].
    ///
    /// # Errors
    ///
    /// Where it is missing or none of them.
    pub fn word(&mut self, name: &'static str, allowed: &'static [&'static str]) -> Result<usize, Misread> {
        let node = self.find(name).ok_or_else(|| Misread::missing_field(name))?;
        word(node, allowed)
    }

    /// Checks that nothing is there but these and the tag, each at most once.
    ///
    /// # Errors
    ///
    /// The first field that is too many.
    pub fn are_only(&self, known: &'static [&'static str], tag: &[&'static str]) -> Result<(), Misread> {
        let mut seen = Vec::new();
        for (key, _) in self.entries {
            let Some(name) = known.iter().chain(tag).find(|name| *name == key) else {
                return Err(Misread::unknown_field(key, known));
            };
            if seen.contains(name) {
                return Err(Misread::duplicate_field(name));
            }
            seen.push(*name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
