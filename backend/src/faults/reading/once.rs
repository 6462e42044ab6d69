//! Fields that an object holds more than once: JSON allows them, and what they mean is anybody's guess (RFC 8259, 4).

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// The first name that a JSON object holds again; none where each is there once, and where it is no object.
pub(super) fn said_twice(body: &[u8]) -> Option<String> {
    let Names(again) = serde_json::from_slice(body).ok()?;
    again
}

/// The names of an object, of which only the first that comes again is kept.
struct Names(Option<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
        let mut seen = BTreeSet::new();
        let mut again = None;
        while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            if again.is_none() && seen.contains(&name) {
                again = Some(name);
            } else {
                seen.insert(name);
            }
        }
        Ok(Names(again))
    }
}
