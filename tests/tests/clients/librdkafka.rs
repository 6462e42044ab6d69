//! librdkafka's own tests of its group membership (0106, 0143 in its repository), against the embedded coordinator.

use serde_json::json;
use tests::peers::Peer;
use tests::peers::client::Client;
use tests::peers::said::Said;
use tests::peers::stories::{PARTITIONS, Scene};

use crate::stage::{alone, answer};

/// Kafka's code for a member id that the coordinator does not know.
const UNKNOWN_MEMBER_ID: i16 = 25;

/// Session 5000 and heartbeats every 1000 ms, as in 0106; the coordinator must allow it.
const SHORT_SESSIONS: [&str; 2] = ["--coordinator-config", "group.min.session.timeout.ms=5000"];

/// A member alone in its group that commits in its callbacks and has consumed a record.
async fn committing_member(scene: &Scene) -> Peer {
    let mut role = scene.role("a");
    role.session_timeout_ms = 5_000;
    role.heartbeat_interval_ms = 1_000;
    role.commit_on_revoke = true;
    let mut peer = scene.start_as(role);
    scene.settled(&mut [&mut peer]).await;
    peer.produce(0, &["record".to_owned()]).await;
    peer.until(0, "the record consumed", |said| {
        said.iter()
            .any(|said| matches!(said, Said::Consumed { .. }))
            .then_some(())
    })
    .await;
    peer
}

/// What it says of its partitions and of its commit in the callback: the lost ones, then the code, if there is one.
fn lost_and_refused(said: &[Said]) -> Option<(usize, Option<i16>)> {
    let lost = said.iter().find_map(|said| match said {
        Said::Lost { partitions } => Some(partitions.len()),
        _ => None,
    })?;
    let refused = said.iter().find_map(|said| match said {
        Said::Refused { code, .. } => Some(*code),
        _ => None,
    })?;
    Some((lost, refused))
}

/// I01.
#[tokio::test]
async fn heartbeats_answered_16_for_a_session_cost_the_partitions_and_a_new_member_gets_them() {
    let Some((heartline, scene)) = alone(Client::Librdkafka, &SHORT_SESSIONS).await else {
        return;
    };
    let mut peer = committing_member(&scene).await;
    let before = peer.member();
    // Two heartbeats that are answered 0.
    let beats = |said: &[shared::event::Event]| said.len() >= 2;
    tests::wait::wait_until("two heartbeats", async || {
        let received = heartline
            .events_after(0, "&kind=heartbeat_received&group=case")
            .await;
        beats(&received).then_some(()).ok_or(received.len())
    })
    .await;
    let mark = peer.mark();
    answer(&heartline, "Heartbeat", 16, 7).await;
    let (lost, code) = peer
        .until(mark, "loss and a refused commit", lost_and_refused)
        .await;
    assert_eq!((lost, code), (PARTITIONS, Some(UNKNOWN_MEMBER_ID)));
    scene.settled(&mut [&mut peer]).await;
    assert_ne!(peer.member(), before);
}

/// I02.
#[tokio::test]
async fn a_coordinator_that_is_down_costs_the_partitions_after_the_session_and_a_commit_then_fails() {
    let Some((heartline, scene)) = alone(Client::Librdkafka, &SHORT_SESSIONS).await else {
        return;
    };
    let mut peer = committing_member(&scene).await;
    let mark = peer.mark();
    heartline.play(&json!({"fault": "stop"})).await;
    let (lost, code) = peer
        .until(mark, "loss and a failed commit", lost_and_refused)
        .await;
    assert_eq!(
        (lost, code),
        (PARTITIONS, None),
        "no broker was there to refuse anything"
    );
    heartline.play(&json!({"fault": "restart"})).await;
    scene.settled(&mut [&mut peer]).await;
}

/// I09.
#[tokio::test]
async fn a_heartbeat_answered_16_is_followed_by_a_lookup_before_the_next_heartbeat() {
    let Some((heartline, scene)) = alone(Client::Librdkafka, &[]).await else {
        return;
    };
    answer(&heartline, "Heartbeat", 16, 1).await;
    let mut role = scene.role("a");
    role.verbose = true;
    let peer = scene.start_as(role);
    let sent = tests::wait::wait_until("two heartbeats sent", async || {
        let mut sent = peer.log(sent_request);
        let first = sent.iter().position(|(name, _)| name == "Heartbeat");
        let since: Vec<String> = sent
            .split_off(first.unwrap_or(sent.len()))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let beats = since.iter().filter(|name| *name == "Heartbeat").count();
        if beats >= 2 { Ok(since) } else { Err(since) }
    })
    .await;
    let second = sent.iter().rposition(|name| name == "Heartbeat").expect("two");
    let between = &sent[1..second];
    assert!(between.iter().any(|name| name == "FindCoordinator"), "{sent:?}");
}

/// How many lookups are answered 15 before one tells the coordinator.
const REFUSED: u8 = 8;

/// I10.
#[tokio::test]
async fn lookups_answered_15_are_repeated_no_faster_than_twice_a_second() {
    let Some((heartline, scene)) = alone(Client::Librdkafka, &[]).await else {
        return;
    };
    answer(&heartline, "FindCoordinator", 15, u32::from(REFUSED)).await;
    let mut role = scene.role("a");
    role.verbose = true;
    let mut peer = scene.start_as(role);
    scene.settled(&mut [&mut peer]).await;
    let lookups: Vec<u64> = peer
        .log(sent_request)
        .into_iter()
        .filter(|(name, _)| name == "FindCoordinator")
        .map(|(_, at)| at)
        .collect();
    assert!(
        lookups.len() > usize::from(REFUSED),
        "{REFUSED} were refused: {lookups:?}"
    );
    // About a second apart by its own clock, all in all: the first may be sent anew at once, when the connection to the bootstrap
    // address gives way to the one to the node, and a busy machine sends one late and the next in time.
    let all = lookups[usize::from(REFUSED)] - lookups[0];
    assert!(all >= 500 * u64::from(REFUSED), "{lookups:?}");
}

/// A line of its log that tells of a request sent: its name, and when by its own clock, in milliseconds.
fn sent_request(line: &str) -> Option<(String, u64)> {
    let (_, rest) = line.split_once("Sent ")?;
    let (name, _) = rest.split_once("Request")?;
    let seconds = line.strip_prefix("%7|")?.split('|').next()?;
    let (whole, thousandths) = seconds.split_once('.')?;
    let at = whole.parse::<u64>().ok()? * 1000 + thousandths.parse::<u64>().ok()?;
    Some((name.to_owned(), at))
}
