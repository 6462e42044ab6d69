//! Groups of the newer types on real Kafka, as the survey shows them through whole lives of stock clients: each state, member, epoch,
//! assignment and lag beside what Kafka's own tools print.

use std::collections::BTreeMap;

use tests::heartline::Heartline;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::stories::commits_two_of_three;
use tests::peers::{Peer, Protocol, Role};
use tests::survey::{Tool, at_rest, is_as_printed, lag_is_as_printed, row, watching};
use tokio::sync::OnceCell;

/// Partitions of each topic.
const PARTITIONS: usize = 6;

/// `max.poll.interval.ms` of a member that is to be stalled past it.
const IMPATIENT_MS: u32 = 6_000;

/// How long it is stalled: it is out, and seen to be out, before that ends.
const STALL_MS: u32 = 20_000;

#[tokio::test]
async fn members_of_the_java_client_in_a_kip_848_group_live_as_the_tools_say() {
    a_whole_life_by_kip_848(Client::Java).await;
}

#[tokio::test]
async fn members_of_librdkafka_in_a_kip_848_group_live_as_the_tools_say() {
    a_whole_life_by_kip_848(Client::Librdkafka).await;
}

#[tokio::test]
async fn static_members_of_a_kip_848_group_that_are_redeployed_are_there_again_with_what_they_had() {
    for client in [Client::Java, Client::Librdkafka] {
        let Some(broker) = broker(client).await else {
            return;
        };
        let group = &*format!("newer-static-{client}");
        broker.create_topic(group, PARTITIONS).await;
        let heartline = &watching(&broker.address(), &[]).await;
        let start = |client_id: &str| {
            let mut role = Role::new(&broker.address(), group, client_id);
            role.protocol = Protocol::Consumer;
            role.instance_id = Some(format!("instance-{client_id}"));
            Peer::start(client, role)
        };
        let rests = async |members| at_rest(heartline, Tool::Consumer, group, members, PARTITIONS).await;
        let a = start("a");
        rests(1).await;
        let b = start("b");
        rests(2).await;
        is_as_printed(heartline, Tool::Consumer, broker, group).await;
        // Its seat is kept for it until its session is over.
        let old = by_instance(heartline, group).await;
        a.leave().await;
        let a = start("a");
        tests::wait::wait_until("another member in the seat", async || {
            let now = by_instance(heartline, group).await;
            let changed = now.len() == 2 && now["instance-a"] != old["instance-a"];
            if changed { Ok(()) } else { Err(now) }
        })
        .await;
        rests(2).await;
        is_as_printed(heartline, Tool::Consumer, broker, group).await;
        assert_eq!(
            by_instance(heartline, group).await["instance-b"],
            old["instance-b"]
        );
        b.leave().await;
        a.leave().await;
        row(heartline, group, "empty", |row| row["state"] == "Empty").await;
    }
}

#[tokio::test]
async fn members_of_a_share_group_live_as_the_tools_say() {
    let group = "newer-share";
    let Some((broker, other)) = with_topics(Client::Java, group).await else {
        return;
    };
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client_id: &str| {
        let kind = Kind::Share;
        Newcomer::start_with(kind, &broker.address(), group, group, client_id, IMPATIENT_MS)
    };
    let rests = async |members| at_rest(heartline, Tool::Share, group, members, PARTITIONS).await;
    let printed = async || is_as_printed(heartline, Tool::Share, broker, group).await;

    let a = start("a");
    rests(1).await;
    let mut b = start("b");
    rests(2).await;
    printed().await;
    let mut producer = producer(broker, group);
    producer.produce(0, &["first", "second"].map(str::to_owned)).await;
    lag_is_as_printed(heartline, Tool::Share, broker, group, Some(0)).await;
    b.kill();
    rests(1).await;
    let mut c = start("c");
    rests(2).await;
    c.stall(STALL_MS);
    rests(1).await;
    rests(2).await;
    printed().await;
    c.subscribe(&other);
    at_rest(heartline, Tool::Share, group, 2, 2 * PARTITIONS).await;
    printed().await;
    c.subscribe(group);
    rests(2).await;

    a.leave().await;
    rests(1).await;
    let d = start("d");
    rests(2).await;
    c.leave().await;
    rests(1).await;
    let e = start("e");
    rests(2).await;
    printed().await;

    d.leave().await;
    rests(1).await;
    e.leave().await;
    row(heartline, group, "empty", |row| row["state"] == "Empty").await;
    printed().await;
    producer.produce(0, &["third".to_owned()]).await;
    lag_is_as_printed(heartline, Tool::Share, broker, group, Some(1)).await;
}

