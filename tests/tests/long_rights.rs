//! A survey that lacks a right: which one is told, what it costs, and all else goes on. Every row of README's table.

use std::collections::BTreeMap;

use serde_json::json;
use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, PLAIN_USER, Resource, SCRAM_USER};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::stories::lags_by_one;
use tests::peers::{Peer, Role};
use tests::survey::rights::{arguments_as, is_missing, refused, watching_as};
use tests::survey::{row, rows, stable, watching};

/// README's table: the right, and the tests that take it away.
const ROWS: [(&str, &[&str]); 6] = [
    (
        "READ on the groups `heartline-probe-*`",
        &["without_read_on_its_own_groups_there_is_no_heartbeat_and_every_group_is_shown"],
    ),
    (
        "DESCRIBE on the cluster",
        &["without_describe_on_the_cluster_the_list_is_said_to_be_shortened_and_what_is_on_it_is_shown"],
    ),
    (
        "DESCRIBE on groups",
        &["without_describe_on_a_group_its_row_names_the_right_and_the_others_are_whole"],
    ),
    (
        "DESCRIBE on topics",
        &[
            "without_describe_on_a_topic_of_a_consumer_group_its_row_says_so_and_the_others_are_whole",
            "without_describe_on_a_topic_its_lag_is_not_shown_and_the_members_and_other_topics_are",
        ],
    ),
    (
        "READ on the topic `__consumer_offsets`",
        &["without_read_on_the_offsets_log_generations_are_not_visible_and_members_are"],
    ),
    (
        "DESCRIBE_CONFIGS on groups",
        &["without_describe_configs_on_a_group_its_members_timeouts_are_not_visible"],
    ),
];

#[test]
fn every_right_of_the_readme_is_taken_away_by_a_test() {
    const SOURCES: [&str; 2] = [
        include_str!("long_rights.rs"),
        include_str!("kafka/missing_right.rs"),
    ];
    let readme = include_str!("../../README.md");
    let table = readme.split_once("| right | what for | without it |");
    let (_, table) = table.expect("the table of rights");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rights: Vec<&str> = rows
        .filter_map(|line| line.split('|').nth(1).map(str::trim))
        .collect();
    assert_eq!(rights, ROWS.map(|(right, _)| right));
    for (right, tests) in ROWS {
        for test in tests {
            let head = format!("#[tokio::test]\nasync fn {test}() {{");
            let there = SOURCES.iter().any(|source| source.contains(&head));
            assert!(there, "{right}: {test} does not exist");
        }
    }
}

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

    let heartline = watching_as(broker, SCRAM_USER, "cluster").await;
    stable(&heartline, open, 1).await;
    is_missing(&heartline, None, 31, "DESCRIBE on the cluster").await;
    assert!(!rows(&heartline).await.contains_key(hidden));
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
    let heartline = watching_as(broker, PLAIN_USER, "topic").await;
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
    let heartline = watching_as(broker, PLAIN_USER, "log").await;
    is_missing(&heartline, None, 29, "READ on topic __consumer_offsets").await;
    let shown = stable(&heartline, group, 1).await;
    assert!(shown["generation"].is_null(), "{shown}");

    // Nor is it then visible who leads the log: where a probe group goes its coordinator tells.
    broker
        .take_away(PLAIN_USER.name, "Describe", Resource::Topic("__consumer_offsets"))
        .await;
    let own = "heartline-probe-named";
    let arguments = arguments_as(broker, PLAIN_USER, "named");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let own_member = ["--members", "1", "--probe-group", own];
    let heartline = Heartline::start(&[&arguments, &own_member[..]].concat()).await;
    heartline
        .event_after(0, "a heartbeat of the probe group that was placed", |event| {
            let group = event.what.group.as_ref()?.as_str();
            let placed = group.strip_prefix(own)?.starts_with('-');
            let answered = matches!(event.what.change, Change::HeartbeatAnswered { error: 0, .. });
            (placed && answered).then_some(())
        })
        .await;
    member.leave().await;
}

