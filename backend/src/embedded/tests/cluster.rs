//! The answers that are about the cluster.

use shared::protocol::header::{RequestHeader, decode_response_header, encode_request};
use shared::protocol::{
    AnyRequest, ApiKey, ApiVersionsRequest, ApiVersionsResponse, FindCoordinatorRequest, Message,
    MetadataRequest, MetadataRequestTopic,
};

use super::World;

fn hello(name: &str) -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: name.into(),
        client_software_version: "1.0".into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_version_of_api_versions_above_ours_is_answered_in_version_0() {
    let world = World::new();
    let mut client = world.client().await;
    let known = ApiKey::ApiVersions.versions().max;
    let header = RequestHeader::new(ApiKey::ApiVersions, known, 7, "client");
    let mut bytes = encode_request(&header, &AnyRequest::from(hello("x"))).unwrap();
    for version in [known + 1, i16::MAX, -1] {
        bytes[6..8].copy_from_slice(&version.to_be_bytes());
        client.write(&bytes).await;
        let frame = client.frame().await;
        let (id, body) = decode_response_header(ApiKey::ApiVersions, 0, &frame).unwrap();
        let answer = ApiVersionsResponse::decode(body, 0).unwrap();
        assert_eq!((id, answer.error_code), (7, 35));
        let ours = answer.api_keys.iter().find(|row| row.api_key == 18).unwrap();
        assert_eq!((ours.min_version, ours.max_version), (0, known));
    }
}

#[tokio::test]
async fn the_name_of_the_clients_software_is_checked() {
    let world = World::new();
    let mut client = world.client().await;
    for (name, code) in [
        ("bad name", 42),
        ("", 42),
        ("-bad", 42),
        ("bad.", 42),
        ("böse", 42),
        ("good-name", 0),
        ("g", 0),
        ("a.b-c9", 0),
    ] {
        for version in 0..=5 {
            let expected = if version < 3 { 0 } else { code };
            let answer = client.ask(version, hello(name)).await;
            assert_eq!(answer.error_code, expected, "{name:?} in version {version}");
            assert!(!answer.api_keys.is_empty());
        }
    }
}

#[tokio::test]
async fn a_client_that_looks_for_another_node_is_told_to_start_over() {
    let world = World::new();
    let mut client = world.client().await;
    let cluster = world.embedded.cluster_id().as_str().to_owned();
    for (cluster_id, node_id, code) in [
        (None, -1, 0),
        (Some(cluster.clone()), 1, 0),
        (Some(cluster), 2, 129),
        (Some("another".to_owned()), 1, 129),
    ] {
        let request = ApiVersionsRequest {
            cluster_id,
            node_id,
            ..hello("x")
        };
        assert_eq!(client.ask(5, request).await.error_code, code);
    }
}

#[tokio::test]
async fn what_is_advertised_is_served_in_its_lowest_and_highest_version() {
    let world = World::new();
    let mut client = world.client().await;
    let rows = client.ask(4, hello("x")).await.api_keys;
    let keys: Vec<i16> = rows.iter().map(|row| row.api_key).collect();
    assert_eq!(
        keys,
        [
            0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 22, 32, 36, 60
        ]
    );
    for row in rows {
        let key = ApiKey::try_from(row.api_key).unwrap();
        // Named for the sake of old clients, and not served (KAFKA-18659).
        let least = if key == ApiKey::Produce {
            3
        } else {
            row.min_version
        };
        for version in [least, row.max_version] {
            let mut client = world.client().await;
            let mut bytes = Vec::new();
            let header = RequestHeader::new(key, version, 1, "client");
            let empty = AnyRequest::decode(key, version, &smallest(key, version)).unwrap();
            bytes.extend(encode_request(&header, &empty).unwrap());
            client.write(&bytes).await;
            let frame = client.frame().await;
            let (id, _body) = decode_response_header(key, version, &frame).unwrap();
            assert_eq!(id, 1);
        }
    }
}

/// The body of a request that says nothing.
fn smallest(key: ApiKey, version: i16) -> Vec<u8> {
    let mut body = Vec::new();
    let empty: AnyRequest = match key {
        ApiKey::Metadata => MetadataRequest {
            topics: Some(Vec::new()),
            ..Default::default()
        }
        .into(),
        ApiKey::ApiVersions => hello("x").into(),
        ApiKey::OffsetCommit => shared::protocol::OffsetCommitRequest::default().into(),
        ApiKey::FindCoordinator => FindCoordinatorRequest::default().into(),
        ApiKey::JoinGroup => shared::protocol::JoinGroupRequest::default().into(),
        ApiKey::Heartbeat => shared::protocol::HeartbeatRequest::default().into(),
        ApiKey::LeaveGroup => shared::protocol::LeaveGroupRequest::default().into(),
        ApiKey::SyncGroup => shared::protocol::SyncGroupRequest::default().into(),
        ApiKey::DescribeGroups => shared::protocol::DescribeGroupsRequest::default().into(),
        ApiKey::ListGroups => shared::protocol::ListGroupsRequest::default().into(),
        ApiKey::Produce => shared::protocol::ProduceRequest {
            acks: 1,
            ..Default::default()
        }
        .into(),
        ApiKey::Fetch => shared::protocol::FetchRequest::default().into(),
        ApiKey::ListOffsets => shared::protocol::ListOffsetsRequest::default().into(),
        ApiKey::OffsetFetch => shared::protocol::OffsetFetchRequest::default().into(),
        ApiKey::InitProducerId => shared::protocol::InitProducerIdRequest::default().into(),
        ApiKey::DescribeConfigs => shared::protocol::DescribeConfigsRequest::default().into(),
        ApiKey::DescribeCluster => shared::protocol::DescribeClusterRequest::default().into(),
        ApiKey::SaslHandshake => shared::protocol::SaslHandshakeRequest::default().into(),
        ApiKey::SaslAuthenticate => shared::protocol::SaslAuthenticateRequest::default().into(),
        ApiKey::ConsumerGroupHeartbeat
        | ApiKey::ConsumerGroupDescribe
        | ApiKey::ShareGroupDescribe
        | ApiKey::StreamsGroupDescribe
        | ApiKey::DescribeShareGroupOffsets => panic!("is not served"),
    };
    empty.encode(version, &mut body).unwrap();
    body
}

