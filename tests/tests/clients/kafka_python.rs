//! kafka-python's own tests of its group membership, against the embedded coordinator.

use serde_json::json;
use tests::peers::Peer;
use tests::peers::client::Client;
use tests::peers::said::Said;
use tests::peers::stories::Scene;

use crate::stage::{alone, answer};

/// What it logs when it gives a coordinator up.
const DEAD: &str = "Marking the coordinator dead";

/// A member alone in its group, whose client tells of its coordinator.
async fn member(scene: &Scene) -> Peer {
    let mut role = scene.role("a");
    role.verbose = true;
    let mut peer = scene.start_as(role);
    scene.settled(&mut [&mut peer]).await;
    peer
}

/// Its membership once it is assigned partitions after a mark.
async fn assigned_again(peer: &mut Peer, mark: usize) -> (String, i32) {
    peer.until(mark, "an assignment", |said| {
        said.iter().find_map(|said| match said {
            Said::Assigned {
                member, generation, ..
            } => Some((member.clone(), (*generation)?)),
            _ => None,
        })
    })
    .await
}

/// I20.
#[tokio::test]
async fn a_heartbeat_answered_22_costs_the_generation_and_25_the_member_id_too() {
    let Some((heartline, scene)) = alone(Client::KafkaPython, &[]).await else {
        return;
    };
    let mut peer = member(&scene).await;
    let before = peer.membership().expect("it was assigned partitions");
    let mark = peer.mark();
    answer(&heartline, "Heartbeat", 22, 1).await;
    let (member, generation) = assigned_again(&mut peer, mark).await;
    assert_eq!(member, before.0);
    assert!(Some(generation) > before.1, "{generation} after {before:?}");

    let mark = peer.mark();
    answer(&heartline, "Heartbeat", 25, 1).await;
    let (another, _) = assigned_again(&mut peer, mark).await;
    assert_ne!(another, member);
}

/// I21.
#[tokio::test]
async fn a_heartbeat_answered_27_asks_for_a_rejoin_and_keeps_the_coordinator() {
    let Some((heartline, scene)) = alone(Client::KafkaPython, &[]).await else {
        return;
    };
    let mut peer = member(&scene).await;
    let (before, _) = peer.membership().expect("it was assigned partitions");
    let given_up = |peer: &Peer| peer.log(|line| line.contains(DEAD).then_some(())).len();
    let mark = peer.mark();
    answer(&heartline, "Heartbeat", 27, 1).await;
    let (member, _) = assigned_again(&mut peer, mark).await;
    assert_eq!(member, before);
    assert_eq!(given_up(&peer), 0);

    // It would have said so.
    answer(&heartline, "Heartbeat", 16, 1).await;
    tests::wait::wait_until("the coordinator given up", async || {
        (given_up(&peer) == 1).then_some(()).ok_or("kept")
    })
    .await;
}

/// I24.
#[tokio::test]
async fn a_join_may_take_as_long_as_a_rebalance_and_a_sync_no_longer_than_any_request() {
    let Some((heartline, scene)) = alone(Client::KafkaPython, &[]).await else {
        return;
    };
    let delay = async |api: &str| {
        let fault = json!({"fault": "delay", "api": api, "ms": 4_000, "times": 1});
        heartline.play(&fault).await;
    };
    let start = |client_id| {
        let mut role = scene.role(client_id);
        role.verbose = true;
        // Less than the delay; the rebalance timeout is more.
        role.request_timeout_ms = 2_000;
        scene.start_as(role)
    };
    let timeouts = |peer: &Peer| peer.log(|line| line.contains("RequestTimedOut").then(|| line.to_owned()));
    delay("JoinGroup").await;
    let mut patient = start("patient");
    scene.settled(&mut [&mut patient]).await;
    assert_eq!(timeouts(&patient), [""; 0], "the join was waited for");
    patient.leave().await;

    delay("SyncGroup").await;
    let mut hasty = start("hasty");
    scene.settled(&mut [&mut hasty]).await;
    assert!(
        !timeouts(&hasty).is_empty(),
        "the sync was given up and made again"
    );
}
