//! One change of each kind, with every field set and with as few as there may be.

mod work;

use crate::event::*;
use crate::fault::{AnswerWith, AnswerWord, Fault};
use crate::ids::{Generation, InstanceId, NodeId};
use crate::member::{MoveCause, State};
use crate::sorted::SortedMap;
use crate::time::UnixMs;

pub(super) fn summary() -> BeatSummary {
    BeatSummary {
        from: UnixMs(1_764_417_600_000),
        to: UnixMs(1_764_417_601_000),
        generation: Generation::NONE,
        count: 6,
        behind: 1,
        errors: SortedMap::from([(-1, 1), (25, 2)]),
        renewed_at: None,
        commits: 0,
        committed_at: None,
        buckets: SortedMap::from([(0, 1), (895, 2)]),
    }
}

/// One change of each kind with every field set, and one with every optional field absent where there are any.
pub fn every_change() -> Vec<Change> {
    let mut changes = of_links();
    changes.extend(of_members());
    changes.extend(of_groups());
    changes.extend(of_a_coordinator());
    changes.extend(of_brokers());
    changes.extend(work::of_work());
    changes.extend(work::of_progress());
    changes.extend(of_faults());
    changes
}

fn of_links() -> Vec<Change> {
    vec![
        Change::CoordinatorFound {
            node: NodeId(2),
            host: "::1".into(),
            port: 9092,
        },
        Change::CoordinatorNotFound {
            error: Some(15),
            cause: None,
            detail: None,
        },
        Change::CoordinatorNotFound {
            error: None,
            cause: Some(LinkFault::Timeout),
            detail: Some("no answer in 30 s".into()),
        },
        Change::CoordinatorDead {
            node: NodeId(i32::MAX),
            cause: DeathCause::SessionOver,
            detail: Some("reset".into()),
            unsent: u32::MAX,
            again: 2,
        },
        Change::HeartbeatAnswered {
            generation: Generation(4),
            latency_us: u64::MAX,
            error: -1,
            renews: false,
            behind: Some("SyncGroup".into()),
        },
        Change::HeartbeatAnswered {
            generation: Generation(4),
            latency_us: 0,
            error: 0,
            renews: true,
            behind: None,
        },
        Change::HeartbeatFailed {
            generation: Generation(4),
            cause: LinkFault::Garbled,
            detail: None,
        },
        Change::HeartbeatWithheld {
            reason: WithheldReason::CoordinatorUnknown,
            for_ms: None,
        },
        Change::HeartbeatReceived {
            generation: Generation(i32::MIN),
            error: i16::MIN,
        },
        Change::HeartbeatsSummarised(summary()),
        Change::HeartbeatsSummarised(BeatSummary {
            errors: SortedMap::new(),
            renewed_at: Some(UnixMs(7)),
            commits: 0,
            committed_at: None,
            buckets: SortedMap::new(),
            ..summary()
        }),
    ]
}

fn of_members() -> Vec<Change> {
    let joined = Joined {
        generation: Some(Generation(5)),
        client_id: Some("orders-1".into()),
        host: Some("/10.0.0.1".into()),
        instance_id: Some(InstanceId::from("i")),
        took_ms: Some(310),
        session_timeout_ms: Some(45_000),
        rebalance_timeout_ms: Some(300_000),
        heartbeat_interval_ms: Some(3000),
        rack: Some("az-1".into()),
        classic: Some(true),
        session_ran_ms: Some(7),
    };
    vec![
        Change::RejoinNeeded {
            cause: RejoinCause::UnknownMemberId,
            error: Some(25),
            member_id_cleared: true,
            detail: None,
        },
        Change::RejoinNeeded {
            cause: RejoinCause::SubscriptionChanged,
            error: None,
            member_id_cleared: false,
            detail: Some("the answer names no member".into()),
        },
        Change::MemberMoved {
            from: State::Unjoined,
            to: State::PreparingRebalance,
            cause: MoveCause::JoinSent,
        },
        Change::MemberFailed {
            error: None,
            sentence: "over".into(),
            again: 3,
        },
        Change::NotAuthorized {
            error: 30,
            right: "READ on group orders".into(),
        },
        Change::Authorized {
            right: "DESCRIBE on the cluster".into(),
        },
        Change::MemberJoined(Joined::default()),
        Change::MemberRejoined(joined),
        Change::MemberLeft { cause: "left".into() },
        Change::MemberExpired {
            cause: "silent".into(),
        },
        Change::MemberFenced { cause: "82".into() },
        Change::MemberReplaced {
            cause: "same instance id".into(),
            by: None,
        },
        Change::MemberReplaced {
            cause: "same instance id".into(),
            by: Some(MemberId::from("b")),
        },
        Change::MemberEvicted {
            cause: EvictionCause::SyncTimeout,
        },
        Change::MemberGone {
            possible: vec![Departure::Left, Departure::TimedOut],
            why: "not visible".into(),
        },
    ]
}

