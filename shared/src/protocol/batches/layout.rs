//! Where what stands in a batch of magic 2 (KIP-98; Kafka's `DefaultRecordBatch`), in bytes from its beginning.

/// INT64.
pub const BASE_OFFSET: usize = 0;
/// INT32: the bytes behind it.
pub const LENGTH: usize = 8;
/// INT32.
pub const LEADER_EPOCH: usize = 12;
/// INT8, at the same place in all formats.
pub const MAGIC: usize = 16;
/// UINT32, CRC-32C.
pub const CRC: usize = 17;
/// INT16. The checksum covers all from here on.
pub const ATTRIBUTES: usize = 21;
/// INT32.
pub const LAST_OFFSET_DELTA: usize = 23;
/// INT64.
pub const BASE_TIMESTAMP: usize = 27;
/// INT64.
pub const MAX_TIMESTAMP: usize = 35;
/// INT64.
pub const PRODUCER_ID: usize = 43;
/// INT16.
pub const PRODUCER_EPOCH: usize = 51;
/// INT32.
pub const BASE_SEQUENCE: usize = 53;
/// INT32.
pub const COUNT: usize = 57;
/// Where the header ends and the records begin.
pub const RECORDS: usize = 61;

/// Base offset and length: what the length does not count.
pub const BEFORE_LENGTH: usize = 12;

/// The format all this is about.
pub const CURRENT_MAGIC: u8 = 2;

/// The attributes' bits that say how the records are compressed.
pub const COMPRESSION: i16 = 0x07;
/// Zstandard among them.
pub const ZSTD: i16 = 4;
/// The bit that says that all records have the time of their append.
pub const APPEND_TIME: i16 = 0x08;
/// The bit that says that they are part of a transaction.
pub const TRANSACTIONAL: i16 = 0x10;
/// The bit that says that they are marks of transactions.
pub const CONTROL: i16 = 0x20;

/// The bytes of a field; zeros where the batch is too short, which its reader has ruled out.
#[must_use]
pub fn at<const N: usize>(bytes: &[u8], from: usize) -> [u8; N] {
    let field = bytes.get(from..).and_then(|rest| rest.first_chunk::<N>());
    field.copied().unwrap_or([0; N])
}
