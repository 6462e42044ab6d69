//! What comes before a request reaches its group: is the request sound, is there such a group, may there be one more.

use std::collections::BTreeSet;

use super::classic::{self, answer_each, names_a_partition};
use super::*;

/// From this version on SyncGroup must say which protocol it is about (KIP-559).
const SYNC_NAMES_PROTOCOL: i16 = 5;
/// From this version on a leave names each member, and each has its own answer (KIP-345).
const LEAVES_BY_MEMBER: i16 = 3;
/// From this version on an unknown group is an error of its own (KIP-1043).
const DESCRIBES_UNKNOWN: i16 = 6;
/// From this version on a commit may say that there is no such group (KIP-848).
const COMMIT_KNOWS_GROUPS: i16 = 9;

impl Coordinator {
    pub(super) fn join_group(&mut self, call: Call<'_>, request: JoinGroupRequest) {
        if let Err(error) = self.check_join(call, &request) {
            return self.refuse(call, request, error);
        }
        if let Some(error) = self.partitions.refusal(&request.group_id) {
            return self.refuse(call, request, error);
        }
        let group = GroupId::from(request.group_id.as_str());
        let is_new = !self.groups.contains_key(&group);
        if is_new {
            // Only a newcomer makes a group; an id of ours would have come from one that is there.
            if !request.member_id.is_empty() {
                return self.refuse(call, request, code::UNKNOWN_MEMBER_ID);
            }
            if !self.make(&group) {
                return self.refuse(call, request, code::COORDINATOR_NOT_AVAILABLE);
            }
        }
        self.with(group.as_str(), |group, desk| {
            group.establish(desk, Some(&request.protocol_type));
            if is_new {
                // It is there from now on, also after a restart, whatever becomes of this join.
                group.append_standing(desk);
            }
            group.join(desk, call, request);
        });
    }

    fn check_join(&self, call: Call<'_>, request: &JoinGroupRequest) -> Result<(), i16> {
        let config = &self.desk.config;
        let session = u64::try_from(request.session_timeout_ms).ok().map(Millis);
        let sessions = config.min_session_timeout..=config.max_session_timeout;
        let too_long = |text: &str| text.len() > limits::COORDINATOR_NAME_BYTES;
        if request.group_id.is_empty() || request.group_id.len() > limits::GROUP_ID_BYTES {
            Err(code::INVALID_GROUP_ID)
        } else if !session.is_some_and(|session| sessions.contains(&session)) {
            Err(code::INVALID_SESSION_TIMEOUT)
        } else if too_long(call.from.client_id)
            || too_long(&request.protocol_type)
            || request.group_instance_id.as_deref().is_some_and(too_long)
            || request.protocols.len() > limits::COORDINATOR_PROTOCOLS
        {
            Err(code::INVALID_REQUEST)
        } else {
            Ok(())
        }
    }

    /// Makes a group, if there may be one more.
    fn make(&mut self, id: &GroupId) -> bool {
        let bytes = id.as_str().len();
        let room = self.groups.len() < limits::COORDINATOR_GROUPS && self.desk.load.has_room_for_bytes(bytes);
        if room {
            self.desk.load.bytes += bytes;
            self.groups.insert(id.clone(), Group::new(id.clone()));
        }
        room
    }

    pub(super) fn sync_group(&mut self, call: Call<'_>, request: SyncGroupRequest) {
        let unnamed = request.protocol_type.is_none() || request.protocol_name.is_none();
        // Before anything is asked of the group (`KafkaApis.handleSyncGroupRequest`).
        if call.version >= SYNC_NAMES_PROTOCOL && unnamed {
            self.refuse(call, request, code::INCONSISTENT_GROUP_PROTOCOL);
        } else if request.group_id.is_empty() {
            self.refuse(call, request, code::INVALID_GROUP_ID);
        } else if let Some(error) = self.partitions.refusal(&request.group_id) {
            // 14 would be the end of a Java client, which takes it for an error nobody told it of.
            let loading = error == code::COORDINATOR_LOAD_IN_PROGRESS;
            let error = if loading {
                code::REBALANCE_IN_PROGRESS
            } else {
                error
            };
            self.refuse(call, request, error);
        } else if !self.groups.contains_key(request.group_id.as_str()) {
            self.refuse(call, request, code::UNKNOWN_MEMBER_ID);
        } else {
            let id = request.group_id.clone();
            self.with(&id, |group, desk| group.sync(desk, call, request));
        }
    }

    pub(super) fn heartbeat(&mut self, call: Call<'_>, request: &HeartbeatRequest) {
        let refused = if request.group_id.is_empty() {
            Some(code::INVALID_GROUP_ID)
        } else if let Some(error) = self.partitions.refusal(&request.group_id) {
            // Answered blindly while loading, so that a restart does not throw everybody out.
            let loading = error == code::COORDINATOR_LOAD_IN_PROGRESS;
            Some(if loading { code::NONE } else { error })
        } else {
            let known = self.with(&request.group_id, |group, desk| {
                group.heartbeat(desk, call, request)
            });
            known.is_none().then_some(code::UNKNOWN_MEMBER_ID)
        };
        if let Some(error_code) = refused {
            self.desk.reply(
                call.ticket,
                HeartbeatResponse {
                    error_code,
                    ..HeartbeatResponse::default()
                },
            );
        }
    }

