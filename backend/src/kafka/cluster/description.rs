//! What an answer to Metadata says, in our words.

use std::collections::BTreeMap;

use shared::error_code;
use shared::ids::{ClusterId, NodeId};
use shared::protocol::{MetadataResponse, MetadataResponseBroker, MetadataResponseTopic};

use crate::kafka::address::{Address, AddressError};

/// The cluster when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its id; brokers before 0.10.1 have none.
    pub id: Option<ClusterId>,
    /// The brokers that are up.
    pub brokers: Vec<Broker>,
    /// The topics asked for.
    pub topics: Vec<Topic>,
}

/// A broker that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    /// Its id.
    pub node: NodeId,
    /// Where it says it is reached, or why that is no address.
    pub address: Result<Address, AddressError>,
}

/// A topic that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// How many partitions it has, or the code that keeps us from knowing: 3 no such topic, 29 no right to see it.
    pub partitions: Result<u32, i16>,
}

impl Description {
    pub(super) fn new(answer: MetadataResponse) -> Self {
        Self {
            id: answer.cluster_id.map(ClusterId::from),
            brokers: answer.brokers.iter().map(Broker::new).collect(),
            topics: answer.topics.into_iter().filter_map(Topic::new).collect(),
        }
    }

    /// A topic that exists but may not be seen by us, if there is one.
    #[must_use]
    pub fn hidden_topic(&self) -> Option<&str> {
        let hidden = |topic: &&Topic| topic.partitions == Err(error_code::TOPIC_AUTHORIZATION_FAILED);
        self.topics.iter().find(hidden).map(|topic| &*topic.name)
    }

    /// The partitions of each topic that exists and may be seen.
    #[must_use]
    pub fn partitions(&self) -> BTreeMap<String, u32> {
        let seen = |topic: &Topic| Some((topic.name.clone(), topic.partitions.ok()?));
        self.topics.iter().filter_map(seen).collect()
    }
}

impl Broker {
    fn new(broker: &MetadataResponseBroker) -> Self {
        Self {
            node: NodeId(broker.node_id),
            address: Address::new(&broker.host, broker.port),
        }
    }
}

impl Topic {
    fn new(topic: MetadataResponseTopic) -> Option<Self> {
        let partitions = match topic.error_code {
            0 => Ok(u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX)),
            code => Err(code),
        };
        let name = topic.name?;
        Some(Self { name, partitions })
    }
}
