//! The embedded coordinator: the sans-IO [`Coordinator`](crate::coordinator::Coordinator) behind a TCP listener, so that
//! any Kafka client can form a group on it, with faults on request.
//!
//! It serves what stock clients need to join, stay, consume, commit and leave (protocol.md 2.7), and what administrators read.
//! As a broker does, it answers a connection's requests in their order and works on one at a time,
//! so a parked JoinGroup holds up what was sent behind it. An API or version it does not have, or bytes that are no
//! request, end that connection and no other.
//!
//! # Layout
//!
//! - here: what the rest of the server calls
//! - [`service`]: the machine and its lock; [`data`]: the same of the logs; [`alarm`]: the tasks that wake them
//! - [`reports`]: events on their way to the hub; [`store`]: what is kept of groups
//! - [`nodes`]: a second node, for groups to move to
//! - [`gate`]: listeners and connections, stop and restart; [`connection`]: one client
//! - [`broker`], [`configs`]: the answers that are about the cluster, not about a group
//! - [`faults`]: what is made to go wrong

mod alarm;
mod broker;
mod complaints;
mod configs;
mod connection;
mod data;
mod faults;
mod gate;
mod nodes;
mod reports;
mod service;
mod store;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::event::Change;
use shared::fault::{Fault, Reload};
use shared::ids::{ClusterId, GroupId, NodeId};
use shared::time::Millis;
use tokio::task::JoinHandle;

use crate::coordinator::config::Config;
use crate::coordinator::topics::Topics;
use crate::hub::Reporter;
use crate::world::World;
pub use faults::{FaultError, Played};
use gate::{Commands, Gate};
use reports::Reports;
use service::Service;
use store::Store;
pub use store::{DataDir, DataDirError};

/// The node id of the one broker there is.
pub const NODE: NodeId = NodeId(1);

/// What the embedded coordinator is told at its start.
#[derive(Clone, Debug)]
pub struct EmbeddedConfig {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    pub topics: Topics,
    /// Kafka's settings.
    pub coordinator: Config,
}

/// Starts embedded coordinators.
#[derive(Debug)]
pub struct Embedded;

impl Embedded {
    /// Listens and serves until [`EmbeddedHandle::shutdown`]. Nothing is kept beyond that, and its cluster id is made anew
    /// at each start.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on.
    pub fn start(
        config: EmbeddedConfig,
        world: impl Into<World>,
        reporter: Reporter,
    ) -> io::Result<EmbeddedHandle> {
        Self::start_with(config, None, world, reporter)
    }

    /// As [`Self::start`], with groups, members and offsets kept in a data directory, whose cluster it is; those that are
    /// there go on.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or there can be no further thread.
    pub fn start_with(
        config: EmbeddedConfig,
        kept: Option<DataDir>,
        world: impl Into<World>,
        reporter: Reporter,
    ) -> io::Result<EmbeddedHandle> {
        let World {
            clock,
            network,
            chance,
        } = world.into();
        let listener = network.bind(config.listen)?.listen(gate::BACKLOG)?;
        let address = listener.local_addr()?;
        // 122 random bits; the lower half is all the randomness the machine gets.
        let anew = || ClusterId::from(shared::protocol::Uuid(chance.uuid()).to_string());
        let cluster = kept.as_ref().map_or_else(anew, |kept| kept.cluster().clone());
        let (store, stored) = match kept {
            Some(kept) => Store::on_disk(kept).map(|(store, stored)| (store, Some(stored)))?,
            None => (Store::default(), None),
        };
        let seed = chance.number();
        let reports = Arc::new(Reports::new(cluster, &reporter));
        let service = Service::new(config, address, clock, Arc::clone(&reports), store, seed);
        let service = Arc::new(service);
        service.load_all();
        let (commands, gate) = Gate::new(network, listener, address, Arc::clone(&service));
        let tasks = vec![
            tokio::spawn(gate.run()),
            tokio::spawn(alarm::run(Arc::clone(&service))),
            tokio::spawn(alarm::run(Arc::clone(service.data()))),
            tokio::spawn(Arc::clone(&service).watch_logs()),
            tokio::spawn(reports::run(reports, reporter)),
        ];
        let stored = stored.map(|stored| tokio::spawn(store::run(Arc::clone(&service), stored)));
        Ok(EmbeddedHandle {
            address,
            service,
            commands,
            tasks,
            stored: tokio::sync::Mutex::new(stored),
        })
    }
}