#[tokio::test]
async fn the_coordinator_of_every_group_is_the_node_that_was_asked() {
    let world = World::new();
    let address = world.embedded.local_addr();
    let mut client = world.client().await;
    for version in ApiKey::FindCoordinator.versions().iter() {
        let mut request = FindCoordinatorRequest {
            key_type: 0,
            ..Default::default()
        };
        if version < 4 {
            request.key = "g".into();
            let answer = client.ask(version, request).await;
            assert_eq!((answer.error_code, answer.node_id), (0, 1));
            assert_eq!(
                (answer.host.as_str(), answer.port),
                ("127.0.0.1", i32::from(address.port()))
            );
        } else {
            request.coordinator_keys = vec!["g".into(), "h".into()];
            let found = client.ask(version, request).await.coordinators;
            let keys: Vec<&str> = found.iter().map(|row| row.key.as_str()).collect();
            assert_eq!(keys, ["g", "h"]);
            assert!(
                found
                    .iter()
                    .all(|row| row.error_code == 0 && row.port == i32::from(address.port()))
            );
        }
    }
    for (kind, code) in [(1, 53), (2, 15), (3, 42), (-1, 42)] {
        let request = FindCoordinatorRequest {
            key_type: kind,
            coordinator_keys: vec!["t".into()],
            ..Default::default()
        };
        let found = client.ask(6, request).await.coordinators;
        let row = found.first().unwrap();
        assert_eq!(
            (row.error_code, row.node_id, row.host.as_str(), row.port),
            (code, -1, "", -1)
        );
    }
}

#[tokio::test]
async fn metadata_tells_the_topics_that_are_asked_for() {
    let world = World::new();
    let mut client = world.client().await;
    let named = |name: &str| MetadataRequestTopic {
        name: Some(name.into()),
        ..Default::default()
    };
    for version in ApiKey::Metadata.versions().iter() {
        let every = if version == 0 { Some(Vec::new()) } else { None };
        let answer = client
            .ask(
                version,
                MetadataRequest {
                    topics: every,
                    ..Default::default()
                },
            )
            .await;
        let names: Vec<_> = answer
            .topics
            .iter()
            .filter_map(|topic| topic.name.as_deref())
            .collect();
        assert_eq!(names, ["demo", "other"]);
        assert_eq!(answer.topics.first().unwrap().partitions.len(), 6);
        let broker = answer.brokers.first().unwrap();
        assert_eq!(
            (broker.node_id, broker.port),
            (1, i32::from(world.embedded.local_addr().port()))
        );
        if version >= 2 {
            assert_eq!(
                answer.cluster_id.as_deref(),
                Some(world.embedded.cluster_id().as_str())
            );
        }
        let some = MetadataRequest {
            topics: Some(vec![named("other"), named("nowhere")]),
            ..Default::default()
        };
        let topics = client.ask(version, some).await.topics;
        let told: Vec<_> = topics
            .iter()
            .map(|topic| (topic.error_code, topic.partitions.len()))
            .collect();
        assert_eq!(told, [(0, 1), (3, 0)]);
        if version >= 1 {
            let none = MetadataRequest {
                topics: Some(Vec::new()),
                ..Default::default()
            };
            assert_eq!(client.ask(version, none).await.topics, []);
        }
    }
}

#[tokio::test]
async fn metadata_finds_a_topic_by_its_id() {
    let world = World::new();
    let mut client = world.client().await;
    let all = client
        .ask(
            12,
            MetadataRequest {
                topics: None,
                ..Default::default()
            },
        )
        .await;
    let demo = all.topics.first().unwrap();
    let by_id = |topic_id| MetadataRequestTopic { topic_id, name: None };
    for version in [12, 13] {
        let topics = vec![by_id(demo.topic_id), by_id(shared::protocol::Uuid([1; 16]))];
        let request = MetadataRequest {
            topics: Some(topics),
            ..Default::default()
        };
        let topics = client.ask(version, request).await.topics;
        let [known, unknown] = topics.as_slice() else {
            panic!("{topics:?}")
        };
        assert_eq!((known.error_code, known.name.as_deref()), (0, Some("demo")));
        assert_eq!((unknown.error_code, unknown.name.as_deref()), (100, None));
    }
}
