//! All that can happen, as values: what sources report, what the hub numbers, what [`crate::board`] folds.
//!
//! The names are those of docs/contract.md; a test compares the two.

mod kind;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{ClusterId, Generation, GroupId, InstanceId, MemberId, NodeId};
use crate::member::{MoveCause, State as MemberState};
use crate::time::UnixMs;

/// One numbered thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// We saw the frame or the record, or our own coordinator did it.
    Observed,
    /// Concluded, with what it rests on.
    Inferred,
}

/// What happened. One variant a row of docs/contract.md's table; absent values are "not visible", never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// FindCoordinator answered.
    CoordinatorFound { node: NodeId, host: String, port: u16 },
    /// The coordinator is taken for dead by a member.
    CoordinatorDead {
        node: NodeId,
        cause: DeathCause,
        /// The link's own words, where there are some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// How many waiting requests were failed with COORDINATOR_NOT_AVAILABLE.
        unsent: u32,
    },
    /// Any answer to a Heartbeat of ours, error or not.
    HeartbeatAnswered {
        generation: Generation,
        latency_us: u64,
        error: i16,
        /// The API of an earlier request still unanswered on that connection when it was sent.
        behind: Option<String>,
    },
    /// A Heartbeat of ours got no answer.
    HeartbeatFailed {
        generation: Generation,
        cause: LinkFault,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// None is due to be sent any more; on change only.
    HeartbeatWithheld { reason: WithheldReason },
    /// Embedded coordinator: a member's Heartbeat came.
    HeartbeatReceived { generation: Generation, error: i16 },
    /// All beats of one member, source and generation in one second of `seen`; replaces them.
    HeartbeatsSummarised(BeatSummary),
    /// The member must join again.
    RejoinNeeded {
        cause: RejoinCause,
        error: Option<i16>,
        member_id_cleared: bool,
    },
    /// A member of ours moved in its group's protocol: every state change of its machine, one event each.
    MemberMoved {
        from: MemberState,
        to: MemberState,
        cause: MoveCause,
    },
    /// A member of ours ended by an error no retry can mend; its sentence is for the operator.
    MemberFailed { error: Option<i16>, sentence: String },
    /// 29, 30, 31.
    NotAuthorized { error: i16, right: String },
    /// JoinGroup and SyncGroup answered for the first time; or seen in the group.
    MemberJoined(Joined),
    /// The same, for a member that had been in the group before.
    MemberRejoined(Joined),
    /// LeaveGroup.
    MemberLeft { cause: String },
    /// The session was over at the coordinator.
    MemberExpired { cause: String },
    /// 82 or 110.
    MemberFenced { cause: String },
    /// Same instance id, new member id.
    MemberReplaced { cause: String, by: Option<MemberId> },
    /// Removed by the coordinator at a deadline or limit.
    MemberEvicted { cause: EvictionCause },
    /// No longer listed, and which of these it was is not visible.
    MemberGone { possible: Vec<Departure>, why: String },
    /// The group leaves Stable or Empty.
    RebalanceStarted {
        cause: RebalanceCause,
        member: Option<MemberId>,
        from_generation: Option<Generation>,
    },
    /// The group is Stable or Empty again.
    RebalanceFinished(Rebalanced),
    /// Any other change of state.
    GroupState {
        from: Option<GroupState>,
        to: GroupState,
    },
    /// A group is there.
    GroupFound {
        #[serde(rename = "type")]
        group_type: GroupType,
    },
    /// It no longer is.
    GroupGone {
        #[serde(rename = "type")]
        group_type: GroupType,
    },
    /// Embedded coordinator: a fault was played.
    FaultPlayed { fault: crate::fault::Fault },
    /// Something was not seen.
    Gap {
        what: String,
        from: UnixMs,
        to: UnixMs,
        why: String,
    },
}

