//! Errors in an API's own shape: writing one into an answer, reading it out of one.

mod data;
mod describe;

use super::{
    AnyRequest, AnyResponse, ApiVersionsResponse, ConsumerGroupHeartbeatResponse, Coordinator,
    DescribeClusterResponse, FindCoordinatorRequest, FindCoordinatorResponse, HeartbeatResponse,
    JoinGroupRequest, JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, ListGroupsResponse,
    MemberIdentity, MemberResponse, MetadataRequest, MetadataResponse, MetadataResponseTopic,
    OffsetCommitRequest, OffsetCommitResponse, OffsetCommitResponsePartition, OffsetCommitResponseTopic,
    SaslAuthenticateResponse, SaslHandshakeResponse, SyncGroupResponse,
};

/// UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID: what is wrong with a member, not with the request.
const OF_A_MEMBER: [i16; 2] = [25, 82];

impl AnyRequest {
    /// The answer that refuses this request with `code`, at the place where Kafka's brokers put it in
    /// `version`.
    ///
    /// Where an API has a code for each part (group, topic, partition, key, member), every part gets it.
    #[must_use]
    pub fn error_response(&self, version: i16, code: i16) -> AnyResponse {
        match self {
            Self::Produce(request) => data::produce(request, code).into(),
            Self::Fetch(request) => data::fetch(request, code).into(),
            Self::ListOffsets(request) => data::list_offsets(request, code).into(),
            Self::Metadata(request) => metadata(request, version, code).into(),
            Self::OffsetCommit(request) => offset_commit(request, code).into(),
            Self::OffsetFetch(request) => data::offset_fetch(request, version, code).into(),
            Self::FindCoordinator(request) => find_coordinator(request, version, code).into(),
            Self::JoinGroup(request) => join_group(request, version, code).into(),
            Self::Heartbeat(_) => HeartbeatResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::LeaveGroup(request) => leave_group(request, version, code).into(),
            Self::SyncGroup(_) => SyncGroupResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::DescribeGroups(request) => describe::groups(request, code).into(),
            Self::ConsumerGroupDescribe(request) => describe::consumer_groups(request, code).into(),
            Self::ShareGroupDescribe(request) => describe::share_groups(request, code).into(),
            Self::StreamsGroupDescribe(request) => describe::streams_groups(request, code).into(),
            Self::DescribeShareGroupOffsets(request) => describe::share_group_offsets(request, code).into(),
            Self::ListGroups(_) => ListGroupsResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::SaslHandshake(_) => SaslHandshakeResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::SaslAuthenticate(_) => SaslAuthenticateResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::ApiVersions(_) => ApiVersionsResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::InitProducerId(_) => data::init_producer_id(code).into(),
            Self::DescribeConfigs(request) => data::describe_configs(request, code).into(),
            Self::DescribeCluster(_) => DescribeClusterResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
            Self::ConsumerGroupHeartbeat(_) => ConsumerGroupHeartbeatResponse {
                error_code: code,
                ..Default::default()
            }
            .into(),
        }
    }
}

/// Up to version 12 only topics can carry the code.
fn metadata(request: &MetadataRequest, version: i16, code: i16) -> MetadataResponse {
    let refuse = |name: &Option<String>, topic_id| MetadataResponseTopic {
        error_code: code,
        // Null is allowed from version 12 on only; versions 10 and 11 have "" for a topic asked for by its
        // id.
        name: if version >= 12 {
            name.clone()
        } else {
            Some(name.clone().unwrap_or_default())
        },
        topic_id,
        ..Default::default()
    };
    let topics = request
        .topics
        .iter()
        .flatten()
        .map(|topic| refuse(&topic.name, topic.topic_id))
        .collect();
    MetadataResponse {
        error_code: code,
        topics,
        ..Default::default()
    }
}

fn offset_commit(request: &OffsetCommitRequest, code: i16) -> OffsetCommitResponse {
    let topics = request.topics.iter().map(|topic| OffsetCommitResponseTopic {
        name: topic.name.clone(),
        topic_id: topic.topic_id,
        partitions: (topic.partitions.iter())
            .map(|partition| OffsetCommitResponsePartition {
                partition_index: partition.partition_index,
                error_code: code,
            })
            .collect(),
    });
    OffsetCommitResponse {
        topics: topics.collect(),
        ..Default::default()
    }
}

