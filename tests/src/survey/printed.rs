//! Groups at rest, beside what Kafka's own tools print of them: ConsumerGroupCommand, ShareGroupCommand, StreamsGroupCommand and
//! GroupsCommand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::event::Change;

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
    assigned: Assigned,
}

/// Partitions by topic, or tasks by subtopology.
type Assigned = BTreeSet<(String, i32)>;

impl Tool {
    /// What Heartline calls the type of the groups it knows.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
            Self::Share => "share",
            Self::Streams => "streams",
        }
    }

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

    /// The columns of where it stands in a partition, and of what is left there.
    const fn of_offsets(self) -> [&'static str; 2] {
        match self {
            Self::Classic | Self::Consumer => ["CURRENT-OFFSET", "LAG"],
            Self::Share => ["START-OFFSET", "LAG"],
            Self::Streams => ["CURRENT-OFFSET", "OFFSET-LAG"],
        }
    }

    async fn describe(self, broker: &Broker, group: &str, what: &[&str]) -> BTreeSet<Row> {
        tool::describe_by(self.class(), &broker.address(), group, what).await
    }

    /// Has the tool delete the group, which is empty.
    ///
    /// # Panics
    ///
    /// When it fails.
    pub async fn delete(self, broker: &Broker, group: &str) {
        tool::delete_by(self.class(), &broker.address(), group).await;
    }

    /// The group as the tools print it; none where they print nothing of it, or different numbers of members.
    async fn prints(self, broker: &Broker, group: &str) -> Option<Group> {
        let states = self.describe(broker, group, &["--state", "--verbose"]).await;
        if states.len() != 1 {
            return None;
        }
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
                if state["#MEMBERS"] != rows.len().to_string() {
                    return None;
                }
                printed.seats = rows.iter().map(|row| self.seat(row)).collect();
            }
        }
        Some(printed)
    }

    fn seat(self, row: &Row) -> (String, Seat) {
        let [id, epoch, assigned] = self.columns().map(|column| row[column].clone());
        let seat = Seat {
            client: row["CLIENT-ID"].clone(),
            host: row.get("HOST").cloned(),
            epoch: epoch.parse().ok(),
            assigned: match self {
                Self::Streams => active_tasks(&assigned),
                _ => partitions(&assigned),
            },
        };
        (id, seat)
    }
}

/// Partitions as the tools print them, `topic:0,1;other:0`.
fn partitions(printed: &str) -> Assigned {
    let topics = printed.split(';').filter_map(|topic| topic.split_once(':'));
    topics
        .flat_map(|(topic, partitions)| numbered(topic, partitions))
        .collect()
}

/// Active tasks as `StreamsGroupCommand` prints them, `ACTIVE: 0:[0,1], 1:[0]; TARGET-ACTIVE: ...`.
fn active_tasks(printed: &str) -> Assigned {
    let mut lists = printed.split(';').map(str::trim);
    let active = lists.find_map(|list| list.strip_prefix("ACTIVE:"));
    let subtopologies = active.into_iter().flat_map(|active| active.split(']'));
    subtopologies
        .filter_map(|one| one.trim_matches([',', ' ']).split_once(":["))
        .flat_map(|(name, tasks)| numbered(name, tasks))
        .collect()
}

fn numbered<'a>(name: &'a str, numbers: &'a str) -> impl Iterator<Item = (String, i32)> + 'a {
    numbers.split(',').map(move |number| {
        let number = number.trim().parse();
        (name.trim().to_owned(), number.expect("a number"))
    })
}

/// Waits until what is shown of the group, which is at rest, is what Kafka's tools print of it: type, state, coordinator, epoch, and
/// each member with its client, host, epoch and assignment.
///
/// # Panics
///
/// When it does not become so.
pub async fn is_as_printed(heartline: &Heartline, tool: Tool, broker: &Broker, group: &str) {
    wait_until(&format!("what the tools print of {group}"), async || {
        // Asked anew each time: by several calls, between which a group may move.
        let printed = tool.prints(broker, group).await;
        let shown = shown(heartline, tool, group).await;
        if printed.as_ref() == Some(&shown) {
            Ok(())
        } else {
            Err((printed, shown))
        }
    })
    .await;
}

