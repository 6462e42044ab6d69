//! Records of the offsets log, borrowed: they say what the tables say, and believe no length.

use shared::protocol::offsets_log::{LogRecord, RecordTable};

use crate::hostile::{SLACK, asked_by, spoil, spoilt};
use crate::logged::Logged;
use crate::sample::{Sample, sample, sample_of_the_future};

/// Records of each type and version.
const SEEDS: u64 = 60;

/// Every type with every version of its value.
fn all() -> impl Iterator<Item = (&'static RecordTable, i16)> {
    let versions =
        |table: &'static RecordTable| table.value.versions.iter().map(move |version| (table, version));
    LogRecord::TABLES.iter().flat_map(versions)
}

/// A key with its number before it.
fn key(table: &RecordTable, seed: u64) -> Vec<u8> {
    [&table.kind.to_be_bytes()[..], &sample(table.key, 0, seed).bytes].concat()
}

/// A value with its version before it, and where its lengths stand.
fn value(table: &RecordTable, version: i16, seed: u64) -> Sample {
    let flexible = table.value.flexible.contains(version);
    let make = if flexible && seed % 2 == 1 {
        sample_of_the_future
    } else {
        sample
    };
    let mut sample = make(table.value, version, seed);
    sample.bytes.splice(0..0, version.to_be_bytes());
    for length in &mut sample.lengths {
        length.at += 2;
    }
    sample
}

/// What a key or a value says, without the names of the types that say it.
fn said(text: &str) -> String {
    text.replace("View {", " {")
}

#[test]
fn a_borrowed_record_says_what_the_tables_say() {
    for (table, version) in all() {
        for seed in 0..SEEDS {
            let (key, value) = (key(table, seed), value(table, version, seed).bytes);
            let read = LogRecord::read(&key, Some(&value));
            let read = read.unwrap_or_else(|error| panic!("{}: {error} in {value:02x?}", table.name));
            let inner = |logged: Logged| {
                let text = format!("{logged:?}");
                let (_variant, text) = text.split_once('(').unwrap();
                text.strip_suffix(')').unwrap().to_owned()
            };
            let whole_key = inner(Logged::decode(table.key, 0, &key[2..]).unwrap());
            let whole_value = inner(Logged::decode(table.value, version, &value[2..]).unwrap());
            let expected = format!("{}({whole_key}, Some({whole_value}))", table.name);
            assert_eq!(
                said(&format!("{read:?}")),
                said(&expected),
                "version {version}, seed {seed}"
            );

            let tombstone = LogRecord::read(&key, None).unwrap();
            let expected = format!("{}({whole_key}, None)", table.name);
            assert_eq!(said(&format!("{tombstone:?}")), said(&expected), "seed {seed}");
            assert_eq!(tombstone.group(), read.group());
        }
    }
}

#[test]
fn a_value_of_a_version_that_is_not_known_is_told_with_its_group() {
    for table in LogRecord::TABLES {
        let key = key(table, 3);
        let group = LogRecord::read(&key, None).unwrap().group().unwrap().to_owned();
        for version in [table.value.versions.max + 1, i16::MAX, -1] {
            let unknown = LogRecord::UnknownVersion {
                kind: table.kind,
                group: &group,
                version,
            };
            let value = [&version.to_be_bytes()[..], b"anything"].concat();
            assert_eq!(LogRecord::read(&key, Some(&value)), Ok(unknown));
        }
    }
}

#[test]
fn types_that_are_not_known_are_told() {
    let known = |kind: &i16| *kind == 0 || LogRecord::TABLES.iter().any(|table| table.kind == *kind);
    let kinds = (-3..100).chain([i16::MIN, i16::MAX]).filter(|kind| !known(kind));
    for kind in kinds {
        let key = [&kind.to_be_bytes()[..], b"anything"].concat();
        assert_eq!(LogRecord::read(&key, Some(b"")), Ok(LogRecord::UnknownType(kind)));
    }
}

#[test]
fn every_truncation_of_a_record_is_refused_and_names_its_group() {
    for (table, version) in all() {
        let (key, value) = (key(table, 7), value(table, version, 7).bytes);
        for end in 0..value.len().min(400) {
            let cut = LogRecord::read(&key, Some(&value[..end])).unwrap_err();
            assert!(cut.group.is_some(), "{}: {end} of {}", table.name, value.len());
        }
        for end in 0..key.len() {
            let cut = LogRecord::read(&key[..end], Some(&value)).unwrap_err();
            assert_eq!(cut.group, None);
        }
    }
}

#[test]
fn absurd_lengths_in_a_record_are_refused_without_allocating() {
    let mut spoilt_lengths = 0;
    for (table, version) in all() {
        for seed in 0..12 {
            let (key, honest) = (key(table, seed), value(table, version, seed));
            if honest.bytes.len() > 1500 {
                continue;
            }
            let (asked_honestly, read) = asked_by(|| LogRecord::read(&key, Some(&honest.bytes)).is_ok());
            assert!(read);
            for length in &honest.lengths {
                for (with, null) in spoilt(length.form) {
                    let hostile = spoil(&honest.bytes, length, &with);
                    let (asked, refused) = asked_by(|| LogRecord::read(&key, Some(&hostile)).is_err());
                    if null && length.nullable {
                        continue;
                    }
                    assert!(refused, "{} {}: {with:02x?}", table.name, length.field);
                    // The error names the group.
                    assert!(
                        asked <= 2 * asked_honestly + SLACK + key.len(),
                        "{} {}: {asked} bytes asked for, {asked_honestly} by the honest record",
                        table.name,
                        length.field
                    );
                    spoilt_lengths += 1;
                }
            }
        }
    }
    assert!(spoilt_lengths > 3000, "{spoilt_lengths}");
}

#[test]
fn a_commit_is_read_without_allocating() {
    let commits = LogRecord::TABLES
        .iter()
        .find(|table| table.name == "OffsetCommit")
        .unwrap();
    for seed in 0..SEEDS {
        let (key, value) = (key(commits, seed), value(commits, 3, seed * 2).bytes);
        let (asked, read) = asked_by(|| LogRecord::read(&key, Some(&value)).is_ok());
        assert!(read);
        assert_eq!(asked, 0);
    }
}
