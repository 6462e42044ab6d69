//! Maps as JSON lists: each row holds its own key.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::sorted::SortedMap;
use crate::tree::{FromNode, Misread, Node};

/// A row that knows the key it stands under.
trait Keyed {
    type Key: Ord;

    fn key(&self) -> Self::Key;
}

fn write<K, V: Serialize, S: Serializer>(rows: &SortedMap<K, V>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.values())
}

fn read<V: Keyed + FromNode>(node: &Node<'_>) -> Result<SortedMap<V::Key, V>, Misread> {
    // One by one: collecting compiles a sort for each type of map.
    let mut rows = SortedMap::new();
    for row in Vec::<V>::from_node(node)? {
        rows.insert(row.key(), row);
    }
    Ok(rows)
}

/// Declares a serde `with` module for a map of these rows.
macro_rules! as_list {
    ($module:ident: $row:ty, $key:ty, $key_of:expr) => {
        impl Keyed for $row {
            type Key = $key;

            fn key(&self) -> $key {
                let key_of: fn(&Self) -> $key = $key_of;
                key_of(self)
            }
        }

        pub(super) mod $module {
            use super::*;

            pub(in crate::board) fn serialize<S: Serializer>(
                rows: &SortedMap<$key, $row>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                write(rows, serializer)
            }

            pub(in crate::board) fn from_node(node: &Node<'_>) -> Result<SortedMap<$key, $row>, Misread> {
                read(node)
            }
        }
    };
}

as_list!(members: Arc<crate::board::Member>, crate::ids::MemberId, |row| row.id.clone());
as_list!(coordinators: crate::board::Coordinator, (crate::ids::ClusterId, crate::ids::NodeId), |row| {
    (row.cluster.clone(), row.node)
});
