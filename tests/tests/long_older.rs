//! Kafka 3.9, with the group coordinator of before KIP-848: none of the calls for the newer types is there, and classic groups are
//! shown as on today's brokers.

use serde_json::json;
use tests::heartline::Heartline;
use tests::kafka::{Broker, Release};
use tests::peers::client::Client;
use tests::peers::stories::commits_two_of_three;
use tests::peers::{Peer, Role};
use tests::survey::{
    Tool, at_rest, is_as_printed, lag_is_as_printed, rebalances_are_those_of_the_log, row, watching,
};

const PARTITIONS: usize = 6;

#[tokio::test]
async fn groups_of_kafka_3_9_are_shown_as_log_and_tools_say() {
    let ready = tests::heartline::binary().is_some()
        && Release::Older.is_resolved()
        && tests::kafka::is_resolved()
        && Client::Java.is_installed()
        && Client::Librdkafka.is_installed();
    if !ready {
        return;
    }
    let broker = &Broker::start_release(Release::Older).await;
    let group = "older";
    broker.create_topic(group, PARTITIONS).await;
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client, client_id: &str| {
        let mut role = Role::new(&broker.address(), group, client_id);
        role.session_timeout_ms = 8_000;
        Peer::start(client, role)
    };
    let rests = async |members| at_rest(heartline, Tool::Classic, group, members, PARTITIONS).await;

    let mut a = start(Client::Java, "a");
    rests(1).await;
    let b = start(Client::Librdkafka, "b");
    rests(2).await;
    is_as_printed(heartline, Tool::Classic, broker, group).await;
    b.kill();
    rests(1).await;
    commits_two_of_three(&mut a).await;
    lag_is_as_printed(heartline, Tool::Classic, broker, group, Some(1)).await;
    let (status, pong) = heartline
        .post(&format!("/api/ping?group={group}"), &json!({}))
        .await;
    assert!(status.is_success() && pong["error"] == 25, "{status} {pong}");
    a.leave().await;
    row(heartline, group, "empty", |row| row["state"] == "Empty").await;
    rebalances_are_those_of_the_log(heartline, &[broker], group, 4).await;

    members_of_its_own_join(broker, group).await;
}

/// Our own members, and a probe of the coordinator beside the group of others.
async fn members_of_its_own_join(broker: &Broker, shown: &str) {
    let address = broker.address();
    let arguments = ["--bootstrap-servers", &address, "--probe-group", "older-probe"];
    let own = ["--members", "3", "--heartbeat-interval", "500"];
    let heartline = Heartline::start(&[&arguments[..], &own].concat()).await;
    row(&heartline, "older-probe", "three members of ours", |row| {
        row["state"] == "Stable" && row["members"] == 3
    })
    .await;
    row(&heartline, shown, "the others' group", |row| {
        row["state"] == "Empty"
    })
    .await;
    let (status, ready) = heartline.get("/readyz").await;
    assert_eq!(status, 200, "{ready}");
    let refused = heartline.events_after(0, "&kind=not_authorized").await;
    assert!(
        refused.is_empty(),
        "a call that is not there is no missing right: {refused:?}"
    );
}
