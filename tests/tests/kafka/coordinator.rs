//! The coordinator goes away and comes back, or moves to another broker: the members find it and carry on.

use shared::event::{Change, DeathCause, Event};
use shared::ids::{Generation, MemberId};
use tests::heartline::Heartline;
use tests::kafka::Broker;
use tests::wait::wait_until;

#[tokio::test]
async fn members_carry_on_after_their_broker_was_stopped_and_started() {
    if !crate::ready() {
        return;
    }
    let mut broker = Broker::start().await;
    let heartline = two_members(&broker, "broker-restarts").await;
    let before = settled(&heartline, 0).await;

    broker.stop().await;
    let (dead, node) = heartline
        .event_after(0, "coordinator_dead", dead_by(&[DeathCause::Disconnect]))
        .await;
    assert_eq!(node, broker.node());

    broker.start_again().await;
    let (found, node) = heartline.event_after(dead, "coordinator_found", found).await;
    assert_eq!(node, broker.node());
    let after = settled(&heartline, found).await;
    assert_eq!(members(&after), members(&before), "the same members carry on");
}

#[tokio::test]
async fn members_follow_their_coordinator_to_another_broker() {
    if !crate::ready() {
        return;
    }
    let first = Broker::start().await;
    let second = first.start_second().await;
    let heartline = two_members(&first, "coordinator-moves").await;
    let before = settled(&heartline, 0).await;
    let (_, old) = heartline.event_after(0, "coordinator_found", found).await;
    let new = if old == first.node() {
        second.node()
    } else {
        first.node()
    };

    first.move_coordinators_to(new).await;
    let causes = [DeathCause::NotCoordinator, DeathCause::CoordinatorNotAvailable];
    let (dead, node) = heartline
        .event_after(0, "coordinator_dead", dead_by(&causes))
        .await;
    assert_eq!(node, old);
    let to_the_new = |event: &Event| found(event).filter(|node| *node == new);
    let (found, _) = heartline
        .event_after(dead, "coordinator_found on the other broker", to_the_new)
        .await;
    let after = settled(&heartline, found).await;
    assert_eq!(members(&after), members(&before), "the same members carry on");
}

async fn two_members(broker: &Broker, group: &str) -> Heartline {
    let address = broker.address();
    let arguments = [
        "--bootstrap-servers",
        &address,
        "--probe-group",
        group,
        "--members",
        "2",
    ];
    Heartline::start(&[&arguments[..], &["--heartbeat-interval", "500"]].concat()).await
}

/// Waits until two members were answered 0 in one generation after a seq; who they are.
async fn settled(heartline: &Heartline, after: u64) -> Vec<(Generation, MemberId)> {
    wait_until("two members answered 0 in one generation", async || {
        let answered = |event: Event| match event.what.change {
            Change::HeartbeatAnswered {
                generation, error: 0, ..
            } => Some((generation, event.what.member?)),
            _ => None,
        };
        let events = heartline.events_after(after, "&kind=heartbeat_answered").await;
        let mut answered: Vec<_> = events.into_iter().filter_map(answered).collect();
        let newest = answered.iter().map(|(generation, _)| *generation).max();
        answered.retain(|(generation, _)| Some(*generation) == newest);
        answered.sort();
        answered.dedup();
        if answered.len() == 2 {
            Ok(answered)
        } else {
            Err(answered)
        }
    })
    .await
}

fn members(settled: &[(Generation, MemberId)]) -> Vec<&MemberId> {
    settled.iter().map(|(_, member)| member).collect()
}

fn found(event: &Event) -> Option<i32> {
    match event.what.change {
        Change::CoordinatorFound { node, .. } => Some(node.0),
        _ => None,
    }
}

fn dead_by(causes: &[DeathCause]) -> impl Fn(&Event) -> Option<i32> {
    move |event| match event.what.change {
        Change::CoordinatorDead { node, cause, .. } if causes.contains(&cause) => Some(node.0),
        _ => None,
    }
}
