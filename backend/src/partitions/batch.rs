//! Record batches of magic 2 (KIP-98): what stands in a header, and whether a producer's batch may be kept.

use shared::error_code as code;
pub(super) use shared::protocol::batches::layout::RECORDS;
use shared::protocol::batches::layout::{
    APPEND_TIME, ATTRIBUTES, BASE_OFFSET, BASE_SEQUENCE, BASE_TIMESTAMP, BEFORE_LENGTH, COMPRESSION, CONTROL,
    COUNT, CRC, CURRENT_MAGIC, LAST_OFFSET_DELTA, LEADER_EPOCH, LENGTH, MAGIC, MAX_TIMESTAMP, PRODUCER_EPOCH,
    PRODUCER_ID, TRANSACTIONAL, ZSTD, at,
};
use shared::time::UnixMs;

use super::records;
use crate::limits;

/// From this version on Produce may carry Zstandard (KIP-110).
const PRODUCE_ZSTD: i16 = 7;

/// How far a record's time may lie ahead: Kafka's default of `message.timestamp.after.max.ms`, an hour (KIP-937).
pub const TIMESTAMP_AFTER_MAX_MS: u64 = 3_600_000;

/// What the header of a valid batch says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Records in it; at least one.
    pub(super) count: i32,
    /// Unix milliseconds of the first record.
    pub(super) base_timestamp: i64,
    /// The latest of its records, Unix milliseconds.
    pub(super) max_timestamp: i64,
    /// The idempotent producer it is of, -1 none.
    pub(super) producer_id: i64,
    pub(super) producer_epoch: i16,
    /// The first record's number in the order of its producer.
    pub(super) base_sequence: i32,
    pub(super) compressed: bool,
}

impl Header {
    /// The number of the last record in the order of its producer; numbers begin again at 0 after the highest.
    pub(super) const fn last_sequence(&self) -> i32 {
        // The lowest 31 bits: Kafka's `incrementSequence`.
        self.base_sequence.wrapping_add(self.count - 1) & i32::MAX
    }
}

/// Why a batch is not kept: Kafka's code and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) code: i16,
    pub(super) why: String,
}

fn refused<T>(code: i16, why: impl Into<String>) -> Result<T, Refused> {
    Err(Refused {
        code,
        why: why.into(),
    })
}

/// Checks what a producer sent for one partition, in the order of Kafka's `ProduceRequest.validateRecords`,
/// `UnifiedLog.analyzeAndValidateRecords` and `LogValidator`. A compressed batch is not opened.
pub(super) fn check(bytes: &[u8], version: i16, now: UnixMs) -> Result<Header, Refused> {
    whole(bytes)?;
    let attributes = i16::from_be_bytes(at(bytes, ATTRIBUTES));
    if attributes & COMPRESSION == ZSTD && version < PRODUCE_ZSTD {
        return refused(
            code::UNSUPPORTED_COMPRESSION_TYPE,
            format!("Produce version {version} does not allow Zstandard (allowed: {PRODUCE_ZSTD} and above)"),
        );
    }
    let base_offset = i64::from_be_bytes(at(bytes, BASE_OFFSET));
    if base_offset != 0 {
        return refused(
            code::INVALID_RECORD,
            format!("the base offset of a producer's batch is {base_offset} (allowed: 0)"),
        );
    }
    if bytes.len() > limits::LOG_BATCH_BYTES {
        return refused(
            code::MESSAGE_TOO_LARGE,
            format!(
                "a batch of {} bytes (message.max.bytes is {})",
                bytes.len(),
                limits::LOG_BATCH_BYTES
            ),
        );
    }
    let (told, is) = (
        u32::from_be_bytes(at(bytes, CRC)),
        crc32c::crc32c(bytes.get(ATTRIBUTES..).unwrap_or_default()),
    );
    if told != is {
        return refused(
            code::CORRUPT_MESSAGE,
            format!("the batch's checksum is {is:#010x} and not {told:#010x}"),
        );
    }
    let header = header(bytes, attributes);
    sound(bytes, attributes, &header)?;
    timely(attributes, &header, now)?;
    Ok(header)
}

