//! What brokers in memory answer of themselves; who answers the rest.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shared::event::LinkFault;
use shared::ids::{ClusterId, NodeId};
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsResponse, BrokerVersions,
    DescribeClusterResponse, MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
};

use super::{Cluster, TRIP, log};
use crate::kafka::address::Address;
use crate::kafka::cluster::Broker;
use crate::survey::port::{Input, Lane, Link};

impl Cluster {
    /// A broker of the bootstrap list is asked who there is.
    pub(super) fn find(&mut self) {
        let input = if self.unreachable {
            Input::NotFound {
                fault: LinkFault::Disconnect,
                detail: "connection refused".to_owned(),
            }
        } else {
            Input::Found {
                cluster: Some(ClusterId::from("c")),
                brokers: self.counted().map(broker).collect(),
            }
        };
        let nobody = Link {
            node: NodeId(-1),
            lane: Lane::Look,
        };
        self.fly(nobody, None, TRIP, input);
    }

    pub(super) fn answer(&mut self, node: NodeId, request: AnyRequest) -> AnyResponse {
        match request {
            AnyRequest::Metadata(asked) => self.metadata(&asked).into(),
            AnyRequest::ApiVersions(_) => ApiVersionsResponse::default().into(),
            AnyRequest::DescribeCluster(asked) => {
                assert!(asked.include_cluster_authorized_operations);
                DescribeClusterResponse {
                    cluster_authorized_operations: self.operations,
                    ..Default::default()
                }
                .into()
            }
            AnyRequest::ListOffsets(asked) if asked.topics.iter().any(|topic| topic.name == log::NAME) => {
                self.log.offsets(node, asked).into()
            }
            AnyRequest::ListOffsets(asked) => self.offsets.ends(node, asked).into(),
            AnyRequest::OffsetFetch(asked) => self.offsets.fetch(asked).into(),
            AnyRequest::DescribeShareGroupOffsets(asked) => self.shares.tell(asked).into(),
            AnyRequest::FindCoordinator(asked) => self.names.find(asked).into(),
            AnyRequest::DescribeConfigs(asked) => self.offsets.settings(asked),
            other => self.describe(node, other),
        }
    }

    fn metadata(&self, asked: &MetadataRequest) -> MetadataResponse {
        let topics = asked.topics.iter().flatten();
        let topic = |topic: &MetadataRequestTopic| match topic.name.as_deref() {
            Some(log::NAME) | None => self.log.topic(asked),
            Some(name) => self.offsets.topic(name),
        };
        assert!(
            asked.topics.iter().flatten().next().is_none() || !asked.allow_auto_topic_creation,
            "a survey makes no topic"
        );
        MetadataResponse {
            brokers: self.counted().map(named).collect(),
            topics: topics.map(topic).collect(),
            ..Default::default()
        }
    }
}

pub(super) fn versions(oldest: bool) -> BrokerVersions {
    let known = ApiKey::ALL
        .iter()
        .filter(|key| !oldest || **key != ApiKey::DescribeShareGroupOffsets);
    let all = known.map(|key| ApiVersion {
        api_key: i16::from(*key),
        min_version: key.versions().min,
        max_version: match key {
            ApiKey::OffsetFetch if oldest => 2,
            key => key.versions().max,
        },
    });
    BrokerVersions::new(&ApiVersionsResponse {
        api_keys: all.collect(),
        ..Default::default()
    })
}

pub(super) fn broker(node: NodeId) -> Broker {
    Broker {
        node,
        address: Address::new(&format!("broker-{node}"), 9092),
    }
}

fn named(node: NodeId) -> MetadataResponseBroker {
    MetadataResponseBroker {
        node_id: node.0,
        host: format!("broker-{node}"),
        port: 9092,
        ..Default::default()
    }
}

/// Stands for an answer.
pub(super) fn digest(response: &AnyResponse) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{response:?}").hash(&mut hasher);
    hasher.finish().max(1)
}
