//! Clusters of which some brokers are down, over loopback.

use std::sync::Arc;
use std::time::Duration;

use shared::event::LinkFault;
use shared::ids::{ClusterId, NodeId};
use shared::protocol::{
    AnyRequest, ApiKey, MetadataResponse, MetadataResponseBroker, MetadataResponsePartition,
    MetadataResponseTopic,
};
use shared::time::Millis;
use tokio::net::TcpListener;

use super::{Cluster, ClusterError, NoBroker};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::address::Address;
use crate::kafka::connection::Dialer;
use crate::kafka::link_end::LinkEnd;
use crate::kafka::scripted_peer::{ScriptedPeer, Session, all_versions};

/// A deadline that does not pass during the test.
const LONG: Millis = Millis(60_000);

fn cluster(bootstrap: Vec<Address>) -> Cluster {
    let (reporter, _reports) = Reporter::channel(1);
    let dialer = Dialer::new(Clock::start(), reporter, LONG, LONG);
    Cluster::new(bootstrap, dialer, LONG)
}

fn name() -> Arc<str> {
    Arc::from("demo-1")
}

/// An address at which nobody listens.
async fn down() -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    listener.local_addr().expect("bound").into()
}

fn broker(node_id: i32, host: &str, port: u16) -> MetadataResponseBroker {
    MetadataResponseBroker {
        node_id,
        host: host.to_owned(),
        port: port.into(),
        ..Default::default()
    }
}

async fn answer_metadata(session: &mut Session, answer: MetadataResponse) -> AnyRequest {
    let asked = session.expect(ApiKey::Metadata).await;
    session.answer(&asked.header, answer).await;
    asked.request
}

#[tokio::test]
async fn any_of_the_bootstrap_servers_may_be_down() {
    let peer = ScriptedPeer::bind().await;
    let cluster = cluster(vec![down().await, peer.address(), down().await]);
    for _ in 0..3 {
        let (opened, _session) = tokio::join!(cluster.open_any(name()), peer.accept_ready());
        assert_eq!(opened.expect("a connection").address, peer.address());
    }
}

#[tokio::test]
async fn a_broker_that_stands_still_is_not_waited_for_and_asked_last_from_then_on() {
    // Its system takes the connection, and nobody answers on it.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let frozen: Address = listener.local_addr().expect("bound").into();
    let peer = ScriptedPeer::bind().await;
    let mut cluster = cluster(vec![frozen.clone(), peer.address()]);
    cluster.patience = Duration::ZERO;
    let (opened, _session) = tokio::join!(cluster.open_any(name()), peer.accept_ready());
    assert_eq!(opened.expect("a connection").address, peer.address());
    assert_eq!(cluster.candidates(), [peer.address(), frozen.clone()]);
    assert_eq!(cluster.candidates(), [peer.address(), frozen]);
}

#[tokio::test]
async fn the_bootstrap_servers_are_asked_in_turn_and_those_that_failed_last() {
    let [a, b, c] = [down().await, down().await, down().await];
    let cluster = cluster(vec![a.clone(), b.clone(), c.clone()]);
    assert_eq!(cluster.candidates(), [a.clone(), b.clone(), c.clone()]);
    assert_eq!(cluster.candidates(), [b.clone(), c.clone(), a.clone()]);
    cluster.note(&c, false);
    assert_eq!(cluster.candidates(), [a.clone(), b.clone(), c.clone()]);
    assert_eq!(cluster.candidates(), [a.clone(), b.clone(), c.clone()]);
    cluster.note(&c, true);
    cluster.note(&a, false);
    assert_eq!(cluster.candidates(), [b, c, a]);
}

#[tokio::test]
async fn where_all_are_down_each_is_told_with_its_cause() {
    let brokers = [down().await, down().await, down().await, down().await];
    let cluster = cluster(brokers.to_vec());
    let error = cluster.open_any(name()).await.expect_err("nobody there");
    assert_eq!(error.tried.len(), 4);
    assert_eq!(error.fault(), LinkFault::Disconnect);
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("none of 4 brokers can be used: "),
        "{sentence}"
    );
    assert!(sentence.ends_with("; and 1 more"), "{sentence}");
    assert!(sentence.contains(&brokers[0].to_string()), "{sentence}");
}

#[test]
fn the_gravest_cause_names_the_failure() {
    let address = Address::from("127.0.0.1:1".parse::<std::net::SocketAddr>().expect("an address"));
    let fault = |ends: Vec<LinkEnd>| {
        let tried = ends.into_iter().map(|end| (address.clone(), end)).collect();
        NoBroker { tried }.fault()
    };
    let timeout = LinkEnd::ConnectTimedOut { within: LONG };
    let closed = LinkEnd::Closed { unanswered: 1 };
    let garbled = LinkEnd::Unasked { came: None };
    assert_eq!(fault(vec![timeout.clone(), timeout.clone()]), LinkFault::Timeout);
    assert_eq!(
        fault(vec![timeout.clone(), closed.clone()]),
        LinkFault::Disconnect
    );
    assert_eq!(fault(vec![timeout, garbled, closed]), LinkFault::Garbled);
}

