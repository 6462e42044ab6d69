//! Classic groups of stock clients on real Kafka, as the survey shows them through whole lives: each rebalance beside the broker's
//! log, each state, member, assignment and lag beside what Kafka's own tools print.

use shared::event::Change;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::stories::commits_two_of_three;
use tests::peers::{Assignor, Peer, Role};
use tests::survey::{
    Tool, at_rest, is_as_printed, lag_is_as_printed, rebalances_are_those_of_the_log, row, stable, watching,
};

/// Partitions of each topic.
const PARTITIONS: usize = 6;

/// `max.poll.interval.ms` of a member that is to be stalled past it: librdkafka has none below the session.
const IMPATIENT_MS: u32 = 6_000;

/// How long it is stalled: it is out, and seen to be out, before that ends.
const STALL_MS: u32 = 20_000;

#[tokio::test]
async fn members_of_the_java_client_with_an_eager_assignor_live_as_log_and_tools_say() {
    a_whole_life(Client::Java, Assignor::Eager).await;
}

#[tokio::test]
async fn members_of_the_java_client_with_a_cooperative_assignor_live_as_log_and_tools_say() {
    a_whole_life(Client::Java, Assignor::CooperativeSticky).await;
}

#[tokio::test]
async fn members_of_librdkafka_with_an_eager_assignor_live_as_log_and_tools_say() {
    a_whole_life(Client::Librdkafka, Assignor::Eager).await;
}

#[tokio::test]
async fn members_of_librdkafka_with_a_cooperative_assignor_live_as_log_and_tools_say() {
    a_whole_life(Client::Librdkafka, Assignor::CooperativeSticky).await;
}

#[tokio::test]
async fn static_members_that_are_redeployed_one_by_one_are_replaced_without_a_rebalance() {
    for client in [Client::Java, Client::Librdkafka] {
        let Some(broker) = broker(client).await else {
            return;
        };
        let group = format!("long-static-{client}");
        broker.create_topic(&group, PARTITIONS).await;
        let heartline = watching(&broker.address(), &[]).await;
        let start = |client_id: &str| {
            let mut role = Role::new(&broker.address(), &group, client_id);
            role.instance_id = Some(format!("instance-{client_id}"));
            role.session_timeout_ms = 30_000;
            Peer::start(client, role)
        };
        let a = start("a");
        stable(&heartline, &group, 1).await;
        let b = start("b");
        at_rest(&heartline, Tool::Classic, &group, 2, PARTITIONS).await;
        // One goes without a word, one as an application does that ends.
        b.kill();
        let b = start("b");
        let seq = replaced(&heartline, 0, "instance-b").await;
        a.leave().await;
        let a = start("a");
        replaced(&heartline, seq, "instance-a").await;
        at_rest(&heartline, Tool::Classic, &group, 2, PARTITIONS).await;
        is_as_printed(&heartline, Tool::Classic, broker, &group).await;
        rebalances_are_those_of_the_log(&heartline, &[broker], &group, 2).await;
        b.leave().await;
        a.leave().await;
    }
}

/// Waits until a static member is told to have come back under another id; the event's seq.
async fn replaced(heartline: &tests::heartline::Heartline, after: u64, instance: &str) -> u64 {
    let what = format!("{instance} under another id");
    let (seq, ()) = heartline
        .event_after(after, &what, |event| match &event.what.change {
            Change::MemberReplaced { by: Some(by), .. } => by.as_str().starts_with(instance).then_some(()),
            _ => None,
        })
        .await;
    seq
}

/// The shared broker, where the parts are here.
async fn broker(client: Client) -> Option<&'static Broker> {
    let ready = tests::heartline::binary().is_some()
        && kafka::is_resolved()
        && client.is_installed()
        && Client::Java.is_installed();
    if ready { Some(kafka::shared().await) } else { None }
}

/// Members come, are killed, stall past their max.poll.interval, change their subscription, are redeployed one by one, and go.
async fn a_whole_life(client: Client, assignor: Assignor) {
    let Some(broker) = broker(client).await else {
        return;
    };
    let eager = assignor == Assignor::Eager;
    let group = &*format!("long-{client}-{}", if eager { "eager" } else { "cooperative" });
    let other = format!("{group}-other");
    broker
        .create_topics(&[group.to_owned(), other.clone()], PARTITIONS)
        .await;
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client_id: &str| {
        let mut role = Role::new(&broker.address(), group, client_id);
        role.assignor = assignor;
        (role.session_timeout_ms, role.rebalance_timeout_ms) = (IMPATIENT_MS, IMPATIENT_MS);
        Peer::start(client, role)
    };
    let rests = async |members| at_rest(heartline, Tool::Classic, group, members, PARTITIONS).await;
    let printed = async || is_as_printed(heartline, Tool::Classic, broker, group).await;

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

    // Not the one that was stalled: librdkafka with a cooperative assignor does not rejoin then.
    a.subscribe(&other);
    at_rest(heartline, Tool::Classic, group, 2, 2 * PARTITIONS).await;
    printed().await;
    a.subscribe(group);
    rests(2).await;

    commits_two_of_three(&mut a).await;
    lag_is_as_printed(heartline, Tool::Classic, broker, group, Some(1)).await;

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
    rebalances_are_those_of_the_log(heartline, &[broker], group, 14).await;
}
