//! The answers that are about the cluster: one broker, its versions, its topics, and that it coordinates every group.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::error_code as code;
use shared::ids::{ClusterId, NodeId};
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsRequest, ApiVersionsResponse, Coordinator,
    DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse, FindCoordinatorRequest,
    FindCoordinatorResponse, MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
    MetadataResponsePartition, MetadataResponseTopic, Uuid, VersionRange,
};

use super::{NODE, configs};
use crate::coordinator::config::Config;
use crate::coordinator::topics::{Topic, Topics};

/// FindCoordinator's kinds of key: only groups have a coordinator here.
const KEY_OF_GROUP: i8 = 0;
const KEY_OF_TRANSACTION: i8 = 1;
/// Kafka knows transactions (1) and share groups (2) beside groups.
const KEYS_OF_KAFKA: std::ops::RangeInclusive<i8> = 0..=2;
/// From this version on FindCoordinator asks for many keys at once (KIP-699).
const FINDS_MANY: i16 = 4;
/// From this version on null means all topics and an empty list none; before, an empty list means all.
const NULL_IS_ALL: i16 = 1;

/// DescribeCluster's kinds of address (KIP-919).
const BROKERS: i8 = 1;
const CONTROLLERS: i8 = 2;

/// What anybody may do, a bit for each of Kafka's operations: there is no authorizer, and what is not listed cannot be done
/// here at all. With the cluster: describe it (8) and its settings (10), write idempotently (12).
const MAY_WITH_THE_CLUSTER: i32 = 1 << 8 | 1 << 10 | 1 << 12;
/// With a topic: read (3), write (4), describe it (8) and its settings (10).
const MAY_WITH_A_TOPIC: i32 = 1 << 3 | 1 << 4 | 1 << 8 | 1 << 10;
/// Nobody asked.
const NOT_ASKED: i32 = i32::MIN;

/// What a client may learn about the cluster.
#[derive(Debug)]
pub(super) struct Broker {
    cluster: ClusterId,
    topics: Arc<Topics>,
    config: Config,
}

impl Broker {
    pub(super) const fn new(cluster: ClusterId, topics: Arc<Topics>, config: Config) -> Self {
        Self {
            cluster,
            topics,
            config,
        }
    }

    /// The versions of an API that are served: those of a Kafka 4.4 broker, so that the table as a whole is one that clients
    /// know (protocol.md 2.2, 6.6: some infer the broker's release from it).
    pub(super) const fn versions(key: ApiKey) -> Option<VersionRange> {
        let all = key.versions();
        let least = match key {
            ApiKey::ConsumerGroupHeartbeat
            | ApiKey::ConsumerGroupDescribe
            | ApiKey::ShareGroupDescribe
            | ApiKey::StreamsGroupDescribe
            | ApiKey::DescribeShareGroupOffsets => return None,
            // What KIP-896 took away.
            ApiKey::Produce => 3,
            ApiKey::Fetch => 4,
            ApiKey::OffsetCommit => 2,
            ApiKey::ListOffsets | ApiKey::OffsetFetch | ApiKey::DescribeConfigs => 1,
            ApiKey::Metadata
            | ApiKey::FindCoordinator
            | ApiKey::JoinGroup
            | ApiKey::Heartbeat
            | ApiKey::LeaveGroup
            | ApiKey::SyncGroup
            | ApiKey::DescribeGroups
            | ApiKey::ListGroups
            | ApiKey::SaslHandshake
            | ApiKey::SaslAuthenticate
            | ApiKey::ApiVersions
            | ApiKey::InitProducerId
            | ApiKey::DescribeCluster => all.min,
        };
        let most = match key {
            // Version 6 is not stable yet.
            ApiKey::InitProducerId => 5,
            _ => all.max,
        };
        Some(VersionRange::new(least, most))
    }

    /// The same as clients are told. As of a broker, the least version of Produce is 0: older clients of librdkafka look for
    /// it before they use anything newer (KAFKA-18659).
    const fn advertised(key: ApiKey) -> Option<VersionRange> {
        match (key, Self::versions(key)) {
            (ApiKey::Produce, Some(served)) => Some(VersionRange::new(0, served.max)),
            (_, served) => served,
        }
    }

