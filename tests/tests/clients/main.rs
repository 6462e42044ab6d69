//! The group `clients`: stock clients against the embedded coordinator, played by the table of clients and stories
//! (`tests/src/peers/table.rs`), and what protocol.md 5.I says of some of them.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

mod cases;
mod dashboard;
mod franz_go;
mod kafka_python;
mod librdkafka;
mod stage;

tests::client_stories!(crate::stage::of_story);

#[tokio::test]
async fn the_consumer_groups_tool_prints_the_truth() {
    let client = tests::peers::client::Client::Librdkafka;
    if let Some((_alive, scene)) = stage::alone(client, &[]).await {
        tests::peers::tool::the_consumer_groups_tool_prints_the_truth(scene).await;
    }
}
