//! Batches that no honest broker sends: their checksums are right, and what is inside is not.

use super::super::UnreadableBatch;
use super::super::compression::DecompressError;
use super::{hex, read, vectors};
use crate::limits;

/// `batch` with another payload, compressed by the method of this number.
pub(super) fn with_payload(batch: &[u8], method: u8, payload: &[u8]) -> Vec<u8> {
    let mut made = [&batch[..61], payload].concat();
    let length = i32::try_from(made.len() - 12).unwrap();
    made[8..12].copy_from_slice(&length.to_be_bytes());
    made[22] = made[22] & !7 | method;
    with_checksum(made)
}

/// `batch` with the checksum it has.
pub(super) fn with_checksum(mut batch: Vec<u8>) -> Vec<u8> {
    let checksum = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&checksum.to_be_bytes());
    batch
}

/// `batch` somewhere else. The checksum does not cover that.
pub(super) fn at_offset(batch: &[u8], offset: i64) -> Vec<u8> {
    let mut moved = batch.to_vec();
    moved[..8].copy_from_slice(&offset.to_be_bytes());
    moved
}

fn first(batch: &[u8]) -> UnreadableBatch {
    let (records, tally) = read(batch, 0);
    assert_eq!((records.len(), tally.unreadable, tally.next_offset), (0, 1, 103));
    tally.first.unwrap()
}

#[test]
fn a_payload_that_would_not_end_is_given_up() {
    let whole = hex(vectors::NONE);
    let zeros = vec![0; limits::DECOMPRESSED_BATCH + 1];
    let too_long = UnreadableBatch::Decompress {
        base_offset: 100,
        error: DecompressError::TooLong,
    };

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &zeros).unwrap();
    assert_eq!(first(&with_payload(&whole, 1, &gzip.finish().unwrap())), too_long);

    let snappy = snap::raw::Encoder::new().compress_vec(&zeros).unwrap();
    assert_eq!(first(&with_payload(&whole, 2, &snappy)), too_long);

    let mut lz4 = lz4_flex::frame::FrameEncoder::new(Vec::new());
    std::io::Write::write_all(&mut lz4, &zeros).unwrap();
    assert_eq!(first(&with_payload(&whole, 3, &lz4.finish().unwrap())), too_long);

    let zstd = ruzstd::encoding::compress_to_vec(&zeros[..], ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!(first(&with_payload(&whole, 4, &zstd)), too_long);
}

#[test]
fn a_payload_that_is_not_what_its_batch_says_is_named() {
    let whole = hex(vectors::NONE);
    for (method, name) in [(1, "gzip"), (2, "Snappy"), (3, "LZ4"), (4, "Zstandard")] {
        for payload in [&b"neither of these"[..], &[0xff; 40]] {
            let told = first(&with_payload(&whole, method, payload)).to_string();
            let beginning = format!("the batch at offset 100: is not {name}: ");
            assert!(told.starts_with(&beginning), "{told}");
        }
    }
    let unknown = first(&with_payload(&whole, 7, b"any"));
    assert_eq!(
        unknown.to_string(),
        "the batch at offset 100: compression 7 is not known (known: 0 to 4)"
    );
}

#[test]
fn every_truncation_of_a_compressed_payload_is_refused() {
    for vector in [vectors::GZIP, vectors::SNAPPY, vectors::LZ4, vectors::ZSTD] {
        let whole = hex(vector);
        for end in 61..whole.len() {
            let cut = with_payload(&whole, whole[22] & 7, &whole[61..end]);
            let (_, tally) = read(&cut, 0);
            // Where only the end of the frame is missing all records are there.
            assert!(tally.unreadable == 1 || tally.records == 3, "{end}: {tally:?}");
        }
    }
}

#[test]
fn records_before_a_malformed_one_are_read_and_it_is_told() {
    let whole = hex(vectors::NONE);
    let cut = with_payload(&whole, 0, &whole[61..whole.len() - 1]);
    let (records, tally) = read(&cut, 0);
    assert_eq!((records.len(), tally.unreadable, tally.next_offset), (2, 1, 103));
    assert_eq!(
        tally.first.unwrap().to_string(),
        "record 2 of 3 of the batch at offset 100 is cut off or malformed"
    );
}

#[test]
fn a_batch_at_the_end_of_all_offsets_does_not_overflow() {
    let (records, tally) = read(&at_offset(&hex(vectors::NONE), i64::MAX - 1), 0);
    assert_eq!(
        (records.len(), tally.unreadable, tally.next_offset),
        (2, 1, i64::MAX)
    );
}
