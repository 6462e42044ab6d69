//! What is written is read, and what is read is written, at every version.

use shared::protocol::{DecodeFault, Message, VersionRange};

use crate::messages::{Kind, all};
use crate::sample::{sample, sample_of_the_future};

/// Bodies of each message and version.
const SEEDS: u64 = 60;

#[test]
fn every_message_at_every_version_is_written_as_it_was_read() {
    for (kind, version) in all() {
        for seed in 0..SEEDS {
            let body = sample(kind.schema(), version, seed).bytes;
            let value = kind
                .decode(version, &body)
                .unwrap_or_else(|error| panic!("{error} in {body:02x?}"));
            assert_eq!(
                value.encode(version).as_ref(),
                Ok(&body),
                "{kind:?} {version} {seed}"
            );
            let again = kind.decode(version, &value.encode(version).unwrap());
            assert_eq!(again.as_ref(), Ok(&value), "{kind:?} {version} {seed}");
        }
    }
}

#[test]
fn tagged_fields_of_later_versions_are_skipped() {
    for (kind, version) in all().filter(|(kind, version)| kind.schema().flexible.contains(*version)) {
        for seed in 0..SEEDS {
            let body = sample_of_the_future(kind.schema(), version, seed).bytes;
            let value = kind
                .decode(version, &body)
                .unwrap_or_else(|error| panic!("{error} in {body:02x?}"));
            let known = value.encode(version).unwrap();
            assert!(known.len() < body.len(), "{kind:?} {version} {seed}");
            assert_eq!(
                kind.decode(version, &known),
                Ok(value),
                "{kind:?} {version} {seed}"
            );
        }
    }
}

#[test]
fn bytes_left_over_are_refused_but_by_a_coordinator() {
    for (kind, version) in all() {
        let mut body = sample(kind.schema(), version, 1).bytes;
        let whole = kind.decode(version, &body);
        body.push(0);
        if matches!(kind, Kind::Request(_)) {
            // Clients leave some, and brokers do not look behind a request.
            assert_eq!(kind.decode(version, &body), whole, "{kind:?} {version}");
            continue;
        }
        let error = kind.decode(version, &body).unwrap_err();
        assert_eq!(
            error.fault,
            DecodeFault::LeftOver { left: 1 },
            "{kind:?} {version}"
        );
    }
}

#[test]
fn every_truncation_is_refused() {
    for (kind, version) in all() {
        let bodies = (0..40).map(|seed| sample(kind.schema(), version, seed).bytes);
        // A message may end before these: one vendor's brokers leave them out, and Connect's older workers.
        let omissible = kind.schema().fields.iter();
        let omissible = omissible
            .filter(|field| field.omissible.contains(version))
            .count();
        for body in bodies.filter(|body| body.len() < 400).take(6) {
            let readable = (0..body.len()).filter(|length| kind.decode(version, &body[..*length]).is_ok());
            let readable: Vec<usize> = readable.collect();
            assert_eq!(
                readable.len(),
                omissible,
                "{kind:?} {version}: {readable:?} of {} bytes",
                body.len()
            );
        }
    }
}

#[test]
fn versions_that_are_not_known_are_refused_both_ways() {
    for (kind, version) in all() {
        let VersionRange { min, max } = kind.schema().versions;
        let body = sample(kind.schema(), version, 2).bytes;
        let value = kind.decode(version, &body).unwrap();
        for unknown in [min - 1, max + 1, i16::MIN, i16::MAX] {
            let error = kind.decode(unknown, &body).unwrap_err();
            assert_eq!(
                error.fault,
                DecodeFault::UnknownVersion {
                    known: kind.schema().versions
                }
            );
            assert!(value.encode(unknown).is_err());
        }
    }
}

#[test]
fn a_version_that_cannot_be_written_leaves_the_buffer_as_it_was() {
    let request = shared::protocol::HeartbeatRequest {
        group_id: "g".to_owned(),
        group_instance_id: Some("i".to_owned()),
        ..Default::default()
    };
    let mut out = vec![1, 2, 3];
    assert!(request.encode(2, &mut out).is_err());
    assert_eq!(out, [1, 2, 3]);
}