/// No coordinator: node and port -1, host empty.
fn find_coordinator(request: &FindCoordinatorRequest, version: i16, code: i16) -> FindCoordinatorResponse {
    if version < 4 {
        return FindCoordinatorResponse {
            error_code: code,
            node_id: -1,
            port: -1,
            ..Default::default()
        };
    }
    let coordinators = request.coordinator_keys.iter().map(|key| Coordinator {
        key: key.clone(),
        node_id: -1,
        port: -1,
        error_code: code,
        error_message: None,
        ..Default::default()
    });
    FindCoordinatorResponse {
        coordinators: coordinators.collect(),
        ..Default::default()
    }
}

fn join_group(request: &JoinGroupRequest, version: i16, code: i16) -> JoinGroupResponse {
    JoinGroupResponse {
        error_code: code,
        protocol_name: (version < 7).then(String::new),
        member_id: request.member_id.clone(),
        ..Default::default()
    }
}

/// From version 3 on what is wrong with a member stands at the member, all else at the top.
fn leave_group(request: &LeaveGroupRequest, version: i16, code: i16) -> LeaveGroupResponse {
    if version < 3 || !OF_A_MEMBER.contains(&code) {
        return LeaveGroupResponse {
            error_code: code,
            ..Default::default()
        };
    }
    let refuse = |member: &MemberIdentity| MemberResponse {
        member_id: member.member_id.clone(),
        group_instance_id: member.group_instance_id.clone(),
        error_code: code,
    };
    LeaveGroupResponse {
        members: request.members.iter().map(refuse).collect(),
        ..Default::default()
    }
}

impl AnyResponse {
    /// The code of the answer as a whole.
    ///
    /// Of LeaveGroup, FindCoordinator and OffsetFetch the first code that is not 0, at the top or in a part,
    /// since their newer versions have moved it there. `None` where each part has a code of its own
    /// (the four that describe groups, DescribeShareGroupOffsets, DescribeConfigs, OffsetCommit, Produce, ListOffsets).
    #[must_use]
    pub fn error_code(&self) -> Option<i16> {
        match self {
            Self::Metadata(answer) => Some(answer.error_code),
            Self::Produce(_)
            | Self::ListOffsets(_)
            | Self::OffsetCommit(_)
            | Self::DescribeGroups(_)
            | Self::ConsumerGroupDescribe(_)
            | Self::ShareGroupDescribe(_)
            | Self::StreamsGroupDescribe(_)
            | Self::DescribeShareGroupOffsets(_)
            | Self::DescribeConfigs(_) => None,
            Self::Fetch(answer) => Some(answer.error_code),
            Self::OffsetFetch(answer) => Some(first_error(
                answer.error_code,
                answer.groups.iter().map(|group| group.error_code),
            )),
            Self::InitProducerId(answer) => Some(answer.error_code),
            Self::DescribeCluster(answer) => Some(answer.error_code),
            Self::FindCoordinator(answer) => Some(first_error(
                answer.error_code,
                answer.coordinators.iter().map(|found| found.error_code),
            )),
            Self::JoinGroup(answer) => Some(answer.error_code),
            Self::Heartbeat(answer) => Some(answer.error_code),
            Self::LeaveGroup(answer) => Some(first_error(
                answer.error_code,
                answer.members.iter().map(|member| member.error_code),
            )),
            Self::SyncGroup(answer) => Some(answer.error_code),
            Self::ListGroups(answer) => Some(answer.error_code),
            Self::SaslHandshake(answer) => Some(answer.error_code),
            Self::SaslAuthenticate(answer) => Some(answer.error_code),
            Self::ApiVersions(answer) => Some(answer.error_code),
            Self::ConsumerGroupHeartbeat(answer) => Some(answer.error_code),
        }
    }

