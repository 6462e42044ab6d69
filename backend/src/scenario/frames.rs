//! The requests that a scenario's clients send, as a file tells them. What is not said is what the client knows (its member
//! id, its generation), so that only what is odd about a client must be written down.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;
use shared::protocol::ApiKey;

/// A client that sends the frames it is told to: one connection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientRow {
    /// Its client id.
    pub(super) id: String,
    /// Where its connection comes from.
    pub(super) host: Option<IpAddr>,
    pub(super) group: String,
    #[serde(default)]
    pub(super) topics: Vec<String>,
    /// `group.instance.id`.
    pub(super) instance: Option<String>,
    #[serde(default = "session")]
    pub(super) session_ms: i32,
    #[serde(default = "rebalance")]
    pub(super) rebalance_ms: i32,
    /// What it can do, the preferred one first.
    #[serde(default = "assignors")]
    pub(super) assignors: Vec<String>,
}

/// Kafka's default `session.timeout.ms`.
const fn session() -> i32 {
    45_000
}

/// Kafka's default `max.poll.interval.ms`.
const fn rebalance() -> i32 {
    300_000
}

fn assignors() -> Vec<String> {
    vec!["range".to_owned()]
}

/// One request.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    JoinGroup(JoinGroup),
    SyncGroup(SyncGroup),
    Heartbeat(Heartbeat),
    LeaveGroup(LeaveGroup),
    OffsetCommit(OffsetCommit),
    Produce(Produce),
    Fetch(Fetch),
    FindCoordinator(FindCoordinator),
    ListGroups,
    DescribeGroups(DescribeGroups),
}

impl Frame {
    pub(super) const fn key(&self) -> ApiKey {
        match self {
            Self::JoinGroup(_) => ApiKey::JoinGroup,
            Self::SyncGroup(_) => ApiKey::SyncGroup,
            Self::Heartbeat(_) => ApiKey::Heartbeat,
            Self::LeaveGroup(_) => ApiKey::LeaveGroup,
            Self::OffsetCommit(_) => ApiKey::OffsetCommit,
            Self::Produce(_) => ApiKey::Produce,
            Self::Fetch(_) => ApiKey::Fetch,
            Self::FindCoordinator(_) => ApiKey::FindCoordinator,
            Self::ListGroups => ApiKey::ListGroups,
            Self::DescribeGroups(_) => ApiKey::DescribeGroups,
        }
    }

    /// The version it is sent in, where the file says so; else the highest that both know.
    pub(super) const fn version(&self) -> Option<i16> {
        match self {
            Self::JoinGroup(JoinGroup { version, .. })
            | Self::SyncGroup(SyncGroup { version, .. })
            | Self::Heartbeat(Heartbeat { version, .. })
            | Self::LeaveGroup(LeaveGroup { version, .. })
            | Self::FindCoordinator(FindCoordinator { version }) => *version,
            Self::OffsetCommit(OffsetCommit { version, .. }) => match version {
                Some(version) => Some(*version),
                // Topics go by their names up to this version.
                None => Some(9),
            },
            // The same here.
            Self::Produce(_) | Self::Fetch(_) => Some(12),
            Self::ListGroups | Self::DescribeGroups(_) => None,
        }
    }
}

/// JoinGroup.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinGroup {
    pub(super) version: Option<i16>,
    /// "" is a member nobody knows.
    pub(super) member_id: Option<String>,
    pub(super) session_ms: Option<i32>,
    pub(super) rebalance_ms: Option<i32>,
    pub(super) topics: Option<Vec<String>>,
    pub(super) assignors: Option<Vec<String>>,
    pub(super) reason: Option<String>,
    /// Partitions by topic that it says it owns.
    #[serde(default)]
    pub(super) owned: BTreeMap<String, Vec<i32>>,
    /// The generation since which it says it does.
    pub(super) owned_generation: Option<i32>,
    /// An answer 79 brings an id: whether the request is sent again with it, as clients do (KIP-394).
    #[serde(default = "yes")]
    pub(super) handshake: bool,
}

const fn yes() -> bool {
    true
}

/// SyncGroup.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SyncGroup {
    pub(super) version: Option<i16>,
    pub(super) member_id: Option<String>,
    pub(super) generation: Option<i32>,
    /// What it hands in where it leads.
    #[serde(default)]
    pub(super) assign: Assign,
}

/// What a leader hands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Assign {
    /// The range assignor's assignment.
    #[default]
    Range,
    /// Everything to itself.
    Itself,
    /// Nothing to anybody.
    Nothing,
}

/// Heartbeat.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Heartbeat {
    pub(super) version: Option<i16>,
    pub(super) member_id: Option<String>,
    pub(super) generation: Option<i32>,
}

/// LeaveGroup.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeaveGroup {
    pub(super) version: Option<i16>,
    pub(super) member_id: Option<String>,
    pub(super) reason: Option<String>,
}

/// OffsetCommit of one partition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OffsetCommit {
    pub(super) version: Option<i16>,
    pub(super) member_id: Option<String>,
    pub(super) generation: Option<i32>,
    pub(super) topic: String,
    pub(super) partition: i32,
    /// Where it commits at first.
    #[serde(default)]
    pub(super) offset: i64,
    /// How much further each time it is repeated.
    #[serde(default)]
    pub(super) advance: i64,
}

/// Produce to one partition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Produce {
    pub(super) topic: String,
    pub(super) partition: i32,
    /// How many records.
    #[serde(default = "one")]
    pub(super) records: u16,
}

const fn one() -> u16 {
    1
}

/// Fetch from one partition, which a broker answers when there is something or the wait is over.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fetch {
    pub(super) topic: String,
    pub(super) partition: i32,
    #[serde(default)]
    pub(super) offset: i64,
    pub(super) max_wait_ms: i32,
}

/// FindCoordinator for the client's group: from then on the client talks to the broker that it names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindCoordinator {
    pub(super) version: Option<i16>,
}

/// DescribeGroups, as tools ask.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribeGroups {
    pub(super) groups: Vec<String>,
}