    /// The answer to what is about the cluster; none where it is about groups. `reached` is the address by which the client
    /// reached us, so one that it can reach.
    pub(super) fn answer(
        &self,
        version: i16,
        (node, reached): (NodeId, SocketAddr),
        request: &AnyRequest,
    ) -> Option<AnyResponse> {
        match request {
            AnyRequest::ApiVersions(asked) => Some(self.api_versions(version, node, asked).into()),
            AnyRequest::Metadata(asked) => Some(self.metadata(version, reached, asked).into()),
            AnyRequest::FindCoordinator(asked) => Some(find_coordinator(version, reached, asked)),
            AnyRequest::DescribeCluster(asked) => Some(self.describe_cluster(reached, asked).into()),
            AnyRequest::DescribeConfigs(asked) => {
                Some(configs::describe(&self.config, &self.topics, asked).into())
            }
            // There is nothing to prove here, as on a broker's plain listener.
            AnyRequest::SaslHandshake(_) | AnyRequest::SaslAuthenticate(_) => {
                Some(request.error_response(version, code::ILLEGAL_SASL_STATE))
            }
            AnyRequest::OffsetCommit(_)
            | AnyRequest::JoinGroup(_)
            | AnyRequest::Heartbeat(_)
            | AnyRequest::LeaveGroup(_)
            | AnyRequest::SyncGroup(_)
            | AnyRequest::DescribeGroups(_)
            | AnyRequest::ListGroups(_)
            | AnyRequest::Produce(_)
            | AnyRequest::Fetch(_)
            | AnyRequest::ListOffsets(_)
            | AnyRequest::OffsetFetch(_)
            | AnyRequest::InitProducerId(_)
            | AnyRequest::ConsumerGroupDescribe(_)
            | AnyRequest::ShareGroupDescribe(_)
            | AnyRequest::StreamsGroupDescribe(_)
            | AnyRequest::DescribeShareGroupOffsets(_)
            | AnyRequest::ConsumerGroupHeartbeat(_) => None,
        }
    }

    fn api_versions(&self, version: i16, node: NodeId, request: &ApiVersionsRequest) -> ApiVersionsResponse {
        let names = [&request.client_software_name, &request.client_software_version];
        let ours = |id: &String| *id == self.cluster.as_str();
        let misdirected = !request.cluster_id.as_ref().is_none_or(ours)
            || (request.node_id >= 0 && request.node_id != node.0);
        if version >= 3 && !names.into_iter().all(|name| is_software_name(name)) {
            table(code::INVALID_REQUEST)
        } else if version >= 5 && misdirected {
            // KIP-1242: the client holds the address of another cluster or node.
            ApiVersionsResponse {
                error_code: code::REBOOTSTRAP_REQUIRED,
                ..ApiVersionsResponse::default()
            }
        } else {
            table(code::NONE)
        }
    }

    fn describe_cluster(
        &self,
        reached: SocketAddr,
        request: &DescribeClusterRequest,
    ) -> DescribeClusterResponse {
        let refused = match request.endpoint_type {
            BROKERS => None,
            CONTROLLERS => Some((
                code::MISMATCHED_ENDPOINT_TYPE,
                "this is a broker, and controllers were asked for".to_owned(),
            )),
            other => Some((
                code::UNSUPPORTED_ENDPOINT_TYPE,
                format!(
                    "endpoint type {other} is not known (known: {BROKERS} brokers, {CONTROLLERS} controllers)"
                ),
            )),
        };
        if let Some((error_code, why)) = refused {
            return DescribeClusterResponse {
                error_code,
                error_message: Some(why),
                endpoint_type: request.endpoint_type,
                ..DescribeClusterResponse::default()
            };
        }
        let (host, port) = host_and_port(reached);
        let operations = if request.include_cluster_authorized_operations {
            MAY_WITH_THE_CLUSTER
        } else {
            NOT_ASKED
        };
        DescribeClusterResponse {
            cluster_id: self.cluster.as_str().into(),
            controller_id: NODE.0,
            brokers: vec![DescribeClusterBroker {
                broker_id: NODE.0,
                host,
                port,
                ..DescribeClusterBroker::default()
            }],
            cluster_authorized_operations: operations,
            ..DescribeClusterResponse::default()
        }
    }

    fn metadata(&self, version: i16, reached: SocketAddr, request: &MetadataRequest) -> MetadataResponse {
        let all = |topics: &Vec<MetadataRequestTopic>| version < NULL_IS_ALL && topics.is_empty();
        let topics = match &request.topics {
            Some(asked) if !all(asked) => {
                // Asked for twice, a topic is told once, as Kafka does.
                let mut told = BTreeSet::new();
                let asked = asked
                    .iter()
                    .filter(|topic| told.insert((&topic.name, topic.topic_id)));
                asked.map(|topic| self.asked_topic(version, topic)).collect()
            }
            _ => self
                .topics
                .iter()
                .map(|(name, topic)| told(name, topic))
                .collect(),
        };
        let (host, port) = host_and_port(reached);
        let broker = MetadataResponseBroker {
            node_id: NODE.0,
            host,
            port,
            ..MetadataResponseBroker::default()
        };
        let mut answer = MetadataResponse {
            brokers: vec![broker],
            cluster_id: Some(self.cluster.as_str().into()),
            controller_id: NODE.0,
            topics,
            ..MetadataResponse::default()
        };
        if request.include_cluster_authorized_operations {
            answer.cluster_authorized_operations = MAY_WITH_THE_CLUSTER;
        }
        if request.include_topic_authorized_operations {
            let known = answer
                .topics
                .iter_mut()
                .filter(|topic| topic.error_code == code::NONE);
            known.for_each(|topic| topic.topic_authorized_operations = MAY_WITH_A_TOPIC);
        }
        answer
    }

