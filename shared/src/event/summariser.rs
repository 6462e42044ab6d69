//! Single beats and commits in, one summary a second out.
//!
//! The hub gives each single heartbeat and commit it numbers to [`Summariser::add`], and before it numbers anything else asks
//! [`Summariser::poll`] for what is over. Both sides' boards then agree: see [`BeatSummary`].

use std::collections::BTreeMap;

use super::{BeatSummary, Change, Evidence, Observation, Source};
use crate::histogram::bucket_of;
use crate::ids::{ClusterId, Generation, GroupId, MemberId};
use crate::sorted::SortedMap;
use crate::time::UnixMs;

/// The length of what a summary covers, in milliseconds of `seen`.
const SECOND: u64 = 1000;

/// Whose beats are counted together; ordered by second, so that what is over stands first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    from: UnixMs,
    cluster: ClusterId,
    group: GroupId,
    member: MemberId,
    source: Source,
    generation: Generation,
}

/// The beats counted so far, and when the last of them happened.
#[derive(Clone, Debug)]
struct Open {
    summary: BeatSummary,
    last_at: UnixMs,
}

/// Folds single heartbeats into one [`BeatSummary`] for each member, source, generation and second of `seen`.
///
/// Pure: `seen` and `now` are arguments. Bounded: at most [`Self::OPEN`] summaries are collected at a time; a beat
/// that would need one more is left out of every summary and counted in [`overflow`](Self::overflow).
#[derive(Clone, Debug, Default)]
pub struct Summariser {
    open: BTreeMap<Key, Open>,
    overflow: u64,
}

impl Summariser {
    /// How many summaries can be open at a time: members times sources times the two seconds that can overlap.
    pub const OPEN: usize = 131_072;

    /// Counts a single heartbeat seen at `seen`; everything else is ignored.
    ///
    /// Beats without a group or a member are ignored too: no row could hold them.
    pub fn add(&mut self, seen: UnixMs, what: &Observation) {
        let Some(beat) = Beat::of(&what.change) else {
            return;
        };
        let (Some(group), Some(member)) = (&what.group, &what.member) else {
            return;
        };
        let from = UnixMs(seen.0 - seen.0 % SECOND);
        let key = Key {
            from,
            cluster: what.cluster.clone(),
            group: group.clone(),
            member: member.clone(),
            source: what.source,
            generation: beat.generation,
        };
        if self.open.len() >= Self::OPEN && !self.open.contains_key(&key) {
            self.overflow = self.overflow.saturating_add(1);
            return;
        }
        let open = self.open.entry(key).or_insert_with(|| Open {
            summary: BeatSummary {
                from,
                to: UnixMs(from.0.saturating_add(SECOND)),
                generation: beat.generation,
                count: 0,
                behind: 0,
                errors: SortedMap::new(),
                renewed_at: None,
                commits: 0,
                committed_at: None,
                buckets: SortedMap::new(),
            },
            last_at: what.at,
        });
        open.last_at = open.last_at.max(what.at);
        beat.count_in(&mut open.summary, what.at);
    }

    /// The next summary whose second is over at `now`, oldest first; call until `None`.
    pub fn poll(&mut self, now: UnixMs) -> Option<Observation> {
        let first = self.open.first_entry()?;
        if first.get().summary.to > now {
            return None;
        }
        let (key, Open { summary, last_at }) = first.remove_entry();
        Some(Observation {
            at: last_at,
            at_earliest: None,
            source: key.source,
            evidence: Evidence::Observed,
            cluster: key.cluster,
            group: Some(key.group),
            member: Some(key.member),
            change: Change::HeartbeatsSummarised(summary),
        })
    }

    /// When [`poll`](Self::poll) will have something; `None` while no second is open.
    #[must_use]
    pub fn deadline(&self) -> Option<UnixMs> {
        self.open.values().next().map(|open| open.summary.to)
    }

    /// How many beats found no room and are in no summary.
    #[must_use]
    pub const fn overflow(&self) -> u64 {
        self.overflow
    }
}

/// What a single heartbeat adds to a summary.
struct Beat {
    generation: Generation,
    error: i16,
    renews: bool,
    behind: bool,
    latency_us: Option<u64>,
    is_commit: bool,
}

impl Beat {
    fn of(change: &Change) -> Option<Self> {
        let renews = change.renews()?;
        match change {
            Change::HeartbeatAnswered {
                generation,
                latency_us,
                error,
                behind,
                ..
            } => Some(Self {
                generation: *generation,
                error: *error,
                renews,
                behind: behind.is_some(),
                latency_us: behind.is_none().then_some(*latency_us),
                is_commit: false,
            }),
            Change::HeartbeatReceived { generation, error }
            | Change::CommitReceived { generation, error } => Some(Self {
                generation: *generation,
                error: *error,
                renews,
                behind: false,
                latency_us: None,
                is_commit: matches!(change, Change::CommitReceived { .. }),
            }),
            _ => None,
        }
    }

    fn count_in(&self, summary: &mut BeatSummary, at: UnixMs) {
        if self.is_commit {
            summary.commits = summary.commits.saturating_add(1);
            if self.renews {
                summary.committed_at = summary.committed_at.max(Some(at));
            }
            return;
        }
        summary.count = summary.count.saturating_add(1);
        if self.behind {
            summary.behind = summary.behind.saturating_add(1);
        }
        if self.error != 0 {
            let count = summary.errors.get_or_default(self.error);
            *count = count.saturating_add(1);
        }
        if self.renews {
            summary.renewed_at = summary.renewed_at.max(Some(at));
        }
        if let Some(latency_us) = self.latency_us {
            let count = summary.buckets.get_or_default(bucket_of(latency_us));
            *count = count.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests;
