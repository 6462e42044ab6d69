//! The groups of others on a real cluster: each described by the call of its type, and followed as members come and go.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::{Peer, Role};
use tests::wait::wait_until;

/// A dashboard without members of its own: nothing is written to the cluster.
async fn watching(broker: &Broker) -> Heartline {
    let address = broker.address();
    Heartline::start(&["--bootstrap-servers", &address, "--members", "0"]).await
}

/// The group's row, once it is as it should be.
async fn row(heartline: &Heartline, group: &str, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    wait_until(&format!("{group}: {what}"), async || {
        let (_, groups) = heartline.get("/api/groups").await;
        let rows = groups["groups"].as_array().cloned().unwrap_or_default();
        let row = rows.into_iter().find(|row| row["group"] == group);
        match row {
            Some(row) if is_it(&row) => Ok(row),
            other => Err(other),
        }
    })
    .await
}

#[tokio::test]
async fn groups_of_every_newer_type_are_shown_with_their_members_and_epochs() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    broker.create_topic("surveyed-new", 3).await;
    let heartline = watching(broker).await;
    let group = |kind: Kind| format!("surveyed-{kind}");
    let mut members: BTreeMap<String, Newcomer> = BTreeMap::new();
    for kind in Kind::ALL {
        let started = Newcomer::start(
            kind,
            &broker.address(),
            &group(kind),
            "surveyed-new",
            &format!("client-{kind}"),
        );
        members.insert(group(kind), started);
    }
    for kind in Kind::ALL {
        let shown = row(&heartline, &group(kind), "Stable with its member", |row| {
            row["state"] == "Stable" && row["members"] == 1
        })
        .await;
        assert_eq!(shown["type"], kind.to_string());
        assert!(
            shown["generation"].as_i64().is_some_and(|epoch| epoch >= 1),
            "{shown}"
        );
        let (_, whole) = heartline.get(&format!("/api/group?group={}", group(kind))).await;
        let client = whole["members"][0]["client_id"].as_str().unwrap_or_default();
        assert!(client.starts_with(&format!("client-{kind}")), "{whole}");
    }
    for (group, member) in members {
        member.leave().await;
        let shown = row(&heartline, &group, "Empty, and still shown", |row| {
            row["state"] == "Empty"
        })
        .await;
        assert_eq!(shown["members"], 0);
    }
    let events = heartline.events_after(0, "&kind=member_gone").await;
    assert!(events.len() >= Kind::ALL.len());
    for event in events {
        let Change::MemberGone { possible, .. } = &event.what.change else {
            continue;
        };
        assert!(
            possible.len() > 1,
            "how it went is in no answer of a broker: {event:?}"
        );
        assert!(event.what.at_earliest.is_some(), "{event:?}");
    }
}

/// What the broker's log tells of a group's rebalances: the generation, and when it was assigned or empty, in Unix milliseconds.
fn ends_in_the_log(broker: &Broker, group: &str) -> BTreeMap<i32, u64> {
    let assigned = format!("for group {group} for generation ");
    let empty = format!("Group {group} with generation ");
    let lines = broker.log_lines(|line| {
        let generation = line
            .split_once(&assigned)
            .or_else(|| {
                line.contains("is now empty")
                    .then(|| line.split_once(&empty))
                    .flatten()
            })
            .map(|(_, rest)| rest)?;
        let digits: String = generation.chars().take_while(char::is_ascii_digit).collect();
        let (at, _) = line.split_once(' ')?;
        Some((digits.parse().ok()?, at.parse().ok()?))
    });
    lines.into_iter().collect()
}

#[tokio::test]
async fn every_rebalance_in_the_brokers_log_is_told_with_its_generation_and_its_end_and_none_besides() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "surveyed-classic";
    broker.create_topic(group, 6).await;
    let heartline = watching(broker).await;
    let role = |client_id: &str| Role::new(&broker.address(), group, client_id);
    let a = Peer::start(Client::Java, role("a"));
    row(&heartline, group, "one member", |row| {
        row["members"] == 1 && row["state"] == "Stable"
    })
    .await;
    let b = Peer::start(Client::Java, role("b"));
    row(&heartline, group, "two members", |row| {
        row["members"] == 2 && row["state"] == "Stable"
    })
    .await;
    b.kill();
    row(&heartline, group, "one member again", |row| {
        row["members"] == 1 && row["state"] == "Stable"
    })
    .await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;

    let told = wait_until("each rebalance of the log", async || {
        let events = heartline
            .events_after(0, &format!("&kind=rebalance_finished&group={group}"))
            .await;
        let told: BTreeMap<i32, u64> = events
            .iter()
            .filter_map(|event| match &event.what.change {
                Change::RebalanceFinished(what) => Some((what.generation.0, event.what.at.0)),
                _ => None,
            })
            .collect();
        let logged = ends_in_the_log(broker, group);
        if logged.len() >= 4 && told.keys().eq(logged.keys()) {
            Ok((told, logged))
        } else {
            Err((told, logged))
        }
    })
    .await;
    for ((generation, told), logged) in told.0.iter().zip(told.1.values()) {
        // Two clocks of one machine: the record's own time and the log line's.
        assert!(
            told.abs_diff(*logged) <= 50,
            "generation {generation}: {told}, in the log {logged}"
        );
    }
}
