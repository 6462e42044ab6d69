//! Batches that the Java client wrote, whole and spoilt; what was aborted.

mod hostile;
mod vectors;

use shared::protocol::AbortedTransaction;
use shared::protocol::batches::{BatchFault, BatchRecord};

use super::aborted::Aborted;
use super::{Entry, Mark, Reader, Tally, UnreadableBatch};

/// The bytes that these digits say.
fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// A record, owned: offset, time, key, value.
type Kept = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>);

fn kept(record: &BatchRecord<'_>) -> Kept {
    let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
    (
        record.offset,
        record.timestamp,
        owned(record.key),
        owned(record.value),
    )
}

/// All records from an offset on, and the tally.
fn read(bytes: &[u8], from: i64) -> (Vec<Kept>, Tally) {
    let mut records = Vec::new();
    let tally = Reader::default().read(bytes, from, |_, entry| match entry {
        Entry::Data(record) => records.push(kept(&record)),
        Entry::Mark(_) => {}
    });
    (records, tally)
}

/// What stands in each of the five batches that differ only in their compression.
fn three() -> Vec<Kept> {
    let long = b"a value that repeats, a value that repeats, a value that repeats";
    vec![
        (100, 1000, Some(b"k".to_vec()), Some(long.to_vec())),
        (101, 1010, Some(b"k2".to_vec()), None),
        (102, 990, None, Some(b"v".to_vec())),
    ]
}

#[test]
fn every_compression_of_the_java_client_is_read() {
    for batch in [
        vectors::NONE,
        vectors::GZIP,
        vectors::SNAPPY,
        vectors::LZ4,
        vectors::ZSTD,
    ] {
        let (records, tally) = read(&hex(batch), 0);
        assert_eq!(records, three(), "{batch}");
        let expected = Tally {
            next_offset: 103,
            records: 3,
            ..Tally::default()
        };
        assert_eq!(tally, expected, "{batch}");
    }
}

#[test]
fn one_bare_snappy_block_is_read() {
    // What librdkafka writes: the same batch, its payload compressed without xerial's frame.
    let whole = hex(vectors::NONE);
    let payload = snap::raw::Encoder::new().compress_vec(&whole[61..]).unwrap();
    let batch = hostile::with_payload(&whole, 2, &payload);
    assert_eq!(read(&batch, 0).0, three());
}

#[test]
fn records_before_the_offset_asked_for_are_left_out() {
    let bytes = [hex(vectors::ZSTD), hex(vectors::APPEND_TIME)].concat();
    for (from, offsets) in [
        (0, vec![100, 101, 102, 300]),
        (101, vec![101, 102, 300]),
        (102, vec![102, 300]),
        (103, vec![300]),
        (300, vec![300]),
    ] {
        let (records, tally) = read(&bytes, from);
        let found: Vec<i64> = records.iter().map(|record| record.0).collect();
        assert_eq!((found, tally.next_offset), (offsets, 301), "from {from}");
    }
    let (records, tally) = read(&bytes, 301);
    assert_eq!((records, tally.next_offset), (Vec::new(), 301));
}

#[test]
fn a_batch_that_is_cut_off_is_left_for_the_next_fetch() {
    let (first, second) = (hex(vectors::GZIP), hex(vectors::APPEND_TIME));
    for length in 0..second.len() {
        let bytes = [&first[..], &second[..length]].concat();
        let (records, tally) = read(&bytes, 0);
        assert_eq!(
            (records.len(), tally.next_offset, tally.unreadable),
            (3, 103, 0),
            "{length}"
        );
    }
    for length in 0..first.len() {
        let (records, tally) = read(&first[..length], 7);
        assert_eq!(
            (records.len(), tally.next_offset, tally.unreadable),
            (0, 7, 0),
            "{length}"
        );
    }
}

#[test]
fn a_record_has_the_time_of_its_append_where_the_topic_says_so() {
    let (records, _) = read(&hex(vectors::APPEND_TIME), 0);
    assert_eq!(records, [(300, 5000, Some(b"k".to_vec()), Some(b"v".to_vec()))]);
}

#[test]
fn the_end_of_a_transaction_is_no_record() {
    let mut marks = Vec::new();
    let tally = Reader::default().read(&hex(vectors::COMMIT_MARK), 0, |batch, entry| {
        marks.push((batch.producer_id, entry == Entry::Mark(Mark::Commit)));
    });
    assert_eq!(marks, [(5, true)]);
    assert_eq!((tally.records, tally.next_offset, tally.unreadable), (0, 201, 0));
}

#[test]
fn batches_of_older_formats_are_counted_and_passed() {
    for (old, magic) in [(vectors::MAGIC_0, 0), (vectors::MAGIC_1, 1)] {
        let (records, tally) = read(&[hex(old), hex(vectors::NONE)].concat(), 0);
        assert_eq!(records, three());
        let fault = BatchFault::OldMagic {
            magic,
            base_offset: 400,
        };
        assert_eq!(
            (tally.unreadable, tally.first),
            (1, Some(UnreadableBatch::Fault(fault)))
        );
        assert_eq!(tally.next_offset, 401);
    }
}

#[test]
fn a_batch_that_is_not_as_it_was_written_is_counted_and_passed() {
    let (whole, next) = (hex(vectors::NONE), hex(vectors::APPEND_TIME));
    for at in 17..whole.len() {
        let mut spoilt = whole.clone();
        spoilt[at] ^= 1;
        let (records, tally) = read(&[&spoilt[..], &next[..]].concat(), 0);
        assert_eq!(
            (records.len(), tally.unreadable, tally.next_offset),
            (1, 1, 301),
            "{at}"
        );
        assert!(
            matches!(
                tally.first,
                Some(UnreadableBatch::Checksum { base_offset: 100, .. })
            ),
            "{at}: {tally:?}"
        );
        let (records, tally) = read(&spoilt, 50);
        assert_eq!(
            (records.len(), tally.next_offset),
            (0, 50),
            "it is asked for again"
        );
    }
}

#[test]
fn data_of_an_aborted_transaction_does_not_count_and_that_of_the_next_one_does() {
    let data = |first: i64| hostile::at_offset(&hex(vectors::APPEND_TIME), first);
    let mark = |offset: i64, kind: u8| {
        let mut mark = hostile::at_offset(&hex(vectors::COMMIT_MARK), offset);
        // The kind is the last byte of the key: length, attributes, time, offset, length of the key, version, kind.
        mark[61 + 8] = kind;
        hostile::with_checksum(mark)
    };
    let bytes = [
        data(10),
        mark(11, 0),
        data(12),
        mark(13, 1),
        data(14),
        mark(15, 0),
    ]
    .concat();
    let list = [10, 14].map(|first_offset| AbortedTransaction {
        producer_id: 5,
        first_offset,
    });
    for (list, expected) in [(Some(&list[..]), vec![12]), (None, vec![10, 12, 14])] {
        let mut aborted = Aborted::new(list);
        let mut counted = Vec::new();
        let tally = Reader::default().read(&bytes, 0, |batch, entry| {
            if aborted.counts(batch, &entry)
                && let Entry::Data(record) = entry
            {
                counted.push(record.offset);
            }
        });
        assert_eq!((counted, tally.unreadable), (expected, 0), "{tally:?}");
    }
}
