//! The groups that brokers in memory coordinate, as lists and descriptions tell of them.

use shared::error_code;
use shared::ids::NodeId;
use shared::protocol::topology::{Subtopology, Topology};
use shared::protocol::{
    AnyRequest, AnyResponse, ConsumerGroupDescribeResponse, DescribeGroupsResponse, DescribedGroup,
    DescribedGroupMember, ListGroupsResponse, ListedGroup, ShareGroupDescribeResponse,
    StreamsGroupDescribeResponse, consumer_group_describe as consumer, share_group_describe as share,
    streams_group_describe as streams,
};
use shared::time::Millis;

use super::Cluster;

#[derive(Clone, Debug)]
pub(in crate::survey) struct Group {
    group_type: String,
    state: String,
    epoch: i32,
    members: Vec<Member>,
    error: i16,
    /// Whether lists leave it out for want of a right.
    pub(in crate::survey) hidden: bool,
    pub(in crate::survey) protocol_type: String,
    /// What subtopology 0 of a streams group reads; nothing where the topology is not told.
    pub(in crate::survey) sources: Vec<String>,
}

#[derive(Clone, Debug)]
pub(in crate::survey) struct Member {
    pub(in crate::survey) id: String,
    pub(in crate::survey) client_id: String,
    pub(in crate::survey) instance: Option<String>,
    pub(in crate::survey) epoch: i32,
    /// Partitions of the topic `t` that it has and is to have, where the group has targets.
    pub(in crate::survey) owned: Vec<i32>,
    pub(in crate::survey) target: Vec<i32>,
    /// What it subscribes to, where its group's type tells.
    pub(in crate::survey) topics: Vec<String>,
    pub(in crate::survey) rack: Option<String>,
    /// What stands of it in a classic description.
    pub(in crate::survey) metadata: Vec<u8>,
    pub(in crate::survey) assignment: Vec<u8>,
    /// Its active tasks of subtopology 0, that it has and is to have.
    pub(in crate::survey) tasks: (Vec<i32>, Vec<i32>),
}

pub(in crate::survey) fn member(id: &str, client_id: &str) -> Member {
    consumer(id, client_id, 0)
}

pub(in crate::survey) fn consumer(id: &str, client_id: &str, epoch: i32) -> Member {
    Member {
        id: id.to_owned(),
        client_id: client_id.to_owned(),
        instance: None,
        epoch,
        owned: Vec::new(),
        target: Vec::new(),
        topics: Vec::new(),
        rack: None,
        metadata: Vec::new(),
        assignment: Vec::new(),
        tasks: (Vec::new(), Vec::new()),
    }
}

/// A static one.
pub(in crate::survey) fn fixed(id: &str, instance: &str) -> Member {
    Member {
        instance: Some(instance.to_owned()),
        ..member(id, "a")
    }
}

impl Group {
    pub(in crate::survey) fn classic(state: &str, members: &[Member]) -> Self {
        Self::new("classic", state, 0, members)
    }

    pub(in crate::survey) fn new(group_type: &str, state: &str, epoch: i32, members: &[Member]) -> Self {
        Self {
            group_type: group_type.to_owned(),
            state: state.to_owned(),
            epoch,
            members: members.to_vec(),
            error: 0,
            hidden: false,
            protocol_type: "consumer".to_owned(),
            sources: Vec::new(),
        }
    }

    pub(in crate::survey) fn refused(group_type: &str, error: i16) -> Self {
        Self::new(group_type, "Stable", 0, &[]).not_described(error)
    }

    /// The same, which lists name and no description tells of.
    pub(in crate::survey) fn not_described(self, error: i16) -> Self {
        Self { error, ..self }
    }
}

impl Cluster {
    pub(super) fn describe(&mut self, node: NodeId, request: AnyRequest) -> AnyResponse {
        match request {
            AnyRequest::ListGroups(_) => self.list(node).into(),
            AnyRequest::DescribeGroups(asked) => DescribeGroupsResponse {
                groups: self.each(node, asked.groups, classic),
                ..Default::default()
            }
            .into(),
            AnyRequest::ConsumerGroupDescribe(asked) => ConsumerGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, in_epochs),
                ..Default::default()
            }
            .into(),
            AnyRequest::ShareGroupDescribe(asked) => ShareGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, sharing),
                ..Default::default()
            }
            .into(),
            AnyRequest::StreamsGroupDescribe(asked) => StreamsGroupDescribeResponse {
                groups: self.each(node, asked.group_ids, streaming),
                ..Default::default()
            }
            .into(),
            other => panic!("a survey does not ask for {}", other.key()),
        }
    }

    fn each<T>(
        &mut self,
        node: NodeId,
        ids: Vec<String>,
        describe: impl Fn(String, Option<&Group>) -> T,
    ) -> Vec<T> {
        let mut described = Vec::new();
        for id in ids {
            if let Some(before) = self.seen.insert(id.clone(), self.now) {
                self.longest = self.longest.max(Millis(self.now.micros_since(before) / 1_000));
            }
            *self.looks.entry(id.clone()).or_default() += 1;
            if self.left_out.contains(&id) {
                continue;
            }
            let group = self.groups.get(&node).and_then(|groups| groups.get(&id));
            described.push(describe(id, group));
        }
        described
    }

    fn list(&self, node: NodeId) -> ListGroupsResponse {
        let listed = self.groups.get(&node).filter(|_| self.no_list == 0);
        // What a coordinator has not read yet it leaves out.
        let read = |group: &Group| group.error != error_code::COORDINATOR_LOAD_IN_PROGRESS;
        let named = |group: &Group| read(group) && !group.hidden;
        let groups = listed.into_iter().flatten().filter(|(_, group)| named(group));
        ListGroupsResponse {
            error_code: self.no_list,
            groups: groups
                .map(|(id, group)| ListedGroup {
                    group_id: id.clone(),
                    protocol_type: group.protocol_type.clone(),
                    group_state: group.state.clone(),
                    group_type: group.group_type.clone(),
                })
                .collect(),
            ..Default::default()
        }
    }
}