    /// Says that the client is throttled for so many milliseconds. Versions without the field leave it
    /// out; answers about SASL never have one.
    pub fn set_throttle_ms(&mut self, ms: i32) {
        *match self {
            Self::Produce(answer) => &mut answer.throttle_time_ms,
            Self::Fetch(answer) => &mut answer.throttle_time_ms,
            Self::ListOffsets(answer) => &mut answer.throttle_time_ms,
            Self::Metadata(answer) => &mut answer.throttle_time_ms,
            Self::OffsetCommit(answer) => &mut answer.throttle_time_ms,
            Self::OffsetFetch(answer) => &mut answer.throttle_time_ms,
            Self::FindCoordinator(answer) => &mut answer.throttle_time_ms,
            Self::JoinGroup(answer) => &mut answer.throttle_time_ms,
            Self::Heartbeat(answer) => &mut answer.throttle_time_ms,
            Self::LeaveGroup(answer) => &mut answer.throttle_time_ms,
            Self::SyncGroup(answer) => &mut answer.throttle_time_ms,
            Self::DescribeGroups(answer) => &mut answer.throttle_time_ms,
            Self::ListGroups(answer) => &mut answer.throttle_time_ms,
            Self::SaslHandshake(_) | Self::SaslAuthenticate(_) => return,
            Self::ApiVersions(answer) => &mut answer.throttle_time_ms,
            Self::InitProducerId(answer) => &mut answer.throttle_time_ms,
            Self::DescribeConfigs(answer) => &mut answer.throttle_time_ms,
            Self::DescribeCluster(answer) => &mut answer.throttle_time_ms,
            Self::ConsumerGroupHeartbeat(answer) => &mut answer.throttle_time_ms,
            Self::ConsumerGroupDescribe(answer) => &mut answer.throttle_time_ms,
            Self::ShareGroupDescribe(answer) => &mut answer.throttle_time_ms,
            Self::StreamsGroupDescribe(answer) => &mut answer.throttle_time_ms,
            Self::DescribeShareGroupOffsets(answer) => &mut answer.throttle_time_ms,
        } = ms;
    }

    /// Milliseconds for which the client must send nothing more on this connection, by a quota of the
    /// broker's (KIP-219).
    ///
    /// 0 in the versions in which the broker has already waited itself and only tells how long.
    #[must_use]
    pub fn client_throttle_ms(&self, version: i16) -> u32 {
        let (since, throttle) = match self {
            Self::Produce(answer) => (6, answer.throttle_time_ms),
            Self::Fetch(answer) => (8, answer.throttle_time_ms),
            Self::ListOffsets(answer) => (3, answer.throttle_time_ms),
            Self::Metadata(answer) => (6, answer.throttle_time_ms),
            Self::OffsetCommit(answer) => (4, answer.throttle_time_ms),
            Self::OffsetFetch(answer) => (4, answer.throttle_time_ms),
            Self::FindCoordinator(answer) => (2, answer.throttle_time_ms),
            Self::JoinGroup(answer) => (3, answer.throttle_time_ms),
            Self::Heartbeat(answer) => (2, answer.throttle_time_ms),
            Self::LeaveGroup(answer) => (2, answer.throttle_time_ms),
            Self::SyncGroup(answer) => (2, answer.throttle_time_ms),
            Self::DescribeGroups(answer) => (2, answer.throttle_time_ms),
            Self::ListGroups(answer) => (2, answer.throttle_time_ms),
            Self::SaslHandshake(_) | Self::SaslAuthenticate(_) => return 0,
            Self::ApiVersions(answer) => (2, answer.throttle_time_ms),
            Self::InitProducerId(answer) => (1, answer.throttle_time_ms),
            Self::DescribeConfigs(answer) => (2, answer.throttle_time_ms),
            Self::DescribeCluster(answer) => (0, answer.throttle_time_ms),
            Self::ConsumerGroupHeartbeat(answer) => (0, answer.throttle_time_ms),
            Self::ConsumerGroupDescribe(answer) => (0, answer.throttle_time_ms),
            Self::ShareGroupDescribe(answer) => (0, answer.throttle_time_ms),
            Self::StreamsGroupDescribe(answer) => (0, answer.throttle_time_ms),
            Self::DescribeShareGroupOffsets(answer) => (0, answer.throttle_time_ms),
        };
        if version >= since {
            u32::try_from(throttle).unwrap_or(0)
        } else {
            0
        }
    }
}

fn first_error(top: i16, parts: impl Iterator<Item = i16>) -> i16 {
    std::iter::once(top)
        .chain(parts)
        .find(|code| *code != 0)
        .unwrap_or(0)
}
