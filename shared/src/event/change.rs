//! What happened: one variant a row of docs/contract.md's table.

use serde::Serialize;

use super::{
    BeatSummary, DeathCause, Departure, Described, Detail, EvictionCause, GroupState, GroupType, Joined, Lag,
    Leaderless, LinkFault, LogAccess, PartitionProgress, RebalanceCause, Rebalanced, Reconciling,
    RejoinCause, RoundTrips, TopicPartitions, WithheldReason, facts::is_zero,
};
use crate::fault::Fault;
use crate::ids::{Generation, MemberId, NodeId};
use crate::member::{MoveCause, State as MemberState};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// What happened; absent values are "not visible", never 0.
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// FindCoordinator answered; from a survey, that looks at the group are answered by that broker.
    CoordinatorFound {
        /// The coordinator's broker.
        node: NodeId,
        /// As advertised.
        host: String,
        /// As advertised.
        port: u16,
    },
    /// FindCoordinator failed, on change only. Of a group, by a survey: no look at it was answered for 2 s, the last at the earliest.
    CoordinatorNotFound {
        /// The answer's code, where there was an answer.
        error: Option<i16>,
        /// How the link or the request failed, where there was none.
        cause: Option<LinkFault>,
        /// The link's own words, where there are some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The coordinator is taken for dead by a member.
    CoordinatorDead {
        /// The coordinator's broker.
        node: NodeId,
        /// What the member concludes it from.
        cause: DeathCause,
        /// The link's own words, where there are some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// How many waiting requests were failed with COORDINATOR_NOT_AVAILABLE.
        unsent: u32,
        /// How often it was found and lost again, this time included, since this was told last; the events of those are left out.
        #[serde(default, skip_serializing_if = "is_zero")]
        again: u32,
    },
    /// Any answer to a Heartbeat of ours, error or not.
    HeartbeatAnswered {
        /// The generation the Heartbeat was sent with.
        generation: Generation,
        /// From the request's last byte written to the answer read, in microseconds; taken before the error is read.
        latency_us: u64,
        /// The answer's code; 0 is none.
        error: i16,
        /// Whether it restarted the member's session by its own rules: 0 always does, 27 under the modern rules and
        /// not under those of 0.10 (protocol.md 1.5, 1.8). Only the machine knows, so it says so.
        renews: bool,
        /// The API of an earlier request still unanswered on that connection when it was sent.
        behind: Option<String>,
    },
    /// A Heartbeat of ours got no answer.
    HeartbeatFailed {
        /// The generation the Heartbeat was sent with.
        generation: Generation,
        /// How it failed.
        cause: LinkFault,
        /// The link's own words, where there are some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// None is due to be sent any more; on change only.
    HeartbeatWithheld {
        /// Why.
        reason: WithheldReason,
        /// For how long, where an answer said so: its `throttle_time_ms`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        for_ms: Option<u64>,
    },
    /// Embedded coordinator: a member's Heartbeat came.
    HeartbeatReceived {
        /// The generation it carried.
        generation: Generation,
        /// What it was answered; 0 is none.
        error: i16,
    },
    /// All beats of one member, source and generation in one second of `seen`; replaces them.
    HeartbeatsSummarised(BeatSummary),
    /// The member must join again.
    RejoinNeeded {
        /// What tells it so.
        cause: RejoinCause,
        /// The answer's code, where an answer told it.
        error: Option<i16>,
        /// Whether it gave its member id up; the event's `member` is the id given up.
        member_id_cleared: bool,
        /// What was wrong with an answer that is none, or why the request was never sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// A member of ours moved in its group's protocol: every state change of its machine, one event each.
    MemberMoved {
        /// Where it stood.
        from: MemberState,
        /// Where it stands.
        to: MemberState,
        /// What moved it.
        cause: MoveCause,
    },
    /// A member of ours ended by an error no retry can mend.
    MemberFailed {
        /// The code, where an answer told it.
        error: Option<i16>,
        /// For the operator.
        sentence: String,
        /// How often those that came in its place were ended by the same since this was told last, this time included; 0 where it is
        /// told for the first time.
        #[serde(default, skip_serializing_if = "is_zero")]
        again: u32,
    },
    /// 29, 30, 31.
    NotAuthorized {
        /// The code.
        error: i16,
        /// The missing right: "READ on group orders".
        right: String,
    },
    /// A right that was missing on a whole cluster is there.
    Authorized {
        /// As it was named when it was missing.
        right: String,
    },
    /// JoinGroup and SyncGroup answered for the first time; or seen in the group.
    MemberJoined(Joined),
    /// The same, for a member that had been in the group before.
    MemberRejoined(Joined),
    /// LeaveGroup.
    MemberLeft {
        /// The reason it gave, or how it is known.
        cause: String,
    },
    /// The session was over at the coordinator.
    MemberExpired {
        /// With the times: how long it was silent and what its session is.
        cause: String,
    },
    /// 82 or 110.
    MemberFenced {
        /// By what.
        cause: String,
    },
    /// Same instance id, new member id.
    MemberReplaced {
        /// By what.
        cause: String,
        /// The new member id.
        by: Option<MemberId>,
    },
    /// Removed by the coordinator at a deadline or limit.
    MemberEvicted {
        /// Which.
        cause: EvictionCause,
    },
    /// No longer listed, and which of these it was is not visible.
    MemberGone {
        /// What it can have been.
        possible: Vec<Departure>,
        /// Why it cannot be told.
        why: String,
    },
    /// The group leaves Stable or Empty.
    RebalanceStarted {
        /// Why.
        cause: RebalanceCause,
        /// Who caused it.
        member: Option<MemberId>,
        /// The generation it leaves.
        from_generation: Option<Generation>,
    },
    /// The group is Stable or Empty again.
    RebalanceFinished(Rebalanced),
    /// Any other change of state.
    GroupState {
        /// The state before, where known.
        from: Option<GroupState>,
        /// The state now.
        to: GroupState,
    },
    /// A group is there; told again when it is of another type.
    GroupFound {
        /// Its type.
        #[serde(rename = "type")]
        group_type: GroupType,
        /// What its members speak: `consumer`, `connect`; empty where nobody ever joined.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        protocol_type: Option<String>,
    },
    /// It no longer is.
    GroupGone {
        /// Its type.
        #[serde(rename = "type")]
        group_type: GroupType,
    },
    /// What one look showed of a group all at once, each as it would be told alone; none needs to have happened just then.
    GroupDescribed {
        /// At the first look what was found, and then what the offsets log adds to that.
        told: Vec<Detail>,
    },
    /// Embedded coordinator: JoinGroup was answered 79. The event's `member` is the id handed out, not yet a member (KIP-394).
    MemberIdIssued {
        /// Who asked.
        client_id: String,
        /// Where it comes from.
        host: String,
    },
    /// Embedded coordinator: an id handed out was not used within the session it was asked for with.
    MemberIdExpired {
        /// Since it was handed out.
        waited_ms: u64,
    },
    /// Embedded coordinator: a member's JoinGroup came and waits for the others'.
    JoinReceived {
        /// Who asked.
        client_id: String,
        /// Where it comes from.
        host: String,
        /// The session that it asks for; it runs from the answer on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_timeout_ms: Option<u64>,
    },
    /// Embedded coordinator: the client of a waiting JoinGroup closed its connection; the member is still awaited.
    JoinAbandoned {
        /// Since it came.
        waited_ms: u64,
        /// How long the coordinator may hold it, as the member itself promised.
        rebalance_timeout_ms: u64,
    },
    /// The join phase is over, every waiting JoinGroup was answered: our own coordinator or the offsets log tells it.
    GenerationFormed {
        /// The new generation.
        generation: Generation,
        /// Who computes the assignment.
        leader: Option<MemberId>,
        /// The assignor that was chosen.
        protocol: Option<String>,
        /// How many members it has.
        members: u32,
    },
    /// Embedded coordinator: a member's SyncGroup came and waits for the leader's.
    SyncReceived {
        /// The generation it carried.
        generation: Generation,
    },
    /// What a member owns from now on.
    MemberAssigned {
        /// In which generation; none where that is not visible.
        generation: Option<Generation>,
        /// Its partitions, at most [`TopicPartitions::NAMED`] of them; none where the assignment is not readable.
        partitions: Option<Vec<TopicPartitions>>,
        /// How many more partitions it owns than are named.
        #[serde(default, skip_serializing_if = "is_zero")]
        unnamed: u32,
    },
    /// What a member of others' groups asked for, and what it works on beyond partitions.
    MemberDescribed(Box<Described>),
    /// How far a member is on its way to the assignment it was given; told last when it has arrived.
    MemberReconciling(Reconciling),
    /// Embedded coordinator: a member's OffsetCommit came.
    CommitReceived {
        /// The generation it carried; -1 from outside the group.
        generation: Generation,
        /// What it was answered; 0 is none. The first error, where partitions differ.
        error: i16,
    },
    /// How far the group has read; on change, at most once in a few seconds.
    GroupProgress {
        /// Where its partitions stand, at most [`PartitionProgress::NAMED`] of them, those with most left to read first.
        partitions: Vec<PartitionProgress>,
        /// How many more there are.
        #[serde(default, skip_serializing_if = "is_zero")]
        unnamed: u32,
        /// All of them together.
        lag: Lag,
    },
    /// Embedded coordinator: a request, other than OffsetCommit and the Heartbeats of members, was answered with an error.
    RequestRefused {
        /// Kafka's name of the API.
        api: String,
        /// What it was answered.
        error: i16,
        /// Who asked.
        client_id: String,
        /// Where it comes from.
        host: String,
        /// How many alike since the last such event; at most one event a second for each member, API and code.
        times: u32,
    },
    /// Embedded coordinator: what was to be stored of the group could not be.
    AppendFailed {
        /// The partition of `__consumer_offsets`.
        partition: i32,
        /// The log's own error: NOT_ENOUGH_REPLICAS, say.
        error: i16,
    },
    /// The group's partition of `__consumer_offsets` went to another broker; requests here are answered 16.
    GroupUnloaded {
        /// Which broker no longer coordinates it.
        node: NodeId,
        /// The partition.
        partition: i32,
    },
    /// The coordinator begins to read the group from its log; requests are answered 14, heartbeats 0.
    GroupLoading {
        /// Which broker.
        node: NodeId,
        /// The partition.
        partition: i32,
    },
    /// It has read the group; every member has a full session from now.
    GroupLoaded {
        /// Which broker.
        node: NodeId,
        /// The partition.
        partition: i32,
        /// Since it began.
        took_ms: u64,
        /// The generation that was read.
        generation: Generation,
    },
    /// Embedded coordinator: a fault was played.
    FaultPlayed {
        /// As it was asked for.
        fault: Fault,
    },
    /// A broker that a survey asks does not answer: all that is known of the groups it coordinates is of before.
    BrokerSilent {
        /// Which.
        node: NodeId,
        /// How its connection ended, or could not be made.
        cause: LinkFault,
        /// The link's own words, where there are some.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// It answers: for the first time, or again.
    BrokerAnswers {
        /// Which.
        node: NodeId,
        /// As the cluster's metadata has it; left out where that is no address.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port: Option<u16>,
    },
    /// The cluster no longer counts it among its brokers.
    BrokerGone {
        /// Which.
        node: NodeId,
    },
    /// How long a broker took to answer a survey in the second before; only requests that had its connection to themselves.
    BrokerLatency {
        /// Which.
        node: NodeId,
        /// By request, those that were answered.
        trips: Vec<RoundTrips>,
    },
    /// How far a survey can read the offsets log of a cluster; on change.
    OffsetsLog {
        /// That.
        access: LogAccess,
    },
    /// How many partitions of the offsets log nobody leads, where that lasts for 2 s; on change.
    OffsetsLogLeaderless(Leaderless),
    /// Something was not seen.
    Gap {
        /// What.
        what: String,
        /// Since when, at the earliest.
        from: UnixMs,
        /// Until when, at the latest.
        to: UnixMs,
        /// Why.
        why: String,
    },
}
