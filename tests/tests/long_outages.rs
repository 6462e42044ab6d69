//! A cluster of three brokers that loses one, or all: what is shown of its groups, and of the others'; and what becomes of ours.

use std::collections::{BTreeMap, BTreeSet};

use backend::kafka::address::Address;
use serde_json::Value;
use shared::event::Change;
use tests::group::Group;
use tests::heartline::Heartline;
use tests::kafka::Broker;
use tests::peers::client::Client;
use tests::peers::{Peer, Role};
use tests::survey::{Tool, is_as_printed, rows, stable};
use tests::wait::wait_until;
use tokio::sync::Mutex;

/// One cluster at a time: each is three JVMs.
static TURN: Mutex<()> = Mutex::const_new(());

/// Nothing of ours joins.
const WATCHING: &[&str] = &["--members", "0"];

/// What our own groups are called, one on each broker beside the one that is called so.
const OURS: &str = "mine";

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
    let mut stage = Stage::set("frozen", WATCHING).await;
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
    let mut stage = Stage::set("killed", WATCHING).await;
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

#[tokio::test]
async fn a_member_of_ours_goes_on_at_its_new_coordinator_and_its_group_is_told_as_kafka_s_tool_tells_it() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let mut stage = Stage::set("probed", &["--probe-group", OURS, "--members", "1"]).await;
    let before = stage.ours().await;
    let node = stage.brokers[2].node();
    let moves = before.iter().find(|(_, ours)| ours.node == node);
    let moves = moves.expect("one on each broker").0.clone();
    stage.brokers[2].kill();
    stage
        .until("a group of ours is not answered for either", |rows| {
            known(&rows[&moves]);
            rows[&moves]["verdict"] == "coordinator-gone"
        })
        .await;
    stage
        .until("every group is whole, and elsewhere", |rows| {
            known(&rows[&moves]);
            let elsewhere = |row: &Value| row["coordinator"]["node"] != node;
            rows.values().all(|row| is_whole(row) && elsewhere(row))
        })
        .await;
    let after = stage.seat(&moves).await;
    assert_eq!(
        (&after.member, &after.generation),
        (&before[&moves].member, &before[&moves].generation),
        "the same member in the same generation"
    );
    is_as_printed(&stage.heartline, Tool::Classic, &stage.brokers[0], &moves).await;
}

#[tokio::test]
async fn a_member_of_ours_does_not_wait_for_a_coordinator_that_stands_still() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let stage = Stage::set("thawed", &["--probe-group", OURS, "--members", "1"]).await;
    let before = stage.ours().await;
    let node = stage.brokers[2].node();
    let moves = before.iter().find(|(_, ours)| ours.node == node);
    let moves = moves.expect("one on each broker").0.clone();
    stage.brokers[2].freeze();
    stage
        .until("our group is whole elsewhere, and heard again", |rows| {
            is_whole(&rows[&moves]) && rows[&moves]["coordinator"]["node"] != node
        })
        .await;
    let after = stage.seat(&moves).await;
    assert_eq!(
        (&after.member, &after.generation),
        (&before[&moves].member, &before[&moves].generation),
        "the same member in the same generation"
    );
    let given_up = stage.heartline.events_after(0, "&kind=coordinator_dead").await;
    let causes = given_up
        .iter()
        .map(|event| &event.what)
        .filter(|what| what.group.as_ref().is_some_and(|group| group.as_str() == moves))
        .map(|what| match &what.change {
            Change::CoordinatorDead { cause, .. } => cause.as_str(),
            other => other.kind(),
        });
    let causes: Vec<_> = causes.collect();
    assert_eq!(causes.first(), Some(&"moved"), "nobody waited for a timeout");
    // The new one answers 16 until it has loaded the group.
    let loads = |cause: &&str| *cause == "not_coordinator";
    assert!(causes.iter().skip(1).all(loads), "{causes:?}");
    stage.brokers[2].thaw();
}

#[tokio::test]
async fn after_all_brokers_died_members_of_ours_go_on_and_none_joins_beside_the_one_before() {
    if !ready() {
        return;
    }
    let _turn = TURN.lock().await;
    let mut stage = Stage::set("dark", &["--probe-group", OURS, "--members", "1"]).await;
    let before = stage.ours().await;
    for broker in &mut stage.brokers {
        broker.kill();
    }
    stage
        .until("no group is answered for", |rows| {
            rows.values().all(|row| row["verdict"] == "coordinator-gone")
        })
        .await;
    for broker in &mut stage.brokers {
        broker.start_again().await;
    }
    stage
        .until("every group is whole", |rows| {
            before.keys().for_each(|group| known(&rows[group]));
            rows.values().all(is_whole)
        })
        .await;
    for (group, ours) in &before {
        let after = stage.seat(group).await;
        assert_eq!(
            (&after.member, &after.generation),
            (&ours.member, &ours.generation),
            "{group}: the same member in the same generation"
        );
        is_as_printed(&stage.heartline, Tool::Classic, &stage.brokers[0], group).await;
    }
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
    /// Groups on every broker, all of them shown and at rest, by a dashboard with these arguments.
    async fn set(topic: &str, arguments: &[&str]) -> Self {
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
        let arguments = [&["--bootstrap-servers", &bootstrap], arguments].concat();
        let heartline = Heartline::start(&arguments).await;
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

    /// The groups of ours, once there is one on each broker beside the one they are called after.
    async fn ours(&self) -> BTreeMap<String, Seat> {
        let groups = wait_until("a group of ours on each broker", async || {
            let mut rows = rows(&self.heartline).await;
            rows.retain(|group, row| group.starts_with(OURS) && is_whole(row));
            let placed = rows.iter().filter(|(group, _)| *group != OURS);
            let nodes: BTreeSet<_> = placed
                .map(|(_, row)| row["coordinator"]["node"].as_i64())
                .collect();
            let all = rows.contains_key(OURS) && nodes.len() == self.brokers.len();
            if all { Ok(rows) } else { Err(rows) }
        })
        .await;
        let mut seats = BTreeMap::new();
        for group in groups.into_keys() {
            let seat = self.seat(&group).await;
            seats.insert(group, seat);
        }
        seats
    }

    /// The one member of a group of ours.
    async fn seat(&self, group: &str) -> Seat {
        let (_, whole) = self.heartline.get(&format!("/api/group?group={group}")).await;
        assert_eq!(whole["members"].as_array().map(Vec::len), Some(1), "{whole}");
        let node = whole["group"]["coordinator"]["node"].as_i64();
        Seat {
            node: node.and_then(|node| i32::try_from(node).ok()).unwrap_or(-1),
            generation: whole["group"]["generation"].clone(),
            member: whole["members"][0]["member"].clone(),
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

/// A member of ours in a group of its own.
#[derive(Debug)]
struct Seat {
    /// Who coordinates it.
    node: i32,
    generation: Value,
    member: Value,
}

/// What anybody is told of a group is told of ours, too.
fn known(row: &Value) {
    let told = ["state", "members", "generation"].map(|what| !row[what].is_null());
    assert_eq!(told, [true; 3], "{row}");
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
