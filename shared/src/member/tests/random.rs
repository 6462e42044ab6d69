//! Random lives: answers late, lost, twice and out of order, disconnects, a clock that steps. What must hold in all of them.
//!
//! The steps of a life come from proptest ([`lives`]) or, byte by byte, from a fuzzer ([`life_of_bytes`]).

mod laws;
#[cfg(test)]
mod lives;
mod storm;

use crate::rules::Rules;
use storm::Storm;

/// One thing that the world does. Numbers choose among what there is, modulo how much there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pass(u16),
    /// The clock jumps ahead while nobody looked: a laptop that slept.
    Sleep(u16),
    ClockBack(u16),
    Up(u8),
    Down(u8),
    /// An answer to one of the requests out, in any order.
    Answer {
        which: u8,
        code: u8,
    },
    /// The coordinator is well: everything is answered without an error.
    Well(u8),
    Garbled(u8),
    /// An answer that decodes and says what cannot be.
    Nonsense {
        which: u8,
        what: u8,
    },
    /// An answer that was sent already, or one to a request whose connection is over.
    Again {
        which: u8,
        code: u8,
    },
    Topics(u8),
    Subscribe(u8),
    /// What is seen from outside of the group.
    Outlook(u8),
    Leave,
}

/// Rules that take each field from one of the two sets, as the bits say.
fn mixture(bits: u16) -> Rules {
    let (old, new) = (Rules::V0_10, Rules::MODERN);
    let from = |bit: u32| if bits >> bit & 1 == 0 { old } else { new };
    Rules {
        guard: from(0).guard,
        expiry: from(1).expiry,
        expiry_in_flight: from(2).expiry_in_flight,
        clock: from(3).clock,
        session_reset: from(4).session_reset,
        first_heartbeat: from(5).first_heartbeat,
        retry: from(6).retry,
        failed_heartbeat: from(7).failed_heartbeat,
        rebalance_in_progress: from(8).rebalance_in_progress,
        stale_answers: from(9).stale_answers,
        rejoin_cleared: from(10).rejoin_cleared,
        join_waits: from(11).join_waits,
        join_timeout: from(12).join_timeout,
        version: from(13).version,
        answers: from(14).answers,
        defaults: from(15).defaults,
        ..new
    }
}

/// A life of the steps that `bytes` spell out, under rules that the first two of them pick.
///
/// # Panics
///
/// Where something does not hold that must.
pub fn life_of_bytes(bytes: &[u8]) {
    let mut bytes = bytes.iter().copied();
    let Some(rules) = word(&mut bytes) else {
        return;
    };
    let rules = if rules == 0 { Rules::V0_10 } else { mixture(rules) };
    let mut storm = Storm::new(rules);
    let steps = std::iter::from_fn(|| Step::read(&mut bytes)).take(STEPS);
    steps.for_each(|step| storm.apply(step));
}

/// Steps of one life: enough for several generations and coordinators, and quick.
const STEPS: usize = 300;

impl Step {
    /// The next step; none where the bytes are over. A step that is cut short ends the life.
    fn read(bytes: &mut impl Iterator<Item = u8>) -> Option<Self> {
        let kind = bytes.next()?;
        Some(match kind % 13 {
            0 => Self::Pass(word(bytes)? % 6_000),
            1 => Self::Sleep(word(bytes)?),
            2 => Self::ClockBack(word(bytes)? % 5_000),
            3 => Self::Up(bytes.next()?),
            4 => Self::Down(bytes.next()?),
            5 => Self::Answer {
                which: bytes.next()?,
                code: bytes.next()?,
            },
            6 => Self::Well(bytes.next()? % 6),
            7 => Self::Garbled(bytes.next()?),
            8 => Self::Nonsense {
                which: bytes.next()?,
                what: bytes.next()?,
            },
            9 => Self::Again {
                which: bytes.next()?,
                code: bytes.next()?,
            },
            10 => Self::Topics(bytes.next()?),
            11 => Self::Subscribe(bytes.next()?),
            // Of the same remainder as a farewell, so that lives spelled out before stay what they are, but for these.
            _ if kind >= 128 => Self::Outlook(bytes.next()?),
            _ => Self::Leave,
        })
    }
}

fn word(bytes: &mut impl Iterator<Item = u8>) -> Option<u16> {
    Some(u16::from_be_bytes([bytes.next()?, bytes.next()?]))
}
