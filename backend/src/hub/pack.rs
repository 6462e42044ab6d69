//! Events that have grown old, packed: their texts, compressed together. A tenth of what they take as they are.

use std::sync::Arc;

use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};

use super::numbered::Numbered;

/// Events of one tier that followed each other.
#[derive(Debug)]
pub(crate) struct Pack {
    /// The number of the newest one.
    to: u64,
    count: usize,
    /// Their texts, a line each: JSON has no line breaks.
    bytes: Box<[u8]>,
}

impl Pack {
    /// Packs events, in their order.
    pub(crate) fn of(events: &[Arc<Numbered>]) -> Self {
        let lines: Vec<&str> = events.iter().map(|event| event.json()).collect();
        Self {
            to: events.last().map_or(0, |event| event.event.seq),
            count: events.len(),
            bytes: compress_prepend_size(lines.join("\n").as_bytes()).into_boxed_slice(),
        }
    }

    /// One that was kept elsewhere: `count` events up to number `to`, their texts packed.
    pub(crate) fn kept(to: u64, count: usize, bytes: &[u8]) -> Self {
        let bytes = bytes.into();
        Self { to, count, bytes }
    }

    pub(super) const fn to(&self) -> u64 {
        self.to
    }

    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// About how many bytes it holds in memory.
    pub(crate) const fn weight(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }

    /// Its texts, packed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it can be as large, unpacked, as it says: LZ4 makes at most 255 bytes of one.
    fn is_sound(&self) -> bool {
        let size = self.bytes.first_chunk().map(|size| u32::from_le_bytes(*size));
        let size = size.and_then(|size| usize::try_from(size).ok());
        size.is_some_and(|size| size <= self.bytes.len().saturating_mul(255))
    }

    /// The events, as they were. What cannot be read again, which nothing of ours is, is left out and said.
    pub(crate) fn events(&self) -> Vec<Arc<Numbered>> {
        let text = match self.is_sound() {
            true => decompress_size_prepended(&self.bytes).unwrap_or_default(),
            false => Vec::new(),
        };
        let text = String::from_utf8(text).unwrap_or_default();
        let events: Vec<Arc<Numbered>> = text
            .split('\n')
            .filter_map(Numbered::read)
            .map(Arc::new)
            .collect();
        if events.len() < self.count {
            tracing::error!(
                kept = self.count,
                read = events.len(),
                "events of the history cannot be read again"
            );
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::fixtures::{answered, left, numbered};

    #[test]
    fn what_was_packed_comes_back_word_for_word_and_takes_a_fifth_of_its_text() {
        let events: Vec<Arc<Numbered>> = (1..=256)
            .map(|seq| match seq % 3 {
                0 => numbered(seq, left("orders\n\"x\"", "a-1")),
                _ => numbered(seq, answered("orders", "b-2", 100 + seq, 27)),
            })
            .collect();
        let pack = Pack::of(&events);
        let again = pack.events();
        assert_eq!(again.len(), events.len());
        for (again, event) in again.iter().zip(&events) {
            assert_eq!(again.event, event.event);
            assert_eq!(again.json(), event.json());
        }
        let text: usize = events.iter().map(|event| event.json().len()).sum();
        assert!(pack.weight() * 5 < text, "{} of {text} bytes", pack.weight());
        assert_eq!((pack.to(), pack.count()), (256, 256));
    }

    #[test]
    fn a_pack_that_says_it_is_larger_than_it_can_be_is_not_believed() {
        let pack = Pack::of(&[numbered(1, left("orders", "a-1"))]);
        let mut bytes = pack.bytes().to_vec();
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Pack::kept(1, 1, &bytes).events().is_empty());
        assert!(Pack::kept(1, 1, &bytes[..3]).events().is_empty());
        assert_eq!(Pack::kept(1, 1, pack.bytes()).events().len(), 1);
    }
}