/// Exactly one batch of the current format.
fn whole(bytes: &[u8]) -> Result<(), Refused> {
    if bytes.len() <= MAGIC {
        return refused(code::INVALID_RECORD, "there is no record batch");
    }
    let magic = bytes.get(MAGIC).copied().unwrap_or_default();
    if magic < CURRENT_MAGIC {
        return refused(
            code::INVALID_RECORD,
            format!("records of magic {magic} (allowed: {CURRENT_MAGIC})"),
        );
    }
    if magic > CURRENT_MAGIC {
        return refused(
            code::CORRUPT_MESSAGE,
            format!("records of magic {magic} (allowed: {CURRENT_MAGIC})"),
        );
    }
    let length = i32::from_be_bytes(at(bytes, LENGTH));
    let size = usize::try_from(length).map_or(0, |length| length.saturating_add(BEFORE_LENGTH));
    if size < RECORDS {
        return refused(
            code::CORRUPT_MESSAGE,
            format!("a batch that says it is {size} bytes long (allowed: {RECORDS} and above)"),
        );
    }
    if size != bytes.len() {
        return refused(
            code::INVALID_RECORD,
            format!("{} bytes where one batch of {size} is announced", bytes.len()),
        );
    }
    Ok(())
}

fn header(bytes: &[u8], attributes: i16) -> Header {
    Header {
        count: i32::from_be_bytes(at(bytes, COUNT)),
        base_timestamp: i64::from_be_bytes(at(bytes, BASE_TIMESTAMP)),
        max_timestamp: i64::from_be_bytes(at(bytes, MAX_TIMESTAMP)),
        producer_id: i64::from_be_bytes(at(bytes, PRODUCER_ID)),
        producer_epoch: i16::from_be_bytes(at(bytes, PRODUCER_EPOCH)),
        base_sequence: i32::from_be_bytes(at(bytes, BASE_SEQUENCE)),
        compressed: attributes & COMPRESSION != 0,
    }
}

/// What the header says fits together, and the records to it.
fn sound(bytes: &[u8], attributes: i16, header: &Header) -> Result<(), Refused> {
    let last = i32::from_be_bytes(at(bytes, LAST_OFFSET_DELTA));
    let count = header.count;
    if count <= 0 || last != count - 1 {
        return refused(
            code::INVALID_RECORD,
            format!("a batch of {count} records whose last has the offset {last}"),
        );
    }
    if attributes & TRANSACTIONAL != 0 {
        return refused(
            code::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            "there are no transactions here",
        );
    }
    if attributes & CONTROL != 0 {
        return refused(
            code::INVALID_RECORD,
            "only a broker writes control batches, which end transactions",
        );
    }
    if attributes & COMPRESSION > ZSTD {
        return refused(
            code::INVALID_RECORD,
            format!(
                "compression {} is not known (known: 0 to {ZSTD})",
                attributes & COMPRESSION
            ),
        );
    }
    if header.producer_id >= 0 && (header.base_sequence < 0 || header.producer_epoch < 0) {
        return refused(
            code::INVALID_RECORD,
            format!(
                "producer {} with epoch {} and sequence number {} (allowed: 0 and above)",
                header.producer_id, header.producer_epoch, header.base_sequence
            ),
        );
    }
    if !header.compressed {
        return records::check(bytes.get(RECORDS..).unwrap_or_default(), count)
            .or_else(|why| refused(code::INVALID_RECORD, why));
    }
    Ok(())
}

/// The records' times are the producer's, and not of a time to come.
fn timely(attributes: i16, header: &Header, now: UnixMs) -> Result<(), Refused> {
    if attributes & APPEND_TIME != 0 {
        return refused(
            code::INVALID_TIMESTAMP,
            "only a broker says that a batch has the time of its append",
        );
    }
    let latest = now.0.saturating_add(TIMESTAMP_AFTER_MAX_MS);
    if u64::try_from(header.max_timestamp).is_ok_and(|time| time > latest) {
        return refused(
            code::INVALID_TIMESTAMP,
            format!(
                "a record of the time {} (message.timestamp.after.max.ms allows {latest})",
                header.max_timestamp
            ),
        );
    }
    Ok(())
}

/// Writes into a checked batch where in the log it stands.
pub(super) fn place(bytes: &mut [u8], base_offset: i64, leader_epoch: i32) {
    let mut put = |from: usize, value: &[u8]| {
        if let Some(field) = bytes.get_mut(from..from + value.len()) {
            field.copy_from_slice(value);
        }
    };
    put(BASE_OFFSET, &base_offset.to_be_bytes());
    put(LEADER_EPOCH, &leader_epoch.to_be_bytes());
}
