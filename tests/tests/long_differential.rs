//! The same requests to the embedded coordinator and to Apache Kafka: every sequence.

use std::net::{Ipv4Addr, SocketAddr};

use tests::cast::{PARTITIONS, TOPIC};
use tests::differential::{Report, compare, sample, sequences, step::Sequence};
use tests::kafka::Broker;

/// Sequences that are played in groups of two members at most.
const CROWDED: usize = 250;

#[tokio::test]
async fn the_embedded_coordinator_answers_every_sequence_as_kafka_does() {
    if tests::kafka::is_resolved() {
        beside_kafka(&[], &sequences()).await.assert_same();
    }
}

#[tokio::test]
async fn the_embedded_coordinator_turns_members_away_from_full_groups_as_kafka_does() {
    if tests::kafka::is_resolved() {
        beside_kafka(&["group.max.size=2"], &sample(CROWDED))
            .await
            .assert_same();
    }
}

/// Both coordinators with the same settings.
async fn beside_kafka(settings: &[&str], sequences: &[Sequence]) -> Report {
    let broker = Broker::start_with(settings).await;
    broker.create_topic(TOPIC, PARTITIONS).await;
    let kafka = SocketAddr::from((Ipv4Addr::LOCALHOST, broker.port()));
    let (embedded, _) = tests::embedded::start_with(settings);
    compare(embedded.local_addr(), kafka, sequences).await
}