    /// By name, or, where the name is null, by id.
    fn asked_topic(&self, version: i16, asked: &MetadataRequestTopic) -> MetadataResponseTopic {
        let unknown = |error_code, name| MetadataResponseTopic {
            error_code,
            name,
            topic_id: asked.topic_id,
            ..MetadataResponseTopic::default()
        };
        match &asked.name {
            Some(name) => match self.topics.by_name(name) {
                Some(topic) => told(name, topic),
                None => MetadataResponseTopic {
                    topic_id: Uuid::ZERO,
                    ..unknown(code::UNKNOWN_TOPIC_OR_PARTITION, Some(name.clone()))
                },
            },
            None => match self.topics.by_id(asked.topic_id) {
                Some((name, topic)) => told(name, topic),
                // Null is allowed from version 12 on.
                None => unknown(code::UNKNOWN_TOPIC_ID, (version < 12).then(String::new)),
            },
        }
    }
}

/// The answer to ApiVersions in a version that is not served: in version 0, so that every client can read it (KIP-511).
pub(super) fn unsupported() -> ApiVersionsResponse {
    table(code::UNSUPPORTED_VERSION)
}

/// Every answer to ApiVersions but a misdirected one carries the table of versions.
fn table(error_code: i16) -> ApiVersionsResponse {
    let row = |key: &ApiKey| {
        let versions = Broker::advertised(*key)?;
        Some(ApiVersion {
            api_key: (*key).into(),
            min_version: versions.min,
            max_version: versions.max,
        })
    };
    let api_keys = ApiKey::ALL.iter().filter_map(row).collect();
    ApiVersionsResponse {
        error_code,
        api_keys,
        ..ApiVersionsResponse::default()
    }
}

/// Kafka's `[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?` (KIP-511).
fn is_software_name(name: &str) -> bool {
    let inner = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.');
    let outer = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    outer(bytes.first()) && outer(bytes.last()) && bytes.iter().copied().all(inner)
}

fn told(name: &str, topic: Topic) -> MetadataResponseTopic {
    let partition = |index| MetadataResponsePartition {
        partition_index: index,
        leader_id: NODE.0,
        leader_epoch: 0,
        replica_nodes: vec![NODE.0],
        isr_nodes: vec![NODE.0],
        ..MetadataResponsePartition::default()
    };
    MetadataResponseTopic {
        name: Some(name.into()),
        topic_id: topic.id,
        partitions: (0..topic.partitions).map(partition).collect(),
        ..MetadataResponseTopic::default()
    }
}

fn find_coordinator(version: i16, reached: SocketAddr, request: &FindCoordinatorRequest) -> AnyResponse {
    let error = match request.key_type {
        KEY_OF_GROUP => code::NONE,
        // There are no transactions here, and this is the code that producers do not try again after.
        KEY_OF_TRANSACTION => code::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        kind if KEYS_OF_KAFKA.contains(&kind) => code::COORDINATOR_NOT_AVAILABLE,
        _ => code::INVALID_REQUEST,
    };
    if error != code::NONE {
        return AnyRequest::from(request.clone()).error_response(version, error);
    }
    let (host, port) = host_and_port(reached);
    let found = |key: &String| Coordinator {
        key: key.clone(),
        node_id: NODE.0,
        host: host.clone(),
        port,
        ..Coordinator::default()
    };
    let coordinators = request.coordinator_keys.iter().map(found).collect();
    let answer = if version < FINDS_MANY {
        FindCoordinatorResponse {
            node_id: NODE.0,
            host,
            port,
            ..FindCoordinatorResponse::default()
        }
    } else {
        FindCoordinatorResponse {
            coordinators,
            ..FindCoordinatorResponse::default()
        }
    };
    answer.into()
}

fn host_and_port(address: SocketAddr) -> (String, i32) {
    (address.ip().to_string(), address.port().into())
}
