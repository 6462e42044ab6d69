//! Groups of stock clients on real Kafka, as the survey shows them: each rebalance beside the broker's log, each state and member
//! beside what Kafka's own tools print.

use std::collections::{BTreeMap, BTreeSet};

use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::tool;
use tests::peers::{Assignor, Peer, Role};
use tests::survey::{rebalances_are_those_of_the_log, row, stable, watching};

/// Partitions of each topic.
const PARTITIONS: usize = 6;

#[tokio::test]
async fn members_of_the_java_client_with_an_eager_assignor_come_are_killed_and_leave_as_the_log_says() {
    come_and_go(Client::Java, Assignor::Eager, "long-java-eager").await;
}

#[tokio::test]
async fn members_of_the_java_client_with_a_cooperative_assignor_come_are_killed_and_leave_as_the_log_says() {
    come_and_go(Client::Java, Assignor::CooperativeSticky, "long-java-cooperative").await;
}

#[tokio::test]
async fn members_of_librdkafka_with_an_eager_assignor_come_are_killed_and_leave_as_the_log_says() {
    come_and_go(Client::Librdkafka, Assignor::Eager, "long-librdkafka-eager").await;
}

#[tokio::test]
async fn members_of_librdkafka_with_a_cooperative_assignor_come_are_killed_and_leave_as_the_log_says() {
    come_and_go(
        Client::Librdkafka,
        Assignor::CooperativeSticky,
        "long-librdkafka-cooperative",
    )
    .await;
}

#[tokio::test]
async fn a_static_member_that_restarts_is_replaced_without_a_rebalance() {
    for client in [Client::Java, Client::Librdkafka] {
        let Some(broker) = broker(client).await else {
            return;
        };
        let group = format!("long-static-{client}");
        broker.create_topic(&group, PARTITIONS).await;
        let heartline = watching(&broker.address(), &[]).await;
        let role = |client_id: &str| {
            let mut role = Role::new(&broker.address(), &group, client_id);
            role.instance_id = Some(format!("instance-{client_id}"));
            role.session_timeout_ms = 30_000;
            role
        };
        let a = Peer::start(client, role("a"));
        stable(&heartline, &group, 1).await;
        let b = Peer::start(client, role("b"));
        stable(&heartline, &group, 2).await;
        b.kill();
        let b = Peer::start(client, role("b"));
        let (_, by) = heartline
            .event_after(0, "b under another id", |event| match &event.what.change {
                Change::MemberReplaced { by: Some(by), .. } => Some(by.clone()),
                _ => None,
            })
            .await;
        assert!(by.as_str().starts_with("instance-b"), "{by}");
        stable(&heartline, &group, 2).await;
        members_are_those_of_the_tool(&heartline, broker, &group).await;
        rebalances_are_those_of_the_log(&heartline, &[broker], &group, 2).await;
        b.leave().await;
        a.leave().await;
    }
}

#[tokio::test]
async fn a_member_stalled_past_its_max_poll_interval_goes_and_comes_back_as_the_log_says() {
    let Some(broker) = broker(Client::Java).await else {
        return;
    };
    let group = "long-stalled";
    broker.create_topic(group, PARTITIONS).await;
    let heartline = watching(&broker.address(), &[]).await;
    let a = Peer::start(Client::Java, Role::new(&broker.address(), group, "a"));
    stable(&heartline, group, 1).await;
    let mut role = Role::new(&broker.address(), group, "b");
    role.rebalance_timeout_ms = 2_000;
    let mut b = Peer::start(Client::Java, role);
    stable(&heartline, group, 2).await;
    b.stall(12_000);
    stable(&heartline, group, 1).await;
    stable(&heartline, group, 2).await;
    b.leave().await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
    rebalances_are_those_of_the_log(&heartline, &[broker], group, 6).await;
}

