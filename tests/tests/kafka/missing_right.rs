//! A right that an ACL denies is named.

use serde_json::Value;
use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Broker, PLAIN_USER, Resource};
use tests::peers::client::Client;
use tests::peers::{Peer, Role};
use tests::survey::rights::{is_missing, refused, watching_as};
use tests::survey::stable;
use tests::wait::wait_until;

#[tokio::test]
async fn a_group_denied_by_an_acl_shows_the_right_to_find_its_coordinator() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "denied-group";
    // The only ACL on the group, so that nothing else is allowed either. To find its coordinator DESCRIBE would do, but not to join.
    broker.deny_on_group(group, "Read").await;
    shows_missing(broker, group, "READ").await;
}

#[tokio::test]
async fn a_group_that_may_be_described_but_not_read_shows_the_right_to_join() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "unreadable-group";
    broker.allow_on_group(group, "Describe").await;
    broker.deny_on_group(group, "Read").await;
    shows_missing(broker, group, "READ").await;
}

#[tokio::test]
async fn without_describe_on_a_group_its_row_names_the_right_and_the_others_are_whole() {
    if !crate::ready() || !Client::Java.is_installed() {
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
    let heartline = watching_as(broker, PLAIN_USER, "group").await;
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

/// A member of ours in this group is told 30, and what is shown of the group names the right.
async fn shows_missing(broker: &Broker, group: &str, right: &str) {
    let address = broker.address();
    let arguments = [
        "--bootstrap-servers",
        &address,
        "--probe-group",
        group,
        "--members",
        "1",
    ];
    let heartline = Heartline::start(&arguments).await;
    let (_, (error, missing)) = heartline
        .event_after(0, "not_authorized", |event| match &event.what.change {
            Change::NotAuthorized { error, right } => Some((*error, right.clone())),
            _ => None,
        })
        .await;
    assert_eq!(error, 30);
    assert!(missing.contains(right) && missing.contains(group), "{missing}");

    let shown = wait_until(
        "the verdict not-authorized, and no number of members",
        async || {
            let (_, groups) = heartline.get("/api/groups?limit=10000").await;
            let all = groups["groups"].as_array().cloned().unwrap_or_default();
            let as_it_must_be = |shown: &Value| {
                shown["group"] == group && shown["verdict"] == "not-authorized" && shown["members"].is_null()
            };
            all.into_iter().find(as_it_must_be).ok_or(groups)
        },
    )
    .await;
    let sentence = shown["sentence"].as_str().unwrap_or_default();
    assert!(
        sentence.contains(right),
        "the verdict does not name the right: {shown}"
    );
}