fn of_groups() -> Vec<Change> {
    vec![
        Change::RebalanceStarted {
            cause: RebalanceCause::NotVisible,
            member: None,
            from_generation: None,
        },
        Change::RebalanceFinished(Rebalanced {
            generation: Generation(5),
            from_generation: Some(Generation(3)),
            cause: RebalanceCause::MemberTimedOut,
            member: Some(MemberId::from("a")),
            took_ms: Some(1020),
            took_between_ms: Some((1000, Some(1040))),
            join_ms: Some(1000),
            sync_ms: Some(20),
            joined: Some(vec![]),
            left: Some(vec![MemberId::from("a")]),
            unnamed: 3,
            abandoned: 1,
            missed: 0,
        }),
        Change::RebalanceFinished(Rebalanced {
            generation: Generation(5),
            from_generation: None,
            cause: RebalanceCause::NotVisible,
            member: None,
            took_ms: None,
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        }),
        Change::GroupState {
            from: None,
            to: GroupState::Other("Bewildered".into()),
        },
        Change::GroupState {
            from: Some(GroupState::Empty),
            to: GroupState::Stable,
        },
        Change::GroupFound {
            group_type: GroupType::Streams,
            protocol_type: Some("streams".into()),
        },
        Change::GroupDescribed { told: Vec::new() },
        Change::GroupDescribed {
            told: vec![
                Detail {
                    at: Some(UnixMs(7)),
                    member: None,
                    change: Change::GroupFound {
                        group_type: GroupType::Classic,
                        protocol_type: None,
                    },
                },
                Detail {
                    at: None,
                    member: Some(MemberId::from("a")),
                    change: Change::MemberJoined(Joined::default()),
                },
            ],
        },
        Change::GroupGone {
            group_type: GroupType::Other("queue".into()),
        },
    ]
}

fn of_a_coordinator() -> Vec<Change> {
    vec![
        Change::MemberIdIssued {
            client_id: "a".into(),
            host: "/127.0.0.1".into(),
        },
        Change::MemberIdExpired { waited_ms: 45_001 },
        Change::JoinReceived {
            client_id: "a".into(),
            host: "/127.0.0.1".into(),
            session_timeout_ms: Some(45_000),
        },
        Change::JoinAbandoned {
            waited_ms: 60_000,
            rebalance_timeout_ms: 300_000,
        },
        Change::GenerationFormed {
            generation: Generation(2),
            leader: Some(MemberId::from("a-1")),
            protocol: Some("range".into()),
            members: 2,
        },
        Change::SyncReceived {
            generation: Generation(2),
        },
        Change::RequestRefused {
            api: "JoinGroup".into(),
            error: 25,
            client_id: "a".into(),
            host: "/127.0.0.1".into(),
            times: 3,
        },
        Change::AppendFailed {
            partition: 32,
            error: 19,
        },
        Change::GroupUnloaded {
            node: NodeId(1),
            partition: 7,
        },
        Change::GroupLoading {
            node: NodeId(1),
            partition: 7,
        },
        Change::GroupLoaded {
            node: NodeId(1),
            partition: 7,
            took_ms: 2100,
            generation: Generation(56),
        },
    ]
}

fn of_brokers() -> Vec<Change> {
    vec![
        Change::BrokerSilent {
            node: NodeId(2),
            cause: LinkFault::Timeout,
            detail: Some("broker-2:9092: ListGroups was not answered within 1500 ms".into()),
        },
        Change::BrokerAnswers {
            node: NodeId(2),
            host: Some("broker-2".into()),
            port: Some(9_092),
        },
        Change::BrokerGone { node: NodeId(2) },
        Change::OffsetsLog {
            access: LogAccess::Reading,
        },
        Change::OffsetsLogLeaderless(Leaderless {
            leaderless: 17,
            partitions: 50,
        }),
        Change::BrokerLatency {
            node: NodeId(2),
            trips: vec![RoundTrips {
                api: "ApiVersions".into(),
                buckets: SortedMap::from([(120, 1)]),
            }],
        },
    ]
}

fn of_faults() -> Vec<Change> {
    vec![
        Change::FaultPlayed { fault: Fault::Stop },
        Change::FaultPlayed {
            fault: Fault::Answer {
                api: "Heartbeat".into(),
                error: AnswerWith::Code(-1),
                times: 2,
                member: None,
                group: None,
            },
        },
        Change::FaultPlayed {
            fault: Fault::Answer {
                api: "Heartbeat".into(),
                error: AnswerWith::Word(AnswerWord::Disconnect),
                times: 1,
                member: Some(MemberId::from("a")),
                group: None,
            },
        },
        Change::Gap {
            what: "heartbeats".into(),
            from: UnixMs(1),
            to: UnixMs(2),
            why: "the queue was full".into(),
        },
    ]
}
