//! Whatever comes, in whatever order: nothing panics, what must hold holds, every request is answered once, and the same
//! inputs give the same outputs.
//!
//! The steps of a run come from proptest ([`cases`]) or, byte by byte, from a fuzzer ([`run_of_bytes`]).

#[cfg(test)]
mod cases;
mod requests;
mod run;

use run::Run;

/// Who asks, and about which group: named by where it stands in the list of ids seen so far, strangers among them.
#[derive(Clone, Copy, Debug)]
struct Who {
    group: u8,
    member: Option<u8>,
    instance: Option<u8>,
}

/// How somebody asks to join.
#[derive(Clone, Copy, Debug)]
struct Terms {
    version: i16,
    /// Which protocols and what metadata.
    kind: u8,
    session: i32,
    rebalance: i32,
}

/// One step of a run. A generation is told by how far it is off the group's.
#[derive(Clone, Debug)]
enum Step {
    Join(Who, Terms),
    Sync(Who, i32),
    Beat(Who, i32),
    Leave(Who),
    Commit(Who, i32, usize),
    /// All members but one join again, as clients do when they are told 27.
    RejoinAll {
        group: u8,
        but: u8,
    },
    /// All members but one ask for their part.
    SyncAll {
        group: u8,
        but: u8,
    },
    Look {
        group: u8,
    },
    Wait {
        ms: u64,
        at_once: bool,
    },
    Freeze,
    Thaw,
    /// From now on the log does so with what is appended.
    Log(Log),
    /// The group's partition is another broker's from now on.
    Unload {
        group: u8,
    },
    /// It is this one's again, and being read.
    LoadBegins {
        group: u8,
    },
    /// It is read: what the log has of it.
    Load {
        group: u8,
    },
}

/// What the log does with an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    Keeps,
    Refuses,
    /// Nothing yet.
    Waits,
}

/// A run of the steps that `bytes` spell out.
///
/// # Panics
///
/// Where something does not hold that must.
pub fn run_of_bytes(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let steps: Vec<Step> = std::iter::from_fn(|| Step::read(&mut bytes))
        .take(STEPS)
        .collect();
    Run::of(&steps).end();
}

/// Steps of one run: enough for several generations of both groups, and quick.
const STEPS: usize = 200;

impl Step {
    /// The next step; none where the bytes are over. A step that is cut short ends the run.
    fn read(bytes: &mut impl Iterator<Item = u8>) -> Option<Self> {
        let kind = bytes.next()?;
        Some(match kind % 15 {
            0 => Self::Join(Who::read(bytes)?, Terms::read(bytes)?),
            1 => Self::Sync(Who::read(bytes)?, off(bytes)?),
            2 => Self::Beat(Who::read(bytes)?, off(bytes)?),
            3 => Self::Leave(Who::read(bytes)?),
            4 => {
                let (who, off, note) = (Who::read(bytes)?, off(bytes)?, bytes.next()?);
                Self::Commit(who, off, usize::from(note) * 32)
            }
            5 => Self::RejoinAll {
                group: bytes.next()? % 2,
                but: bytes.next()? % 6,
            },
            6 => Self::SyncAll {
                group: bytes.next()? % 2,
                but: bytes.next()? % 4,
            },
            7 => Self::Look {
                group: bytes.next()? % 2,
            },
            8 => {
                let (at_once, ms) = (bytes.next()?, millis(bytes)?);
                Self::Wait {
                    ms: u64::from(ms.unsigned_abs()),
                    at_once: at_once % 2 == 1,
                }
            }
            9 => Self::Freeze,
            10 => Self::Thaw,
            11 => Self::Log([Log::Keeps, Log::Refuses, Log::Waits][usize::from(bytes.next()?) % 3]),
            12 => Self::Unload {
                group: bytes.next()? % 2,
            },
            13 => Self::LoadBegins {
                group: bytes.next()? % 2,
            },
            _ => Self::Load {
                group: bytes.next()? % 2,
            },
        })
    }
}

impl Who {
    /// One byte: the group, the instance and the member, strangers and nameless ones among them.
    fn read(bytes: &mut impl Iterator<Item = u8>) -> Option<Self> {
        let byte = bytes.next()?;
        let (group, instance, member) = (byte % 2, byte / 2 % 8, byte / 16);
        Some(Self {
            group,
            member: member.checked_sub(4),
            instance: instance.checked_sub(5),
        })
    }
}

impl Terms {
    fn read(bytes: &mut impl Iterator<Item = u8>) -> Option<Self> {
        let byte = bytes.next()?;
        Some(Self {
            version: i16::from(byte % 10),
            kind: byte / 10 % 4,
            session: millis(bytes)?,
            rebalance: millis(bytes)?,
        })
    }
}

/// Mostly none.
fn off(bytes: &mut impl Iterator<Item = u8>) -> Option<i32> {
    let byte = bytes.next()?;
    Some(if byte < 192 { 0 } else { i32::from(byte % 7) - 3 })
}

/// In two bytes: up to half a minute as it stands, or a power of two and its neighbours, up to the largest there are.
fn millis(bytes: &mut impl Iterator<Item = u8>) -> Option<i32> {
    let (high, low) = (bytes.next()?, bytes.next()?);
    let number = i32::from(u16::from_be_bytes([high, low]));
    Some(if high < 128 {
        number
    } else {
        (1_i32 << (high % 32)).wrapping_add(i32::from(low % 3) - 1)
    })
}
