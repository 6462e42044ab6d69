//! Maps with integer keys, as JSON has them: `{"25": 3}`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::sorted::SortedMap;
use crate::tree::{self, FromNode, Misread, Node};

/// Writes the keys as text.
pub(crate) fn serialize<K, V, S>(map: &SortedMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: fmt::Display,
    V: Serialize,
    S: Serializer,
{
    serializer.collect_map(map.iter().map(|(key, value)| (key.to_string(), value)))
}

/// Reads the keys from text.
pub(crate) fn from_node<K, V>(node: &Node<'_>) -> Result<SortedMap<K, V>, Misread>
where
    K: FromStr + Ord,
    V: FromNode,
{
    tree::map(node, |name| {
        let key = name.parse();
        key.map_err(|_no_integer| Node::Text(name.into()).is_no("an integer"))
    })
}
