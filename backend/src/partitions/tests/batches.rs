//! Which batches are taken (Kafka's `ProduceRequest.validateRecords`, `UnifiedLog`, `LogValidator`).

use super::{Bench, Made, UNIX};

/// The code that a batch is answered with.
fn code(version: i16, bytes: Vec<u8>) -> i16 {
    let answer = Bench::new().produce_to(version, 0, bytes);
    assert_eq!(answer.error_code == 0, answer.base_offset == 0, "{answer:?}");
    assert_eq!(
        answer.error_code == 0,
        answer.error_message.is_none(),
        "{answer:?}"
    );
    answer.error_code
}

/// `bytes` with another checksum, so that only what was changed is wrong.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crc32c::crc32c(&bytes[21..]);
    bytes[17..21].copy_from_slice(&sum.to_be_bytes());
    bytes
}

fn changed(at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = Made::of(&["a", "b", "c"]).bytes();
    bytes[at..at + with.len()].copy_from_slice(with);
    summed(bytes)
}

#[test]
fn a_sound_batch_is_taken_in_every_version_that_is_served() {
    for version in 3..=12 {
        assert_eq!(
            code(version, Made::of(&["a", "", "c"]).bytes()),
            0,
            "version {version}"
        );
    }
}

#[test]
fn no_batch_two_batches_and_half_a_batch_are_no_valid_records() {
    let one = Made::of(&["a"]).bytes();
    let two = [one.clone(), one.clone()].concat();
    for bytes in [Vec::new(), two, one[..one.len() - 1].to_vec(), one[..20].to_vec()] {
        assert_eq!(code(12, bytes), 87);
    }
}

#[test]
fn old_formats_are_no_valid_records_and_unknown_ones_are_corrupt() {
    for (magic, expected) in [(0, 87), (1, 87), (3, 2)] {
        assert_eq!(code(12, changed(16, &[magic])), expected, "magic {magic}");
    }
}

#[test]
fn a_checksum_that_does_not_match_is_a_corrupt_message() {
    let mut bytes = Made::of(&["a"]).bytes();
    *bytes.last_mut().unwrap() ^= 1;
    assert_eq!(code(12, bytes), 2);
}

#[test]
fn a_producer_counts_from_0() {
    assert_eq!(code(12, changed(0, &5_i64.to_be_bytes())), 87);
}

#[test]
fn counts_and_offsets_that_do_not_fit_the_records_are_refused() {
    for (what, bytes) in [
        ("no record", changed(57, &0_i32.to_be_bytes())),
        ("a record more", changed(57, &4_i32.to_be_bytes())),
        ("a last offset too high", changed(23, &3_i32.to_be_bytes())),
        ("a negative count", changed(57, &(-3_i32).to_be_bytes())),
        (
            "fewer records than announced",
            summed(
                [
                    &changed(57, &4_i32.to_be_bytes())[..23],
                    &3_i32.to_be_bytes(),
                    &changed(57, &4_i32.to_be_bytes())[27..],
                ]
                .concat(),
            ),
        ),
        ("a record that is cut off", changed(61, &[0x7e])),
    ] {
        assert_eq!(code(12, bytes), 87, "{what}");
    }
}

#[test]
fn control_batches_and_transactions_are_refused() {
    assert_eq!(code(12, changed(21, &0x20_i16.to_be_bytes())), 87);
    assert_eq!(code(12, changed(21, &0x10_i16.to_be_bytes())), 53);
}

#[test]
fn a_compressed_batch_is_taken_unopened() {
    for codec in 1..=4 {
        let made = Made {
            attributes: codec,
            compressed: Some(vec![0xaa; 40]),
            ..Made::of(&["a", "b"])
        };
        assert_eq!(code(12, made.bytes()), 0, "codec {codec}");
        let old = if codec == 4 { 76 } else { 0 };
        assert_eq!(code(6, made.bytes()), old, "codec {codec} in version 6");
    }
    assert_eq!(code(12, changed(21, &5_i16.to_be_bytes())), 87);
}

#[test]
fn a_batch_above_message_max_bytes_is_too_large() {
    let long = "x".repeat(1_048_588 - 61 - 20);
    let bytes = Made::of(&[&long]).bytes();
    assert!(bytes.len() <= 1_048_588);
    assert_eq!(code(12, bytes), 0);
    let longer = "x".repeat(1_048_588);
    assert_eq!(code(12, Made::of(&[&longer]).bytes()), 10);
}

#[test]
fn times_more_than_an_hour_ahead_are_refused_and_those_long_ago_are_not() {
    let now = UNIX.0 as i64;
    for (time, expected) in [
        (0, 0),
        (now, 0),
        (now + 3_600_000, 0),
        (now + 3_600_001, 32),
        (i64::MAX, 32),
    ] {
        assert_eq!(code(12, Made::of(&["a"]).at(&[time]).bytes()), expected, "{time}");
    }
    assert_eq!(code(12, changed(21, &0x08_i16.to_be_bytes())), 32);
}