#[tokio::test]
async fn members_of_a_streams_group_live_as_the_tools_say() {
    let group = "newer-streams";
    let Some((broker, _)) = with_topics(Client::Java, group).await else {
        return;
    };
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client_id: &str| {
        let kind = Kind::Streams;
        Newcomer::start_with(kind, &broker.address(), group, group, client_id, IMPATIENT_MS)
    };
    let rests = async |members| at_rest(heartline, Tool::Streams, group, members, PARTITIONS).await;
    let printed = async || is_as_printed(heartline, Tool::Streams, broker, group).await;

    let a = start("a");
    rests(1).await;
    printed().await;
    let mut b = start("b");
    rests(2).await;
    printed().await;
    let mut producer = producer(broker, group);
    producer.produce(0, &["first", "second"].map(str::to_owned)).await;
    b.kill();
    rests(1).await;
    let mut c = start("c");
    rests(2).await;
    c.stall(STALL_MS);
    rests(1).await;
    rests(2).await;
    printed().await;
    a.leave().await;
    rests(1).await;
    let d = start("d");
    rests(2).await;
    c.leave().await;
    rests(1).await;
    let e = start("e");
    rests(2).await;
    printed().await;

    d.leave().await;
    rests(1).await;
    // What members had read they committed when they left; of a group without members the tool prints nothing.
    lag_is_as_printed(heartline, Tool::Streams, broker, group, Some(0)).await;
    producer.produce(0, &["third".to_owned()]).await;
    lag_is_as_printed(heartline, Tool::Streams, broker, group, None).await;
    e.leave().await;
    row(heartline, group, "empty", |row| row["state"] == "Empty").await;
    printed().await;
}

/// Members come, are killed, stall past their max.poll.interval, change their subscription, are redeployed one by one, and go.
async fn a_whole_life_by_kip_848(client: Client) {
    let group = &*format!("newer-consumer-{client}");
    let Some((broker, other)) = with_topics(client, group).await else {
        return;
    };
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client_id: &str| {
        let mut role = Role::new(&broker.address(), group, client_id);
        role.protocol = Protocol::Consumer;
        role.rebalance_timeout_ms = IMPATIENT_MS;
        Peer::start(client, role)
    };
    let rests = async |members| at_rest(heartline, Tool::Consumer, group, members, PARTITIONS).await;
    let printed = async || is_as_printed(heartline, Tool::Consumer, broker, group).await;

    let mut a = start("a");
    rests(1).await;
    let b = start("b");
    rests(2).await;
    printed().await;
    b.kill();
    rests(1).await;
    let mut c = start("c");
    rests(2).await;

    c.stall(STALL_MS);
    rests(1).await;
    rests(2).await;
    printed().await;

    c.subscribe(&other);
    at_rest(heartline, Tool::Consumer, group, 2, 2 * PARTITIONS).await;
    printed().await;
    c.subscribe(group);
    rests(2).await;

    commits_two_of_three(&mut a).await;
    lag_is_as_printed(heartline, Tool::Consumer, broker, group, Some(1)).await;

    a.leave().await;
    rests(1).await;
    let d = start("d");
    rests(2).await;
    c.leave().await;
    rests(1).await;
    let e = start("e");
    rests(2).await;
    printed().await;

    d.leave().await;
    rests(1).await;
    e.leave().await;
    row(heartline, group, "empty", |row| row["state"] == "Empty").await;
    printed().await;
}

/// Who produces to the topic of the group's name, in a group of its own.
fn producer(broker: &Broker, group: &str) -> Peer {
    let mut role = Role::new(&broker.address(), &format!("{group}-producer"), "producer");
    group.clone_into(&mut role.topic);
    Peer::start(Client::Java, role)
}

/// Member ids by instance id.
async fn by_instance(heartline: &Heartline, group: &str) -> BTreeMap<String, String> {
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    let members = whole["members"].as_array().cloned().unwrap_or_default();
    let ids = members.iter().filter_map(|member| {
        let [instance, id] = ["instance_id", "member"].map(|key| member[key].as_str().map(str::to_owned));
        Some((instance?, id?))
    });
    ids.collect()
}

/// The broker with a topic of the group's name and another.
async fn with_topics(client: Client, group: &str) -> Option<(&'static Broker, String)> {
    let broker = broker(client).await?;
    let other = format!("{group}-other");
    broker
        .create_topics(&[group.to_owned(), other.clone()], PARTITIONS)
        .await;
    Some((broker, other))
}

/// One whose sessions are as short as those of the classic stories: by default nobody is out before 45 s.
async fn broker(client: Client) -> Option<&'static Broker> {
    static BROKER: OnceCell<Broker> = OnceCell::const_new();
    let ready = tests::heartline::binary().is_some()
        && kafka::is_resolved()
        && client.is_installed()
        && Client::Java.is_installed();
    if !ready {
        return None;
    }
    let settings: Vec<String> = ["consumer", "share", "streams"]
        .into_iter()
        .flat_map(|kind| {
            [
                format!("group.{kind}.session.timeout.ms=6000"),
                format!("group.{kind}.min.session.timeout.ms=6000"),
                format!("group.{kind}.heartbeat.interval.ms=500"),
                format!("group.{kind}.min.heartbeat.interval.ms=500"),
            ]
        })
        .collect();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let broker = BROKER.get_or_init(|| Broker::start_with(&settings)).await;
    Some(broker)
}
