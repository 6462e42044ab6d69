//! The records inside a batch of magic 2, uncompressed.

use thiserror::Error;

use super::Batch;

/// A record as it stands in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawRecord<'a> {
    /// From the batch's base offset.
    pub offset_delta: i64,
    /// From the batch's base timestamp, milliseconds.
    pub timestamp_delta: i64,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// What it says; null is a tombstone in a compacted topic.
    pub value: Option<&'a [u8]>,
}

/// A record with its place and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRecord<'a> {
    /// Its offset in the partition.
    pub offset: i64,
    /// Unix milliseconds, its producer's or of its append: [`Batch::has_append_time`].
    pub timestamp: i64,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// What it says; null is a tombstone in a compacted topic.
    pub value: Option<&'a [u8]>,
}

/// A record that is cut off or malformed: what is behind it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("record {read} of {count} of the batch at offset {base_offset} is cut off or malformed")]
pub struct MalformedRecord {
    /// The batch.
    pub base_offset: i64,
    /// How many records were read before it.
    pub read: i32,
    /// How many the batch says it has.
    pub count: i32,
}

/// The records of one batch: as many as it says, and no more than there are.
#[derive(Clone, Debug)]
pub struct BatchRecords<'a> {
    left: &'a [u8],
    read: i32,
    count: i32,
    base_offset: i64,
    base_timestamp: i64,
    append_time: Option<i64>,
}

impl<'a> BatchRecords<'a> {
    pub(super) const fn new(batch: &Batch<'_>, payload: &'a [u8]) -> Self {
        Self {
            left: payload,
            read: 0,
            count: batch.count,
            base_offset: batch.base_offset,
            base_timestamp: batch.base_timestamp,
            append_time: if batch.has_append_time() {
                Some(batch.max_timestamp)
            } else {
                None
            },
        }
    }

    fn place(&self, record: RawRecord<'a>) -> Option<BatchRecord<'a>> {
        let delta = u32::try_from(record.offset_delta).ok()?;
        Some(BatchRecord {
            offset: self.base_offset.checked_add(delta.into())?,
            timestamp: match self.append_time {
                Some(append) => append,
                None => self.base_timestamp.checked_add(record.timestamp_delta)?,
            },
            key: record.key,
            value: record.value,
        })
    }
}

impl<'a> Iterator for BatchRecords<'a> {
    type Item = Result<BatchRecord<'a>, MalformedRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.read >= self.count {
            return None;
        }
        let placed = raw_record(self.left).and_then(|(record, behind)| Some((self.place(record)?, behind)));
        let Some((record, behind)) = placed else {
            let malformed = MalformedRecord {
                base_offset: self.base_offset,
                read: self.read,
                count: self.count,
            };
            // And no more after it.
            self.read = self.count;
            return Some(Err(malformed));
        };
        self.left = behind;
        self.read += 1;
        Some(Ok(record))
    }
}

/// The first record and what is behind it; none where the bytes are no record.
#[must_use]
pub fn raw_record(bytes: &[u8]) -> Option<(RawRecord<'_>, &[u8])> {
    let (length, rest) = varint(bytes)?;
    let (body, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    // Attributes, which no version of Kafka uses.
    let (timestamp_delta, body) = varint(body.get(1..)?)?;
    let (offset_delta, body) = varint(body)?;
    let (key, body) = field(body)?;
    let (value, body) = field(body)?;
    let (headers, mut body) = varint(body)?;
    // Each takes two bytes at least, so a count that is too high ends with the bytes.
    for _ in 0..u64::try_from(headers).ok()? {
        let (name, rest) = field(body)?;
        name?;
        (_, body) = field(rest)?;
    }
    let record = RawRecord {
        offset_delta,
        timestamp_delta,
        key,
        value,
    };
    body.is_empty().then_some((record, behind))
}

/// Bytes behind their length, of which -1 is null, and what is behind them.
fn field(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (length, rest) = varint(bytes)?;
    if length == -1 {
        return Some((None, rest));
    }
    let (field, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    Some((Some(field), behind))
}

/// A signed number of variable length: seven bits a byte, the lowest first, the sign in the lowest bit of all.
fn varint(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    // Most are of one byte.
    if first & 0x80 == 0 {
        return Some((signed(first.into()), rest));
    }
    let mut value = u64::from(first & 0x7f);
    for (index, byte) in rest.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index + 7);
        if byte & 0x80 == 0 {
            return Some((signed(value), rest.get(index + 1..)?));
        }
    }
    None
}

/// The lowest bit is the sign.
const fn signed(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}
