//! All that can happen, as values: what sources report, what the hub numbers, what [`crate::board`] folds.
//!
//! The names are those of docs/contract.md; a test compares the two. JSON goes both ways without loss; a value that
//! is not visible is null or absent, never 0.
//!
//! # Layout
//!
//! - here: [`Event`] and [`Observation`], the envelope
//! - `change`: what happened, one variant a row of the contract's table; `kind`: what each is called
//! - `described`: what members asked for and work on
//! - `facts`: the three big rows ([`Joined`], [`Rebalanced`], [`BeatSummary`])
//! - `cause`, `state`: the vocabularies inside them
//! - `part`: what one look told all at once, taken apart
//! - `renewal`: which of them restart a session
//! - [`summariser`]: single beats in, one summary a second out

mod cause;
mod change;
mod described;
mod facts;
pub(crate) mod int_keys;
mod kind;
mod part;
mod renewal;
mod state;
pub mod summariser;

pub use cause::{
    DeathCause, Departure, EvictionCause, LinkFault, LogAccess, RebalanceCause, RejoinCause, WithheldReason,
};
pub use change::Change;
pub use described::{Described, RawBytes, Subscription, TaskRoom, Tasks, Work};
pub(crate) use facts::between;
pub use facts::{
    BeatSummary, Joined, Lag, Leaderless, PartitionProgress, Rebalanced, Reconciling, RoundTrips,
    TopicPartitions,
};
pub use part::{Detail, Part};
pub use state::{GroupState, GroupType};
pub use summariser::Summariser;

use serde::Serialize;

use crate::ids::{ClusterId, GroupId, MemberId};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// One numbered thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
pub struct Event {
    /// Its number in the stream: rises by one, from 1.
    pub seq: u64,
    /// When the hub learnt it; rises with `seq`.
    pub seen: UnixMs,
    /// What was reported.
    #[serde(flatten)]
    pub what: Observation,
}

/// One thing that happened, as its source reports it, before the hub numbers it.
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
pub struct Observation {
    /// When it happened, at the latest.
    pub at: UnixMs,
    /// When it happened, at the earliest; only where `at` is not exact (the error bar).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_earliest: Option<UnixMs>,
    /// Who says so.
    pub source: Source,
    /// How it is known.
    pub evidence: Evidence,
    /// In which cluster.
    pub cluster: ClusterId,
    /// In which group; none for what concerns the whole cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// Which member. Until the coordinator has named it, a member of ours goes by its client id here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<MemberId>,
    /// What happened.
    pub change: Change,
}

/// Where an event comes from; a lower one is the better source for a field (design: "it is one row").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Our own coordinator, which knows all that happens in it.
    Embedded,
    /// Our own group members, running the heartbeat protocol.
    Probe,
    /// What a cluster tells about other groups.
    Survey,
}

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// We saw the frame or the record, or our own coordinator did it.
    Observed,
    /// Concluded, with what it rests on.
    Inferred,
}

#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod samples;
#[cfg(test)]
mod tests;
