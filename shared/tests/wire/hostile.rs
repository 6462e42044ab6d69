//! A length is believed only as far as the bytes at hand go: at every length of every message and version,
//! numbers that ask for the whole memory are refused, and nothing is allocated for them.
//!
//! This binary's allocator counts for it, thread by thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use shared::protocol::FrameReader;

use crate::messages::{Kind, all};
use crate::sample::{Form, Length, sample, sample_of_the_future, varint};

/// Counts what this thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

#[expect(
    unsafe_code,
    reason = "an allocator cannot be written without; it only counts and passes on"
)]
// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(size: usize) {
    // A thread that is ending has no counter any more.
    let _ = ASKED.try_with(|asked| asked.set(asked.get().saturating_add(size)));
}

/// The bytes asked for while `work` runs, and what it gives.
pub(crate) fn asked_by<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = ASKED.get();
    let result = work();
    (ASKED.get() - before, result)
}

/// Bodies longer than this are left out: they have the same lengths, only more of them.
const LONG: usize = 1500;

/// A length of other width moves the capacity an array starts with, and so the counts at which it doubles: up
/// to twice what the honest body asked for, and one structure.
pub(crate) const SLACK: usize = 256;

/// What stands at a length instead, and whether it is null there: the largest number that fits below the
/// sign, the lowest but one below zero, all bits.
pub(crate) fn spoilt(form: Form) -> [(Vec<u8>, bool); 3] {
    match form {
        Form::Int16 => [i16::MAX, -2, -1].map(|length| (length.to_be_bytes().to_vec(), length == -1)),
        Form::Int32 => [i32::MAX, -2, -1].map(|length| (length.to_be_bytes().to_vec(), length == -1)),
        Form::Varint(_) => [i32::MAX as u32, -2_i32 as u32, u32::MAX].map(|length| (varint(length), false)),
    }
}

/// `body` with `with` at `length`.
pub(crate) fn spoil(body: &[u8], length: &Length, with: &[u8]) -> Vec<u8> {
    let width = match length.form {
        Form::Int16 => 2,
        Form::Int32 => 4,
        Form::Varint(width) => width,
    };
    [&body[..length.at], with, &body[length.at + width..]].concat()
}

#[test]
fn absurd_lengths_are_refused_without_allocating() {
    let mut spoilt_lengths = 0;
    for (kind, version) in all() {
        for seed in 0..12 {
            let flexible = kind.schema().flexible.contains(version);
            let make = if flexible { sample_of_the_future } else { sample };
            let body = make(kind.schema(), version, seed);
            if body.bytes.len() > LONG {
                continue;
            }
            let (honest, read) = asked_by(|| kind.decode(version, &body.bytes).is_ok());
            assert!(read, "{kind:?} {version} {seed}");
            for length in &body.lengths {
                for (with, null) in spoilt(length.form) {
                    let hostile = spoil(&body.bytes, length, &with);
                    let (asked, refused) = asked_by(|| kind.decode(version, &hostile).is_err());
                    if null && length.nullable {
                        continue;
                    }
                    let what = || {
                        format!(
                            "{kind:?} {version} {seed}, {} at {}: {with:02x?}",
                            length.field, length.at
                        )
                    };
                    assert!(refused, "{}", what());
                    assert!(
                        asked <= 2 * honest + SLACK,
                        "{}: {asked} bytes asked for, {honest} by the honest body",
                        what()
                    );
                    spoilt_lengths += 1;
                }
            }
        }
    }
    assert!(spoilt_lengths > 50_000, "{spoilt_lengths}");
}

#[test]
fn every_length_position_of_every_schema_was_spoilt() {
    for (kind, version) in all() {
        let mut seen: Vec<&str> = Vec::new();
        for seed in 0..12 {
            seen.extend(
                sample(kind.schema(), version, seed)
                    .lengths
                    .iter()
                    .map(|length| length.field),
            );
        }
        for field in measured_fields(kind, version) {
            assert!(seen.contains(&field), "{kind:?} {version}: {field}");
        }
    }
}

/// The names of the fields that have a length in `version`, at any depth.
fn measured_fields(kind: Kind, version: i16) -> Vec<&'static str> {
    use shared::protocol::schema::{Field, Kind as Type};

    fn collect(fields: &'static [Field], version: i16, into: &mut Vec<&'static str>) {
        for field in fields.iter().filter(|field| field.versions.contains(version)) {
            let mut kind = field.kind;
            if matches!(kind, Type::String | Type::Bytes | Type::Records | Type::Array(_)) {
                into.push(field.name);
            }
            while let Type::Array(item) = kind {
                kind = *item;
            }
            if let Type::Structure(structure) = kind {
                collect(structure.fields, version, into);
            }
        }
    }

    let mut names = Vec::new();
    collect(kind.schema().fields, version, &mut names);
    names
}

#[test]
fn an_announced_frame_reserves_nothing() {
    for length in [i32::MAX, 100_000_000] {
        let mut frames = FrameReader::new(i32::MAX as usize);
        let (asked, frame) = asked_by(|| {
            frames.push(&length.to_be_bytes());
            frames.push(b"a few");
            frames.next_frame()
        });
        assert_eq!(frame, Ok(None));
        assert!(asked < 100, "{asked} bytes");
    }
}

#[test]
fn an_array_of_small_things_reserves_no_more_than_the_message_is_long() {
    // A JoinGroup answer, version 0, that announces as many members as there are bytes, and has not one that
    // is whole.
    let mut body = vec![0; 2 + 4 + 2 + 2 + 2];
    let filler = vec![0xff; 64 * 1024];
    body.extend_from_slice(&(filler.len() as i32).to_be_bytes());
    body.extend_from_slice(&filler);
    let kind = Kind::Response(shared::protocol::ApiKey::JoinGroup);
    let (asked, read) = asked_by(|| kind.decode(0, &body).is_err());
    assert!(read);
    assert!(
        asked <= body.len(),
        "{asked} bytes asked for by a body of {}",
        body.len()
    );
}
