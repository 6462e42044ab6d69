//! A cluster as a client knows it: where to ask first, who it is, which brokers and topics it has.

mod coordinator;
mod description;
mod unreachable;

pub use coordinator::NoCoordinator;
pub use description::{Broker, Description, Topic};
pub use unreachable::{ClusterError, NoBroker};

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use shared::ids::{ClusterId, NodeId};
use shared::protocol::{ApiKey, MetadataRequest, MetadataRequestTopic, NoCommonVersion};
use shared::time::Millis;
use tokio::time::sleep;

use super::address::Address;
use super::connection::{Dialer, Opened};
use super::link_end::LinkEnd;
use crate::limits;

/// The first version of Metadata that may forbid to create the topics asked for (KAFKA-5291).
const NO_TOPIC_CREATION: i16 = 4;

/// A cluster, asked over whichever of its brokers answers.
#[derive(Debug)]
pub struct Cluster {
    bootstrap: Vec<Address>,
    dialer: Dialer,
    request_timeout: Millis,
    /// How long one is waited for before the next is asked too.
    patience: Duration,
    /// Where the next search starts, so that many members do not all ask the same broker.
    turn: AtomicUsize,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    /// Brokers that Metadata named and the bootstrap list does not.
    named: Vec<Address>,
    /// Who could not be reached when last tried: asked after the others.
    failed: BTreeSet<Address>,
}

impl Cluster {
    /// The cluster behind `bootstrap`, of which any may be down.
    #[must_use]
    pub fn new(bootstrap: Vec<Address>, dialer: Dialer, request_timeout: Millis) -> Self {
        Self {
            bootstrap,
            dialer,
            request_timeout,
            patience: limits::BROKER_PATIENCE,
            turn: AtomicUsize::new(0),
            places: Mutex::default(),
        }
    }

    /// A connection to any broker: those of the bootstrap list in turn, then those the cluster has named. One that stands still
    /// takes connections and answers nothing: nobody waits for it long before the next is asked too.
    ///
    /// # Errors
    /// Why each of them could not be reached.
    pub async fn open_any(&self, client_id: Arc<str>) -> Result<Opened, NoBroker> {
        let mut candidates = self.candidates().into_iter();
        let mut asked = FuturesUnordered::new();
        let (mut waiting, mut tried) = (Vec::new(), Vec::new());
        loop {
            if let Some(address) = candidates.next() {
                waiting.push(address.clone());
                asked.push(self.open_one(address, Arc::clone(&client_id)));
            }
            let more = candidates.len() > 0;
            let patience = async {
                match more {
                    true => sleep(self.patience).await,
                    false => pending().await,
                }
            };
            tokio::select! {
                biased;
                answered = asked.next() => match answered {
                    Some((_, Ok(opened))) => {
                        // Those that were asked before and have not answered yet are asked after the others from now on.
                        let slow = waiting.iter().take_while(|address| **address != opened.address);
                        slow.for_each(|address| self.note(address, false));
                        return Ok(opened);
                    }
                    Some((address, Err(end))) => {
                        waiting.retain(|other| *other != address);
                        tried.push((address, end));
                    }
                    None => return Err(NoBroker { tried }),
                },
                () = patience => {}
            }
        }
    }

    /// A connection to one of them.
    async fn open_one(&self, address: Address, client_id: Arc<str>) -> (Address, Result<Opened, LinkEnd>) {
        let opened = self.dialer.open(&address, None, client_id).await;
        let opened = opened.and_then(a_broker);
        self.note(&address, opened.is_ok());
        (address, opened)
    }

    /// A connection to the broker that goes by `node`, at the address it advertises.
    ///
    /// # Errors
    /// How it failed.
    pub async fn open(
        &self,
        node: NodeId,
        host: &str,
        port: u16,
        client_id: Arc<str>,
    ) -> Result<Opened, LinkEnd> {
        let address = Address::new(host, port.into()).map_err(LinkEnd::Advertised)?;
        self.dialer.open(&address, Some(node), client_id).await
    }

    /// Asks for the cluster's id, its brokers and `topics`, none of which is created by the asking.
    ///
    /// # Errors
    /// No broker could be reached, or the one that was does not answer sensibly.
    pub async fn describe(
        &self,
        client_id: Arc<str>,
        topics: &[String],
    ) -> Result<Description, ClusterError> {
        let Opened {
            mut connection,
            versions,
            address,
        } = self.open_any(client_id).await?;
        let version = versions.highest_common(ApiKey::Metadata)?;
        let topics = topics.iter().map(|name| MetadataRequestTopic {
            name: Some(name.clone()),
            ..Default::default()
        });
        let question = MetadataRequest {
            topics: Some(topics.collect()),
            allow_auto_topic_creation: version < NO_TOPIC_CREATION,
            ..Default::default()
        };
        let answer = connection
            .ask(version, question, self.request_timeout)
            .await
            .map_err(|end| ClusterError::Link { address, end })?;
        if answer.error_code != 0 {
            return Err(ClusterError::Refused(answer.error_code));
        }
        let description = Description::new(answer);
        self.remember(&description.brokers);
        Ok(description)
    }

    /// What a cluster that has no id (brokers before 0.10.1) is called: the first address it was looked for at.
    #[must_use]
    pub fn nickname(&self) -> ClusterId {
        let first = self.bootstrap.first();
        first.map_or_else(ClusterId::default, |address| ClusterId::from(address.to_string()))
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        // Each change is one call that leaves the places whole.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn candidates(&self) -> Vec<Address> {
        let places = self.places();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let start = turn.checked_rem(self.bootstrap.len()).unwrap_or(0);
        let (later, first) = self.bootstrap.split_at(start);
        let in_turn = first.iter().chain(later).chain(&places.named);
        let (failed, good): (Vec<_>, Vec<_>) = in_turn
            .cloned()
            .partition(|address| places.failed.contains(address));
        good.into_iter().chain(failed).collect()
    }

    fn note(&self, address: &Address, reached: bool) {
        let mut places = self.places();
        if reached {
            places.failed.remove(address);
        } else {
            places.failed.insert(address.clone());
        }
    }

    fn remember(&self, brokers: &[Broker]) {
        let mut places = self.places();
        places.named = brokers
            .iter()
            .filter_map(|broker| broker.address.as_ref().ok())
            .filter(|address| !self.bootstrap.contains(address))
            .take(limits::BROKERS)
            .cloned()
            .collect();
        let Places { named, failed } = &mut *places;
        failed.retain(|address| self.bootstrap.contains(address) || named.contains(address));
    }
}

/// Whether it is a broker: controllers answer on their own listeners too, and know nothing of topics and groups.
fn a_broker(opened: Opened) -> Result<Opened, LinkEnd> {
    let api = ApiKey::Metadata;
    match opened.versions.highest_common(api) {
        Err(NoCommonVersion::NotOffered { .. }) => Err(LinkEnd::NoBroker { api }),
        _ => Ok(opened),
    }
}

#[cfg(test)]
mod tests;
