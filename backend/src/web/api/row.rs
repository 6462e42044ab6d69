//! A group and a member as the API tells them: what the board knows and what follows from it at a moment.

use serde::Serialize;
use shared::board::{Group, Member, MemberState, Owned, Reconciliation, Seat, Sources};
use shared::event::{Described, GroupState, GroupType, Lag};
use shared::health::{Finding, Verdict};
use shared::histogram::Histogram;
use shared::ids::{ClusterId, Generation, GroupId, InstanceId, MemberId};
use shared::time::{Millis, UnixMs};

/// A group in a list; null is "not visible".
#[derive(Debug, Serialize)]
pub(super) struct GroupRow<'a> {
    cluster: &'a ClusterId,
    pub(super) group: &'a GroupId,
    #[serde(rename = "type")]
    group_type: Option<&'a GroupType>,
    /// What its members speak; empty where nobody ever joined.
    protocol_type: Option<&'a String>,
    state: Option<&'a GroupState>,
    state_since: Option<UnixMs>,
    /// Whether it can have been so for longer.
    state_since_at_latest: bool,
    generation: Option<Generation>,
    /// Whether it is known to be in a later one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    generation_left: bool,
    coordinator: Option<&'a Seat>,
    members: Option<usize>,
    pub(super) verdict: Verdict,
    /// The verdict in words, and what it rests on.
    sentence: String,
    evidence: String,
    latency: Latency,
    /// Finished ones since the row is there, where some could have been seen.
    rebalances: Option<u64>,
    /// How far it is behind.
    lag: Option<Lag>,
    sources: Sources,
}

/// Latency in microseconds; null where nothing was measured.
#[derive(Debug, Serialize)]
pub(super) struct Latency {
    count: u64,
    p50_us: Option<u64>,
    p99_us: Option<u64>,
}

/// A member; null is "not visible".
#[derive(Debug, Serialize)]
pub(super) struct MemberRow<'a> {
    member: &'a MemberId,
    /// Whether the coordinator has named it; else `member` is its client id.
    named: bool,
    client_id: Option<&'a String>,
    host: Option<&'a String>,
    instance_id: Option<&'a InstanceId>,
    /// `client.rack`.
    rack: Option<&'a String>,
    /// Whether it is a member of the classic protocol in a group of a newer type.
    classic: Option<bool>,
    /// Whether it is one of Heartline's own.
    ours: bool,
    state: MemberState,
    reason: String,
    generation: Option<Generation>,
    /// Its partitions, since when it has them; `partitions` null where its assignment is not readable.
    owned: Option<&'a Owned>,
    /// How far it is on its way to the assignment it was given.
    reconciling: Option<&'a Reconciliation>,
    /// What it asked for, where that says more than what it owns, and what it works on beside partitions.
    described: Option<&'a Described>,
    /// Its last commit, as far as that is visible.
    committed_at: Option<UnixMs>,
    session_timeout_ms: Option<Millis>,
    rebalance_timeout_ms: Option<Millis>,
    heartbeat_interval_ms: Option<Millis>,
    /// Whether the interval is inferred from its beats.
    interval_inferred: bool,
    /// The last answer that renewed its session.
    renewed_at: Option<UnixMs>,
    session_left_ms: Option<Millis>,
    latency: Latency,
    sources: Sources,
}

impl<'a> GroupRow<'a> {
    /// A group and the worst that is to be said of it.
    pub(super) fn of(group: &'a Group, finding: Finding) -> Self {
        let since = group.at_rest_since();
        Self {
            cluster: &group.key.cluster,
            group: &group.key.group,
            group_type: group.group_type.get(),
            protocol_type: group.protocol_type.as_ref(),
            state: group.state.get(),
            state_since: since.map(|since| since.at),
            state_since_at_latest: since.is_some_and(|since| since.at_latest),
            generation: group.generation.get().copied(),
            generation_left: group.has_left_its_generation(),
            coordinator: group.coordinator.as_ref(),
            members: group.member_count(),
            verdict: finding.verdict,
            sentence: finding.sentence,
            evidence: finding.evidence,
            latency: Latency::of(&group.latency()),
            rebalances: group.rebalance_count(),
            lag: group.lag,
            sources: group.sources,
        }
    }
}

impl Latency {
    fn of(histogram: &Histogram) -> Self {
        Self {
            count: histogram.count(),
            p50_us: histogram.percentile(50.0),
            p99_us: histogram.percentile(99.0),
        }
    }
}

impl<'a> MemberRow<'a> {
    pub(super) fn of(group: &'a Group, member: &'a Member, now: UnixMs) -> Self {
        let interval = member.interval();
        Self {
            member: &member.id,
            named: member.named,
            client_id: member.client_id.get(),
            host: member.host.get(),
            instance_id: member.instance_id.get(),
            rack: member.rack.as_ref(),
            classic: member.classic,
            ours: member.is_ours(),
            state: member.state(now),
            reason: member.state_reason(now),
            generation: member.generation.get().copied(),
            owned: member.owned.as_ref(),
            reconciling: member.reconciling.as_deref(),
            described: member.described.as_deref(),
            committed_at: group.last_commit(member),
            session_timeout_ms: member.session_timeout.get().copied(),
            rebalance_timeout_ms: member.rebalance_timeout.get().copied(),
            heartbeat_interval_ms: interval.map(|interval| interval.every),
            interval_inferred: interval.is_some_and(|interval| interval.inferred),
            renewed_at: member.last_renewed(),
            session_left_ms: member.session_left(now),
            latency: Latency::of(&member.latency),
            sources: member.sources,
        }
    }
}
