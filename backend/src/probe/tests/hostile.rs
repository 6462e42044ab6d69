//! Broken and hostile peers: each ends the connection with a cause that an event tells, and the member goes on.

use shared::event::{Change, Observation};
use shared::ids::ClusterId;
use shared::protocol::ApiKey;

use super::scripted_coordinator::{ScriptedCoordinator, Trick};
use super::{Cast, config};
use crate::kafka::scripted_peer::ScriptedPeer;

/// What a peer does, and what the event must say about it.
const TRICKS: [(Trick, &str); 11] = [
    (
        Trick::Write(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        "the peer is a web server",
    ),
    (
        Trick::Write(&[0x7f, 0xff, 0xff, 0xff]),
        "a frame of 2147483647 bytes",
    ),
    (Trick::Write(&[0xff, 0xff, 0xff, 0xfe]), "a frame of -2 bytes"),
    (Trick::Write(&[0, 0, 0, 2, 9, 9]), "cannot be read"),
    (Trick::WrongCorrelation, "an answer carries correlation id"),
    // Asked for by nobody, or in the place of the answer to the next request.
    (Trick::Twice, "correlation id"),
    (Trick::Half, "only 6 bytes of an answer came"),
    (Trick::HalfAndClose, "closed the connection inside an answer"),
    (Trick::Silence, "was not answered within"),
    (
        Trick::Close,
        "the peer closed the connection while a request waited",
    ),
    (Trick::Reset, "the connection broke"),
];

fn told(detail: Option<&String>, wanted: &str) -> Option<String> {
    detail.filter(|detail| detail.contains(wanted)).cloned()
}

fn coordinator_dead(wanted: &str) -> impl Fn(&Observation) -> Option<String> {
    move |report| match &report.change {
        Change::CoordinatorDead { detail, .. } => told(detail.as_ref(), wanted),
        _ => None,
    }
}

fn coordinator_not_found(wanted: &str) -> impl Fn(&Observation) -> Option<String> {
    move |report| match &report.change {
        Change::CoordinatorNotFound { detail, .. } => told(detail.as_ref(), wanted),
        _ => None,
    }
}

#[tokio::test]
async fn every_way_to_break_a_heartbeat_ends_the_connection_with_its_cause_and_the_member_recovers() {
    let coordinator = ScriptedCoordinator::start().await;
    let mut cast = Cast::start(config(vec![coordinator.address()]));
    cast.beat().await;
    for (trick, sentence) in TRICKS {
        coordinator.play(ApiKey::Heartbeat, trick);
        let detail = cast
            .report(&format!("the end by {trick:?}"), coordinator_dead(sentence))
            .await;
        assert!(detail.starts_with(&coordinator.address().to_string()), "{detail}");
        cast.beat().await;
    }
}

#[tokio::test]
async fn every_way_to_break_a_join_ends_the_connection_with_its_cause_and_the_member_joins_after_it() {
    for (trick, sentence) in TRICKS.into_iter().chain([(Trick::HugeArray, "array of")]) {
        // JoinGroup's own deadline is a whole rebalance: silence there is the business of the tests on simulated time.
        if matches!(trick, Trick::Silence | Trick::Half) {
            continue;
        }
        let coordinator = ScriptedCoordinator::start().await;
        coordinator.play(ApiKey::JoinGroup, trick);
        let mut cast = Cast::start(config(vec![coordinator.address()]));
        cast.report(&format!("the end by {trick:?}"), coordinator_dead(sentence))
            .await;
        cast.beat().await;
    }
}

#[tokio::test]
async fn every_way_to_break_a_lookup_is_told_and_the_member_finds_its_coordinator_after_it() {
    for (trick, sentence) in TRICKS {
        // The answer is taken before the second one comes, and the connection is closed then.
        if trick == Trick::Twice {
            continue;
        }
        let coordinator = ScriptedCoordinator::start().await;
        coordinator.play(ApiKey::FindCoordinator, trick);
        let mut cast = Cast::start(config(vec![coordinator.address()]));
        cast.report(&format!("the end by {trick:?}"), coordinator_not_found(sentence))
            .await;
        cast.beat().await;
    }
}

#[tokio::test]
async fn every_way_to_break_the_first_question_to_a_cluster_is_told_and_the_members_start_after_it() {
    for api in [ApiKey::ApiVersions, ApiKey::Metadata] {
        for (trick, sentence) in TRICKS {
            if trick == Trick::Twice && api == ApiKey::Metadata {
                continue;
            }
            let coordinator = ScriptedCoordinator::start().await;
            coordinator.play(api, trick);
            let mut cast = Cast::start(config(vec![coordinator.address()]));
            let first = cast
                .report("the first report", |report| Some(report.clone()))
                .await;
            coordinator_not_found(sentence)(&first).unwrap_or_else(|| panic!("{trick:?}: {first:?}"));
            assert_eq!(
                first.cluster,
                ClusterId::default(),
                "which cluster it is was not learnt"
            );
            let beat = cast.beat().await;
            assert_eq!(beat.cluster, ClusterId::from("scripted"));
        }
    }
}

#[tokio::test]
async fn a_peer_that_sends_other_garbage_each_time_is_told_of_once() {
    let peer = ScriptedPeer::bind().await;
    let mut cast = Cast::start(config(vec![peer.address()]));
    for attempt in 0..5 {
        let mut session = peer.accept().await;
        session.write(&[0x7f, attempt, 0, 0]).await;
        session.closed().await;
    }
    let mut told = 0;
    while let Ok(report) = cast.reports.try_recv() {
        told += usize::from(matches!(report.change, Change::CoordinatorNotFound { .. }));
    }
    assert_eq!(told, 1);
}
