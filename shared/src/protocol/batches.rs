//! Record batches of magic 2 (KIP-98) as Fetch brings them: one behind the other, the last one often cut off.
//!
//! Whether a checksum is right and what a compressed payload says is the reader's to find out: [`Batch::checked`],
//! [`Batch::payload`]. Nothing here copies, and no length is believed beyond the bytes at hand.

mod records;

pub mod layout;

use thiserror::Error;

pub use records::{BatchRecord, BatchRecords, MalformedRecord, RawRecord, raw_record};

/// A batch: its header, and its records, which may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch<'a> {
    /// The offset of its first record, which a compacted log may have lost since.
    pub base_offset: i64,
    /// The epoch of the leader that took it.
    pub leader_epoch: i32,
    /// The CRC-32C of [`Self::checked`], as it was written.
    pub crc: u32,
    /// Compression, kind of timestamp, transactional, control: see the methods.
    pub attributes: i16,
    /// The offset of its last record, from the base offset on; of a compacted batch too.
    pub last_offset_delta: i32,
    /// Unix milliseconds from which its records' times are counted.
    pub base_timestamp: i64,
    /// The latest of its records, Unix milliseconds.
    pub max_timestamp: i64,
    /// The idempotent producer it is of, -1 none.
    pub producer_id: i64,
    /// The producer's epoch, -1 none.
    pub producer_epoch: i16,
    /// The first record's number in the order of its producer, -1 none.
    pub base_sequence: i32,
    /// How many records it says it has.
    pub count: i32,
    /// What the checksum covers.
    pub checked: &'a [u8],
    /// Its records, compressed as [`Self::compression`] says.
    pub payload: &'a [u8],
}

/// How a batch's records are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As a gzip stream.
    Gzip,
    /// As Snappy blocks in the frame of xerial's library, or as one bare block.
    Snappy,
    /// As an LZ4 frame.
    Lz4,
    /// As Zstandard frames (KIP-110).
    Zstd,
}

/// Bytes that are no batch of magic 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BatchFault {
    /// Of a format before KIP-98. The batches behind it can be read.
    #[error(
        "records of magic {magic} at offset {base_offset} (readable: {})",
        layout::CURRENT_MAGIC
    )]
    OldMagic {
        /// Its format.
        magic: u8,
        /// Where it stands.
        base_offset: i64,
    },
    /// Of a format after it. The batches behind it can be read.
    #[error(
        "records of magic {magic} at offset {base_offset} (readable: {})",
        layout::CURRENT_MAGIC
    )]
    NewMagic {
        /// Its format.
        magic: u8,
        /// Where it stands.
        base_offset: i64,
    },
    /// A length that no batch has. Where the next one begins is not known.
    #[error(
        "a batch at offset {base_offset} that says it is {length} bytes long (allowed: {least} and above)"
    )]
    Length {
        /// Where it stands.
        base_offset: i64,
        /// What it says, which does not count what stands before it.
        length: i32,
        /// The least for its format.
        least: usize,
    },
}

impl<'a> Batch<'a> {
    /// How its records are compressed; the number in its attributes where that is none of those that Kafka knows.
    ///
    /// # Errors
    ///
    /// It is 5, 6 or 7.
    pub const fn compression(&self) -> Result<Compression, i16> {
        match self.attributes & layout::COMPRESSION {
            0 => Ok(Compression::None),
            1 => Ok(Compression::Gzip),
            2 => Ok(Compression::Snappy),
            3 => Ok(Compression::Lz4),
            4 => Ok(Compression::Zstd),
            unknown => Err(unknown),
        }
    }

    /// Whether its records are marks of transactions and no one's data.
    #[must_use]
    pub const fn is_control(&self) -> bool {
        self.attributes & layout::CONTROL != 0
    }

    /// Whether its records count only once their transaction is committed.
    #[must_use]
    pub const fn is_transactional(&self) -> bool {
        self.attributes & layout::TRANSACTIONAL != 0
    }

