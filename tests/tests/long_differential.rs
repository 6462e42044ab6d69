//! The same requests to the embedded coordinator and to Apache Kafka: every sequence.

use std::net::{Ipv4Addr, SocketAddr};

use tests::cast::{PARTITIONS, TOPIC};
use tests::coordinator::Lasting;
use tests::differential::{Report, compare, compare_across_restart, sample, sequences, step::Sequence};
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

/// Sequences of which both coordinators load what they have kept when half is played.
const RESTARTED: usize = 250;

/// What was kept of groups, members, assignments and offsets.
#[tokio::test]
async fn the_embedded_coordinator_goes_on_after_a_restart_as_kafka_does() {
    if !tests::kafka::is_resolved() {
        return;
    }
    let topics = format!("{TOPIC}:{PARTITIONS}");
    let shorter = ["group.min.session.timeout.ms=1000"];
    let Some(mut embedded) = Lasting::start(&topics, &shorter).await else {
        return;
    };
    let mut broker = Broker::start().await;
    broker.create_topic(TOPIC, PARTITIONS).await;
    let mut sequences = sample(RESTARTED);
    // No deadline runs out while a coordinator is away.
    sequences.retain(|sequence| !sequence.is_timed());
    let ours = embedded.address();
    let kafka = SocketAddr::from((Ipv4Addr::LOCALHOST, broker.port()));
    let restart = async || {
        broker.stop().await;
        broker.start_again().await;
        embedded.restart().await;
    };
    let report = compare_across_restart(ours, kafka, &sequences, restart).await;
    report.assert_no_difference();
    assert!(
        report.same * 3 >= sequences.len() * 2,
        "too many ended where chance chose a leader: {:#?}",
        report.led_by_another
    );
}

/// Both coordinators with the same settings.
async fn beside_kafka(settings: &[&str], sequences: &[Sequence]) -> Report {
    let broker = Broker::start_with(settings).await;
    broker.create_topic(TOPIC, PARTITIONS).await;
    let kafka = SocketAddr::from((Ipv4Addr::LOCALHOST, broker.port()));
    let (embedded, _) = tests::embedded::start_with(settings);
    compare(embedded.local_addr(), kafka, sequences).await
}
