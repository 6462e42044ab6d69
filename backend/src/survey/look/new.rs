//! The describe calls of the newer types: consumer (KIP-848), share (KIP-932), streams (KIP-1071).

use shared::event::{GroupState, TopicPartitions};
use shared::ids::{Generation, GroupId};
use shared::protocol::streams_group_describe::TaskIds;
use shared::protocol::topology::{Subtopology, Topology};
use shared::protocol::{consumer_group_describe, share_group_describe, streams_group_describe};

use super::{Client, Described, Look, Seen, Target, Timeouts, Told, Words};

pub(super) fn consumer(group: consumer_group_describe::DescribedGroup) -> Look {
    let told = told(
        group.error_code,
        group.error_message,
        &group.group_state,
        group.group_epoch,
        Some(group.assignor_name),
    );
    let assigned = Generation(group.assignment_epoch);
    let members = group.members.into_iter().map(|member| Seen {
        id: member.member_id.into(),
        instance: member.instance_id.map(Into::into),
        client: Client::told(member.client_id, member.client_host),
        epoch: Some(Generation(member.member_epoch)),
        owned: Some(owned(member.assignment)),
        timeouts: Timeouts::default(),
        target: Some(Box::new(Target {
            epoch: assigned,
            wants: owned(member.target_assignment),
            has: None,
        })),
        words: Some(Box::new(Words::Topics {
            topics: member.subscribed_topic_names,
            // Kafka 4.3 tells an empty one where there is none.
            regex: member.subscribed_topic_regex.filter(|regex| !regex.is_empty()),
        })),
        described: Described::default(),
        rack: member.rack_id,
        classic: match member.member_type {
            0 => Some(true),
            1 => Some(false),
            _ => None,
        },
        reconciling: None,
    });
    look(group.group_id, told, members)
}

pub(super) fn share(group: share_group_describe::DescribedGroup) -> Look {
    let told = told(
        group.error_code,
        group.error_message,
        &group.group_state,
        group.group_epoch,
        Some(group.assignor_name),
    );
    let members = group.members.into_iter().map(|member| Seen {
        id: member.member_id.into(),
        instance: None,
        client: Client::told(member.client_id, member.client_host),
        epoch: Some(Generation(member.member_epoch)),
        owned: Some(owned(member.assignment)),
        timeouts: Timeouts::default(),
        // It shares what others have: there is nothing to give up.
        target: None,
        words: Some(Box::new(Words::Topics {
            topics: member.subscribed_topic_names,
            regex: None,
        })),
        described: Described::default(),
        rack: member.rack_id,
        classic: None,
        reconciling: None,
    });
    look(group.group_id, told, members)
}

pub(super) fn streams(group: streams_group_describe::DescribedGroup) -> Look {
    let told = told(
        group.error_code,
        group.error_message,
        &group.group_state,
        group.group_epoch,
        group.assignor_name,
    );
    let assigned = Generation(group.assignment_epoch);
    let topology = group.topology.unwrap_or_default();
    let members = group.members.into_iter().map(|member| Seen {
        id: member.member_id.into(),
        instance: member.instance_id.map(Into::into),
        client: Client::told(member.client_id, member.client_host),
        epoch: Some(Generation(member.member_epoch)),
        owned: read_by(&topology, &member.assignment.active_tasks),
        timeouts: Timeouts::default(),
        target: Some(Box::new(Target {
            epoch: assigned,
            wants: tasks(&member.target_assignment),
            has: Some(tasks(&member.assignment)),
        })),
        words: Some(Box::new(Words::Streams {
            process: member.process_id,
            topology_epoch: member.topology_epoch,
            assignment: member.assignment,
        })),
        described: Described::default(),
        rack: member.rack_id,
        classic: Some(member.is_classic),
        reconciling: None,
    });
    look(group.group_id, told, members)
}

fn told(
    error: i16,
    message: Option<String>,
    state: &str,
    epoch: i32,
    assignor: Option<String>,
) -> Result<Told, (i16, Option<String>)> {
    if error != 0 {
        return Err((error, message));
    }
    Ok(Told {
        state: GroupState::from(state),
        epoch: Some(Generation(epoch)),
        assignor: assignor.filter(|name| !name.is_empty()),
        members: Vec::new(),
    })
}

fn look(
    group: String,
    told: Result<Told, (i16, Option<String>)>,
    members: impl Iterator<Item = Seen>,
) -> Look {
    let told = told.map(|told| Told {
        members: members.collect(),
        ..told
    });
    Look {
        group: GroupId::from(group),
        told,
    }
}

fn owned(assignment: consumer_group_describe::Assignment) -> Vec<TopicPartitions> {
    let mut topics: Vec<TopicPartitions> = assignment
        .topic_partitions
        .into_iter()
        .map(|topic| TopicPartitions {
            topic: topic.topic_name,
            partitions: topic.partitions,
        })
        .collect();
    super::sort(&mut topics);
    topics
}

/// The partitions that tasks read: each task of a subtopology the partition of its number, of each topic that has so many. How
/// many they have is not told: where one of several may have fewer, and while the topology is not told, none are named.
fn read_by(topology: &Topology, tasks: &[TaskIds]) -> Option<Vec<TopicPartitions>> {
    let subtopologies = topology.subtopologies.as_ref()?;
    let mut topics = Vec::new();
    for of_one in tasks {
        let itself = |part: &&Subtopology| part.subtopology_id == of_one.subtopology_id;
        let part = subtopologies.iter().find(itself)?;
        let made = part.repartition_source_topics.iter().map(|topic| &topic.name);
        let mut sources = part.source_topics.iter().chain(made);
        let (Some(topic), None) = (sources.next(), sources.next()) else {
            return None;
        };
        topics.push(TopicPartitions {
            topic: topic.clone(),
            partitions: of_one.partitions.clone(),
        });
    }
    super::sort(&mut topics);
    Some(topics)
}

/// Tasks as reconciliation compares them: by their kind and subtopology.
fn tasks(assignment: &streams_group_describe::Assignment) -> Vec<TopicPartitions> {
    let kinds = [
        ("active", &assignment.active_tasks),
        ("standby", &assignment.standby_tasks),
        ("warmup", &assignment.warmup_tasks),
    ];
    let all = kinds.iter().flat_map(|(kind, tasks)| {
        tasks.iter().map(move |of_one| TopicPartitions {
            topic: format!("{kind} {}", of_one.subtopology_id),
            partitions: of_one.partitions.clone(),
        })
    });
    let mut all: Vec<TopicPartitions> = all.collect();
    super::sort(&mut all);
    all
}
