//! A cluster as a client knows it: where to ask first, who it is, which brokers and topics it has.

mod coordinator;
mod description;
mod search;
mod unreachable;

pub use coordinator::NoCoordinator;
pub use description::{Broker, Description, Topic};
pub use search::{Search, SoFar};
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
    /// takes connections and answers nothing: nobody waits for it long before the next is asked too, nor before those that
    /// failed are asked again.
    ///
    /// # Errors
    /// Why each of them could not be reached.
    pub async fn open_any(&self, client_id: Arc<str>) -> Result<Opened, NoBroker> {
        self.search(client_id, &Search::default()).await
    }

    /// The same, with how it stands noted in `search`.
    async fn search(&self, client_id: Arc<str>, search: &Search) -> Result<Opened, NoBroker> {
        let candidates = self.candidates();
        search.begins(&candidates);
        let mut candidates = candidates.into_iter();
        let mut asked = FuturesUnordered::new();
        // Who was asked and has never answered; how the others failed; which of those are asked again just now.
        let (mut waiting, mut tried, mut again) = (Vec::new(), Vec::new(), BTreeSet::new());
        loop {
            if let Some(address) = candidates.next() {
                waiting.push(address.clone());
                asked.push(self.open_one(address, Arc::clone(&client_id)));
            } else if waiting.is_empty() {
                return Err(NoBroker { tried });
            }
            let others = candidates.len() > 0 || tried.len() > again.len();
            let patience = async {
                match others {
                    true => sleep(self.patience).await,
                    false => pending().await,
                }
            };
            tokio::select! {
                biased;
                // Never none: somebody is waited for.
                Some(answered) = asked.next() => match answered {
                    (_, Ok(opened)) => {
                        // Those that were asked before and have not answered yet are asked after the others from now on.
                        let slow = waiting.iter().take_while(|address| **address != opened.address);
                        slow.for_each(|address| self.note(address, false));
                        return Ok(opened);
                    }
                    (address, Err(end)) => {
                        search.failed(&address, &end);
                        waiting.retain(|other| *other != address);
                        if again.remove(&address) {
                            tried.retain(|(other, _)| *other != address);
                        }
                        tried.push((address, end));
                    }
                },
                () = patience => if candidates.len() == 0 {
                    for (address, _) in &tried {
                        if again.insert(address.clone()) {
                            asked.push(self.open_one(address.clone(), Arc::clone(&client_id)));
                        }
                    }
                },
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
        self.describe_found(client_id, topics, &Search::default()).await
    }

    /// The same, with how the search for a broker stands noted in `search`.
    ///
    /// # Errors
    /// As [`Self::describe`].
    pub async fn describe_found(
        &self,
        client_id: Arc<str>,
        topics: &[String],
        search: &Search,
    ) -> Result<Description, ClusterError> {
        let Opened {
            mut connection,
            versions,
            address,
        } = self.search(client_id, search).await?;
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
