//! A batch of records as a scenario's clients produce it: magic 2, uncompressed, without a producer id. What is in the
//! records is nobody's business, so they are empty.

/// Offset, length and leader epoch stand before what the length counts; magic and checksum follow.
const MAGIC: i8 = 2;
/// Bytes that the length counts before the attributes: leader epoch, magic and checksum.
const COUNTED_BEFORE: usize = 9;

/// A batch of this many records, at least one.
pub(super) fn batch(records: u16) -> Vec<u8> {
    let count = i32::from(records.max(1));
    let mut covered = 0_i16.to_be_bytes().to_vec();
    covered.extend((count - 1).to_be_bytes());
    // Both timestamps: the log's own time counts.
    covered.extend([0; 16]);
    covered.extend((-1_i64).to_be_bytes());
    covered.extend((-1_i16).to_be_bytes());
    covered.extend((-1_i32).to_be_bytes());
    covered.extend(count.to_be_bytes());
    for delta in 0..count {
        // Attributes, timestamp delta, offset delta, no key, no value, no headers.
        let mut record = vec![0, 0];
        varint(&mut record, delta);
        for nothing in [-1, -1, 0] {
            varint(&mut record, nothing);
        }
        // A record is never longer than 15 bytes.
        varint(&mut covered, i32::try_from(record.len()).unwrap_or(i32::MAX));
        covered.extend(record);
    }
    let length = i32::try_from(covered.len() + COUNTED_BEFORE).unwrap_or(i32::MAX);
    let mut batch = 0_i64.to_be_bytes().to_vec();
    batch.extend(length.to_be_bytes());
    batch.extend((-1_i32).to_be_bytes());
    batch.extend(MAGIC.to_be_bytes());
    batch.extend(crc32c::crc32c(&covered).to_be_bytes());
    batch.extend(covered);
    batch
}

/// Zigzag, then seven bits a byte, the lowest first.
fn varint(out: &mut Vec<u8>, value: i32) {
    let mut rest = ((value << 1) ^ (value >> 31)).cast_unsigned();
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
