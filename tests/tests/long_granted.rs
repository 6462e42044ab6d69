//! Rights that a survey lacks at its start and is given later, and one that it loses and is given again: what was hidden is shown, and
//! that a right is missing is no longer said.

use std::time::UNIX_EPOCH;

use serde_json::json;
use shared::event::Change;
use tests::heartline::{Heartline, binary};
use tests::kafka::{self, Broker, Resource, SCRAM_USER};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::stories::lags_by_one;
use tests::peers::{Peer, Role};
use tests::survey::rights::{is_missing, refused, watching_as};
use tests::survey::{row, rows, stable, watching};
use tests::wait::wait_until;

/// The topic of all groups here, and what their ids begin with.
const TOPIC: &str = "granted";

/// The group of the classic protocol, whose lag the topic's right is for.
const CLASSIC: &str = "granted-classic";

/// One that itself may not be described.
const CLOSED: &str = "granted-closed";

/// How long a right may be there before it is believed, in milliseconds.
const BELIEVED_WITHIN: u128 = 30_000;

/// What is taken away, in the tool's words.
const TAKEN: [(&str, Resource<'_>); 4] = [
    ("Describe", Resource::Topic(TOPIC)),
    ("Read", Resource::Topic("__consumer_offsets")),
    ("Describe", Resource::Group(CLOSED)),
    ("DescribeConfigs", Resource::Groups(TOPIC)),
];

#[tokio::test]
async fn rights_that_are_given_are_believed_within_half_a_minute_for_groups_of_every_type() {
    let Some(broker) = broker().await else {
        return;
    };
    broker.create_topic(TOPIC, 1).await;
    let mut classic = member(&broker, CLASSIC);
    lags_by_one(&mut classic, 0).await;
    let closed = member(&broker, CLOSED);
    let newer = Kind::ALL.map(|kind| {
        let group = of(kind);
        Newcomer::start(kind, &broker.address(), &group, TOPIC, &group)
    });
    let everybody = watching(&broker.address(), &[]).await;
    for group in groups() {
        stable(&everybody, &group, 1).await;
    }
    for (operation, resource) in TAKEN {
        broker.take_away(SCRAM_USER.name, operation, resource).await;
    }

    let heartline = watching_as(&broker, SCRAM_USER, TOPIC).await;
    for kind in Kind::ALL {
        let right = format!("DESCRIBE on the topics of group {}", of(kind));
        refused(&heartline, &of(kind), &right).await;
    }
    refused(&heartline, CLOSED, "DESCRIBE on group granted-closed").await;
    is_missing(&heartline, None, 29, "DESCRIBE on topic granted").await;
    is_missing(&heartline, None, 29, "READ on topic __consumer_offsets").await;
    is_missing(&heartline, None, 30, "DESCRIBE_CONFIGS on ").await;
    assert_eq!(lag(&heartline).await, None);

    for (operation, resource) in TAKEN {
        broker.give_back(SCRAM_USER.name, operation, resource).await;
    }
    is_whole(&heartline).await;
    for group in groups() {
        row(&heartline, &group, "as everybody sees it", |row| {
            row["state"] == "Stable" && row["members"] == 1 && row["generation"].is_i64()
        })
        .await;
    }
    wait_until("the lag of the classic group", async || {
        let lag = lag(&heartline).await;
        if lag == Some(1) { Ok(()) } else { Err(lag) }
    })
    .await;

    for member in [classic, closed] {
        member.leave().await;
    }
    for member in newer {
        member.leave().await;
    }
}

#[tokio::test]
async fn a_right_that_is_lost_while_a_survey_runs_is_said_to_be_missing_until_it_is_given_again() {
    let Some(broker) = broker().await else {
        return;
    };
    broker.create_topic(TOPIC, 1).await;
    let member = member(&broker, CLASSIC);
    let heartline = watching_as(&broker, SCRAM_USER, TOPIC).await;
    row(&heartline, CLASSIC, "its generation", |row| {
        row["generation"].is_i64()
    })
    .await;
    let rights = [
        ("Describe", Resource::Cluster, 31, "DESCRIBE on the cluster"),
        (
            "Read",
            Resource::Topic("__consumer_offsets"),
            29,
            "READ on topic __consumer_offsets",
        ),
    ];
    for (operation, resource, code, words) in rights {
        broker.take_away(SCRAM_USER.name, operation, resource).await;
        is_missing(&heartline, None, code, words).await;
        stable(&heartline, CLASSIC, 1).await;
        broker.give_back(SCRAM_USER.name, operation, resource).await;
        is_whole(&heartline).await;
    }
    member.leave().await;
}

/// A broker with nobody else's ACLs, where the parts are here.
async fn broker() -> Option<Broker> {
    let ready = binary().is_some() && kafka::is_resolved() && Client::Java.is_installed();
    if ready {
        Some(Broker::start_secured(&[]).await)
    } else {
        None
    }
}

fn member(broker: &Broker, group: &str) -> Peer {
    let mut role = Role::new(&broker.address(), group, group);
    TOPIC.clone_into(&mut role.topic);
    Peer::start(Client::Java, role)
}

/// The group of that type.
fn of(kind: Kind) -> String {
    format!("{TOPIC}-{kind}")
}

/// All groups, each of one member.
fn groups() -> impl Iterator<Item = String> {
    let classic = [CLASSIC, CLOSED].map(str::to_owned);
    classic.into_iter().chain(Kind::ALL.map(of))
}

/// Waits until nothing is said to be missing any more, of the cluster and of any group, and compares with when the last right was given,
/// which was just now.
async fn is_whole(heartline: &Heartline) {
    let given = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    wait_until("no right that is missing", async || {
        let (_, whole) = heartline.get("/api/board").await;
        let missing = &whole["board"]["refusals"];
        let mut rows = rows(heartline).await;
        rows.retain(|_, row| row["verdict"] == "not-authorized");
        if *missing == json!([]) && rows.is_empty() {
            Ok(())
        } else {
            Err(format!("{missing} {rows:?}"))
        }
    })
    .await;
    let believed = heartline.events_after(0, "&kind=authorized").await;
    let last = believed.last().map(|event| u128::from(event.what.at.0));
    assert!(
        last.is_some_and(|last| last <= given + BELIEVED_WITHIN),
        "{last:?}; given at {given}"
    );
}

/// How much is left of the topic for the classic group, as it was told last.
async fn lag(heartline: &Heartline) -> Option<i64> {
    let query = format!("&kind=group_progress&group={CLASSIC}");
    let told = heartline.events_after(0, &query).await.pop()?;
    let Change::GroupProgress { partitions, .. } = told.what.change else {
        return None;
    };
    let at = partitions.into_iter().find(|at| *at.topic == *TOPIC)?;
    Some(at.end? - at.committed?)
}
