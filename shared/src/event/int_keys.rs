//! Maps with integer keys that survive every serde representation.
//!
//! JSON has only text keys. serde_json turns them back into integers where it reads them itself, but a value inside a
//! tagged or flattened enum is buffered first, and from the buffer a key comes as text. So they are read from either,
//! and written as text: `{"25": 3}`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

/// An integer key, read from text or from a number.
struct Key<K>(K);

impl<'de, K: FromStr + TryFrom<i64>> Deserialize<'de> for Key<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeyVisitor(PhantomData))
    }
}

struct KeyVisitor<K>(PhantomData<K>);

impl<K: FromStr + TryFrom<i64>> Visitor<'_> for KeyVisitor<K> {
    type Value = Key<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Key<K>, E> {
        text.parse()
            .map(Key)
            .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Key<K>, E> {
        K::try_from(number)
            .map(Key)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Key<K>, E> {
        i64::try_from(number)
            .ok()
            .and_then(|number| K::try_from(number).ok())
            .map(Key)
            .ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }
}

struct MapVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K, V> Visitor<'de> for MapVisitor<K, V>
where
    K: FromStr + TryFrom<i64> + Ord,
    V: Deserialize<'de>,
{
    type Value = BTreeMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map with integer keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((Key(key), value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// Writes the keys as text.
pub(crate) fn serialize<K, V, S>(map: &BTreeMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: fmt::Display,
    V: serde::Serialize,
    S: Serializer,
{
    serializer.collect_map(map.iter().map(|(key, value)| (key.to_string(), value)))
}

/// Reads the keys from text or from numbers.
pub(crate) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: FromStr + TryFrom<i64> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(MapVisitor(PhantomData))
}
