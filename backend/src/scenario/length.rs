//! Times in a scenario file: milliseconds, or several that are summed up.

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use shared::time::Millis;

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length(pub(super) Millis);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LengthVisitor)
    }
}

struct LengthVisitor;

impl<'de> Visitor<'de> for LengthVisitor {
    type Value = Length;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("milliseconds from 0 on, or a list whose sum is")
    }

    fn visit_i64<E: Error>(self, ms: i64) -> Result<Length, E> {
        let ms = u64::try_from(ms).map_err(|_| E::invalid_value(Unexpected::Signed(ms), &self))?;
        Ok(Length(Millis(ms)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Length, A::Error> {
        let mut sum = 0_i64;
        while let Some(part) = parts.next_element::<i64>()? {
            sum = sum.saturating_add(part);
        }
        self.visit_i64(sum)
    }
}
