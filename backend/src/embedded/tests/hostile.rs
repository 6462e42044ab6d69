//! Peers that are broken or mean: their connection ends, and no other.

use shared::protocol::header::{RequestHeader, encode_request};
use shared::protocol::{
    AnyRequest, ApiKey, DescribeGroupsRequest, HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol,
    MetadataRequest, MetadataRequestTopic,
};

use super::World;
use super::client::{Client, joining};

fn heartbeat(version: i16) -> Vec<u8> {
    let header = RequestHeader::new(ApiKey::Heartbeat, version, 1, "client");
    let request = HeartbeatRequest {
        group_id: "g".into(),
        member_id: "m".into(),
        ..Default::default()
    };
    encode_request(&header, &AnyRequest::from(request)).unwrap()
}

#[tokio::test]
async fn bytes_that_are_no_request_end_their_connection_and_no_other() {
    let world = World::new();
    let mut member = world.client().await;
    let joined = member.stable("g").await;
    let whole = heartbeat(4);
    let mut negative = whole.clone();
    negative[..4].copy_from_slice(&(-2_i32).to_be_bytes());
    let mut unknown_api = whole.clone();
    unknown_api[4..6].copy_from_slice(&999_i16.to_be_bytes());
    let mut unserved_api = whole.clone();
    unserved_api[4..6].copy_from_slice(&68_i16.to_be_bytes());
    let mut unserved_version = whole.clone();
    unserved_version[6..8].copy_from_slice(&99_i16.to_be_bytes());
    let mut cut_off = whole.clone();
    cut_off[3] -= 1;
    cut_off.pop();
    let cases: [(&str, Vec<u8>); 8] = [
        ("a length of 2^31-1", i32::MAX.to_be_bytes().to_vec()),
        ("a negative length", negative),
        ("an unknown api", unknown_api),
        ("an api that is not served", unserved_api),
        ("a version that is not served", unserved_version),
        ("a body that is cut off", cut_off),
        ("a frame without a header", vec![0, 0, 0, 0]),
        ("garbage", b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n".to_vec()),
    ];
    for (what, bytes) in cases {
        let mut peer = world.client().await;
        peer.write(&bytes).await;
        assert!(peer.rest().await.is_empty(), "{what}");
    }
    let request = HeartbeatRequest {
        group_id: "g".into(),
        generation_id: joined.generation_id,
        member_id: joined.member_id,
        group_instance_id: None,
    };
    assert_eq!(member.ask(4, request).await.error_code, 0);
}

#[tokio::test]
async fn bytes_behind_a_request_are_not_looked_at() {
    let world = World::new();
    let mut longer = heartbeat(4);
    longer[3] += 3;
    longer.extend([0; 3]);
    let mut client = world.client().await;
    client.write(&longer).await;
    client.write(&heartbeat(4)).await;
    let (one, other) = (client.frame().await, client.frame().await);
    assert_eq!(one, other);
}

#[tokio::test]
async fn every_prefix_of_a_request_waits_for_the_rest() {
    let world = World::new();
    let whole = heartbeat(4);
    for cut in 1..whole.len() {
        let mut client = world.client().await;
        client.write(&whole[..cut]).await;
        client.write(&whole[cut..]).await;
        assert!(!client.frame().await.is_empty());
    }
}

#[tokio::test]
async fn requests_sent_at_once_are_answered_in_their_order() {
    let world = World::new();
    let mut client = world.client().await;
    for _ in 0..100 {
        client.send(4, HeartbeatRequest::default()).await;
    }
    for _ in 0..100 {
        assert_eq!(client.answer::<HeartbeatRequest>(4).await.error_code, 24);
    }
}

#[tokio::test]
async fn a_parked_join_holds_up_what_is_sent_behind_it() {
    let world = World::new();
    let (mut leader, mut second) = (world.client().await, world.client().await);
    let joined = leader.stable("g").await;
    let given = second.ask(9, joining("g", "")).await;
    second.send(9, joining("g", &given.member_id)).await;
    second.send(4, HeartbeatRequest::default()).await;
    // The leader joins again, and only then both are answered: first the join, then the heartbeat.
    let rejoined = leader.ask(9, joining("g", &joined.member_id)).await;
    assert_eq!(
        (
            rejoined.error_code,
            rejoined.generation_id,
            rejoined.members.len()
        ),
        (0, 2, 2)
    );
    let answer = second.answer::<shared::protocol::JoinGroupRequest>(9).await;
    assert_eq!((answer.error_code, answer.generation_id), (0, 2));
    assert_eq!(second.answer::<HeartbeatRequest>(4).await.error_code, 24);
}

#[tokio::test]
async fn a_client_that_goes_while_its_join_is_parked_frees_its_connection_and_stays_a_member() {
    let world = World::new();
    let (mut leader, mut second) = (world.client().await, world.client().await);
    let joined = leader.stable("g").await;
    let given = second.ask(9, joining("g", "")).await;
    second.send(9, joining("g", &given.member_id)).await;
    drop(second);
    let rejoined = leader.ask(9, joining("g", &joined.member_id)).await;
    // Kafka's coordinator does not notice either: its session will end.
    assert_eq!((rejoined.error_code, rejoined.members.len()), (0, 2));
}

#[tokio::test]
async fn a_connection_that_says_nothing_for_too_long_is_closed() {
    let world = World::with(&["connections.max.idle.ms=1"]);
    let mut client = Client::connect(world.embedded.local_addr(), "client").await;
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn names_longer_than_what_is_kept_are_refused() {
    let world = World::new();
    let mut client = world.client().await;
    let long = "x".repeat(5_000);
    let mut too_long = joining("g", "");
    too_long.group_instance_id = Some(long.clone());
    assert_eq!(client.ask(9, too_long).await.error_code, 42);
    let mut too_long = joining("g", "");
    too_long.protocol_type = long.clone();
    assert_eq!(client.ask(9, too_long).await.error_code, 42);
    assert_eq!(
        client.ask(9, joining(&"g".repeat(40_000), "")).await.error_code,
        24
    );
    let mut client = Client::connect(world.embedded.local_addr(), &long).await;
    assert_eq!(client.ask(9, joining("g", "")).await.error_code, 42);
}

#[tokio::test]
async fn a_request_longer_or_about_more_than_any_has_reason_to_be_ends_its_connection() {
    let world = World::new();
    let long = JoinGroupRequest {
        protocols: vec![JoinGroupRequestProtocol {
            name: "a".into(),
            metadata: vec![0; 1024 * 1024],
        }],
        ..joining("g", "")
    };
    let mut client = world.client().await;
    client.send(9, long).await;
    assert!(client.rest().await.is_empty());
    let many = DescribeGroupsRequest {
        groups: vec![String::new(); 20_001],
        ..Default::default()
    };
    let mut client = world.client().await;
    client.send(6, many).await;
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn what_is_asked_for_twice_is_told_once() {
    let world = World::new();
    let mut client = world.client().await;
    let groups = vec!["b".to_owned(), "a".to_owned(), "b".to_owned()];
    let told = client
        .ask(
            6,
            DescribeGroupsRequest {
                groups,
                ..Default::default()
            },
        )
        .await
        .groups;
    let ids: Vec<&str> = told.iter().map(|group| group.group_id.as_str()).collect();
    assert_eq!(ids, ["b", "a"]);
    let demo = MetadataRequestTopic {
        name: Some("demo".into()),
        ..Default::default()
    };
    let request = MetadataRequest {
        topics: Some(vec![demo.clone(), demo]),
        ..Default::default()
    };
    assert_eq!(client.ask(9, request).await.topics.len(), 1);
}

#[tokio::test]
async fn half_requests_are_bounded_for_all_connections_together() {
    let world = World::new();
    let held = crate::limits::COORDINATOR_HELD;
    assert!(world.embedded.service.hold(0, held));
    let mut half = (1024 * 1024_i32).to_be_bytes().to_vec();
    half.resize(crate::limits::COORDINATOR_HELD_FREE + 1, 0);
    let mut greedy = world.client().await;
    greedy.write(&half).await;
    assert!(greedy.rest().await.is_empty());
    let mut modest = world.client().await;
    assert_eq!(modest.ask(4, HeartbeatRequest::default()).await.error_code, 24);
    assert!(world.embedded.service.hold(held, 0));
}
