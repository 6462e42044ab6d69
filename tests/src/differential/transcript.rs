//! What a coordinator said, in words that are the same for two coordinators that behave the same.

use shared::protocol::{
    AnyResponse, ConsumerProtocol as _, ConsumerProtocolSubscription, DescribedGroup, DescribedGroupMember,
    JoinGroupResponse, JoinGroupResponseMember, LeaveGroupResponse, OffsetCommitResponse,
    OffsetFetchResponse, SyncGroupResponse, Uuid,
};

use super::connection::Answer;
use super::side::Side;

/// What one step brought on one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// By the step that asked.
    pub(super) answers: Vec<(usize, Told)>,
    /// What DescribeGroups said then.
    pub(super) group: String,
    pub(super) waiting: Vec<usize>,
}

/// An answer in words. Who leads stands apart: where Kafka may choose, the rest must still be the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) text: String,
    /// Of a JoinGroup that was let in.
    pub(super) joined: Option<Joined>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) generation: i32,
    pub(super) member: String,
    pub(super) leader: String,
    /// What the leader is told, by member.
    pub(super) list: Vec<String>,
}

impl Page {
    pub(super) fn of(side: &Side) -> Self {
        Self {
            answers: side
                .answers
                .iter()
                .map(|(number, answer)| (*number, told(side, answer)))
                .collect(),
            group: side
                .seen
                .as_ref()
                .map(|seen| described(side, seen))
                .unwrap_or_default(),
            waiting: side.waiting(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.group.starts_with("Empty") || self.group.starts_with("Dead")
    }

    pub(super) fn is_preparing(&self) -> bool {
        self.group.starts_with("PreparingRebalance")
    }

    /// Whether the two will never be the same: they answered one request differently, and no answer is on its way that
    /// would tell an id.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        if self.waiting != other.waiting {
            return false;
        }
        let differs = |(number, told): &(usize, Told)| {
            let theirs = other.answers.iter().find(|(theirs, _)| theirs == number);
            theirs.is_some_and(|(_, theirs)| theirs != told)
        };
        self.answers.iter().any(differs)
    }

    /// Those that were told a generation.
    pub(super) fn joined(&self) -> impl Iterator<Item = &Joined> {
        self.answers.iter().filter_map(|(_, told)| told.joined.as_ref())
    }

    /// The same with nobody as the leader.
    pub(super) fn without_leader(&self) -> Self {
        let mut page = self.clone();
        for (_, told) in &mut page.answers {
            if let Some(joined) = &mut told.joined {
                joined.leader.clear();
                joined.list.clear();
            }
        }
        page
    }

    /// As lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let answers = self.answers.iter().map(|(number, told)| {
            let joined = told.joined.as_ref().map(|joined| {
                let Joined { leader, list, .. } = joined;
                format!(" leader {leader} list [{}]", list.join(", "))
            });
            format!("answer to {number}: {}{}", told.text, joined.unwrap_or_default())
        });
        let waiting = (!self.waiting.is_empty()).then(|| format!("waiting: {:?}", self.waiting));
        answers.chain(waiting).chain([self.group.clone()]).collect()
    }
}

fn told(side: &Side, answer: &Answer) -> Told {
    let text = match answer {
        Answer::Closed => "the connection was closed".into(),
        Answer::Response(AnyResponse::JoinGroup(answer)) => return join(side, answer),
        Answer::Response(AnyResponse::SyncGroup(answer)) => sync(answer),
        Answer::Response(AnyResponse::Heartbeat(answer)) => {
            format!("error {} throttle {}", answer.error_code, answer.throttle_time_ms)
        }
        Answer::Response(AnyResponse::LeaveGroup(answer)) => leave(side, answer),
        Answer::Response(AnyResponse::OffsetCommit(answer)) => commit(answer),
        Answer::Response(AnyResponse::OffsetFetch(answer)) => offsets(side, answer),
        Answer::Response(AnyResponse::ListGroups(answer)) => {
            let ours = answer.groups.iter().find(|group| group.group_id == side.group);
            let row = ours.map(|group| (&group.protocol_type, &group.group_state, &group.group_type));
            format!("error {} row {row:?}", answer.error_code)
        }
        Answer::Response(other) => format!("{other:?}"),
    };
    Told { text, joined: None }
}