/// Who is in the group now, and how it came in; null is "not visible".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    pub generation: Option<Generation>,
    pub client_id: Option<String>,
    pub host: Option<String>,
    pub instance_id: Option<InstanceId>,
    /// From the first JoinGroup sent to the SyncGroup answered.
    pub took_ms: Option<u64>,
    pub session_timeout_ms: Option<u64>,
    pub rebalance_timeout_ms: Option<u64>,
    pub heartbeat_interval_ms: Option<u64>,
}

/// A finished rebalance; its key is the generation it ends with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rebalanced {
    pub generation: Generation,
    pub from_generation: Option<Generation>,
    pub cause: RebalanceCause,
    /// Who caused it, as known by now.
    pub member: Option<MemberId>,
    pub took_ms: Option<u64>,
    pub join_ms: Option<u64>,
    pub sync_ms: Option<u64>,
    /// Who came in, at most [`Self::NAMED`] of them; none for a source that does not see the member list.
    pub joined: Option<Vec<MemberId>>,
    /// Who is no longer in, at most [`Self::NAMED`] of them; none where that is not visible.
    pub left: Option<Vec<MemberId>>,
    /// How many more came or went than are named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u32,
    /// Generations formed on the way that never became Stable.
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
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Beats of one member, one source, one generation in one second of `seen`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeatSummary {
    /// The second's start (`seen`, a multiple of 1000).
    pub from: UnixMs,
    /// Its end, exclusive.
    pub to: UnixMs,
    pub generation: Generation,
    pub count: u32,
    /// How many waited behind another request; they are in no percentile.
    pub behind: u32,
    /// Error code -> how many, 0 left out.
    pub errors: BTreeMap<i16, u32>,
    /// `at` of the last beat that renewed the session, if one did.
    pub renewed_at: Option<UnixMs>,
    /// Latency bucket -> how many ([`crate::histogram`]); empty for heartbeats received.
    pub buckets: BTreeMap<u16, u32>,
}

/// Why a member takes its coordinator for dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeathCause {
    /// The session passed without an answer that renews it.
    SessionOver,
    /// The connection ended, could not be made, or broke the protocol.
    Disconnect,
    /// A request was not answered by its deadline.
    Timeout,
    /// 15.
    CoordinatorNotAvailable,
    /// 16.
    NotCoordinator,
}

/// How a connection or a request on it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkFault {
    /// The connection ended.
    Disconnect,
    /// No answer by the deadline.
    Timeout,
    /// What came cannot be an answer.
    Garbled,
}

/// Why no heartbeat is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithheldReason {
    NoGeneration,
    RejoinNeeded,
    CoordinatorUnknown,
}

/// Why a member must join again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejoinCause {
    /// 27.
    RebalanceInProgress,
    /// 22.
    IllegalGeneration,
    /// 25.
    UnknownMemberId,
    /// 82.
    FencedInstanceId,
    /// An error to JoinGroup or SyncGroup that starts the join over.
    JoinFailed,
    /// What it subscribes to changed.
    SubscriptionChanged,
}

/// Which right is missing is text ([`Change::NotAuthorized`]); why a member was evicted is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvictionCause {
    RebalanceTimeout,
    SyncTimeout,
    GroupFull,
}

/// The ways a member can be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Departure {
    Left,
    TimedOut,
    Evicted,
    Replaced,
}

/// Why a group rebalances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebalanceCause {
    MemberJoined,
    MemberLeft,
    MemberTimedOut,
    MemberEvicted,
    MemberFenced,
    MemberReplaced,
    SubscriptionChanged,
    LeaderRejoined,
    MetadataChanged,
    ProtocolChanged,
    CoordinatorMoved,
    StorageFailed,
    NotVisible,
}

/// A group's state in Kafka's words; unknown ones verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupState {
    Empty,
    PreparingRebalance,
    CompletingRebalance,
    Stable,
    Dead,
    Assigning,
    Reconciling,
    #[serde(untagged)]
    Other(String),
}

/// A group's type in Kafka's words (KIP-848); unknown ones verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupType {
    Classic,
    Consumer,
    Share,
    Streams,
    #[serde(untagged)]
    Other(String),
}