fn classic(id: String, group: Option<&Group>) -> DescribedGroup {
    // A coordinator answers so about a group that it does not have, and about one of another type (protocol.md 4.1).
    let Some(group) = group.filter(|group| group.group_type == "classic") else {
        return DescribedGroup {
            group_id: id,
            group_state: "Dead".to_owned(),
            ..Default::default()
        };
    };
    let members = group.members.iter().filter(|_| group.error == 0);
    let members = members.map(|member| DescribedGroupMember {
        member_id: member.id.clone(),
        group_instance_id: member.instance.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        member_metadata: member.metadata.clone(),
        member_assignment: member.assignment.clone(),
    });
    DescribedGroup {
        error_code: group.error,
        group_id: id,
        group_state: group.state.clone(),
        protocol_type: group.protocol_type.clone(),
        members: members.collect(),
        ..Default::default()
    }
}

fn in_epochs(id: String, group: Option<&Group>) -> consumer::DescribedGroup {
    let Some(group) = group.filter(|group| group.group_type == "consumer") else {
        return consumer::DescribedGroup {
            error_code: 69,
            group_id: id,
            ..Default::default()
        };
    };
    let members = group.members.iter().filter(|_| group.error == 0);
    let members = members.map(|member| consumer::Member {
        member_id: member.id.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        member_epoch: member.epoch,
        rack_id: member.rack.clone(),
        subscribed_topic_names: member.topics.clone(),
        subscribed_topic_regex: Some(String::new()),
        assignment: part(&member.owned),
        target_assignment: part(&member.target),
        member_type: 1,
        ..Default::default()
    });
    consumer::DescribedGroup {
        error_code: group.error,
        group_id: id,
        group_state: group.state.clone(),
        group_epoch: group.epoch,
        assignment_epoch: group.epoch,
        assignor_name: "uniform".to_owned(),
        members: members.collect(),
        ..Default::default()
    }
}

fn part(partitions: &[i32]) -> consumer::Assignment {
    let topic = consumer::TopicPartitions {
        topic_name: "t".to_owned(),
        partitions: partitions.to_vec(),
        ..Default::default()
    };
    consumer::Assignment {
        topic_partitions: if partitions.is_empty() {
            Vec::new()
        } else {
            vec![topic]
        },
    }
}

fn sharing(id: String, group: Option<&Group>) -> share::DescribedGroup {
    let error_code = group.map_or(0, |group| group.error);
    let members = group.into_iter().flat_map(|group| &group.members);
    let members = members.map(|member| share::Member {
        member_id: member.id.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        member_epoch: member.epoch,
        rack_id: member.rack.clone(),
        subscribed_topic_names: member.topics.clone(),
        assignment: part(&member.owned),
    });
    share::DescribedGroup {
        error_code,
        group_id: id,
        group_state: group.map(|group| group.state.clone()).unwrap_or_default(),
        group_epoch: group.map_or(0, |group| group.epoch),
        assignor_name: "uniform".to_owned(),
        members: members.collect(),
        ..Default::default()
    }
}

fn streaming(id: String, group: Option<&Group>) -> streams::DescribedGroup {
    let active = |tasks: &[i32]| streams::Assignment {
        active_tasks: vec![streams::TaskIds {
            subtopology_id: "0".to_owned(),
            partitions: tasks.to_vec(),
        }],
        ..Default::default()
    };
    let error_code = group.map_or(0, |group| group.error);
    let members = group.into_iter().flat_map(|group| &group.members);
    let members = members.map(|member| streams::Member {
        member_id: member.id.clone(),
        client_id: member.client_id.clone(),
        client_host: "/127.0.0.1".to_owned(),
        member_epoch: member.epoch,
        topology_epoch: 2,
        process_id: format!("process of {}", member.client_id),
        assignment: active(&member.tasks.0),
        target_assignment: active(&member.tasks.1),
        ..Default::default()
    });
    streams::DescribedGroup {
        error_code,
        group_id: id,
        group_state: group.map(|group| group.state.clone()).unwrap_or_default(),
        group_epoch: group.map_or(0, |group| group.epoch),
        assignment_epoch: group.map_or(0, |group| group.epoch),
        assignor_name: Some("uniform".to_owned()),
        members: members.collect(),
        topology: group.map(topology),
        ..Default::default()
    }
}

fn topology(group: &Group) -> Topology {
    let part = Subtopology {
        subtopology_id: "0".to_owned(),
        source_topics: group.sources.clone(),
        ..Default::default()
    };
    Topology {
        epoch: 2,
        subtopologies: (!group.sources.is_empty()).then(|| vec![part]),
    }
}
