//! A cluster of three brokers that loses one: what is shown of its groups, and of the others'.

use std::collections::{BTreeMap, BTreeSet};

use backend::kafka::address::Address;
use serde_json::Value;
use shared::event::Change;
use tests::group::Group;
use tests::heartline::Heartline;
use tests::kafka::Broker;
use tests::peers::client::Client;
use tests::peers::{Peer, Role};
use tests::survey::{rows, stable, watching};
use tests::wait::wait_until;
use tokio::sync::Mutex;

/// One cluster at a time: each is three JVMs.
static TURN: Mutex<()> = Mutex::const_new(());

/// Groups on each broker.
const EACH: usize = 2;

/// Whether the parts are here.
fn ready() -> bool {
    tests::heartline::binary().is_some() && tests::kafka::is_resolved() && Client::Librdkafka.is_installed()
}

#[tokio::test]
async fn while_a_broker_is_frozen_its_groups_are_not_answered_for_and_the_others_go_on() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let mut stage = Stage::set("frozen").await;
    let frozen = &stage.brokers[2];
    let node = frozen.node();
    frozen.freeze();
    stage
        .until("its groups are not answered for", |rows| {
            stage.of(node).all(|group| is_unanswered(&rows[group]))
        })
        .await;
    // What happens elsewhere is seen meanwhile.
    let elsewhere = stage.of(stage.brokers[1].node()).next().cloned();
    let elsewhere = elsewhere.expect("each broker has groups");
    let member = stage.members.remove(&elsewhere).expect("each group has a member");
    member.leave().await;
    stage
        .until("a member that left elsewhere", |rows| {
            rows[&elsewhere]["state"] == "Empty"
        })
        .await;

    stage.brokers[2].thaw();
    stage
        .until("every group is whole", |rows| {
            stage.members.keys().all(|group| is_whole(&rows[group]))
        })
        .await;
    stage.only_silent_was(node).await;
}

#[tokio::test]
async fn the_groups_of_a_killed_broker_stay_and_are_whole_again_at_their_new_coordinators() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let mut stage = Stage::set("killed").await;
    let node = stage.brokers[2].node();
    stage.brokers[2].kill();
    stage
        .until("its groups are not answered for", |rows| {
            stage.of(node).all(|group| is_unanswered(&rows[group]))
        })
        .await;
    stage
        .until("every group is whole, and elsewhere", |rows| {
            let elsewhere = |row: &Value| row["coordinator"]["node"] != node;
            rows.values().all(|row| is_whole(row) && elsewhere(row))
        })
        .await;
    stage.only_silent_was(node).await;
}

/// A cluster, its groups, and who watches them.
struct Stage {
    brokers: [Broker; 3],
    heartline: Heartline,
    /// Each group's one member.
    members: BTreeMap<String, Peer>,
    /// Who coordinated each group at first.
    nodes: BTreeMap<String, i32>,
}

impl Stage {
    /// Groups on every broker, all of them shown and at rest.
    async fn set(topic: &str) -> Self {
        let brokers = Broker::start_three().await;
        let bootstrap = brokers.each_ref().map(Broker::address).join(",");
        brokers[0].create_topic(topic, 1).await;
        let nodes = names(&brokers, topic).await;
        let members = nodes.keys().map(|group| {
            let mut role = Role::new(&bootstrap, group, group);
            topic.clone_into(&mut role.topic);
            (group.clone(), Peer::start(Client::Librdkafka, role))
        });
        let members = members.collect();
        let heartline = watching(&bootstrap, &[]).await;
        for (group, node) in &nodes {
            let row = stable(&heartline, group, 1).await;
            assert_eq!(row["coordinator"]["node"], *node, "{row}");
        }
        Self {
            brokers,
            heartline,
            members,
            nodes,
        }
    }

    /// The groups that a node coordinated at first.
    fn of(&self, node: i32) -> impl Iterator<Item = &String> {
        let here = self.nodes.iter().filter(move |(_, at)| **at == node);
        here.map(|(group, _)| group)
    }

    /// Waits until the rows are so; at no look may a group be missing.
    async fn until(&self, what: &str, are_so: impl Fn(&BTreeMap<String, Value>) -> bool) {
        wait_until(what, async || {
            let rows = rows(&self.heartline).await;
            let missing: Vec<_> = self
                .nodes
                .keys()
                .filter(|group| !rows.contains_key(*group))
                .collect();
            assert!(missing.is_empty(), "{what}: no longer shown: {missing:?}");
            if are_so(&rows) { Ok(()) } else { Err(rows) }
        })
        .await;
    }

    /// That no other broker was ever said to be silent, and no group to be gone.
    async fn only_silent_was(&self, node: i32) {
        let events = self.heartline.events_after(0, "&kind=broker_silent").await;
        let silent: BTreeSet<i32> = events
            .iter()
            .filter_map(|event| match &event.what.change {
                Change::BrokerSilent { node, .. } => Some(node.0),
                _ => None,
            })
            .collect();
        assert_eq!(silent, BTreeSet::from([node]));
        let gone = self.heartline.events_after(0, "&kind=group_gone").await;
        assert!(gone.is_empty(), "{gone:?}");
    }
}

/// Names of groups, [`EACH`] for each broker, and who coordinates each.
async fn names(brokers: &[Broker; 3], topic: &str) -> BTreeMap<String, i32> {
    let port = i32::from(brokers[0].port());
    let mut names = BTreeMap::new();
    let mut number = 0;
    while names.len() < EACH * brokers.len() {
        let name = format!("{topic}-{number}");
        number += 1;
        let node = wait_until("who would coordinate a group", async || {
            let address = Address::new("127.0.0.1", port).map_err(|error| error.to_string())?;
            Group::new(&address, &name, topic).node().await
        })
        .await;
        if names.values().filter(|at| **at == node.0).count() < EACH {
            names.insert(name, node.0);
        }
    }
    names
}

fn is_unanswered(row: &Value) -> bool {
    let sentence = row["sentence"].as_str().unwrap_or_default();
    row["verdict"] == "coordinator-gone" && sentence.starts_with("Not answered for")
}

fn is_whole(row: &Value) -> bool {
    row["state"] == "Stable" && row["members"] == 1 && row["verdict"] != "coordinator-gone"
}