#[tokio::test]
async fn a_kip_848_groups_members_and_epochs_are_those_that_kafkas_tools_print() {
    let Some(broker) = broker(Client::Java).await else {
        return;
    };
    let group = "long-consumer";
    broker.create_topic(group, PARTITIONS).await;
    let heartline = watching(&broker.address(), &[]).await;
    let start = |client_id| Newcomer::start(Kind::Consumer, &broker.address(), group, group, client_id);
    let a = start("a");
    stable(&heartline, group, 1).await;
    let b = start("b");
    settled(&heartline, group, 2).await;
    members_are_those_of_the_tool(&heartline, broker, group).await;
    b.leave().await;
    settled(&heartline, group, 1).await;
    members_are_those_of_the_tool(&heartline, broker, group).await;
    let listed = tool::types(&broker.address()).await;
    let shown = row(&heartline, group, "its type", |row| row["type"].is_string()).await;
    assert_eq!(shown["type"], listed[group].to_ascii_lowercase());
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
}

/// The shared broker, where the parts are here.
async fn broker(client: Client) -> Option<&'static Broker> {
    let ready = tests::heartline::binary().is_some()
        && kafka::is_resolved()
        && client.is_installed()
        && Client::Java.is_installed();
    if ready { Some(kafka::shared().await) } else { None }
}

/// One member, two, one that is killed, another, one that leaves, none.
async fn come_and_go(client: Client, assignor: Assignor, group: &str) {
    let Some(broker) = broker(client).await else {
        return;
    };
    broker.create_topic(group, PARTITIONS).await;
    let heartline = watching(&broker.address(), &[]).await;
    let start = |client_id: &str| {
        let mut role = Role::new(&broker.address(), group, client_id);
        role.assignor = assignor;
        Peer::start(client, role)
    };
    let a = start("a");
    stable(&heartline, group, 1).await;
    let b = start("b");
    stable(&heartline, group, 2).await;
    b.kill();
    stable(&heartline, group, 1).await;
    let c = start("c");
    stable(&heartline, group, 2).await;
    members_are_those_of_the_tool(&heartline, broker, group).await;
    c.leave().await;
    stable(&heartline, group, 1).await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;
    rebalances_are_those_of_the_log(&heartline, &[broker], group, 6).await;
}

/// Waits until so many members of a KIP-848 group are all in its epoch.
async fn settled(heartline: &Heartline, group: &str, members: usize) {
    let what = format!("{members} members in its epoch");
    tests::wait::wait_until(&format!("{group}: {what}"), async || {
        let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
        let there = whole["members"].as_array().cloned().unwrap_or_default();
        let epoch = &whole["group"]["generation"];
        let all = there.iter().all(|member| member["generation"] == *epoch);
        let stable = whole["group"]["state"] == "Stable";
        if there.len() == members && all && stable {
            Ok(())
        } else {
            Err(whole)
        }
    })
    .await;
}

/// Compares the group's state, its coordinator and each member, a KIP-848 member's epoch too, with what `ConsumerGroupCommand` prints;
/// the group is at rest.
async fn members_are_those_of_the_tool(heartline: &Heartline, broker: &Broker, group: &str) {
    let address = broker.address();
    let printed = tool::describe(&address, group, &["--members", "--verbose"]).await;
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    let shown = whole["members"].as_array().cloned().unwrap_or_default();
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let shown: BTreeMap<String, (String, String, Option<i64>)> = shown
        .iter()
        .map(|member| {
            let facts = (
                word(&member["client_id"]),
                word(&member["host"]),
                member["generation"].as_i64(),
            );
            (word(&member["member"]), facts)
        })
        .collect();
    let ids: BTreeSet<&String> = printed.iter().map(|row| &row["CONSUMER-ID"]).collect();
    assert!(
        ids.iter().copied().eq(shown.keys()),
        "{printed:?}; shown: {whole}"
    );
    for row in &printed {
        let (client_id, host, epoch) = &shown[&row["CONSUMER-ID"]];
        assert_eq!((client_id, host), (&row["CLIENT-ID"], &row["HOST"]));
        // A classic group has no epochs.
        if row["CURRENT-EPOCH"] != "-" {
            assert_eq!(
                epoch.map(|epoch| epoch.to_string()).as_ref(),
                Some(&row["CURRENT-EPOCH"])
            );
        }
    }
    let state = tool::describe(&address, group, &["--state"]).await;
    assert_eq!(state.len(), 1, "one row for one group: {state:?}");
    let group = &whole["group"];
    for state in &state {
        assert_eq!(group["state"], state["STATE"]);
        assert_eq!(group["members"].to_string(), state["#MEMBERS"]);
        assert_eq!(format!("({})", group["coordinator"]["node"]), state["(ID)"]);
    }
}
