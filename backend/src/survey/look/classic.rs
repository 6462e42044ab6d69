//! DescribeGroups: classic groups.

use std::sync::Arc;

use shared::event::{GroupState, TopicPartitions};
use shared::ids::GroupId;
use shared::protocol::assignment::CONSUMER;
use shared::protocol::{ConsumerProtocol, ConsumerProtocolAssignment, DescribedGroup, DescribedGroupMember};

use super::{Client, Described, Look, Seen, Timeouts, Told, Words};

pub(super) fn look(group: DescribedGroup) -> Look {
    let DescribedGroup {
        error_code,
        error_message,
        group_id,
        group_state,
        protocol_type,
        members,
        ..
    } = group;
    let told = if error_code == 0 {
        let state = GroupState::from(&*group_state);
        // Told only while the group is stable; while it prepares to rebalance the old one is still there (protocol.md 4.7).
        let readable = protocol_type == CONSUMER && state == GroupState::Stable;
        let protocol_type: Arc<str> = protocol_type.into();
        Ok(Told {
            state,
            epoch: None,
            assignor: None,
            members: members
                .into_iter()
                .map(|member| seen(member, readable, &protocol_type))
                .collect(),
        })
    } else {
        Err((error_code, error_message))
    };
    Look {
        group: GroupId::from(group_id),
        told,
    }
}

fn seen(member: DescribedGroupMember, readable: bool, protocol_type: &Arc<str>) -> Seen {
    let owned = readable.then(|| owned(&member.member_assignment)).flatten();
    let words = Words::Classic {
        protocol_type: Arc::clone(protocol_type),
        metadata: member.member_metadata,
        assignment: member.member_assignment,
    };
    Seen {
        id: member.member_id.into(),
        instance: member.group_instance_id.map(Into::into),
        client: Client::told(member.client_id, member.client_host),
        epoch: None,
        timeouts: Timeouts::default(),
        target: None,
        rack: None,
        classic: None,
        reconciling: None,
        owned,
        words: words.is_told().then(|| Box::new(words)),
        described: Described::default(),
    }
}

/// What an assignment says; an empty one is that of a member which gets nothing.
pub(in crate::survey) fn owned(assignment: &[u8]) -> Option<Vec<TopicPartitions>> {
    if assignment.is_empty() {
        return Some(Vec::new());
    }
    let (_version, assignment) = ConsumerProtocolAssignment::try_read(assignment).ok()?;
    let topics = assignment.assigned_partitions.into_iter();
    let topics = topics.map(|topic| TopicPartitions {
        topic: topic.topic,
        partitions: topic.partitions,
    });
    let mut topics: Vec<TopicPartitions> = topics.collect();
    // Kept for every member there is.
    topics.shrink_to_fit();
    super::sort(&mut topics);
    Some(topics)
}
