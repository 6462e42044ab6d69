//! The stock clients' stories against Apache Kafka: what proves the stories right.

use tests::kafka::Broker;
use tests::peers::client::Client;
use tests::peers::said::Said;
use tests::peers::server::Server;
use tests::peers::stories::{PARTITIONS, Scene, consumed_since};
use tests::peers::table;
use tests::wait::wait_until;
use tokio::sync::OnceCell;

tests::client_stories!(crate::stage);

/// The shared broker, or one of the scene's own where the story restarts it.
async fn stage(client: Client, story: &str) -> Option<Scene> {
    static TOPICS_MADE: OnceCell<()> = OnceCell::const_new();
    if !tests::kafka::is_resolved() {
        return None;
    }
    let name = table::scene_name(client, story);
    if table::restarts_its_coordinator(story) {
        let broker = Broker::start().await;
        broker
            .create_topics(std::slice::from_ref(&name), PARTITIONS)
            .await;
        return Some(Scene {
            client,
            bootstrap: broker.address(),
            name,
            server: Some(Server::Kafka(Box::new(broker))),
        });
    }
    let broker = tests::kafka::shared().await;
    TOPICS_MADE
        .get_or_init(|| async { broker.create_topics(&table::topics(), PARTITIONS).await })
        .await;
    Some(Scene {
        client,
        bootstrap: broker.address(),
        name,
        server: None,
    })
}

#[tokio::test]
async fn the_consumer_groups_tool_prints_the_truth() {
    const NAME: &str = "tool";
    let client = Client::Librdkafka;
    if !tests::kafka::is_resolved() || !client.is_installed() {
        return;
    }
    let broker = tests::kafka::shared().await;
    broker.create_topics(&[NAME.to_owned()], PARTITIONS).await;
    let scene = Scene {
        client,
        bootstrap: broker.address(),
        name: NAME.to_owned(),
        server: None,
    };
    tests::peers::tool::the_consumer_groups_tool_prints_the_truth(scene).await;
}

/// I23 of protocol.md.
#[tokio::test]
async fn kafka_python_beats_on_at_another_node_without_a_rejoin() {
    const NAME: &str = "moved";
    let client = Client::KafkaPython;
    if !tests::kafka::is_resolved() || !client.is_installed() {
        return;
    }
    let first = Broker::start().await;
    let second = first.start_second().await;
    first.create_topics(&[NAME.to_owned()], PARTITIONS).await;
    let scene = Scene {
        client,
        bootstrap: first.address(),
        name: NAME.to_owned(),
        server: None,
    };
    let mut role = scene.role("a");
    role.session_timeout_ms = 30_000;
    let mut peer = scene.start_as(role);
    let before = scene.settled(&mut [&mut peer]).await;
    let mark = peer.mark();
    let old = scene.group().node().await.expect("the cluster tells");
    let new = if old.0 == first.node() {
        second.node()
    } else {
        first.node()
    };
    first.move_coordinators_to(new).await;
    wait_until("the group at its new node", async || {
        let node = scene.group().node().await?;
        (node.0 == new).then_some(()).ok_or(format!("{node:?}"))
    })
    .await;
    // Its commit reaches the new node, and in the old generation.
    peer.produce(0, &["record".to_owned()]).await;
    consumed_since(&mut peer, mark, 1).await;
    peer.commit().await;
    let said = peer.said_since(mark);
    assert!(!said.iter().any(Said::is_rebalance), "{said:?}");
    let after = scene.settled(&mut [&mut peer]).await;
    assert_eq!(after, before);
}
