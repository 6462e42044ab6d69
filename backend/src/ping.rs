//! One heartbeat to a group's coordinator, on demand, by nobody: its member id is made up for it and belongs to no member.
//!
//! A coordinator answers it 25 or 69 and changes nothing (protocol.md 4.7): the answer tells that it answers, and how fast.
//! What else the same connection is asked tells network, broker and coordinator apart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use shared::event::GroupType;
use shared::ids::{GroupId, NodeId};
use shared::protocol::{
    ApiKey, ConsumerGroupDescribeRequest, ConsumerGroupHeartbeatRequest, DescribeGroupsRequest,
    HeartbeatRequest, Request,
};
use shared::time::{Millis, Timestamp};
use thiserror::Error;

use crate::kafka::cluster::Cluster;
use crate::kafka::connection::{Opened, handshake};
use crate::limits;
use crate::world::World;

/// What every made-up member id begins with, so that a broker's log tells whose it was.
pub const MADE_UP: &str = "heartline-ping-";

/// An epoch that neither joins (0) nor leaves (-1, -2) in the consumer protocol (KIP-848).
const EPOCH: i32 = 5;

/// Which heartbeat a group of some type understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heartbeat {
    /// Heartbeat.
    Classic,
    /// ConsumerGroupHeartbeat (KIP-848).
    Consumer,
}

impl Heartbeat {
    /// That of a group type; none where no heartbeat is known that changes nothing.
    #[must_use]
    pub const fn of(group_type: &GroupType) -> Option<Self> {
        match group_type {
            GroupType::Classic => Some(Self::Classic),
            GroupType::Consumer => Some(Self::Consumer),
            _ => None,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinged {
    /// The coordinator.
    pub node: NodeId,
    /// Kafka's name of the heartbeat.
    pub api: &'static str,
    /// How it was answered: 25 and 69 are what nobody is answered.
    pub error: i16,
    /// From sent to the answer's last byte, in microseconds.
    pub latency_us: u64,
    /// The same of other requests on the same connection.
    pub beside: BTreeMap<&'static str, u64>,
}

/// Why there was no heartbeat, or no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PingError {
    /// One was sent just before.
    #[error("a heartbeat was asked for less than {} ms ago: ask again later", limits::PING_PACE.0)]
    TooSoon,
    /// The coordinator was not reached, or did not answer.
    #[error("{0}")]
    NoAnswer(String),
}

/// Whoever sends them.
#[derive(Debug)]
pub struct Pinger {
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    world: World,
    timeout: Millis,
    /// When the next one may go.
    next: Mutex<Timestamp>,
}

impl Pinger {
    /// Nothing is sent until it is asked for; each request may take `timeout`, and all of them [`limits::PING_WAIT`].
    #[must_use]
    pub fn new(cluster: Arc<Cluster>, client_id: &str, world: impl Into<World>, timeout: Millis) -> Self {
        Self {
            cluster,
            client_id: Arc::from(client_id),
            world: world.into(),
            timeout,
            next: Mutex::new(Timestamp::default()),
        }
    }

    /// Sends one to the coordinator of `group`.
    ///
    /// # Errors
    /// As [`PingError`].
    pub async fn ping(&self, group: &GroupId, heartbeat: Heartbeat) -> Result<Pinged, PingError> {
        self.take_turn()?;
        let patience = self.world.clock.real(limits::PING_WAIT);
        match tokio::time::timeout(patience, self.send(group.as_str(), group, heartbeat)).await {
            Ok(sent) => sent.map_err(PingError::NoAnswer),
            Err(_elapsed) => Err(PingError::NoAnswer(format!(
                "the coordinator of the group did not answer within {} s",
                limits::PING_WAIT.as_secs()
            ))),
        }
    }

    fn take_turn(&self) -> Result<(), PingError> {
        let now = self.world.clock.now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if *next > now {
            return Err(PingError::TooSoon);
        }
        *next = now + limits::PING_PACE;
        Ok(())
    }

    async fn send(&self, name: &str, group: &GroupId, heartbeat: Heartbeat) -> Result<Pinged, String> {
        let opened = self.cluster.open_coordinator(&self.client_id, group).await;
        let (node, mut opened) = opened.map_err(|none| none.to_string())?;
        let mut beside = BTreeMap::new();
        let (_, took) = self.trip(&mut opened, handshake::question()).await?;
        beside.insert(ApiKey::ApiVersions.name(), took);
        let member_id = self.made_up();
        let name = name.to_owned();
        let (api, error, latency_us) = match heartbeat {
            Heartbeat::Classic => {
                let groups = vec![name.clone()];
                let describe = DescribeGroupsRequest {
                    groups,
                    ..Default::default()
                };
                let (_, took) = self.trip(&mut opened, describe).await?;
                beside.insert(ApiKey::DescribeGroups.name(), took);
                let beat = HeartbeatRequest {
                    group_id: name,
                    member_id,
                    ..Default::default()
                };
                let (answer, took) = self.trip(&mut opened, beat).await?;
                (ApiKey::Heartbeat, answer.error_code, took)
            }
            Heartbeat::Consumer => {
                let group_ids = vec![name.clone()];
                let describe = ConsumerGroupDescribeRequest {
                    group_ids,
                    ..Default::default()
                };
                let (_, took) = self.trip(&mut opened, describe).await?;
                beside.insert(ApiKey::ConsumerGroupDescribe.name(), took);
                let beat = ConsumerGroupHeartbeatRequest {
                    group_id: name,
                    member_id,
                    member_epoch: EPOCH,
                    ..Default::default()
                };
                let (answer, took) = self.trip(&mut opened, beat).await?;
                (ApiKey::ConsumerGroupHeartbeat, answer.error_code, took)
            }
        };
        Ok(Pinged {
            node,
            api: api.name(),
            error,
            latency_us,
            beside,
        })
    }

    /// An id that no coordinator ever handed out, nor any member made for itself.
    fn made_up(&self) -> String {
        let id = uuid::Uuid::from_bytes(self.world.chance.uuid());
        format!("{MADE_UP}{id}")
    }

    async fn trip<R: Request>(&self, opened: &mut Opened, question: R) -> Result<(R::Response, u64), String> {
        let version = opened.versions.highest_common(R::KEY);
        let version = version.map_err(|none| none.to_string())?;
        let trip = opened.connection.trip(version, question, self.timeout).await;
        trip.map_err(|end| format!("{}: {end}", opened.address))
    }
}

#[cfg(test)]
pub(crate) mod peer;
#[cfg(test)]
mod tests;
