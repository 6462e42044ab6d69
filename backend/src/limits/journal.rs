//! Bounds of the journal: of what waits for the disk, and of what lies there.

use shared::time::Millis;

use crate::journal::Bounds;

/// How long what happened waits until it is written: what a `kill -9` costs at most.
pub const JOURNAL_PACE: Millis = Millis(1_000);

/// Ranges on their way to the writer: several seconds of small ones, while a slow disk is waited for. Above it events are lost to the
/// journal, which is counted.
pub const JOURNAL_QUEUE: usize = 16_384;

/// The events in all of them.
pub const JOURNAL_QUEUE_EVENTS: usize = 65_536;

/// Events of one tier that are written before their second is over: a first look at ten thousand groups brings more in one. While the
/// disk refuses them they wait; above twice as many the oldest half is lost, which is counted.
pub const JOURNAL_WAITING: usize = 8_192;

/// Boards that wait while the disk refuses them; the oldest is not kept then.
pub const JOURNAL_BOARDS_WAITING: usize = 2;

/// What a journal's end may be after the time of day, in milliseconds: a clock that was set by a little. This run's clock goes on
/// from there; a journal from further in the future is set aside.
pub const JOURNAL_AHEAD_MS: u64 = 60_000;

/// What redb may hold of the file in memory, in bytes.
pub const JOURNAL_CACHE: usize = 4 << 20;

/// What a row of the file takes beside its value, about, in bytes.
pub const JOURNAL_ROW: u64 = 64;

/// How long single heartbeats are kept: as long as somebody looks at one by one; a hundred members' are 30 MB an hour.
pub const JOURNAL_BEATS: Bounds = Bounds {
    age_ms: HOUR_MS,
    bytes: 64 << 20,
};
/// Their summaries: a week, so that this Monday can be held against the last one.
pub const JOURNAL_SUMMARIES: Bounds = Bounds {
    age_ms: 8 * 24 * HOUR_MS,
    bytes: 192 << 20,
};
/// And the transitions.
pub const JOURNAL_TRANSITIONS: Bounds = Bounds {
    age_ms: 90 * 24 * HOUR_MS,
    bytes: 192 << 20,
};
/// Boards, in bytes: one of ten thousand groups has about three million.
pub const JOURNAL_BOARDS: u64 = 64 << 20;

/// An hour in milliseconds.
const HOUR_MS: u64 = 3_600_000;
