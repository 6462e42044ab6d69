//! Values that hold no named fields: numbers, texts, options, lists, maps.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::de::Error;

use super::{FromNode, Misread, Node};
use crate::sorted::SortedMap;

macro_rules! whole_numbers {
    ($($name:ident),+) => {$(
        impl FromNode for $name {
            fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
                let number = match *node {
                    Node::Unsigned(number) => Self::try_from(number).ok(),
                    Node::Negative(number) => Self::try_from(number).ok(),
                    _ => return Err(node.is_not(stringify!($name))),
                };
                number.ok_or_else(|| node.is_no(stringify!($name)))
            }
        }
    )+};
}

whole_numbers!(u8, u16, u32, u64, usize, i16, i32, i64);

impl FromNode for NonZeroU32 {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        Self::new(u32::from_node(node)?).ok_or_else(|| node.is_no("a nonzero u32"))
    }
}

impl FromNode for bool {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        match *node {
            Node::Bool(it) => Ok(it),
            _ => Err(node.is_not("a boolean")),
        }
    }
}

impl FromNode for String {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        node.text().map(str::to_owned)
    }
}

impl FromNode for Cow<'static, str> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        String::from_node(node).map(Self::Owned)
    }
}

impl FromNode for Arc<str> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        node.text().map(Self::from)
    }
}

impl<T: FromNode> FromNode for Arc<T> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        T::from_node(node).map(Self::new)
    }
}

impl<T: FromNode> FromNode for Box<T> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        T::from_node(node).map(Self::new)
    }
}

impl<T: FromNode> FromNode for Option<T> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        match node {
            Node::Null => Ok(None),
            node => T::from_node(node).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        // Grows by what could be read: a short list of nothing much must not allocate for as many rows.
        let mut values = Self::new();
        for element in node.list()? {
            let place = |wrong: Misread| wrong.within(&values.len().to_string());
            let value = T::from_node(element).map_err(place)?;
            values.push(value);
        }
        Ok(values)
    }
}

impl<K: FromNode + Ord, V: FromNode> FromNode for SortedMap<K, V> {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        map(node, |name| K::from_node(&Node::Text(name.into())))
    }
}

/// A map whose keys are read from the names of an object.
pub(crate) fn map<K: Ord, V: FromNode>(
    node: &Node<'_>,
    key: fn(&str) -> Result<K, Misread>,
) -> Result<SortedMap<K, V>, Misread> {
    // One by one: collecting compiles a sort for each type of map.
    let mut map = SortedMap::new();
    for (name, value) in node.object()? {
        let value = V::from_node(value).map_err(|wrong| wrong.within(name))?;
        map.insert(key(name)?, value);
    }
    Ok(map)
}

impl<A: FromNode, B: FromNode> FromNode for (A, B) {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        match node.list()? {
            [a, b] => Ok((A::from_node(a)?, B::from_node(b)?)),
            other => Err(Misread::invalid_length(other.len(), &"two elements")),
        }
    }
}
