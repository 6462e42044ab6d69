//! A survey that lacks a right: which one is told, and all else goes on.

use serde_json::Value;
use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Listener, PLAIN_USER, Resource, SCRAM_USER, User};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::{Peer, Role};
use tests::survey::{row, rows, stable, watching};

/// Whether the parts are here.
fn ready() -> bool {
    tests::heartline::binary().is_some() && tests::kafka::is_resolved() && Client::Java.is_installed()
}

#[tokio::test]
async fn without_describe_on_the_cluster_the_list_is_said_to_be_shortened_and_what_is_on_it_is_shown() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let (open, hidden) = ("rights-open", "rights-hidden");
    broker
        .create_topics(&[open.to_owned(), hidden.to_owned()], 1)
        .await;
    broker
        .take_away(SCRAM_USER.name, "Describe", Resource::Cluster)
        .await;
    broker
        .take_away(SCRAM_USER.name, "Describe", Resource::Group(hidden))
        .await;
    let members = [open, hidden].map(|group| {
        Peer::start(
            Client::Java,
            Role::new(&broker.address(), group, &format!("of-{group}")),
        )
    });
    let everybody = watching(&broker.address(), &[]).await;
    stable(&everybody, hidden, 1).await;

    let heartline = watching_as(SCRAM_USER, "cluster").await;
    stable(&heartline, open, 1).await;
    is_missing(&heartline, None, 31, "DESCRIBE on the cluster").await;
    assert!(!rows(&heartline).await.contains_key(hidden));
    for member in members {
        member.leave().await;
    }
}

#[tokio::test]
async fn without_describe_on_a_group_its_row_names_the_right_and_the_others_are_whole() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let (open, closed) = ("rights-described", "rights-undescribed");
    broker
        .create_topics(&[open.to_owned(), closed.to_owned()], 1)
        .await;
    broker
        .take_away(PLAIN_USER.name, "Describe", Resource::Group(closed))
        .await;
    let members = [open, closed].map(|group| {
        Peer::start(
            Client::Java,
            Role::new(&broker.address(), group, &format!("of-{group}")),
        )
    });
    let heartline = watching_as(PLAIN_USER, "group").await;
    stable(&heartline, open, 1).await;
    is_missing(
        &heartline,
        Some(closed),
        30,
        "DESCRIBE on group rights-undescribed",
    )
    .await;
    let shown = refused(&heartline, closed, "DESCRIBE on group rights-undescribed").await;
    assert!(
        shown["members"].is_null(),
        "not visible is no number of members: {shown}"
    );
    for member in members {
        member.leave().await;
    }
}

#[tokio::test]
async fn without_describe_on_a_topic_of_a_consumer_group_its_row_says_so_and_the_others_are_whole() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let (open, closed) = ("rights-topic", "rights-closed-topic");
    broker
        .create_topics(&[open.to_owned(), closed.to_owned()], 1)
        .await;
    broker
        .take_away(PLAIN_USER.name, "Describe", Resource::Topic(closed))
        .await;
    let members = [open, closed].map(|group| {
        Newcomer::start(
            Kind::Consumer,
            &broker.address(),
            group,
            group,
            &format!("of-{group}"),
        )
    });
    let heartline = watching_as(PLAIN_USER, "topic").await;
    stable(&heartline, open, 1).await;
    let right = "DESCRIBE on the topics of group rights-closed-topic";
    is_missing(&heartline, Some(closed), 29, right).await;
    refused(&heartline, closed, right).await;
    for member in members {
        member.leave().await;
    }
}

#[tokio::test]
async fn without_read_on_the_offsets_log_generations_are_not_visible_and_members_are() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "rights-log";
    broker.create_topic(group, 1).await;
    let member = Peer::start(Client::Java, Role::new(&broker.address(), group, "of-rights-log"));
    // Once the log is there.
    let everybody = watching(&broker.address(), &[]).await;
    row(&everybody, group, "its generation", |row| {
        row["generation"].is_i64()
    })
    .await;
    broker
        .take_away(PLAIN_USER.name, "Read", Resource::Topic("__consumer_offsets"))
        .await;
    let heartline = watching_as(PLAIN_USER, "log").await;
    is_missing(&heartline, None, 29, "READ on topic __consumer_offsets").await;
    let shown = stable(&heartline, group, 1).await;
    assert!(shown["generation"].is_null(), "{shown}");
    member.leave().await;
}

/// Heartline as one of the users whom SASL knows.
async fn watching_as(user: User, file: &str) -> Heartline {
    let secured = kafka::shared().await.secured();
    let (mechanism, module) = if user.name == SCRAM_USER.name {
        ("SCRAM-SHA-512", "scram.ScramLoginModule")
    } else {
        ("PLAIN", "plain.PlainLoginModule")
    };
    let lines = [
        format!("sasl.mechanism={mechanism}"),
        format!(
            "sasl.jaas.config=org.apache.kafka.common.security.{module} required username=\"{}\" password=\"{}\";",
            user.name, user.password
        ),
    ];
    let listener = Listener::SaslPlaintext;
    let file = secured.client_file(listener, file, &lines.each_ref().map(String::as_str));
    let file = file.display().to_string();
    watching(&secured.address(listener), &["--command-config", &file]).await
}

/// Waits for the event that names a missing right, of this group or of the cluster.
async fn is_missing(heartline: &Heartline, group: Option<&str>, code: i16, words: &str) {
    heartline
        .event_after(0, words, |event| match &event.what.change {
            Change::NotAuthorized { error, right } => {
                let of = event.what.group.as_ref().map(|group| group.as_str());
                (*error == code && of == group && right.contains(words)).then_some(())
            }
            _ => None,
        })
        .await;
}

/// The group's row, once its verdict is that a right is missing, and names it.
async fn refused(heartline: &Heartline, group: &str, right: &str) -> Value {
    row(heartline, group, right, |row| {
        let sentence = row["sentence"].as_str().unwrap_or_default();
        row["verdict"] == "not-authorized" && sentence.contains(right)
    })
    .await
}