fn join(side: &Side, answer: &JoinGroupResponse) -> Told {
    let JoinGroupResponse {
        throttle_time_ms: throttle,
        error_code: error,
        generation_id: generation,
        protocol_type,
        protocol_name,
        leader,
        skip_assignment: skip,
        member_id,
        members,
    } = answer;
    let member = side.symbol(member_id);
    let kind = format!("{protocol_type:?} {protocol_name:?}");
    let text = format!("error {error} g{generation} {kind} member {member} skip {skip} throttle {throttle}");
    let row = |row: &JoinGroupResponseMember| {
        let JoinGroupResponseMember {
            member_id,
            group_instance_id,
            metadata,
        } = row;
        let instance = group_instance_id.as_deref().unwrap_or("-");
        format!("{} {instance} {}", side.symbol(member_id), subscription(metadata))
    };
    let mut list: Vec<String> = members.iter().map(row).collect();
    list.sort();
    let leader = side.symbol(leader);
    if *error != 0 {
        let text = format!("{text} leader {leader} list {list:?}");
        return Told { text, joined: None };
    }
    let joined = Joined {
        generation: *generation,
        member,
        leader,
        list,
    };
    Told {
        text,
        joined: Some(joined),
    }
}

fn sync(answer: &SyncGroupResponse) -> String {
    let SyncGroupResponse {
        throttle_time_ms: throttle,
        error_code: error,
        protocol_type,
        protocol_name,
        assignment,
    } = answer;
    let part = String::from_utf8_lossy(assignment);
    format!("error {error} {protocol_type:?} {protocol_name:?} part {part:?} throttle {throttle}")
}

fn leave(side: &Side, answer: &LeaveGroupResponse) -> String {
    let rows: Vec<String> = answer
        .members
        .iter()
        .map(|row| {
            let instance = row.group_instance_id.as_deref().unwrap_or("-");
            format!("{} {instance} {}", side.symbol(&row.member_id), row.error_code)
        })
        .collect();
    format!(
        "error {} throttle {} {rows:?}",
        answer.error_code, answer.throttle_time_ms
    )
}

fn commit(answer: &OffsetCommitResponse) -> String {
    let partitions = answer.topics.iter().flat_map(|topic| {
        let name = &topic.name;
        let row = move |partition: &shared::protocol::OffsetCommitResponsePartition| {
            (name.as_str(), partition.partition_index, partition.error_code)
        };
        topic.partitions.iter().map(row)
    });
    format!(
        "throttle {} {:?}",
        answer.throttle_time_ms,
        partitions.collect::<Vec<_>>()
    )
}

/// Every version in the same words, by topic and partition.
fn offsets(side: &Side, answer: &OffsetFetchResponse) -> String {
    let topic = |name: &str, id: Uuid| match id {
        Uuid::ZERO => format!("{name:?}"),
        id if id == side.coordinator.topic => format!("{name:?}, the known topic's id"),
        id => format!("{name:?} {id:?}"),
    };
    let mut rows: Vec<String> = Vec::new();
    for of in &answer.topics {
        let whose = topic(&of.name, Uuid::ZERO);
        rows.extend(of.partitions.iter().map(|row| format!("{whose} {row:?}")));
    }
    for of in answer.groups.iter().flat_map(|group| &group.topics) {
        let whose = topic(&of.name, of.topic_id);
        rows.extend(of.partitions.iter().map(|row| format!("{whose} {row:?}")));
    }
    rows.sort();
    let groups = answer
        .groups
        .iter()
        .map(|group| (group.group_id == side.group, group.error_code));
    let groups: Vec<_> = groups.collect();
    let (error, throttle) = (answer.error_code, answer.throttle_time_ms);
    format!("error {error} groups {groups:?} throttle {throttle} {rows:?}")
}

fn described(side: &Side, group: &DescribedGroup) -> String {
    let DescribedGroup {
        error_code: error,
        error_message,
        group_id,
        group_state: state,
        protocol_type,
        protocol_data,
        members,
        authorized_operations: operations,
    } = group;
    let row = |row: &DescribedGroupMember| {
        let DescribedGroupMember {
            member_id,
            group_instance_id,
            client_id,
            client_host,
            member_metadata,
            member_assignment,
        } = row;
        let instance = group_instance_id.as_deref().unwrap_or("-");
        let part = String::from_utf8_lossy(member_assignment);
        let told = subscription(member_metadata);
        format!(
            "{} {instance} {client_id} {client_host} {told} {part:?}",
            side.symbol(member_id)
        )
    };
    let mut rows: Vec<String> = members.iter().map(row).collect();
    rows.sort();
    let message = error_message.as_ref().map(|text| text.replace(group_id, "GROUP"));
    format!(
        "{state} error {error} {message:?} {protocol_type:?} {protocol_data:?} operations {operations} [{}]",
        rows.join(", ")
    )
}

fn subscription(metadata: &[u8]) -> String {
    if metadata.is_empty() {
        return "-".into();
    }
    ConsumerProtocolSubscription::try_read(metadata).map_or_else(
        |_| format!("{metadata:?}"),
        |(_, subscription)| subscription.topics.join("+"),
    )
}
