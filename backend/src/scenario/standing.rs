//! What a scenario's client knows: who the coordinator says it is. Requests are made of it, answers change it.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::error_code::{MEMBER_ID_REQUIRED, NONE};
use shared::ids::{InstanceId, MemberId};
use shared::member::assignor::{Subscriber, range};
use shared::protocol::{
    AnyRequest, AnyResponse, ConsumerProtocol as _, ConsumerProtocolAssignment, ConsumerProtocolSubscription,
    DescribeGroupsRequest, FetchPartition, FetchRequest, FetchTopic, FindCoordinatorRequest,
    FindCoordinatorResponse, HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol,
    JoinGroupResponseMember, LeaveGroupRequest, ListGroupsRequest, MemberIdentity, OffsetCommitRequest,
    OffsetCommitRequestPartition, OffsetCommitRequestTopic, PartitionProduceData, ProduceRequest, Records,
    SyncGroupRequest, SyncGroupRequestAssignment, TopicPartition, TopicProduceData,
};

use super::batch::batch;
use super::frames::{
    Assign, ClientRow, Fetch, Frame, Heartbeat, JoinGroup, LeaveGroup, OffsetCommit, Produce, SyncGroup,
};

/// Bytes that a fetch takes at most: a scenario's records are small.
const FETCH_BYTES: i32 = 1 << 20;
/// How long a broker may take over a Produce, in milliseconds: Kafka's default `request.timeout.ms`.
const PRODUCE_MS: i32 = 30_000;

/// A client and what it knows.
#[derive(Debug)]
pub(super) struct Standing {
    told: Arc<ClientRow>,
    /// Partitions of the scenario's topics: a leader must know them.
    partitions: Arc<BTreeMap<String, u32>>,
    member_id: String,
    generation: i32,
    protocol: Option<String>,
    /// Who is in the group, where it leads.
    members: Vec<JoinGroupResponseMember>,
    /// Commits by topic and partition so far.
    committed: BTreeMap<(String, i32), i64>,
}

/// Where a coordinator is, as FindCoordinator names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) host: String,
    pub(super) port: i32,
}

impl Standing {
    pub(super) fn new(told: Arc<ClientRow>, partitions: Arc<BTreeMap<String, u32>>) -> Self {
        Self {
            told,
            partitions,
            member_id: String::new(),
            generation: -1,
            protocol: None,
            members: Vec::new(),
            committed: BTreeMap::new(),
        }
    }

    /// The request that a frame means now, in `version`.
    pub(super) fn request(&mut self, frame: &Frame, version: i16) -> AnyRequest {
        match frame {
            Frame::JoinGroup(told) => self.join_group(told, version).into(),
            Frame::SyncGroup(told) => self.sync_group(told, version).into(),
            Frame::Heartbeat(told) => self.heartbeat(told, version).into(),
            Frame::LeaveGroup(told) => self.leave_group(told, version).into(),
            Frame::OffsetCommit(told) => self.offset_commit(told, version).into(),
            Frame::Produce(told) => produce(told).into(),
            Frame::Fetch(told) => fetch(told).into(),
            Frame::FindCoordinator(_) => self.find_coordinator(version).into(),
            Frame::ListGroups => ListGroupsRequest::default().into(),
            Frame::DescribeGroups(told) => DescribeGroupsRequest {
                groups: told.groups.clone(),
                ..Default::default()
            }
            .into(),
        }
    }

    fn instance(&self, version: i16, since: i16) -> Option<String> {
        self.told.instance.clone().filter(|_| version >= since)
    }

    fn named(&self, told: Option<&String>) -> String {
        told.unwrap_or(&self.member_id).clone()
    }

    fn join_group(&self, told: &JoinGroup, version: i16) -> JoinGroupRequest {
        let subscription = ConsumerProtocolSubscription {
            topics: told.topics.as_ref().unwrap_or(&self.told.topics).clone(),
            owned_partitions: partitions(&told.owned),
            generation_id: told.owned_generation.unwrap_or(-1),
            ..Default::default()
        };
        // Kafka's own consumers write the version that has room for what they own.
        let metadata = subscription.to_bytes(3).unwrap_or_default();
        let assignors = told.assignors.as_ref().unwrap_or(&self.told.assignors);
        JoinGroupRequest {
            group_id: self.told.group.clone(),
            session_timeout_ms: told.session_ms.unwrap_or(self.told.session_ms),
            rebalance_timeout_ms: told.rebalance_ms.unwrap_or(self.told.rebalance_ms),
            member_id: self.named(told.member_id.as_ref()),
            group_instance_id: self.instance(version, 5),
            protocol_type: "consumer".to_owned(),
            protocols: assignors
                .iter()
                .map(|name| JoinGroupRequestProtocol {
                    name: name.clone(),
                    metadata: metadata.clone(),
                })
                .collect(),
            reason: told.reason.clone(),
        }
    }

    fn sync_group(&self, told: &SyncGroup, version: i16) -> SyncGroupRequest {
        SyncGroupRequest {
            group_id: self.told.group.clone(),
            generation_id: told.generation.unwrap_or(self.generation),
            member_id: self.named(told.member_id.as_ref()),
            group_instance_id: self.instance(version, 3),
            protocol_type: Some("consumer".to_owned()),
            protocol_name: self.protocol.clone(),
            assignments: self.assignments(told.assign),
        }
    }

