//! Record batches and the records of the offsets log, from any bytes.

use backend::kafka::batches::{Entry, Reader, Tally, aborted::Aborted};
use shared::protocol::assignment::{MemberAssignment, MemberMetadata};
use shared::protocol::offsets_log::LogRecord;
use shared::protocol::{AbortedTransaction, batches::batches};

/// The header of a batch before its records; the checksum covers all from `ATTRIBUTES` on.
const HEADER: usize = 61;

/// The first byte says as what the rest is read: as it came, as batches; as the payload of one batch, whose header is made
/// to fit so that a fuzzer need not find checksums; or as key and value of a record of the offsets log.
pub fn records(data: &[u8]) {
    let Some((how, bytes)) = data.split_first() else {
        return;
    };
    match how % 4 {
        0 => batches_hold(bytes),
        1 => batches_hold(&one_batch(how / 4, bytes)),
        2 => log_record_holds(bytes),
        _ => assignment_holds(bytes),
    }
}

/// A whole batch with this payload.
fn one_batch(attributes: u8, payload: &[u8]) -> Vec<u8> {
    let mut batch = vec![0; HEADER];
    batch[7] = 100;
    batch[8..12].copy_from_slice(&u32::try_from(HEADER - 12 + payload.len()).unwrap().to_be_bytes());
    batch[16] = 2;
    batch[22] = attributes;
    batch[26] = 4;
    batch[57..61].copy_from_slice(&5_u32.to_be_bytes());
    batch.extend_from_slice(payload);
    let checksum = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&checksum.to_be_bytes());
    batch
}

/// Offsets handed over lie from the one asked for on, and reading on from where it ended gives nothing twice.
fn batches_hold(bytes: &[u8]) {
    let found = batches(bytes).count();
    assert!(found <= bytes.len() / 17, "a batch has 17 bytes at least");
    for from in [0, 101, i64::MAX] {
        let mut aborted = Aborted::new(Some(&[AbortedTransaction {
            producer_id: 0,
            first_offset: 0,
        }]));
        let (mut handed, mut counted) = (0, 0);
        let tally: Tally = Reader::default().read(bytes, from, |batch, entry| {
            if let Entry::Data(record) = entry {
                assert!(record.offset >= from);
                handed += 1;
            }
            counted += u64::from(aborted.counts(batch, &entry));
        });
        assert_eq!(tally.records, handed);
        assert!(counted <= handed && tally.next_offset >= from);
        assert!(tally.unreadable <= found as u64);
        assert_eq!(tally.first.is_some(), tally.unreadable > 0);
        drop(tally.first.map(|fault| fault.to_string()));
    }
}

/// The key's length, the key, the value. What is read names the group that an error names.
fn log_record_holds(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else {
        return;
    };
    let (key, value) = rest.split_at(usize::from(*length).min(rest.len()));
    let tombstone = LogRecord::read(key, None);
    match (LogRecord::read(key, Some(value)), tombstone) {
        (Ok(record), Ok(tombstone)) => assert_eq!(record.group(), tombstone.group()),
        (Err(error), Ok(tombstone)) => assert_eq!(error.group.as_deref(), tombstone.group()),
        (read, Err(error)) => assert_eq!(read.expect_err("the key is none"), error),
    }
}

fn assignment_holds(bytes: &[u8]) {
    for protocol_type in ["consumer", "connect", "another"] {
        let assignment = MemberAssignment::read(protocol_type, bytes);
        let metadata = MemberMetadata::read(protocol_type, bytes);
        assert_eq!(assignment.is_none(), bytes.is_empty());
        assert_eq!(metadata.is_none(), bytes.is_empty());
    }
}
