//! Beats as a board keeps them: cells for the bar, totals, and the seconds a summary can still replace.
//!
//! - `errors`: what they were answered with

mod errors;

use serde::Serialize;

pub use self::errors::ErrorCounts;
use crate::error_code::REBALANCE_IN_PROGRESS;
use crate::event::{BeatSummary, LinkFault, Source};
use crate::histogram::{Histogram, bucket_bounds, bucket_of};
use crate::ids::{Generation, MemberId, NodeId};
use crate::seldom::Blank;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// One piece of a member's heartbeat bar, oldest first.
///
/// A viewer who watches the group gets beats, one who does not gets seconds; a second whose beats are there has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// One heartbeat, answered (probe) or received (embedded).
    Beat(BeatCell),
    /// One heartbeat of ours that got no answer.
    Failed {
        /// When it failed.
        at: UnixMs,
        /// How.
        cause: LinkFault,
    },
    /// All beats of one second.
    Second(SecondCell),
}

/// One heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct BeatCell {
    /// When it was answered (probe) or came (embedded).
    pub at: UnixMs,
    /// When the hub saw it.
    pub seen: UnixMs,
    /// Who saw it.
    pub source: Source,
    /// The generation it carried.
    pub generation: Generation,
    /// Microseconds; none for one received, which has no latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<u32>,
    /// The answer's code; 0 is none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub error: i16,
    /// Whether it waited behind another request, so that its latency says nothing about the coordinator.
    #[serde(default, skip_serializing_if = "is_default")]
    pub behind: bool,
    /// Whether it restarted the member's session.
    pub renews: bool,
}

/// The beats of one second, as their summary tells them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct SecondCell {
    /// The second's start, of `seen`.
    pub from: UnixMs,
    /// When the last of them that renewed the session happened.
    pub renewed_at: Option<UnixMs>,
    /// Who saw them.
    pub source: Source,
    /// The generation they carried.
    pub generation: Generation,
    /// How many.
    pub count: u32,
    /// How many were answered with an error.
    pub errors: u32,
    /// The most frequent error.
    pub error: Option<i16>,
    /// The slowest of those not behind another request, in microseconds (its bucket's upper bound).
    pub slowest_us: Option<u64>,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Cell {
    /// When it happened: for a second, its last renewing beat, else its start.
    #[must_use]
    pub fn at(&self) -> UnixMs {
        match self {
            Self::Beat(beat) => beat.at,
            Self::Failed { at, .. } => *at,
            Self::Second(second) => second.renewed_at.unwrap_or(second.from),
        }
    }
}

/// Counts since the row is there, whether beats came singly or summarised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Totals {
    /// Heartbeats of ours that were answered, error or not.
    pub answered: u64,
    /// Heartbeats that came to the embedded coordinator.
    pub received: u64,
    /// Commits that came to the embedded coordinator, refused ones included.
    #[serde(default)]
    pub commits: u64,
    /// Heartbeats of ours that got no answer.
    pub failed: u64,
    /// Of those answered, how many waited behind another request.
    pub behind: u64,
    /// The errors of those answered.
    pub answered_errors: ErrorCounts,
    /// The errors that those received were answered with.
    pub received_errors: ErrorCounts,
}

impl Blank for Totals {
    const BLANK: &'static Self = &Self {
        answered: 0,
        received: 0,
        commits: 0,
        failed: 0,
        behind: 0,
        answered_errors: ErrorCounts::NONE,
        received_errors: ErrorCounts::NONE,
    };
}

impl Totals {
    pub(super) fn add(&mut self, tally: &Tally) {
        let count = u64::from(tally.count);
        let errors = match tally.source {
            Source::Embedded => {
                self.received = self.received.saturating_add(count);
                self.commits = self.commits.saturating_add(u64::from(tally.commits));
                &mut self.received_errors
            }
            Source::Probe | Source::Survey => {
                self.answered = self.answered.saturating_add(count);
                self.behind = self.behind.saturating_add(u64::from(tally.behind));
                &mut self.answered_errors
            }
        };
        for &(code, count) in &tally.errors {
            errors.add(code, u64::from(count));
        }
    }

    pub(super) fn subtract(&mut self, tally: &Tally) {
        let count = u64::from(tally.count);
        let errors = match tally.source {
            Source::Embedded => {
                self.received = self.received.saturating_sub(count);
                self.commits = self.commits.saturating_sub(u64::from(tally.commits));
                &mut self.received_errors
            }
            Source::Probe | Source::Survey => {
                self.answered = self.answered.saturating_sub(count);
                self.behind = self.behind.saturating_sub(u64::from(tally.behind));
                &mut self.answered_errors
            }
        };
        for &(code, count) in &tally.errors {
            errors.subtract(code, u64::from(count));
        }
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        self.answered = self.answered.saturating_add(other.answered);
        self.received = self.received.saturating_add(other.received);
        self.commits = self.commits.saturating_add(other.commits);
        self.failed = self.failed.saturating_add(other.failed);
        self.behind = self.behind.saturating_add(other.behind);
        self.answered_errors.absorb(&other.answered_errors);
        self.received_errors.absorb(&other.received_errors);
    }
}

