//! The groups of others on a real cluster: each described by the call of its type, and followed as members come and go.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::event::Change;
use tests::kafka;
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::{Peer, Role};
use tests::survey::{Tool, rebalances_are_those_of_the_log, row, stable, watching};

#[tokio::test]
async fn groups_of_every_newer_type_are_shown_with_their_members_and_epochs() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    broker.create_topic("surveyed-new", 3).await;
    let heartline = watching(&broker.address(), &[]).await;
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
        let shown = row(
            &heartline,
            &group(kind),
            "Stable with its member, in an epoch",
            |row| {
                let epoch = row["generation"].as_i64().unwrap_or_default();
                row["state"] == "Stable" && row["members"] == 1 && epoch >= 1
            },
        )
        .await;
        assert_eq!(shown["type"], kind.to_string());
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
    // Nothing was produced: its coordinator knows the partitions and keeps no start offset of any, which is not that nothing is left.
    let not_begun = |row: &Value| {
        let lag = &row["lag"];
        lag["partitions"] == 3 && lag["uncommitted"] == 3 && lag["left"].is_null()
    };
    let share = group(Kind::Share);
    row(
        &heartline,
        &share,
        "told by its coordinator, and not begun",
        not_begun,
    )
    .await;
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

#[tokio::test]
async fn every_rebalance_in_the_brokers_log_is_told_with_its_generation_and_its_end_and_none_besides() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "surveyed-classic";
    broker.create_topic(group, 6).await;
    let heartline = watching(&broker.address(), &[]).await;
    let role = |client_id: &str| Role::new(&broker.address(), group, client_id);
    let a = Peer::start(Client::Java, role("a"));
    stable(&heartline, group, 1).await;
    let b = Peer::start(Client::Java, role("b"));
    stable(&heartline, group, 2).await;
    b.kill();
    stable(&heartline, group, 1).await;
    a.leave().await;
    row(&heartline, group, "empty", |row| row["state"] == "Empty").await;

    rebalances_are_those_of_the_log(&heartline, &[broker], group, 4).await;

    // Deleted, and made anew under the same name: another group, with a life of its own.
    Tool::Classic.delete(broker, group).await;
    let _c = Peer::start(Client::Java, role("c"));
    stable(&heartline, group, 1).await;
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    let generations: Vec<&Value> = whole["rebalances"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| &row["generation"])
        .collect();
    assert_eq!(generations, [&whole["group"]["generation"]], "{whole}");
    assert_eq!(whole["group"]["generation"], 1, "{whole}");
    assert_eq!(whole["departed"].as_array().map(Vec::len), Some(0), "{whole}");
    let gone = heartline
        .events_after(0, &format!("&kind=group_gone&group={group}"))
        .await;
    assert_eq!(gone.len(), 1, "{gone:?}");
}