/// A running embedded coordinator. It ends when this is dropped.
#[derive(Debug)]
pub struct EmbeddedHandle {
    address: SocketAddr,
    service: Arc<Service>,
    commands: Commands,
    tasks: Vec<JoinHandle<()>>,
    /// The task that hears from the disk, where there is one.
    stored: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl EmbeddedHandle {
    /// Where it listens; the same through stop and restart.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Its cluster's id.
    #[must_use]
    pub fn cluster_id(&self) -> ClusterId {
        self.service.reports().cluster().clone()
    }

    /// Whether it has such a group.
    #[must_use]
    pub fn has_group(&self, group: &GroupId) -> bool {
        self.service.has_group(group)
    }

    /// Plays a fault and reports it. `kill`, `leave` and `add` are refused with [`FaultError::OfMembers`]: they act on
    /// members of ours, whose supervisor plays them.
    ///
    /// # Errors
    ///
    /// The fault names something that is not there or not allowed; nothing was done then.
    pub async fn play(&self, fault: Fault) -> Result<Played, FaultError> {
        let played = match &fault {
            Fault::Stop => self.commands.stop().await?,
            Fault::Restart => self.commands.restart().await?,
            Fault::Calm => {
                self.commands.calm().await?;
                self.service.plan(&fault)?
            }
            Fault::Move { group, reload, ms } => self.move_group(group, *reload, Millis(*ms)).await?,
            other => self.service.plan(other)?,
        };
        self.report_played(fault);
        Ok(played)
    }

    /// Takes into force what is part of another fault, without reporting it.
    pub(crate) fn plan(&self, fault: &Fault) -> Result<Played, FaultError> {
        self.service.plan(fault)
    }

    async fn move_group(&self, group: &GroupId, reload: Reload, reads: Millis) -> Result<Played, FaultError> {
        if !self.has_group(group) {
            let group = group.clone();
            return Err(FaultError::Group { group });
        }
        let second = self.commands.join().await?.sentence;
        let node = self.service.move_group(group, reload, reads);
        let ms = reads.0;
        Ok(Played::new(format!(
            "{group} moves to node {node}, which reads it for {ms} ms ({second})"
        )))
    }

    /// Reports a fault that somebody else has played on this coordinator's members, under the member's id and group where
    /// its name means one member.
    pub fn report_played(&self, fault: Fault) {
        let named = fault.member().and_then(|name| self.service.member_named(name));
        let (group, member) = named.map_or((None, None), |(group, member)| (Some(group), Some(member)));
        let group = group.or_else(|| fault.group().cloned());
        let now = self.service.unix(self.service.clock().now());
        self.service
            .reports()
            .tell(now, group, member, Change::FaultPlayed { fault });
    }

    /// Closes the listener and every connection and ends; what was reported reaches the hub first, and what was to be kept
    /// the disk.
    pub async fn shutdown(&self) {
        self.commands.shut_down().await;
        self.service.close_store();
        if let Some(stored) = self.stored.lock().await.take()
            && let Err(error) = stored.await
        {
            tracing::error!(%error, "store: it did not end well");
        }
        self.service.reports().end();
        self.service.reports().drained().await;
        self.end();
    }

    fn end(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Drop for EmbeddedHandle {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a cluster of these topics answers to a request that is about it and not about a group.
#[cfg(feature = "fuzz")]
#[doc(hidden)]
#[must_use]
pub fn answer_about_the_cluster(
    topics: &Arc<Topics>,
    version: i16,
    request: &shared::protocol::AnyRequest,
) -> Option<shared::protocol::AnyResponse> {
    let broker = broker::Broker::new("cluster".into(), Arc::clone(topics), Config::default());
    let reached = SocketAddr::from(([127, 0, 0, 1], 9092));
    broker.answer(version, (NODE, reached), request)
}
