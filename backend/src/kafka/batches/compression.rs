//! A batch's payload as it was before it was compressed: gzip, Snappy, LZ4 and Zstandard, by libraries; how Kafka's
//! clients wrap Snappy, by hand.

use std::io::{self, Read};

use ruzstd::decoding::StreamingDecoder;
use shared::protocol::batches::{Batch, Compression};
use thiserror::Error;

use crate::limits;

/// What the Java client writes before Snappy blocks: the frame of the library it uses, and two versions behind it.
const XERIAL: [u8; 8] = [0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0];
const XERIAL_HEADER: usize = 16;

/// How much larger than itself a Snappy block can become: its densest element makes 64 bytes of 3.
const SNAPPY_RATIO: usize = 22;

/// A payload that cannot be decompressed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecompressError {
    /// By a method that Kafka does not have.
    #[error("compression {0} is not known (known: 0 to 4)")]
    Unknown(i16),
    /// It would not end.
    #[error("decompresses to more than {} bytes", limits::DECOMPRESSED_BATCH)]
    TooLong,
    /// It is not what its batch says.
    #[error("is not {method}: {why}")]
    Malformed {
        /// The method.
        method: &'static str,
        /// What the library says of it.
        why: String,
    },
}

/// The records of `batch`; `buffer` holds them where they were compressed.
///
/// # Errors
///
/// The payload is not what the batch says, or becomes longer than is allowed.
pub fn payload<'a>(batch: &Batch<'a>, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], DecompressError> {
    let method = batch.compression().map_err(DecompressError::Unknown)?;
    buffer.clear();
    let (name, read) = match method {
        Compression::None => return Ok(batch.payload),
        Compression::Gzip => (
            "gzip",
            all(flate2::read::MultiGzDecoder::new(batch.payload), buffer),
        ),
        Compression::Snappy => return snappy(batch.payload, buffer).map(|()| buffer.as_slice()),
        Compression::Lz4 => (
            "LZ4",
            all(lz4_flex::frame::FrameDecoder::new(batch.payload), buffer),
        ),
        Compression::Zstd => ("Zstandard", zstd(batch.payload, buffer)),
    };
    match read {
        Ok(()) => within(buffer),
        Err(error) => Err(malformed(name, &error)),
    }
}

fn malformed(method: &'static str, why: &dyn std::error::Error) -> DecompressError {
    DecompressError::Malformed {
        method,
        why: why.to_string(),
    }
}

fn within(buffer: &[u8]) -> Result<&[u8], DecompressError> {
    if buffer.len() > limits::DECOMPRESSED_BATCH {
        return Err(DecompressError::TooLong);
    }
    Ok(buffer)
}

/// All that `from` gives, up to a byte more than is allowed.
fn all(from: impl Read, buffer: &mut Vec<u8>) -> io::Result<()> {
    let room = (limits::DECOMPRESSED_BATCH + 1).saturating_sub(buffer.len());
    from.take(room as u64).read_to_end(buffer).map(drop)
}

/// One frame behind the other.
fn zstd(mut payload: &[u8], buffer: &mut Vec<u8>) -> io::Result<()> {
    while !payload.is_empty() && buffer.len() <= limits::DECOMPRESSED_BATCH {
        // What a frame may refer back to is reserved before it is read.
        let window = limits::DECOMPRESSED_BATCH as u64;
        let frame =
            StreamingDecoder::new_with_max_window_size(&mut payload, window).map_err(io::Error::other)?;
        all(frame, buffer)?;
    }
    Ok(())
}

/// Blocks behind their lengths (INT32), or one bare block, which is what librdkafka writes.
fn snappy(payload: &[u8], buffer: &mut Vec<u8>) -> Result<(), DecompressError> {
    if !payload.starts_with(&XERIAL) {
        return block(payload, buffer);
    }
    let mut left = payload.get(XERIAL_HEADER..).unwrap_or_default();
    while let Some((length, rest)) = left.split_first_chunk() {
        let told = u32::from_be_bytes(*length);
        let split = usize::try_from(told)
            .ok()
            .and_then(|length| rest.split_at_checked(length));
        let Some((compressed, behind)) = split else {
            return Err(DecompressError::Malformed {
                method: "Snappy",
                why: format!("a block of {told} bytes where {} are left", rest.len()),
            });
        };
        block(compressed, buffer)?;
        left = behind;
    }
    if left.is_empty() {
        return Ok(());
    }
    Err(DecompressError::Malformed {
        method: "Snappy",
        why: format!("{} bytes where a block's length should stand", left.len()),
    })
}

/// Appends one block.
fn block(compressed: &[u8], buffer: &mut Vec<u8>) -> Result<(), DecompressError> {
    let length = snap::raw::decompress_len(compressed).map_err(|error| malformed("Snappy", &error))?;
    if length > compressed.len().saturating_mul(SNAPPY_RATIO) {
        return Err(DecompressError::Malformed {
            method: "Snappy",
            why: format!(
                "a block of {} bytes that says it becomes {length}",
                compressed.len()
            ),
        });
    }
    let start = buffer.len();
    if start.saturating_add(length) > limits::DECOMPRESSED_BATCH {
        return Err(DecompressError::TooLong);
    }
    buffer.resize(start + length, 0);
    let room = buffer.get_mut(start..).unwrap_or_default();
    let written = snap::raw::Decoder::new().decompress(compressed, room);
    written.map(drop).map_err(|error| malformed("Snappy", &error))
}