#[tokio::test]
async fn without_read_on_its_own_groups_there_is_no_heartbeat_and_every_group_is_shown() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let (own, shown) = ("heartline-probe-rights", "rights-beside-probe");
    broker.create_topic(shown, 1).await;
    broker
        .take_away(PLAIN_USER.name, "Read", Resource::Groups(own))
        .await;
    let member = Peer::start(
        Client::Java,
        Role::new(&broker.address(), shown, "of-rights-probe"),
    );
    let arguments = arguments_as(broker, PLAIN_USER, "probe");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let own_member = ["--members", "1", "--probe-group", own];
    let heartline = Heartline::start(&[&arguments, &own_member[..]].concat()).await;
    is_missing(&heartline, Some(own), 30, &format!("READ on group {own}")).await;
    stable(&heartline, shown, 1).await;
    let (status, ready) = heartline.get("/readyz").await;
    assert_eq!(
        (status.as_u16(), &ready["error"]),
        (503, &json!("not_authorized"))
    );
    let beats = heartline.events_after(0, "&kind=heartbeat_answered").await;
    assert!(beats.is_empty(), "{beats:?}");

    // Without members of its own there is no such group, and nothing is missing.
    let without = watching_as(broker, PLAIN_USER, "no-probe").await;
    stable(&without, shown, 1).await;
    for event in without.events_after(0, "&kind=not_authorized").await {
        let Change::NotAuthorized { right, .. } = &event.what.change else {
            continue;
        };
        assert!(!right.contains(own), "{event:?}");
    }
    member.leave().await;
}

#[tokio::test]
async fn without_describe_on_a_topic_its_lag_is_not_shown_and_the_members_and_other_topics_are() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let (open, closed) = ("rights-lag-open", "rights-lag-closed");
    broker
        .create_topics(&[open.to_owned(), closed.to_owned()], 1)
        .await;
    // It commits in the one, then in the other.
    let group = open;
    let mut member = Peer::start(Client::Java, Role::new(&broker.address(), group, "of-rights-lag"));
    lags_by_one(&mut member, 0).await;
    let mark = member.mark();
    member.subscribe(closed);
    lags_by_one(&mut member, mark).await;
    broker
        .take_away(PLAIN_USER.name, "Describe", Resource::Topic(closed))
        .await;

    let everybody = watching(&broker.address(), &[]).await;
    let both = [open, closed].map(|topic| (topic.to_owned(), Some(1)));
    lag_is(&everybody, group, &BTreeMap::from(both)).await;
    let heartline = watching_as(broker, PLAIN_USER, "lag").await;
    let one = BTreeMap::from([(open.to_owned(), Some(1))]);
    lag_is(&heartline, group, &one).await;
    stable(&heartline, group, 1).await;
    member.leave().await;
}

#[tokio::test]
async fn without_describe_configs_on_a_group_its_members_timeouts_are_not_visible() {
    if !ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "rights-configs";
    broker.create_topic(group, 1).await;
    broker
        .take_away(PLAIN_USER.name, "DescribeConfigs", Resource::Group(group))
        .await;
    let member = Newcomer::start(
        Kind::Consumer,
        &broker.address(),
        group,
        group,
        "of-rights-configs",
    );
    let timeouts = async |heartline: &Heartline| {
        let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
        let member = &whole["members"][0];
        ["session_timeout_ms", "heartbeat_interval_ms"].map(|key| member[key].as_u64())
    };
    let everybody = watching(&broker.address(), &[]).await;
    stable(&everybody, group, 1).await;
    tests::wait::wait_until("timeouts, with the right", async || {
        let seen = timeouts(&everybody).await;
        if seen.iter().all(Option::is_some) {
            Ok(())
        } else {
            Err(seen)
        }
    })
    .await;

    let heartline = watching_as(broker, PLAIN_USER, "configs").await;
    stable(&heartline, group, 1).await;
    let right = "DESCRIBE_CONFIGS on ";
    is_missing(&heartline, None, 30, right).await;
    assert_eq!(timeouts(&heartline).await, [None, None]);
    member.leave().await;
}

/// Waits until the lag of these topics, each of one partition, is shown, and of no other; none is a lag that is not visible.
async fn lag_is(heartline: &Heartline, group: &str, expected: &BTreeMap<String, Option<i64>>) {
    tests::wait::wait_until(&format!("the lag of {group}: {expected:?}"), async || {
        let query = format!("&kind=group_progress&group={group}");
        let told = heartline.events_after(0, &query).await.pop();
        let Some(Change::GroupProgress { partitions, .. }) = told.map(|event| event.what.change) else {
            return Err(BTreeMap::new());
        };
        let lag: BTreeMap<String, Option<i64>> = partitions
            .into_iter()
            .filter_map(|at| {
                let committed = at.committed?;
                Some((at.topic.to_string(), at.end.map(|end| end - committed)))
            })
            .collect();
        if lag == *expected { Ok(()) } else { Err(lag) }
    })
    .await;
}