#[tokio::test]
async fn the_cluster_tells_its_id_its_brokers_and_the_topics_asked_for() {
    let peer = ScriptedPeer::bind().await;
    let cluster = cluster(vec![peer.address()]);
    let topics = ["demo".to_owned(), "ghost".to_owned()];
    let script = async {
        let mut session = peer.accept_ready().await;
        let answer = MetadataResponse {
            cluster_id: Some("Jx3".to_owned()),
            brokers: vec![broker(1, "broker-1", 9092), broker(2, "", 9092)],
            topics: vec![
                MetadataResponseTopic {
                    name: Some("demo".to_owned()),
                    partitions: vec![MetadataResponsePartition::default(); 6],
                    ..Default::default()
                },
                MetadataResponseTopic {
                    name: Some("ghost".to_owned()),
                    error_code: 3,
                    ..Default::default()
                },
            ],
            ..Default::default()
        };
        answer_metadata(&mut session, answer).await
    };
    let (description, asked) = tokio::join!(cluster.describe(name(), &topics), script);
    let AnyRequest::Metadata(asked) = asked else {
        panic!("{asked:?}");
    };
    assert!(!asked.allow_auto_topic_creation, "asking creates nothing");
    let description = description.expect("a description");
    assert_eq!(description.id, Some(ClusterId::from("Jx3")));
    assert_eq!(description.brokers[0].node, NodeId(1));
    assert_eq!(
        description.brokers[0]
            .address
            .as_ref()
            .expect("an address")
            .host(),
        "broker-1"
    );
    assert!(
        description.brokers[1].address.is_err(),
        "an empty host is no address"
    );
    assert_eq!(description.topics[1].partitions, Err(3));
    assert_eq!(
        description.partitions().into_iter().collect::<Vec<_>>(),
        [("demo".to_owned(), 6)]
    );
}

#[tokio::test]
async fn brokers_that_the_cluster_named_are_asked_when_the_bootstrap_servers_are_down() {
    let first = ScriptedPeer::bind().await;
    let second = ScriptedPeer::bind().await;
    let cluster = cluster(vec![first.address()]);
    let script = async {
        let mut session = first.accept_ready().await;
        let answer = MetadataResponse {
            brokers: vec![
                broker(1, "127.0.0.1", first.port()),
                broker(2, "127.0.0.1", second.port()),
            ],
            ..Default::default()
        };
        answer_metadata(&mut session, answer).await;
    };
    let (described, ()) = tokio::join!(cluster.describe(name(), &[]), script);
    described.expect("a description");
    drop(first);
    let (opened, _session) = tokio::join!(cluster.open_any(name()), second.accept_ready());
    assert_eq!(opened.expect("a connection").address, second.address());
}

#[tokio::test]
async fn a_broker_that_refuses_or_garbles_its_description_is_told_by_address() {
    let peer = ScriptedPeer::bind().await;
    let cluster = cluster(vec![peer.address()]);
    let script = async {
        let mut session = peer.accept_ready().await;
        let answer = MetadataResponse {
            error_code: 129,
            ..Default::default()
        };
        answer_metadata(&mut session, answer).await;
        let mut session = peer.accept_ready().await;
        session.expect(ApiKey::Metadata).await;
        session.write(&[0xff; 8]).await;
    };
    let asking = async {
        let refused = cluster.describe(name(), &[]).await;
        (refused, cluster.describe(name(), &[]).await)
    };
    let ((refused, garbled), ()) = tokio::join!(asking, script);
    assert_eq!(refused, Err(ClusterError::Refused(129)));
    let sentence = garbled.expect_err("garbage").to_string();
    assert!(
        sentence.starts_with(&format!("{}: the peer announces", peer.address())),
        "{sentence}"
    );
}

#[tokio::test]
async fn a_controller_in_the_list_is_passed_over_and_told_for_what_it_is() {
    let controller = ScriptedPeer::bind().await;
    let peer = ScriptedPeer::bind().await;
    let answers = async || {
        let mut session = controller.accept().await;
        let asked = session.expect(ApiKey::ApiVersions).await;
        let mut versions = all_versions();
        let of_clients = [ApiKey::Metadata, ApiKey::FindCoordinator, ApiKey::ListGroups].map(i16::from);
        versions.api_keys.retain(|row| !of_clients.contains(&row.api_key));
        session.answer(&asked.header, versions).await;
    };
    let alone = cluster(vec![controller.address()]);
    let (opened, ()) = tokio::join!(alone.open_any(name()), answers());
    let none = opened.expect_err("no broker");
    assert_eq!(
        none.to_string(),
        format!(
            "{}: is no broker: it does not know Metadata (a KRaft controller, say; what is needed is where brokers listen \
             for clients)",
            controller.address()
        )
    );
    let both = cluster(vec![controller.address(), peer.address()]);
    let (opened, (), _session) = tokio::join!(both.open_any(name()), answers(), peer.accept_ready());
    assert_eq!(opened.expect("a broker").address, peer.address());
}

#[tokio::test]
async fn a_coordinator_that_advertises_no_address_is_not_connected_to() {
    let cluster = cluster(vec![down().await]);
    let end = cluster
        .open(NodeId(1), "", 9092, name())
        .await
        .expect_err("no address");
    assert_eq!(end.to_string(), "':9092' is no broker address: its host is empty");
}
