//! Groups of others on a real cluster are only looked at: nothing of ours joins one whose name `--probe-group` was given, and that its
//! coordinator is measured none of its members notices. Deleted, they are gone.

use reqwest::StatusCode;
use serde_json::{Value, json};
use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::newcomer::{Kind, Newcomer};
use tests::peers::{Peer, Role};
use tests::survey::{Tool, at_rest, row, stable, watching};
use tests::wait::wait_until;

const TOPIC: &str = "others";
const PARTITIONS: usize = 3;

/// The groups, each of one member: which tool knows it, and by which heartbeat it is measured, where there is one that changes nothing.
const GROUPS: [(&str, Tool, Option<&str>); 3] = [
    ("others-classic", Tool::Classic, Some("Heartbeat")),
    ("others-consumer", Tool::Consumer, Some("ConsumerGroupHeartbeat")),
    ("others-share", Tool::Share, None),
];

#[tokio::test]
async fn a_probe_group_that_is_in_use_is_not_joined_and_no_member_notices_that_it_is_measured() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    broker.create_topic(TOPIC, PARTITIONS).await;
    let survey = &watching(&broker.address(), &[]).await;
    let [(classic, ..), (consumer, ..), (share, ..)] = GROUPS;
    let mut role = Role::new(&broker.address(), classic, "client");
    TOPIC.clone_into(&mut role.topic);
    let mut peer = Peer::start(Client::Java, role);
    let newcomers = [(Kind::Consumer, consumer), (Kind::Share, share)]
        .map(|(kind, group)| Newcomer::start(kind, &broker.address(), group, TOPIC, "client"));
    for (group, tool, _) in GROUPS {
        at_rest(survey, tool, group, 1, PARTITIONS).await;
    }
    let before = standing(survey).await;
    let mark = peer.mark();

    let mut kept_out = Vec::new();
    for (group, tool, heartbeat) in GROUPS {
        let heartline = is_kept_out(broker, group, tool).await;
        is_measured(&heartline, broker, group, heartbeat).await;
        kept_out.push(heartline);
    }

    assert_eq!(peer.said_since(mark), [], "it was told nothing");
    peer.produce(0, &["first".to_owned()]).await;
    // Who is no member of the generation that stands is refused.
    peer.commit().await;
    assert_eq!(standing(survey).await, before);
    // That the one member goes is the next that happens to each group.
    peer.leave().await;
    for newcomer in newcomers {
        newcomer.leave().await;
    }
    for ((group, ..), (generation, _)) in GROUPS.into_iter().zip(before) {
        let next = generation.as_i64().map(|generation| generation + 1);
        let what = format!("Empty in generation {next:?}");
        row(survey, group, &what, |row| {
            row["state"] == "Empty" && row["generation"].as_i64() == next
        })
        .await;
        let ours = |line: &str| (line.contains(group) && line.contains("heartline")).then(|| line.to_owned());
        assert_eq!(
            broker.log_lines(ours),
            Vec::<String>::new(),
            "the broker's log of {group}"
        );
    }
    for (group, tool, _) in GROUPS {
        tool.delete(broker, group).await;
        let what = format!("{group} is gone, as its log says, too");
        survey
            .event_after(0, &what, |event| {
                let of = event.what.group.as_ref().map(|group| group.as_str());
                let gone = matches!(event.what.change, Change::GroupGone { .. });
                (gone && of == Some(group)).then_some(())
            })
            .await;
    }
}

/// Generation and members of each group.
async fn standing(survey: &Heartline) -> Vec<(Value, Value)> {
    let mut standing = Vec::new();
    for (group, ..) in GROUPS {
        let (_, mut whole) = survey.get(&format!("/api/group?group={group}")).await;
        let generation = whole["group"]["generation"].take();
        let members = whole["members"].as_array().into_iter().flatten();
        let members = members.map(|member| member["member"].clone()).collect();
        standing.push((generation, members));
    }
    standing
}

/// A dashboard whose members were to form the group: it says, in its log once, that it is one of others, and of which type.
async fn is_kept_out(broker: &Broker, group: &str, tool: Tool) -> Heartline {
    let address = broker.address();
    let mut heartline = Heartline::start(&["--bootstrap-servers", &address, "--probe-group", group]).await;
    let of_type = format!(
        "is a group of type {}, with 1 member that is not Heartline's",
        tool.word()
    );
    wait_until("that the probe group is in use", async || {
        let (status, said) = heartline.get("/readyz").await;
        let message = said["message"].as_str().unwrap_or_default();
        let in_use = said["error"] == "probe_group_in_use" && message.contains(&of_type);
        if status == StatusCode::SERVICE_UNAVAILABLE && in_use {
            Ok(())
        } else {
            Err((status, said))
        }
    })
    .await;
    heartline
        .process()
        .says_once("that the probe group is in use", |line| line.contains(&of_type))
        .await;
    heartline
}

/// Measures the group's coordinator, as the page's button does.
async fn is_measured(heartline: &Heartline, broker: &Broker, group: &str, heartbeat: Option<&str>) {
    stable(heartline, group, 1).await;
    let path = format!("/api/ping?group={group}");
    let (status, said) = heartline.post(&path, &Value::Null).await;
    let Some(heartbeat) = heartbeat else {
        assert_eq!(
            (status, &said["error"]),
            (StatusCode::CONFLICT, &json!("no_heartbeat"))
        );
        return;
    };
    assert_eq!(status, StatusCode::OK, "{said}");
    // 25: who asks is no member.
    let expected = json!({"api": heartbeat, "error": 25, "answered": true, "node": broker.node()});
    for (key, value) in expected.as_object().into_iter().flatten() {
        assert_eq!(said[key], *value, "{key} of {said}");
    }
}
