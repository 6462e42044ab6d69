//! Groups at rest, beside what Kafka's own tools print of them: ConsumerGroupCommand, ShareGroupCommand, StreamsGroupCommand and
//! GroupsCommand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::event::{Change, TopicPartitions};

use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::peers::tool::{self, Row};
use crate::wait::wait_until;

/// Which of Kafka's tools knows a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// ConsumerGroupCommand, for a classic group: its members have no epochs.
    Classic,
    /// ConsumerGroupCommand, for a KIP-848 group.
    Consumer,
    Share,
    Streams,
}

/// A group at rest, as both sides tell it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    /// `classic`, `consumer` ...
    group_type: String,
    state: String,
    coordinator: String,
    /// Its epoch; a classic group's generation no tool prints.
    epoch: Option<i64>,
    seats: BTreeMap<String, Seat>,
}

/// A member of it.
#[derive(Debug, PartialEq, Eq)]
struct Seat {
    client: String,
    /// None where the tool does not print it.
    host: Option<String>,
    epoch: Option<i64>,
    /// None where the tool prints tasks, not partitions.
    assigned: Option<BTreeSet<(String, i32)>>,
}

impl Tool {
    const fn class(self) -> &'static str {
        match self {
            Self::Classic | Self::Consumer => tool::TOOL,
            Self::Share => "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
            Self::Streams => "org.apache.kafka.tools.streams.StreamsGroupCommand",
        }
    }

    /// The columns of a member's row: its id, its epoch, its assignment.
    const fn columns(self) -> [&'static str; 3] {
        match self {
            Self::Classic | Self::Consumer => ["CONSUMER-ID", "CURRENT-EPOCH", "CURRENT-ASSIGNMENT"],
            Self::Share => ["CONSUMER-ID", "MEMBER-EPOCH", "ASSIGNMENT"],
            Self::Streams => ["MEMBER", "MEMBER-EPOCH", "ASSIGNMENTS"],
        }
    }

    async fn describe(self, broker: &Broker, group: &str, what: &[&str]) -> BTreeSet<Row> {
        tool::describe_by(self.class(), &broker.address(), group, what).await
    }

    /// The group as the tools print it.
    async fn prints(self, broker: &Broker, group: &str) -> Group {
        let states = self.describe(broker, group, &["--state", "--verbose"]).await;
        assert_eq!(states.len(), 1, "one row for one group: {states:?}");
        let mut printed = Group {
            group_type: tool::types(&broker.address()).await[group].to_ascii_lowercase(),
            ..Group::default()
        };
        for state in states {
            printed.state.clone_from(&state["STATE"]);
            printed.coordinator.clone_from(&state["(ID)"]);
            printed.epoch = state["GROUP-EPOCH"].parse().ok();
            if state["#MEMBERS"] != "0" {
                let rows = self.describe(broker, group, &["--members", "--verbose"]).await;
                assert_eq!(state["#MEMBERS"], rows.len().to_string(), "{rows:?}");
                printed.seats = rows.iter().map(|row| self.seat(row)).collect();
            }
        }
        printed
    }

    fn seat(self, row: &Row) -> (String, Seat) {
        let [id, epoch, assigned] = self.columns().map(|column| row[column].clone());
        let seat = Seat {
            client: row["CLIENT-ID"].clone(),
            host: row.get("HOST").cloned(),
            epoch: epoch.parse().ok(),
            assigned: (self != Self::Streams).then(|| partitions(&assigned)),
        };
        (id, seat)
    }
}

/// Partitions as the tools print them, `topic:0,1;other:0`.
fn partitions(printed: &str) -> BTreeSet<(String, i32)> {
    let topics = printed.split(';').filter_map(|topic| topic.split_once(':'));
    topics
        .flat_map(|(topic, partitions)| {
            let numbers = partitions.split(',').map(str::trim);
            numbers.map(move |number| {
                let number = number.parse();
                (topic.trim().to_owned(), number.expect("a partition"))
            })
        })
        .collect()
}

/// Waits until what is shown of the group, which is at rest, is what Kafka's tools print of it: type, state, coordinator, epoch, and
/// each member with its client, host, epoch and assignment.
///
/// # Panics
///
/// When it does not become so.
pub async fn is_as_printed(heartline: &Heartline, tool: Tool, broker: &Broker, group: &str) {
    let printed = tool.prints(broker, group).await;
    wait_until(&format!("what the tools print, {printed:?}"), async || {
        let shown = shown(heartline, tool, group).await;
        if shown == printed { Ok(()) } else { Err(shown) }
    })
    .await;
}

