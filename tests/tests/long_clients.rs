//! The stock clients' stories against Apache Kafka: what proves the stories right.

use tests::kafka::Broker;
use tests::peers::client::Client;
use tests::peers::server::Server;
use tests::peers::stories::{PARTITIONS, Scene};
use tests::peers::table;
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