    /// Whether all its records have the time of their append, which is [`Self::max_timestamp`].
    #[must_use]
    pub const fn has_append_time(&self) -> bool {
        self.attributes & layout::APPEND_TIME != 0
    }

    /// The offset of its last record.
    #[must_use]
    pub const fn last_offset(&self) -> i64 {
        self.base_offset.saturating_add(self.last_offset_delta as i64)
    }

    /// Its records, from its payload as it is after decompression.
    #[must_use]
    pub const fn records<'p>(&self, payload: &'p [u8]) -> BatchRecords<'p> {
        BatchRecords::new(self, payload)
    }
}

/// The batches in `bytes`, one by one. A last one that is cut off ends them: Fetch cuts where its limit is, and the
/// reader asks again from there.
pub fn batches(bytes: &[u8]) -> impl Iterator<Item = Result<Batch<'_>, BatchFault>> {
    let mut left = bytes;
    std::iter::from_fn(move || {
        let (length, size) = match size(left)? {
            Ok(size) => size,
            Err(fault) => {
                left = &[];
                return Some(Err(fault));
            }
        };
        let whole = left.get(..size)?;
        left = left.get(size..)?;
        Some(batch(whole, length))
    })
}

/// What the first batch says its length is, and its size; none where too little of it is there to say.
fn size(bytes: &[u8]) -> Option<Result<(i32, usize), BatchFault>> {
    let magic = *bytes.get(layout::MAGIC)?;
    let length = i32::from_be_bytes(layout::at(bytes, layout::LENGTH));
    let least = if magic == layout::CURRENT_MAGIC {
        layout::RECORDS
    } else {
        layout::MAGIC + 1
    };
    let size = usize::try_from(length)
        .ok()
        .and_then(|length| length.checked_add(layout::BEFORE_LENGTH))
        .filter(|size| *size >= least);
    Some(size.map(|size| (length, size)).ok_or_else(|| BatchFault::Length {
        base_offset: i64::from_be_bytes(layout::at(bytes, layout::BASE_OFFSET)),
        length,
        least: least - layout::BEFORE_LENGTH,
    }))
}

/// A batch that is whole.
fn batch(bytes: &[u8], length: i32) -> Result<Batch<'_>, BatchFault> {
    let base_offset = i64::from_be_bytes(layout::at(bytes, layout::BASE_OFFSET));
    let [magic] = layout::at(bytes, layout::MAGIC);
    if magic < layout::CURRENT_MAGIC {
        return Err(BatchFault::OldMagic { magic, base_offset });
    }
    if magic > layout::CURRENT_MAGIC {
        return Err(BatchFault::NewMagic { magic, base_offset });
    }
    let (Some(checked), Some(payload)) = (bytes.get(layout::ATTRIBUTES..), bytes.get(layout::RECORDS..))
    else {
        return Err(BatchFault::Length {
            base_offset,
            length,
            least: layout::RECORDS - layout::BEFORE_LENGTH,
        });
    };
    Ok(Batch {
        base_offset,
        leader_epoch: i32::from_be_bytes(layout::at(bytes, layout::LEADER_EPOCH)),
        crc: u32::from_be_bytes(layout::at(bytes, layout::CRC)),
        attributes: i16::from_be_bytes(layout::at(bytes, layout::ATTRIBUTES)),
        last_offset_delta: i32::from_be_bytes(layout::at(bytes, layout::LAST_OFFSET_DELTA)),
        base_timestamp: i64::from_be_bytes(layout::at(bytes, layout::BASE_TIMESTAMP)),
        max_timestamp: i64::from_be_bytes(layout::at(bytes, layout::MAX_TIMESTAMP)),
        producer_id: i64::from_be_bytes(layout::at(bytes, layout::PRODUCER_ID)),
        producer_epoch: i16::from_be_bytes(layout::at(bytes, layout::PRODUCER_EPOCH)),
        base_sequence: i32::from_be_bytes(layout::at(bytes, layout::BASE_SEQUENCE)),
        count: i32::from_be_bytes(layout::at(bytes, layout::COUNT)),
        checked,
        payload,
    })
}
