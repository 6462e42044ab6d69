//! What a test says: configurations, brokers' versions, answers.

use crate::ids::{GroupId, NodeId};
use crate::member::{Config, Peer};
use crate::protocol::{
    ApiKey, ApiVersion, ApiVersionsResponse, BrokerVersions, Coordinator, FindCoordinatorResponse,
    HeartbeatResponse, JoinGroupResponse, JoinGroupResponseMember, LeaveGroupResponse, MemberResponse,
    SyncGroupResponse, VersionRange,
};
use crate::rules::Rules;
use crate::time::{Millis, Timestamp};

pub(super) const GROUP: &str = "orders";
pub(super) const CLIENT: &str = "probe-1";

pub(super) fn ms(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// The catalogue's defaults: session 10000, heartbeat 3000, rebalance 60000, request 40000, backoff 100 to 1000.
pub(super) fn config(rules: Rules) -> Config {
    Config {
        session_timeout: Millis(10_000),
        request_timeout: Millis(40_000),
        ..Config::new(GroupId::from(GROUP), CLIENT, rules)
    }
}

/// What a broker of Kafka 3.9 or 4.x says it understands.
pub(super) fn versions() -> BrokerVersions {
    versions_with(&[])
}

/// The same, with other ranges for some requests.
pub(super) fn versions_with(others: &[(ApiKey, i16, i16)]) -> BrokerVersions {
    let api_keys = ApiKey::ALL.iter().map(|key| {
        let VersionRange { min, max } = key.versions();
        let other = others.iter().find(|(other, ..)| other == key);
        let (min, max) = other.map_or((min, max), |(_, min, max)| (*min, *max));
        ApiVersion {
            api_key: i16::from(*key),
            min_version: min,
            max_version: max,
        }
    });
    BrokerVersions::from(&ApiVersionsResponse {
        api_keys: api_keys.collect(),
        ..Default::default()
    })
}

pub(super) fn found(version: i16, node: i32) -> FindCoordinatorResponse {
    let (host, port) = (format!("broker-{node}"), 9092);
    if version < 4 {
        return FindCoordinatorResponse {
            node_id: node,
            host,
            port,
            ..Default::default()
        };
    }
    FindCoordinatorResponse {
        coordinators: vec![Coordinator {
            key: GROUP.to_owned(),
            node_id: node,
            host,
            port,
            ..Default::default()
        }],
        ..Default::default()
    }
}

pub(super) fn coordinator(node: i32) -> Peer {
    Peer::Coordinator {
        node: NodeId(node),
        host: format!("broker-{node}"),
        port: 9092,
    }
}

/// JoinGroup answered: `member` is in `generation`, led by `leader`, who gets the list.
pub(super) fn joined(member: &str, generation: i32, leader: &str, members: &[&str]) -> JoinGroupResponse {
    JoinGroupResponse {
        generation_id: generation,
        protocol_type: Some("consumer".to_owned()),
        protocol_name: Some("range".to_owned()),
        leader: leader.to_owned(),
        member_id: member.to_owned(),
        members: if member == leader {
            members.iter().map(|id| listed(id)).collect()
        } else {
            Vec::new()
        },
        ..Default::default()
    }
}

pub(super) fn listed(member: &str) -> JoinGroupResponseMember {
    JoinGroupResponseMember {
        member_id: member.to_owned(),
        ..Default::default()
    }
}

pub(super) fn synced() -> SyncGroupResponse {
    SyncGroupResponse::default()
}

pub(super) fn beat(code: i16) -> HeartbeatResponse {
    HeartbeatResponse {
        error_code: code,
        ..Default::default()
    }
}

/// LeaveGroup answered, each member with its code.
pub(super) fn left(members: &[i16]) -> LeaveGroupResponse {
    let members = members.iter().map(|code| MemberResponse {
        member_id: "consumer".to_owned(),
        group_instance_id: None,
        error_code: *code,
    });
    LeaveGroupResponse {
        members: members.collect(),
        ..Default::default()
    }
}
