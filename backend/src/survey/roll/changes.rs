//! What a look says of a member, and that a look was refused, as changes.

use shared::error_code;
use shared::event::{Change, Joined, TopicPartitions};
use shared::ids::{Generation, GroupId};

use super::view::Configured;
use crate::survey::look::{Describe, Seen};

/// A member as its coordinator lists it.
pub(super) fn row(member: &Seen, epoch: Option<Generation>, configured: Configured) -> Joined {
    // What the group's settings say is not for those that came with their own.
    let set = if member.classic == Some(true) {
        Configured::default()
    } else {
        configured
    };
    let client = member.client.as_deref();
    Joined {
        generation: member.epoch.or(epoch),
        client_id: client.map(|client| client.id.clone()),
        host: client.map(|client| client.host.clone()),
        instance_id: member.instance.clone(),
        rebalance_timeout_ms: member.timeouts.rebalance.map(|rebalance| rebalance.0),
        session_timeout_ms: member.timeouts.session.or(set.session).map(|session| session.0),
        heartbeat_interval_ms: set.heartbeat.map(|heartbeat| heartbeat.0),
        rack: member.rack.clone(),
        classic: member.classic,
        ..Joined::default()
    }
}

pub(super) fn assigned(member: &Seen, epoch: Option<Generation>) -> Change {
    let mut room = TopicPartitions::NAMED;
    let mut unnamed = 0;
    let mut partitions = Vec::new();
    for topic in member.owned.iter().flatten() {
        let taken: Vec<i32> = topic.partitions.iter().copied().take(room).collect();
        room -= taken.len();
        unnamed += topic.partitions.len() - taken.len();
        if !taken.is_empty() {
            partitions.push(TopicPartitions {
                topic: topic.topic.clone(),
                partitions: taken,
            });
        }
    }
    Change::MemberAssigned {
        generation: member.epoch.or(epoch),
        partitions: member.owned.is_some().then_some(partitions),
        unnamed: u32::try_from(unnamed).unwrap_or(u32::MAX),
    }
}

/// That a look at a group was refused.
pub(super) fn refusal(group: &GroupId, call: Describe, error: i16, client_id: &str) -> Change {
    match right(group, error) {
        Some(right) => Change::NotAuthorized { error, right },
        None => Change::RequestRefused {
            api: call.api().name().to_owned(),
            error,
            client_id: client_id.to_owned(),
            host: String::new(),
            times: 1,
        },
    }
}

/// That a right is there for want of which looks were refused with that code; none where it was not for want of one.
pub(super) fn granted(group: &GroupId, error: i16) -> Option<Change> {
    right(group, error).map(|right| Change::Authorized { right })
}

/// Which right that code says is missing; the group's id as it is, whoever shows it escapes it.
fn right(group: &GroupId, error: i16) -> Option<String> {
    let group = group.as_str();
    match error {
        error_code::GROUP_AUTHORIZATION_FAILED => Some(format!("DESCRIBE on group {group}")),
        error_code::TOPIC_AUTHORIZATION_FAILED => Some(format!("DESCRIBE on the topics of group {group}")),
        error_code::CLUSTER_AUTHORIZATION_FAILED => {
            Some(format!("DESCRIBE on the cluster, to look at group {group}"))
        }
        _ => None,
    }
}
