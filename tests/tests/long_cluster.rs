//! Clusters that change under the eyes of a survey: brokers that come, go and take over, one that is down at the start, a controller
//! that coordinates nothing.

use std::collections::BTreeMap;

use serde_json::json;
use shared::event::{Change, Event};
use tests::heartline::Heartline;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::{Peer, Role};
use tests::survey::{rebalances_are_those_of_the_log, row, rows, stable, watching};
use tests::wait::wait_until;
use tokio::sync::Mutex;

/// One cluster at a time: each is several JVMs.
static TURN: Mutex<()> = Mutex::const_new(());

/// Whether the parts are here.
fn ready() -> bool {
    tests::heartline::binary().is_some()
        && kafka::is_resolved()
        && Client::Java.is_installed()
        && Client::Librdkafka.is_installed()
}

/// One member in a group of its own.
fn member(bootstrap: &str, topic: &str, group: &str) -> Peer {
    let mut role = Role::new(bootstrap, group, group);
    topic.clone_into(&mut role.topic);
    // Longer than a coordinator is away.
    role.session_timeout_ms = 60_000;
    Peer::start(Client::Librdkafka, role)
}

/// Waits until every group has its member and the node that it is to have, by group.
async fn coordinated(
    heartline: &Heartline,
    what: &str,
    is_it: impl Fn(i64) -> bool,
) -> BTreeMap<String, i64> {
    wait_until(what, async || {
        let rows = rows(heartline).await;
        let nodes: BTreeMap<String, i64> = rows
            .iter()
            .filter(|(_, row)| row["state"] == "Stable" && row["members"] == 1)
            .filter_map(|(group, row)| Some((group.clone(), row["coordinator"]["node"].as_i64()?)))
            .filter(|(_, node)| is_it(*node))
            .collect();
        if nodes.len() == GROUPS {
            Ok(nodes)
        } else {
            Err(rows)
        }
    })
    .await
}

/// Enough that each of three brokers coordinates some, as their names hash.
const GROUPS: usize = 8;

#[tokio::test]
async fn groups_are_followed_to_brokers_that_come_and_from_brokers_that_go_without_a_rebalance() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let topic = "followed";
    let mut brokers = Broker::start_three().await;
    let bootstrap = brokers.each_ref().map(Broker::address).join(",");
    brokers[0].create_topic(topic, 1).await;
    let groups: Vec<String> = (0..GROUPS).map(|number| format!("{topic}-{number}")).collect();
    let members: Vec<Peer> = groups
        .iter()
        .map(|group| member(&bootstrap, topic, group))
        .collect();
    let heartline = &watching(&bootstrap, &[]).await;
    let before = coordinated(heartline, "each group at its coordinator", |_| true).await;

    // One goes in an orderly way: its groups are loaded by those that have a copy.
    let gone = i64::from(brokers[2].node());
    brokers[2].stop().await;
    coordinated(heartline, "no group at the broker that is gone", |node| {
        node != gone
    })
    .await;
    // It is back, and takes over again what it is the first to have.
    brokers[2].start_again().await;
    brokers[0].elect_preferred_leaders().await;
    let back = wait_until("each group where it was", async || {
        let nodes = coordinated(heartline, "each group at a coordinator", |_| true).await;
        if nodes == before { Ok(nodes) } else { Err(nodes) }
    })
    .await;
    assert!(back.values().any(|node| *node == gone), "{back:?}");

    // A broker that was not there at the start takes over everything.
    let fourth = brokers[0].start_further(4).await;
    brokers[0].move_coordinators_to(fourth.node()).await;
    coordinated(heartline, "every group at the new broker", |node| {
        node == i64::from(fourth.node())
    })
    .await;

    let gone = heartline.events_after(0, "&kind=group_gone").await;
    assert!(gone.is_empty(), "{gone:?}");
    let [first, second, third] = &brokers;
    for group in &groups {
        rebalances_are_those_of_the_log(heartline, &[first, second, third, &fourth], group, 1).await;
    }
    drop(members);
}

#[tokio::test]
async fn a_controller_without_groups_is_no_broker_that_is_missed() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let [controller, broker] = Broker::start_with_controller_apart().await;
    let group = "apart";
    broker.create_topic(group, 1).await;
    let peer = member(&broker.address(), group, group);
    // Whoever names all machines of a cluster names its controller, too.
    let bootstrap = format!("{},{}", controller.address(), broker.address());
    for own in ["0", "2"] {
        let heartline = Heartline::start(&[
            "--bootstrap-servers",
            &bootstrap,
            "--members",
            own,
            "--probe-group",
            "apart-probe",
        ])
        .await;
        let shown = stable(&heartline, group, 1).await;
        assert_eq!(shown["coordinator"]["node"], broker.node());
        if own == "2" {
            stable(&heartline, "apart-probe", 2).await;
        }
        let silent = heartline.events_after(0, "&kind=broker_silent").await;
        let missed = silent.iter().any(|event| {
            matches!(&event.what.change, Change::BrokerSilent { node, .. } if node.0 == controller.node())
        });
        assert!(!missed, "{silent:?}");
    }
    peer.leave().await;
}

#[tokio::test]
async fn a_cluster_that_is_down_at_the_start_is_said_to_be_and_shown_once_it_is_there() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let mut broker = Broker::start().await;
    let group = "down-at-start";
    broker.create_topic(group, 1).await;
    broker.stop().await;

    let without = watching(&broker.address(), &[]).await;
    let address = broker.address();
    let own = Heartline::start(&[
        "--bootstrap-servers",
        &address,
        "--members",
        "3",
        "--probe-group",
        "down-probe",
        "--heartbeat-interval",
        "500",
    ])
    .await;
    let nobody =
        |event: &Event| matches!(event.what.change, Change::CoordinatorNotFound { .. }).then_some(());
    for heartline in [&own, &without] {
        heartline.event_after(0, "that nobody answers", nobody).await;
        let (status, ready) = heartline.get("/readyz").await;
        assert_eq!((status.as_u16(), &ready["error"]), (503, &json!("no_answer_yet")));
    }

    broker.start_again().await;
    let peer = member(&broker.address(), group, group);
    stable(&without, group, 1).await;
    without
        .event_after(0, "that a broker answers", |event| {
            matches!(event.what.change, Change::BrokerAnswers { .. }).then_some(())
        })
        .await;
    wait_until("ready without members: a broker answers", async || {
        let (status, ready) = without.get("/readyz").await;
        if status == 200 { Ok(()) } else { Err(ready) }
    })
    .await;
    stable(&own, group, 1).await;
    stable(&own, "down-probe", 3).await;
    wait_until("ready", async || {
        let (status, ready) = own.get("/readyz").await;
        if status == 200 { Ok(()) } else { Err(ready) }
    })
    .await;
    peer.leave().await;
    row(&without, group, "empty", |row| row["state"] == "Empty").await;
}
