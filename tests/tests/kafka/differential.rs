//! The same requests to the embedded coordinator and to Apache Kafka: some of the sequences. All are in the group `long`.

use std::net::{Ipv4Addr, SocketAddr};

use tests::differential::{compare, sample};

/// Sequences that are played, all at the same time.
const SEQUENCES: usize = 50;

#[tokio::test]
async fn the_embedded_coordinator_answers_as_kafka_does() {
    let Some((broker, _)) = crate::member_life::kafka().await else {
        return;
    };
    let kafka = SocketAddr::from((Ipv4Addr::LOCALHOST, broker.port()));
    let (embedded, _) = tests::embedded::start();
    compare(embedded.local_addr(), kafka, &sample(SEQUENCES))
        .await
        .assert_same();
}
