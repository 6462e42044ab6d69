//! The rows that carry most: who joined, how a rebalance went, the beats of a second.

use std::sync::Arc;

use serde::Serialize;

use super::{RebalanceCause, int_keys};
use crate::ids::{Generation, InstanceId, MemberId};
use crate::sorted::SortedMap;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// Who is in the group now, and how it came in; null is "not visible".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Joined {
    /// The generation it is in.
    pub generation: Option<Generation>,
    /// `client.id`.
    pub client_id: Option<String>,
    /// The address it comes from, as the coordinator sees it.
    pub host: Option<String>,
    /// `group.instance.id` of a static member.
    pub instance_id: Option<InstanceId>,
    /// From the first JoinGroup sent to the SyncGroup answered.
    pub took_ms: Option<u64>,
    /// `session.timeout.ms` as the coordinator holds it.
    pub session_timeout_ms: Option<u64>,
    /// How long the coordinator waits for it in a rebalance (Java clients: `max.poll.interval.ms`).
    pub rebalance_timeout_ms: Option<u64>,
    /// `heartbeat.interval.ms`: only the member itself knows it in classic groups.
    pub heartbeat_interval_ms: Option<u64>,
    /// `client.rack`, where the group's protocol tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<String>,
    /// Whether it is a member of the classic protocol inside a group of a newer one (KIP-1099).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classic: Option<bool>,
    /// For how long its session had run already when its SyncGroup was answered: in a group that is Stable already that answer
    /// renews nothing. None where its session starts with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_ran_ms: Option<u64>,
}

/// A member on its way to the assignment it was given (KIP-848, KIP-1071): what it still has to give up, and what it waits for
/// until others have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Reconciling {
    /// The epoch it has taken over.
    pub epoch: Generation,
    /// The epoch of the assignment it is to have.
    pub target_epoch: Generation,
    /// What it has and is not to have; with `awaits` at most [`TopicPartitions::NAMED`] partitions.
    pub gives_up: Vec<TopicPartitions>,
    /// What it is to have and has not.
    pub awaits: Vec<TopicPartitions>,
    /// How many more there are of both.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u32,
}

impl Reconciling {
    /// Whether it has arrived.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let none = self.gives_up.is_empty() && self.awaits.is_empty() && self.unnamed == 0;
        none && self.epoch >= self.target_epoch
    }
}

/// A finished rebalance; its key is the generation it ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Rebalanced {
    /// The generation it ends with.
    pub generation: Generation,
    /// The generation it left.
    pub from_generation: Option<Generation>,
    /// Why it began, as known by now.
    pub cause: RebalanceCause,
    /// Who caused it, as known by now.
    pub member: Option<MemberId>,
    /// From leaving Stable or Empty to the next Stable or Empty.
    pub took_ms: Option<u64>,
    /// The same, at least and at most, where it is not exact: as far as all that was seen of it tells. No most where nothing says
    /// when it began at the earliest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_between_ms: Option<(u64, Option<u64>)>,
    /// Its join phase: until the generation is formed.
    pub join_ms: Option<u64>,
    /// Its sync phase: until the assignment is there.
    pub sync_ms: Option<u64>,
    /// Who came in, at most [`Self::NAMED`] of them; none for a source that does not see the member list.
    pub joined: Option<Vec<MemberId>>,
    /// Who is no longer in, at most [`Self::NAMED`] of them; none where that is not visible.
    pub left: Option<Vec<MemberId>>,
    /// How many more came or went than are named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u32,
    /// Generations formed on the way that never became Stable. An epoch that gives way to the next has a rebalance of its own.
    pub abandoned: u32,
    /// Generations never seen.
    pub missed: u32,
}

impl Rebalanced {
    /// How many ids `joined` and `left` each name at most.
    pub const NAMED: usize = 64;
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Partitions of one topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct TopicPartitions {
    /// The topic.
    pub topic: String,
    /// Its partitions, in order.
    pub partitions: Vec<i32>,
}

impl TopicPartitions {
    /// How many partitions an event names at most.
    pub const NAMED: usize = 256;
}

/// How far a group has read a partition; null is "not visible".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct PartitionProgress {
    /// The topic: one text for all partitions of it.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The committed offset: the next one to be read. None where nothing was ever committed. Of a share group its start offset:
    /// the first record that is neither acknowledged nor given up.
    pub committed: Option<i64>,
    /// The offset after the partition's last record.
    pub end: Option<i64>,
    /// When it was committed last, by the coordinator's clock; only the offsets log tells. While the offset stays the same, an
    /// event follows this at a distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_at: Option<UnixMs>,
    /// How many records are left, as the coordinator itself counts: only of share groups, whose records are acknowledged in any
    /// order (KIP-1226).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<u64>,
    /// Whether the cluster has no such partition, its topic deleted say, though there are commits of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

impl PartitionProgress {
    /// How many partitions an event names at most.
    pub const NAMED: usize = 64;