/// Waits until the lag shown of a group, which is at rest, is what ConsumerGroupCommand prints: committed and end of each partition with
/// a commit.
///
/// # Panics
///
/// When it does not become so.
pub async fn lag_is_as_printed(heartline: &Heartline, broker: &Broker, group: &str) {
    let rows = Tool::Consumer.describe(broker, group, &["--offsets"]).await;
    let printed: BTreeSet<(String, i64, i64, i64)> = rows
        .iter()
        .filter_map(|row| {
            let number = |column: &str| row[column].parse::<i64>().ok();
            Some((
                row["TOPIC"].clone(),
                number("PARTITION")?,
                number("CURRENT-OFFSET")?,
                number("LAG")?,
            ))
        })
        .collect();
    assert!(!printed.is_empty(), "nothing is committed: {rows:?}");
    wait_until(&format!("the lag that is printed, {printed:?}"), async || {
        let query = format!("&kind=group_progress&group={group}");
        let mut events = heartline.events_after(0, &query).await;
        let Some(Change::GroupProgress { partitions, .. }) = events.pop().map(|event| event.what.change)
        else {
            return Err(BTreeSet::new());
        };
        let shown: BTreeSet<_> = partitions
            .into_iter()
            .filter_map(|at| {
                let committed = at.committed?;
                Some((at.topic, i64::from(at.partition), committed, at.end? - committed))
            })
            .collect();
        if shown == printed { Ok(()) } else { Err(shown) }
    })
    .await;
}

/// Waits until a group has come to rest: it is Stable with so many members, all in the same generation, and each of so many
/// partitions has an owner; those of a streams group are tasks, which are not counted.
///
/// # Panics
///
/// When it does not become so.
pub async fn at_rest(heartline: &Heartline, tool: Tool, group: &str, members: usize, partitions: usize) {
    let what = format!("{group}: {members} members at rest with {partitions} partitions");
    wait_until(&what, async || {
        let whole = whole(heartline, group).await;
        let there = whole["members"].as_array().cloned().unwrap_or_default();
        let generation = &whole["group"]["generation"];
        let together = there.iter().all(|member| member["generation"] == *generation);
        let assigned = assigned(heartline, group, &there).await;
        // Members of a share group may have the same one.
        let owned: BTreeSet<_> = assigned.values().flatten().collect();
        let all = tool == Tool::Streams || owned.len() == partitions;
        let stable = whole["group"]["state"] == "Stable";
        if stable && there.len() == members && together && all {
            Ok(())
        } else {
            Err((owned.len(), whole))
        }
    })
    .await;
}

/// The group as Heartline shows it, as far as the tool tells it too.
async fn shown(heartline: &Heartline, tool: Tool, group: &str) -> Group {
    let whole = whole(heartline, group).await;
    let of_group = &whole["group"];
    let there = whole["members"].as_array().cloned().unwrap_or_default();
    let mut assigned = assigned(heartline, group, &there).await;
    let seats = there.iter().map(|member| {
        let id = word(&member["member"]);
        let seat = Seat {
            client: word(&member["client_id"]),
            host: (tool != Tool::Streams).then(|| word(&member["host"])),
            epoch: (tool != Tool::Classic)
                .then(|| member["generation"].as_i64())
                .flatten(),
            assigned: (tool != Tool::Streams).then(|| assigned.remove(&id).unwrap_or_default()),
        };
        (id, seat)
    });
    Group {
        seats: seats.collect(),
        group_type: word(&of_group["type"]),
        state: word(&of_group["state"]),
        coordinator: format!("({})", of_group["coordinator"]["node"]),
        epoch: (tool != Tool::Classic)
            .then(|| of_group["generation"].as_i64())
            .flatten(),
    }
}

async fn whole(heartline: &Heartline, group: &str) -> Value {
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    whole
}

/// What each of these members owns, as it was told last.
async fn assigned(
    heartline: &Heartline,
    group: &str,
    members: &[Value],
) -> BTreeMap<String, BTreeSet<(String, i32)>> {
    let query = format!("&kind=member_assigned&group={group}");
    let mut assigned = BTreeMap::new();
    for event in heartline.events_after(0, &query).await {
        let (Some(member), Change::MemberAssigned { partitions, .. }) =
            (event.what.member, event.what.change)
        else {
            continue;
        };
        let partitions = partitions.unwrap_or_default().into_iter();
        let partitions = partitions.flat_map(|TopicPartitions { topic, partitions }| {
            partitions
                .into_iter()
                .map(move |partition| (topic.clone(), partition))
        });
        assigned.insert(member.as_str().to_owned(), partitions.collect());
    }
    let there: BTreeSet<String> = members.iter().map(|member| word(&member["member"])).collect();
    assigned.retain(|member, _| there.contains(member));
    assigned
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::partitions;

    #[test]
    fn partitions_are_read_as_the_tools_print_them() {
        let read = |printed: &str| partitions(printed).into_iter().collect::<Vec<_>>();
        let at = |topic: &str, partition| (topic.to_owned(), partition);
        assert_eq!(read("a:0,2;b:1"), [at("a", 0), at("a", 2), at("b", 1)]);
        assert_eq!(read("a:0, 2; b:1"), [at("a", 0), at("a", 2), at("b", 1)]);
        assert_eq!(read("-"), []);
    }
}