/// Waits until the lag shown of a group, which is at rest, is what the tool prints: where the group stands in each partition where
/// it stands somewhere, and how much is left there; so much in all, where that is known beforehand.
///
/// # Panics
///
/// When it does not become so.
pub async fn lag_is_as_printed(
    heartline: &Heartline,
    tool: Tool,
    broker: &Broker,
    group: &str,
    left: Option<i64>,
) {
    let [offset, lag] = tool.of_offsets();
    wait_until(&format!("the lag of {group}, as it is printed"), async || {
        let rows = tool.describe(broker, group, &["--offsets", "--verbose"]).await;
        let printed: BTreeSet<Stand> = rows
            .iter()
            .filter_map(|row| {
                let number = |column: &str| row[column].parse::<i64>().ok();
                let (partition, lag) = (number("PARTITION")?, number(lag)?);
                Some((row["TOPIC"].clone(), partition, number(offset)?, lag))
            })
            .collect();
        let shown = stands(heartline, group).await;
        let sum: i64 = shown.iter().map(|(_, _, _, left)| left).sum();
        // Each says nothing before the group stands anywhere.
        if !shown.is_empty() && shown == printed && left.is_none_or(|left| left == sum) {
            Ok(())
        } else {
            Err((rows, shown))
        }
    })
    .await;
}

/// Topic, partition, where the group stands there, and how much is left.
type Stand = (String, i64, i64, i64);

/// As Heartline told it last; where the group stands somewhere.
async fn stands(heartline: &Heartline, group: &str) -> BTreeSet<Stand> {
    let query = format!("&kind=group_progress&group={group}");
    let told = heartline.events_after(0, &query).await.pop();
    let Some(Change::GroupProgress { partitions, .. }) = told.map(|event| event.what.change) else {
        return BTreeSet::new();
    };
    let stands = partitions.into_iter().filter_map(|at| {
        let left = i64::try_from(at.left()?).ok()?;
        Some((at.topic.to_string(), i64::from(at.partition), at.committed?, left))
    });
    stands.collect()
}

/// Waits until a group has come to rest: it is Stable with so many members, all in the same generation, and each of so many
/// partitions, or tasks, has an owner.
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
        // Members of a share group may have the same one.
        let owned: Assigned = there.iter().flat_map(|member| assigned(tool, member)).collect();
        let stable = whole["group"]["state"] == "Stable";
        if stable && there.len() == members && together && owned.len() == partitions {
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
    let seats = there.iter().map(|member| {
        let id = word(&member["member"]);
        let seat = Seat {
            client: word(&member["client_id"]),
            host: (tool != Tool::Streams).then(|| word(&member["host"])),
            epoch: (tool != Tool::Classic)
                .then(|| member["generation"].as_i64())
                .flatten(),
            assigned: assigned(tool, member),
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

/// What a member owns, by its row.
fn assigned(tool: Tool, member: &Value) -> Assigned {
    let (lists, name, numbers) = match tool {
        Tool::Streams => (&member["described"]["work"]["active"], "name", "tasks"),
        _ => (&member["owned"]["partitions"], "topic", "partitions"),
    };
    let lists = lists.as_array().into_iter().flatten();
    lists
        .flat_map(|list| {
            let all = list[numbers].as_array().into_iter().flatten();
            let all = all.filter_map(|number| i32::try_from(number.as_i64()?).ok());
            all.map(|number| (word(&list[name]), number))
        })
        .collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Assigned, active_tasks, partitions};

    fn these<const N: usize>(of: [(&str, i32); N]) -> Assigned {
        of.map(|(name, number)| (name.to_owned(), number)).into()
    }

    #[test]
    fn partitions_are_read_as_the_tools_print_them() {
        assert_eq!(partitions("a:0,2;b:1"), these([("a", 0), ("a", 2), ("b", 1)]));
        assert_eq!(partitions("a:0, 2; b:1"), these([("a", 0), ("a", 2), ("b", 1)]));
        assert_eq!(partitions("-"), these([]));
    }

    #[test]
    fn active_tasks_are_read_as_the_tool_prints_them() {
        let printed = "ACTIVE: 0:[0,1], 1:[2]; STANDBY: 0:[4]; TARGET-ACTIVE: 0:[0,1,3];";
        assert_eq!(active_tasks(printed), these([("0", 0), ("0", 1), ("1", 2)]));
        assert_eq!(active_tasks("TARGET-ACTIVE: 0:[0];"), these([]));
    }
}