    /// How many records are left to read; none where nothing was ever committed, the end is not visible or lies before that.
    #[must_use]
    pub fn left(&self) -> Option<u64> {
        self.lag.or_else(|| between(self.committed, self.end))
    }

    /// How far the committed offset lies beyond the end, in records; none where it does not, or that is not visible.
    #[must_use]
    pub fn beyond(&self) -> Option<u64> {
        between(self.end, self.committed).filter(|beyond| *beyond > 0)
    }
}

/// How many records lie between two offsets; none where one is not known, or the second lies before the first.
pub(crate) fn between(from: Option<i64>, to: Option<i64>) -> Option<u64> {
    u64::try_from(to?.saturating_sub(from?)).ok()
}

/// How far a group is behind on all its partitions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Lag {
    /// Records left to read on the partitions where that is known; none where it is known of none.
    pub left: Option<u64>,
    /// How many partitions there are.
    pub partitions: u32,
    /// How many of them were never committed.
    pub uncommitted: u32,
    /// Of how many the end is not visible.
    pub endless: u32,
    /// On how many more is committed than there is: what is left there is not among the records left.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beyond: u32,
    /// How many are not there any more, nor among those whose end is not visible.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gone: u32,
    /// On how many there may be less left than is said: those of a share group whose coordinator tells only where they start. Of
    /// the records behind that some may be acknowledged.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at_most: u32,
}

impl Lag {
    /// Of these, where a committed offset says that all before it is read and nothing behind it.
    #[must_use]
    pub fn of(rows: &[PartitionProgress]) -> Self {
        let count = |such: fn(&PartitionProgress) -> bool| many(rows, such);
        Self {
            at_most: 0,
            left: rows
                .iter()
                .filter_map(PartitionProgress::left)
                .reduce(u64::saturating_add),
            partitions: count(|_| true),
            uncommitted: count(|row| row.committed.is_none()),
            endless: count(|row| {
                row.committed.is_some() && row.left().or(row.beyond()).is_none() && !row.gone
            }),
            beyond: count(|row| row.left().is_none() && row.beyond().is_some()),
            gone: count(|row| row.gone),
        }
    }

    /// Of these partitions of a share group.
    #[must_use]
    pub fn of_share(rows: &[PartitionProgress]) -> Self {
        Self {
            at_most: many(rows, |row| row.lag.is_none() && row.left().is_some()),
            ..Self::of(rows)
        }
    }
}

fn many(rows: &[PartitionProgress], such: fn(&PartitionProgress) -> bool) -> u32 {
    u32::try_from(rows.iter().filter(|row| such(row)).count()).unwrap_or(u32::MAX)
}

/// Partitions of the offsets log that have no leader: groups that stand in them have no coordinator, and are on no list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Leaderless {
    /// So many; 0 once each has one.
    pub leaderless: u32,
    /// Of so many.
    pub partitions: u32,
}

/// The round trips of one kind of request to one broker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct RoundTrips {
    /// Kafka's name of the request.
    pub api: String,
    /// Latency bucket -> how many ([`crate::histogram`]), from the request sent to its answer's last byte.
    #[serde(with = "int_keys")]
    pub buckets: SortedMap<u16, u32>,
}

/// Beats and commits of one member, one source, one generation in one second of `seen`.
///
/// Applying it replaces what a board holds for that second, so that beats followed by their summary count once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct BeatSummary {
    /// The second's start (`seen`, a multiple of 1000).
    pub from: UnixMs,
    /// Its end, exclusive.
    pub to: UnixMs,
    /// The generation the beats carried.
    pub generation: Generation,
    /// How many beats, errors and those behind another request included; 0 where only commits came.
    pub count: u32,
    /// How many waited behind another request; they are in no percentile.
    pub behind: u32,
    /// Error code -> how many, 0 left out.
    #[serde(with = "int_keys")]
    pub errors: SortedMap<i16, u32>,
    /// `at` of the last beat that renewed the session, if one did.
    pub renewed_at: Option<UnixMs>,
    /// How many commits came besides, refused ones included; only the embedded coordinator sees them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub commits: u32,
    /// `at` of the last commit that was accepted, which renews the session too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_at: Option<UnixMs>,
    /// Latency bucket -> how many ([`crate::histogram`]); empty for heartbeats received.
    #[serde(with = "int_keys")]
    pub buckets: SortedMap<u16, u32>,
}
