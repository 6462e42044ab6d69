//! Latencies in fixed logarithmic buckets: the same on the server, on the page and in /metrics; mergeable.
//!
//! Values are microseconds. Below 32 each value has a bucket of its own; above, each power of two is cut into 32
//! equal ones, so that a bucket is 1.6 to 3.2 % of its value wide (2 us at 100 us). The last bucket takes everything
//! from 71 minutes on.

use serde::{Serialize, Serializer};

use crate::seldom::Blank;
use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// Buckets per power of two.
const PER_OCTAVE: u64 = 32;
/// log2 of [`PER_OCTAVE`].
const OCTAVE_BITS: u32 = 5;
/// Values of this many bits and more share the last bucket.
const VALUE_BITS: u32 = 32;

/// How many buckets there are; a bucket's number is below it.
pub const BUCKETS: u16 = ((VALUE_BITS - OCTAVE_BITS + 1) * PER_OCTAVE as u32) as u16;

/// Upper bounds for /metrics, in microseconds, inclusive: from 100 us to one minute.
///
/// Each is answered by [`Histogram::count_to`], whose buckets are finer, within 3.2 %.
pub const EXPORTED_BOUNDS_US: [u64; 18] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000,
];

/// The bucket a value falls into.
#[must_use]
pub const fn bucket_of(us: u64) -> u16 {
    if us < PER_OCTAVE {
        return us as u16;
    }
    let bits = u64::BITS - us.leading_zeros();
    if bits > VALUE_BITS {
        return BUCKETS - 1;
    }
    let shift = bits - OCTAVE_BITS - 1;
    // The leading bit of `us >> shift` is always set: 32 to 63.
    (shift as u64 * PER_OCTAVE + (us >> shift)) as u16
}

/// The smallest and the largest value of a bucket, in microseconds; a number out of range is the last bucket.
#[must_use]
pub const fn bucket_bounds(bucket: u16) -> (u64, u64) {
    let bucket = if bucket < BUCKETS { bucket } else { BUCKETS - 1 } as u64;
    if bucket < 2 * PER_OCTAVE {
        return (bucket, bucket);
    }
    let shift = bucket / PER_OCTAVE - 1;
    let low = (bucket % PER_OCTAVE + PER_OCTAVE) << shift;
    (low, low + (1 << shift) - 1)
}

/// Counts by bucket. Sparse: an empty one is empty in memory and in JSON (`[[bucket, count], …]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// By rising bucket; no count is 0.
    counts: Vec<(u16, u64)>,
}

impl Blank for Histogram {
    const BLANK: &'static Self = &Self { counts: Vec::new() };
}

impl Histogram {
    /// Counts one value.
    pub fn record(&mut self, us: u64) {
        self.add(bucket_of(us), 1);
    }

    /// Adds to a bucket; a number out of range is the last bucket.
    pub fn add(&mut self, bucket: u16, count: u64) {
        if count == 0 {
            return;
        }
        let bucket = bucket.min(BUCKETS - 1);
        match self.counts.binary_search_by_key(&bucket, |entry| entry.0) {
            Ok(found) => {
                if let Some(entry) = self.counts.get_mut(found) {
                    entry.1 = entry.1.saturating_add(count);
                }
            }
            Err(place) => self.counts.insert(place, (bucket, count)),
        }
    }

    /// Takes back what [`add`](Self::add) gave; never below 0.
    pub fn subtract(&mut self, bucket: u16, count: u64) {
        let bucket = bucket.min(BUCKETS - 1);
        if let Ok(found) = self.counts.binary_search_by_key(&bucket, |entry| entry.0)
            && let Some(entry) = self.counts.get_mut(found)
        {
            entry.1 = entry.1.saturating_sub(count);
            if entry.1 == 0 {
                self.counts.remove(found);
            }
        }
    }

    /// Adds another one's counts.
    pub fn merge(&mut self, other: &Self) {
        for &(bucket, count) in &other.counts {
            self.add(bucket, count);
        }
    }

    /// How many values were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, entry| sum.saturating_add(entry.1))
    }

    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The value that `percent` of all values do not exceed, by nearest rank, as the upper bound of its bucket: it
    /// never flatters. `None` where nothing was counted or `percent` is not within 0 to 100.
    #[must_use]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        if self.counts.is_empty() || !(0.0..=100.0).contains(&percent) {
            return None;
        }
        let count = self.count();
        // Multiplied first: 55 / 100 * 100 is a little more than 55, and would be rounded up to the next rank.
        let rank = ((percent * count as f64 / 100.0).ceil() as u64).clamp(1, count);
        let mut below = 0_u64;
        self.counts
            .iter()
            .find(|entry| {
                below = below.saturating_add(entry.1);
                below >= rank
            })
            .map(|entry| bucket_bounds(entry.0).1)
    }

    /// The upper bound of the highest bucket in use.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        self.counts.last().map(|entry| bucket_bounds(entry.0).1)
    }

    /// How many values are in buckets that end at `us` or below: a Prometheus `le` bucket.
    #[must_use]
    pub fn count_to(&self, us: u64) -> u64 {
        self.counts
            .iter()
            .take_while(|entry| bucket_bounds(entry.0).1 <= us)
            .fold(0, |sum, entry| sum.saturating_add(entry.1))
    }

    /// The values' sum in microseconds, each taken as the middle of its bucket: within 1.6 %.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.counts.iter().fold(0_u64, |sum, &(bucket, count)| {
            let (low, high) = bucket_bounds(bucket);
            sum.saturating_add((low + (high - low) / 2).saturating_mul(count))
        })
    }

    /// Bucket and count, by rising bucket; no count is 0.
    pub fn buckets(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        self.counts.iter().copied()
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.counts.serialize(serializer)
    }
}

impl FromNode for Histogram {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        let mut histogram = Self::default();
        for entry in node.list()? {
            let (bucket, count) = FromNode::from_node(entry)?;
            histogram.add(bucket, count);
        }
        Ok(histogram)
    }
}

deserialize_from_node!(Histogram);

#[cfg(test)]
mod tests;
