//! The board's smaller rows: coordinators, faults, gaps, missing rights, what was forgotten.

use serde::Serialize;

use super::GroupKey;
use super::beats::is_default;
use super::limits::APIS;
use super::member::Refusal;
use super::text::{clipped, shortened};
use crate::event::{Change, DeathCause, Leaderless, LogAccess, Observation, RoundTrips};
use crate::fault::Fault;
use crate::histogram::Histogram;
use crate::ids::{ClusterId, GroupId, NodeId};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// A broker that was found to be a coordinator, or that is asked for its groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Coordinator {
    /// Its cluster.
    pub cluster: ClusterId,
    /// Its broker.
    pub node: NodeId,
    /// As advertised; none where it was only ever seen dying.
    pub host: Option<String>,
    /// As advertised.
    pub port: Option<u16>,
    /// When it was last found.
    pub found: Option<UnixMs>,
    /// When and why a member last took it for dead, unless it was found again or answered since; that it does not coordinate
    /// a group is an answer.
    pub dead: Option<(UnixMs, DeathCause)>,
    /// Since when it does not answer a survey: its last answer, or when it was first asked.
    #[serde(default)]
    pub silent: Option<UnixMs>,
    /// How many groups it began to coordinate that another broker had coordinated before.
    #[serde(default)]
    pub came: u64,
    /// How many it coordinated that went to another broker.
    #[serde(default)]
    pub went: u64,
    /// When the last of those came or went.
    #[serde(default)]
    pub moved: Option<UnixMs>,
    /// How long it takes to answer a survey, by request, at most [`super::limits::APIS`] of them.
    #[serde(default)]
    pub trips: Vec<ApiLatency>,
}

/// The round trips of one kind of request to a broker, since it was first asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct ApiLatency {
    /// Kafka's name of the request.
    pub api: String,
    /// In microseconds.
    pub latency: Histogram,
}

impl Coordinator {
    pub(super) const fn new(cluster: ClusterId, node: NodeId) -> Self {
        Self {
            cluster,
            node,
            host: None,
            port: None,
            found: None,
            dead: None,
            silent: None,
            came: 0,
            went: 0,
            moved: None,
            trips: Vec::new(),
        }
    }

    /// A group came from another broker, or went to one.
    pub(super) fn moves(&mut self, came: bool, at: UnixMs) {
        let count = if came { &mut self.came } else { &mut self.went };
        *count = count.saturating_add(1);
        self.moved = self.moved.max(Some(at));
    }

    /// Takes in a second of round trips.
    pub(super) fn took(&mut self, trips: &[RoundTrips]) {
        for trip in trips {
            let known = self.trips.iter().position(|row| row.api == trip.api);
            if known.is_none() && self.trips.len() < APIS {
                self.trips.push(ApiLatency {
                    api: clipped(&trip.api),
                    latency: Histogram::default(),
                });
            }
            let place = known.unwrap_or(self.trips.len().saturating_sub(1));
            if let Some(row) = self.trips.get_mut(place).filter(|row| row.api == trip.api) {
                for (bucket, count) in trip.buckets.iter() {
                    row.latency.add(*bucket, u64::from(*count));
                }
            }
        }
    }
}

/// A group that is no longer there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct GoneGroup {
    /// Its cluster and id.
    pub key: GroupKey,
    /// When that was seen.
    pub at: UnixMs,
}

/// A fault that was played.
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
pub struct PlayedFault {
    /// When.
    pub at: UnixMs,
    /// Its event.
    pub seq: u64,
    /// As it was asked for.
    pub fault: Fault,
}

impl PlayedFault {
    pub(super) fn new(seq: u64, at: UnixMs, fault: &Fault) -> Self {
        let fault = fault.clone();
        Self { at, seq, fault }
    }
}

/// Something that was not seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Unseen {
    /// Its event.
    pub seq: u64,
    /// In which cluster.
    pub cluster: ClusterId,
    /// In which group; none where it concerns more than one.
    pub group: Option<GroupId>,
    /// What.
    pub what: String,
    /// Since when, at the earliest.
    pub from: UnixMs,
    /// Until when, at the latest.
    pub to: UnixMs,
    /// Why.
    pub why: String,
}

impl Unseen {
    /// What a gap tells; none where the event is none.
    pub(super) fn new(seq: u64, observed: &Observation) -> Option<Self> {
        let Change::Gap { what, from, to, why } = &observed.change else {
            return None;
        };
        Some(Self {
            seq,
            cluster: clipped(&observed.cluster),
            group: observed.group.as_ref().map(clipped),
            what: clipped(what),
            from: *from,
            to: *to,
            why: shortened(why),
        })
    }
}

/// A right that is missing on a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct ClusterRefusal {
    /// The cluster.
    pub cluster: ClusterId,
    /// What was refused.
    pub refusal: Refusal,
}

/// How far the offsets log of a cluster can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct OffsetsLog {
    /// The cluster.
    pub cluster: ClusterId,
    /// How far.
    pub access: LogAccess,
    /// Since when it is so.
    pub since: UnixMs,
    /// How many of its partitions have no leader: groups on them are on no list.
    #[serde(default, skip_serializing_if = "is_default")]
    pub leaderless: Leaderless,
}

/// What the limits made a board forget: counts since the stream began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Forgotten {
    /// Groups.
    pub groups: u64,
    /// Events of members that found no room for a row.
    pub members: u64,
    /// Coordinators.
    pub coordinators: u64,
    /// Departed members and rebalances.
    pub history: u64,
}