    pub(super) fn leave_group(&mut self, call: Call<'_>, request: LeaveGroupRequest) {
        if request.group_id.is_empty() {
            return self.refuse(call, request, code::INVALID_GROUP_ID);
        }
        if let Some(error) = self.partitions.refusal(&request.group_id) {
            return self.refuse(call, request, error);
        }
        let members = if call.version >= LEAVES_BY_MEMBER {
            request.members
        } else {
            vec![MemberIdentity {
                member_id: request.member_id,
                ..MemberIdentity::default()
            }]
        };
        let unknown = |members: Vec<MemberIdentity>| {
            let refuse = |identity: MemberIdentity| MemberResponse {
                member_id: identity.member_id,
                group_instance_id: identity.group_instance_id,
                error_code: code::UNKNOWN_MEMBER_ID,
            };
            let members = members.into_iter().map(refuse).collect();
            LeaveGroupResponse {
                members,
                ..LeaveGroupResponse::default()
            }
        };
        let mut response = if self.groups.contains_key(request.group_id.as_str()) {
            self.with(&request.group_id, |group, desk| group.leave(desk, members))
                .unwrap_or_default()
        } else {
            unknown(members)
        };
        if call.version < LEAVES_BY_MEMBER
            && let Some(member) = response.members.pop()
        {
            response.error_code = member.error_code;
        }
        self.desk.reply(call.ticket, response);
    }

    pub(super) fn offset_commit(&mut self, call: Call<'_>, request: OffsetCommitRequest) {
        let version = call.version;
        let id = GroupId::from(request.group_id.as_str());
        let from_outside = request.generation_id_or_member_epoch < 0;
        let refused = if id.as_str().len() > limits::GROUP_ID_BYTES {
            Some(code::INVALID_GROUP_ID)
        } else if let Some(error) = self.partitions.refusal(id.as_str()) {
            Some(error)
        } else if self.groups.contains_key(&id) {
            None
        } else if !from_outside {
            let by_name = version >= COMMIT_KNOWS_GROUPS;
            Some(if by_name {
                code::GROUP_ID_NOT_FOUND
            } else {
                code::ILLEGAL_GENERATION
            })
        } else if !names_a_partition(&self.desk.topics, version, &request) {
            Some(code::UNKNOWN_TOPIC_OR_PARTITION)
        } else if !self.make(&id) {
            Some(code::COORDINATOR_NOT_AVAILABLE)
        } else {
            None
        };
        if let Some(error) = refused {
            let response = answer_each(&self.desk.topics, version, request, |_, _| error);
            return self.desk.reply(call.ticket, response);
        }
        self.with(id.as_str(), |group, desk| group.commit(desk, call, request));
    }

    pub(super) fn describe_groups(&mut self, call: Call<'_>, request: &DescribeGroupsRequest) {
        let describe = |id: &String| match (self.partitions.refusal(id), self.groups.get(id.as_str())) {
            (Some(error_code), _) => DescribedGroup {
                error_code,
                group_id: id.into(),
                ..DescribedGroup::default()
            },
            (None, Some(group)) if group.is_listed() => group.describe(),
            (None, _) => not_found(id, call.version),
        };
        // Asked for twice, a group is told once: else a short question could have an answer without end.
        let mut told = BTreeSet::new();
        let asked = request.groups.iter().filter(|id| told.insert(id.as_str()));
        let groups = asked.map(describe).collect();
        self.desk.reply(
            call.ticket,
            DescribeGroupsResponse {
                groups,
                ..DescribeGroupsResponse::default()
            },
        );
    }

    pub(super) fn list_groups(&mut self, call: Call<'_>, request: &ListGroupsRequest) {
        if self.partitions.any_loads() {
            return self.refuse(call, request.clone(), code::COORDINATOR_LOAD_IN_PROGRESS);
        }
        let (states, types) = (&request.states_filter, &request.types_filter);
        let groups = self
            .groups
            .values()
            .filter_map(|group| group.listed(states, types))
            .collect();
        self.desk.reply(
            call.ticket,
            ListGroupsResponse {
                groups,
                ..ListGroupsResponse::default()
            },
        );
    }
}

fn not_found(id: &str, version: i16) -> DescribedGroup {
    let told = version >= DESCRIBES_UNKNOWN;
    DescribedGroup {
        error_code: if told {
            code::GROUP_ID_NOT_FOUND
        } else {
            code::NONE
        },
        error_message: told.then(|| format!("Group {id} not found.")),
        group_id: id.into(),
        group_state: classic::State::Dead.name().into(),
        ..DescribedGroup::default()
    }
}
