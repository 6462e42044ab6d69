//! The recorded messages, spoilt at random, the same way at every run.

use serde_json::Value;

use crate::everything::{read_as, read_as_chosen, read_as_consumer_protocol, read_as_stream};
use crate::messages::all;
use crate::sample::{Random, sample};

/// Spoilt copies of each message.
const COPIES: u64 = 150;

fn recorded() -> Vec<Vec<u8>> {
    let entries: Vec<Value> = serde_json::from_str(include_str!("../../../tests/vectors.json")).unwrap();
    let bytes = |entry: &Value| {
        let hex = entry["hex"].as_str().unwrap();
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    entries.iter().map(bytes).collect()
}

/// `bytes` with up to four changes: a bit, a byte, a piece taken out, a piece of `other` put in, an end cut
/// off, a number that hostile peers like.
fn spoil(mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    const LIKED: [&[u8]; 6] = [
        &[0x7f, 0xff, 0xff, 0xff],
        &[0xff; 4],
        &[0xff, 0xfe],
        &[0x80; 5],
        &[0; 4],
        &[0x7f, 0xff],
    ];
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let end = (at + random.below(8) as usize).min(bytes.len());
        match random.below(6) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
            2 => drop(bytes.drain(at..end)),
            3 => {
                let from = random.below(other.len() as u64 + 1) as usize;
                let to = (from + random.below(32) as usize).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            4 => bytes.truncate(at),
            _ => {
                let liked = LIKED[random.below(6) as usize];
                drop(bytes.splice(at..end, liked.iter().copied()));
            }
        }
    }
    bytes
}

#[test]
fn spoilt_recordings_are_read_or_refused_and_nothing_panics() {
    let recorded = recorded();
    let mut random = Random(1);
    for bytes in &recorded {
        for _ in 0..COPIES {
            let other = &recorded[random.below(recorded.len() as u64) as usize];
            let spoilt = spoil(bytes.clone(), other, &mut random);
            read_as_stream(&spoilt);
            read_as_chosen(random.next() as u16, &spoilt);
            read_as_consumer_protocol(&spoilt);
        }
    }
}

#[test]
fn spoilt_bodies_of_every_message_and_version_are_read_or_refused_and_nothing_panics() {
    let mut random = Random(2);
    let (mut read, mut refused) = (0, 0);
    for (kind, version) in all() {
        for seed in 0..COPIES {
            let body = sample(kind.schema(), version, seed).bytes;
            let other = sample(kind.schema(), version, seed + 1).bytes;
            if read_as(kind, version, &spoil(body, &other, &mut random)) {
                read += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