/// What one second of one source and generation has added to the totals, so that its summary can take that back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub(super) struct Tally {
    /// Under which id the beats came, which need not be the row's any more.
    pub(super) id: MemberId,
    pub(super) from: UnixMs,
    pub(super) source: Source,
    pub(super) generation: Generation,
    /// Whose latency histogram of the group it went to.
    pub(super) node: NodeId,
    pub(super) count: u32,
    pub(super) behind: u32,
    pub(super) errors: Vec<(i16, u32)>,
    pub(super) buckets: Vec<(u16, u32)>,
    pub(super) renewed_at: Option<UnixMs>,
    pub(super) commits: u32,
    pub(super) committed_at: Option<UnixMs>,
}

impl Tally {
    /// A single beat as a second of one.
    pub(super) fn of_beat(id: &MemberId, beat: &BeatCell, node: NodeId) -> Self {
        let timed = !beat.behind;
        Self {
            id: id.clone(),
            from: UnixMs(beat.seen.0 - beat.seen.0 % 1000),
            source: beat.source,
            generation: beat.generation,
            node,
            count: 1,
            behind: u32::from(beat.behind),
            errors: if beat.error == 0 {
                vec![]
            } else {
                vec![(beat.error, 1)]
            },
            buckets: beat
                .latency_us
                .filter(|_| timed)
                .map(|us| (bucket_of(u64::from(us)), 1))
                .into_iter()
                .collect(),
            renewed_at: beat.renews.then_some(beat.at),
            commits: 0,
            committed_at: None,
        }
    }

    /// A single commit as a second without beats.
    pub(super) fn of_commit(
        id: &MemberId,
        seen: UnixMs,
        generation: Generation,
        accepted_at: Option<UnixMs>,
        source: Source,
        node: NodeId,
    ) -> Self {
        Self {
            id: id.clone(),
            from: UnixMs(seen.0 - seen.0 % 1000),
            source,
            generation,
            node,
            count: 0,
            behind: 0,
            errors: vec![],
            buckets: vec![],
            renewed_at: None,
            commits: 1,
            committed_at: accepted_at,
        }
    }

    /// A whole second.
    pub(super) fn of_summary(id: &MemberId, summary: &BeatSummary, source: Source, node: NodeId) -> Self {
        Self {
            id: id.clone(),
            from: summary.from,
            source,
            generation: summary.generation,
            node,
            count: summary.count,
            behind: summary.behind,
            errors: summary.errors.iter().map(|(code, n)| (*code, *n)).collect(),
            buckets: summary.buckets.iter().map(|(bucket, n)| (*bucket, *n)).collect(),
            renewed_at: summary.renewed_at,
            commits: summary.commits,
            committed_at: summary.committed_at,
        }
    }

    /// Whose beats of which second they are: what makes two tallies one.
    pub(super) const fn key(&self) -> (UnixMs, Source, Generation, &MemberId) {
        (self.from, self.source, self.generation, &self.id)
    }

    /// Adds a later beat of the same second, source and generation.
    pub(super) fn merge(&mut self, beat: &Self) {
        self.count = self.count.saturating_add(beat.count);
        self.behind = self.behind.saturating_add(beat.behind);
        self.renewed_at = self.renewed_at.max(beat.renewed_at);
        self.commits = self.commits.saturating_add(beat.commits);
        self.committed_at = self.committed_at.max(beat.committed_at);
        add_counts(&mut self.errors, &beat.errors);
        add_counts(&mut self.buckets, &beat.buckets);
    }

    /// When a beat or a commit last restarted the session.
    pub(super) fn restarted_at(&self) -> Option<UnixMs> {
        self.renewed_at.max(self.committed_at)
    }

    /// How many of the beats restarted the session: without error, or received and answered 27.
    pub(super) fn renewing(&self) -> u32 {
        let refused = self
            .errors
            .iter()
            .filter(|(code, _)| !(*code == REBALANCE_IN_PROGRESS && self.source == Source::Embedded))
            .fold(0_u32, |sum, (_, count)| sum.saturating_add(*count));
        self.count.saturating_sub(refused)
    }

    pub(super) fn add_to(&self, latency: &mut Histogram) {
        for &(bucket, count) in &self.buckets {
            latency.add(bucket, u64::from(count));
        }
    }

    pub(super) fn take_from(&self, latency: &mut Histogram) {
        for &(bucket, count) in &self.buckets {
            latency.subtract(bucket, u64::from(count));
        }
    }

    /// Whether it holds an answer of that code.
    pub(super) fn has_error(&self, code: i16) -> bool {
        self.errors.iter().any(|(found, _)| *found == code)
    }

    /// Whether the embedded coordinator answered 27: the group rebalances, and the member was told so.
    pub(super) fn is_told_to_rejoin(&self) -> bool {
        self.source == Source::Embedded && self.has_error(REBALANCE_IN_PROGRESS)
    }

    /// The bar's cell for it.
    pub(super) fn cell(&self) -> SecondCell {
        SecondCell {
            from: self.from,
            renewed_at: self.renewed_at,
            source: self.source,
            generation: self.generation,
            count: self.count,
            errors: self
                .errors
                .iter()
                .fold(0_u32, |sum, (_, n)| sum.saturating_add(*n)),
            error: self.errors.iter().max_by_key(|(_, n)| *n).map(|(code, _)| *code),
            slowest_us: self
                .buckets
                .iter()
                .map(|(bucket, _)| bucket_bounds(*bucket).1)
                .max(),
        }
    }
}

fn add_counts<K: PartialEq + Copy>(counts: &mut Vec<(K, u32)>, more: &[(K, u32)]) {
    for &(key, count) in more {
        match counts.iter_mut().find(|entry| entry.0 == key) {
            Some(entry) => entry.1 = entry.1.saturating_add(count),
            None => counts.push((key, count)),
        }
    }
}