    fn assignments(&self, assign: Assign) -> Vec<SyncGroupRequestAssignment> {
        let subscribers = self.members.iter().map(|member| Subscriber {
            member: MemberId::from(member.member_id.as_str()),
            instance: member.group_instance_id.as_deref().map(InstanceId::from),
            topics: match ConsumerProtocolSubscription::try_read(&member.metadata) {
                Ok((_version, subscription)) => subscription.topics,
                Err(_unreadable) => Vec::new(),
            },
        });
        let shares = match assign {
            Assign::Range => range(subscribers.collect(), &self.partitions),
            Assign::Itself => {
                let itself = subscribers.filter(|one| one.member.as_str() == self.member_id);
                range(itself.collect(), &self.partitions)
            }
            Assign::Nothing => Vec::new(),
        };
        shares
            .into_iter()
            .map(|(member, topics)| {
                let share = ConsumerProtocolAssignment {
                    assigned_partitions: partitions(&topics),
                    ..Default::default()
                };
                SyncGroupRequestAssignment {
                    member_id: member.as_str().to_owned(),
                    assignment: share.to_bytes(3).unwrap_or_default(),
                }
            })
            .collect()
    }

    fn heartbeat(&self, told: &Heartbeat, version: i16) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: self.told.group.clone(),
            generation_id: told.generation.unwrap_or(self.generation),
            member_id: self.named(told.member_id.as_ref()),
            group_instance_id: self.instance(version, 3),
        }
    }

    fn leave_group(&self, told: &LeaveGroup, version: i16) -> LeaveGroupRequest {
        let member_id = self.named(told.member_id.as_ref());
        let group_id = self.told.group.clone();
        if version < 3 {
            return LeaveGroupRequest {
                group_id,
                member_id,
                members: Vec::new(),
            };
        }
        LeaveGroupRequest {
            group_id,
            members: vec![MemberIdentity {
                member_id,
                group_instance_id: self.told.instance.clone(),
                reason: told.reason.clone(),
            }],
            ..Default::default()
        }
    }

    fn offset_commit(&mut self, told: &OffsetCommit, version: i16) -> OffsetCommitRequest {
        let place = (told.topic.clone(), told.partition);
        let offset = match self.committed.get(&place) {
            Some(last) => last.saturating_add(told.advance),
            None => told.offset,
        };
        self.committed.insert(place, offset);
        OffsetCommitRequest {
            group_id: self.told.group.clone(),
            generation_id_or_member_epoch: told.generation.unwrap_or(self.generation),
            member_id: self.named(told.member_id.as_ref()),
            group_instance_id: self.instance(version, 7),
            topics: vec![OffsetCommitRequestTopic {
                name: told.topic.clone(),
                partitions: vec![OffsetCommitRequestPartition {
                    partition_index: told.partition,
                    committed_offset: offset,
                    committed_metadata: Some(String::new()),
                    ..Default::default()
                }],
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    fn find_coordinator(&self, version: i16) -> FindCoordinatorRequest {
        let group = self.told.group.clone();
        if version < 4 {
            return FindCoordinatorRequest {
                key: group,
                ..Default::default()
            };
        }
        FindCoordinatorRequest {
            coordinator_keys: vec![group],
            ..Default::default()
        }
    }

    /// Learns from an answer; its error code.
    pub(super) fn take(&mut self, answer: &AnyResponse) -> i16 {
        let code = answer.error_code().unwrap_or(NONE);
        if let AnyResponse::JoinGroup(joined) = answer {
            if code == MEMBER_ID_REQUIRED || code == NONE {
                self.member_id.clone_from(&joined.member_id);
            }
            if code == NONE {
                self.generation = joined.generation_id;
                self.protocol.clone_from(&joined.protocol_name);
                self.members.clone_from(&joined.members);
            }
        }
        code
    }

    /// Whether an answer to this frame says "again, with this id".
    pub(super) fn must_ask_again(frame: &Frame, code: i16) -> bool {
        matches!(frame, Frame::JoinGroup(told) if told.handshake && code == MEMBER_ID_REQUIRED)
    }
}

/// The frame again, with the id that the answer brought.
pub(super) fn again(frame: &Frame) -> Frame {
    match frame {
        Frame::JoinGroup(told) => Frame::JoinGroup(JoinGroup {
            member_id: None,
            handshake: false,
            ..told.clone()
        }),
        other => other.clone(),
    }
}

/// Where the coordinator is, where an answer says so.
pub(super) fn found(answer: &AnyResponse) -> Option<Found> {
    let AnyResponse::FindCoordinator(FindCoordinatorResponse {
        error_code,
        host,
        port,
        coordinators,
        ..
    }) = answer
    else {
        return None;
    };
    match coordinators.first() {
        Some(first) => (first.error_code == NONE).then(|| Found {
            host: first.host.clone(),
            port: first.port,
        }),
        None => (*error_code == NONE && !host.is_empty()).then(|| Found {
            host: host.clone(),
            port: *port,
        }),
    }
}

fn partitions(topics: &BTreeMap<String, Vec<i32>>) -> Vec<TopicPartition> {
    topics
        .iter()
        .map(|(topic, partitions)| TopicPartition {
            topic: topic.clone(),
            partitions: partitions.clone(),
        })
        .collect()
}

fn produce(told: &Produce) -> ProduceRequest {
    ProduceRequest {
        acks: -1,
        timeout_ms: PRODUCE_MS,
        topic_data: vec![TopicProduceData {
            name: told.topic.clone(),
            partition_data: vec![PartitionProduceData {
                index: told.partition,
                records: Some(Records(batch(told.records))),
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

fn fetch(told: &Fetch) -> FetchRequest {
    FetchRequest {
        max_wait_ms: told.max_wait_ms,
        min_bytes: 1,
        max_bytes: FETCH_BYTES,
        topics: vec![FetchTopic {
            topic: told.topic.clone(),
            partitions: vec![FetchPartition {
                partition: told.partition,
                fetch_offset: told.offset,
                partition_max_bytes: FETCH_BYTES,
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}
