//! Requests written down in a version: which field carries what, since when.

use super::config::Config;
use super::link::Ask;
use super::membership::Membership;
use crate::ids::InstanceId;
use crate::protocol::{
    AnyRequest, ConsumerProtocol, ConsumerProtocolSubscription, FindCoordinatorRequest, HeartbeatRequest,
    JoinGroupRequest, JoinGroupRequestProtocol, LeaveGroupRequest, MemberIdentity, Message, SyncGroupRequest,
};
use crate::rules::VersionRule;
use crate::time::Millis;

/// The protocol type of consumer groups.
pub(super) const PROTOCOL_TYPE: &str = "consumer";

/// The one assignor a member of ours offers.
pub(super) const ASSIGNOR: &str = "range";

/// `ask` as `version` has it, for the membership it was made with.
pub(super) fn write(config: &Config, by: &Membership, ask: Ask, version: i16) -> AnyRequest {
    let group_id = config.group.as_str().to_owned();
    let member_id = by.member_id.as_str().to_owned();
    let instance = |since: i16| instance_from(config, version, since);
    match ask {
        Ask::FindCoordinator if version < 4 => FindCoordinatorRequest {
            key: group_id,
            ..Default::default()
        }
        .into(),
        Ask::FindCoordinator => FindCoordinatorRequest {
            coordinator_keys: vec![group_id],
            ..Default::default()
        }
        .into(),
        Ask::JoinGroup { topics, reason } => JoinGroupRequest {
            group_id,
            session_timeout_ms: int32(config.session_timeout),
            rebalance_timeout_ms: int32(config.rebalance_timeout),
            member_id,
            group_instance_id: instance(5),
            protocol_type: PROTOCOL_TYPE.to_owned(),
            protocols: vec![JoinGroupRequestProtocol {
                name: ASSIGNOR.to_owned(),
                metadata: subscription(config.rules.version, &topics),
            }],
            reason: Some(reason.to_owned()),
        }
        .into(),
        Ask::SyncGroup { assignments } => SyncGroupRequest {
            group_id,
            generation_id: by.generation.0,
            member_id,
            group_instance_id: instance(3),
            protocol_type: Some(PROTOCOL_TYPE.to_owned()),
            protocol_name: Some(by.protocol.as_deref().unwrap_or(ASSIGNOR).to_owned()),
            assignments,
        }
        .into(),
        Ask::Heartbeat => HeartbeatRequest {
            group_id,
            generation_id: by.generation.0,
            member_id,
            group_instance_id: instance(3),
        }
        .into(),
        Ask::LeaveGroup { .. } if version < 3 => LeaveGroupRequest {
            group_id,
            member_id,
            ..Default::default()
        }
        .into(),
        Ask::LeaveGroup { reason } => LeaveGroupRequest {
            group_id,
            members: vec![MemberIdentity {
                member_id,
                group_instance_id: instance(3),
                reason,
            }],
            ..Default::default()
        }
        .into(),
    }
}

fn instance_from(config: &Config, version: i16, since: i16) -> Option<String> {
    let instance = config.instance.as_ref().filter(|_| version >= since);
    instance.map(InstanceId::as_str).map(str::to_owned)
}

/// The configuration was checked: every time fits.
fn int32(time: Millis) -> i32 {
    i32::try_from(time.0).unwrap_or(i32::MAX)
}

/// What the member wants, without what it holds and since when: a follower that rejoins with the same bytes causes no
/// rebalance (protocol.md 3.3), and a monitor should cause none.
fn subscription(rule: VersionRule, topics: &[String]) -> Vec<u8> {
    let wanted = ConsumerProtocolSubscription {
        topics: topics.to_vec(),
        ..Default::default()
    };
    let versions = ConsumerProtocolSubscription::SCHEMA.versions;
    let version = match rule {
        VersionRule::LowestCommon => versions.min,
        VersionRule::HighestCommon => versions.max,
    };
    // It cannot fail: every version carries these fields, and the length of each topic was checked.
    wanted.to_bytes(version).unwrap_or_default()
}
