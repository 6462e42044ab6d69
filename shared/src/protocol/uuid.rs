//! Kafka's UUIDs: topic ids.

use std::fmt;

/// Sixteen bytes that name a topic.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// "No id": what Kafka writes where a topic is named otherwise.
    pub const ZERO: Self = Self([0; 16]);
}

/// As Kafka's tools print it: base64 with the alphabet for URLs, 22 characters, no padding.
impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let number = u128::from_be_bytes(self.0);
        // 128 bits are 21 digits of six bits and one of two, which stand at its top.
        for digit in 0..22_u32 {
            let bits = if digit < 21 {
                number >> (122 - 6 * digit)
            } else {
                number << 4
            };
            let index = (bits & 0x3f) as usize;
            // Masked to six bits: always below 64.
            f.write_str(std::str::from_utf8(&ALPHABET[index..=index]).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
impl serde::Serialize for Uuid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
