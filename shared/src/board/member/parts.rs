//! What a member's row is made of beside plain facts: its phase, the right it lacks, its last answer, its joins.

use serde::Serialize;

use crate::board::text::clipped;
use crate::board::told::Told;
use crate::event::RejoinCause;
use crate::ids::Generation;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// What events said last about a membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// In no generation yet, or no longer known to the coordinator: it joins as a new member.
    Joining,
    /// In the group.
    InGroup,
    /// It must join again and has not sent JoinGroup.
    Rebalancing {
        /// What told it so; none where only the group's state tells.
        cause: Option<RejoinCause>,
        /// The answer's code, where an answer told it.
        error: Option<i16>,
        /// What was wrong with an answer that is none, or why the request was never sent.
        detail: Option<String>,
    },
    /// Its JoinGroup or SyncGroup is out.
    Rejoining,
    /// A member of ours ended by an error no retry can mend.
    Failed {
        /// The code, where an answer told it.
        error: Option<i16>,
        /// For the operator.
        sentence: String,
    },
}

/// A right that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Refusal {
    /// When it was refused.
    pub at: UnixMs,
    /// 29, 30 or 31.
    pub error: i16,
    /// "READ on group orders".
    pub right: String,
}

impl Refusal {
    pub(in crate::board) fn new(at: UnixMs, error: i16, right: &String) -> Self {
        let right = clipped(right);
        Self { at, error, right }
    }
}

/// An answer to a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Answer {
    /// When it came.
    pub at: UnixMs,
    /// How long it took.
    pub latency_us: u64,
    /// Its code; 0 is none.
    pub error: i16,
    /// The API it waited behind, if it did.
    pub behind: Option<String>,
}

/// One join or rejoin of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Rejoin {
    /// When it was in the group.
    pub at: UnixMs,
    /// The generation it came into.
    pub generation: Option<Generation>,
    /// From its first JoinGroup sent to its SyncGroup answered.
    pub took_ms: Told<u64>,
}
