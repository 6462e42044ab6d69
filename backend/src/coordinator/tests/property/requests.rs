//! The requests that the steps of a run stand for.

use shared::protocol::{
    HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol, LeaveGroupRequest, MemberIdentity,
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic, SyncGroupRequest,
    SyncGroupRequestAssignment,
};

use super::run::Run;
use super::{Terms, Who};
use crate::coordinator::classic::Group;

pub(super) fn name(group: u8) -> String {
    format!("g{group}")
}

fn instance(who: Who) -> Option<String> {
    who.instance.map(|n| format!("i{n}"))
}

fn protocol(name: &str, metadata: u8) -> JoinGroupRequestProtocol {
    JoinGroupRequestProtocol {
        name: name.into(),
        metadata: vec![metadata],
    }
}

impl Run {
    fn id(&self, who: Who) -> String {
        who.member.map_or(String::new(), |at| {
            self.ids[usize::from(at) % self.ids.len()].clone()
        })
    }

    fn group(&self, group: u8) -> Option<&Group> {
        self.coordinator.groups.get(name(group).as_str())
    }

    fn generation(&self, group: u8, off: i32) -> i32 {
        self.group(group).map_or(0, Group::generation).wrapping_add(off)
    }

    /// All members of a group but one, with their instance ids.
    fn members(&self, group: u8, but: u8) -> impl Iterator<Item = (String, Option<String>)> {
        let all = self.group(group).into_iter().flat_map(Group::members).enumerate();
        all.filter(move |(at, _)| *at != usize::from(but))
            .map(|(_, member)| {
                let instance = member.instance.as_ref().map(|id| id.as_str().to_owned());
                (member.id.as_str().to_owned(), instance)
            })
    }

    pub(super) fn joining(&self, who: Who, terms: Terms) -> JoinGroupRequest {
        let Terms {
            kind,
            session,
            rebalance,
            ..
        } = terms;
        let only_b = kind == 2;
        JoinGroupRequest {
            group_id: name(who.group),
            session_timeout_ms: session,
            rebalance_timeout_ms: rebalance,
            member_id: self.id(who),
            group_instance_id: instance(who),
            protocol_type: if kind == 3 { "connect" } else { "consumer" }.into(),
            protocols: ["a", "b"]
                .iter()
                .skip(only_b.into())
                .map(|name| protocol(name, kind))
                .collect(),
            reason: None,
        }
    }

    pub(super) fn syncing(&self, who: Who, off: i32) -> SyncGroupRequest {
        let part = |id: &String| SyncGroupRequestAssignment {
            member_id: id.clone(),
            assignment: vec![1, 2],
        };
        SyncGroupRequest {
            group_id: name(who.group),
            generation_id: self.generation(who.group, off),
            member_id: self.id(who),
            group_instance_id: instance(who),
            assignments: self.ids.iter().skip(1).map(part).collect(),
            ..Default::default()
        }
    }

    pub(super) fn beating(&self, who: Who, off: i32) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: name(who.group),
            generation_id: self.generation(who.group, off),
            member_id: self.id(who),
            group_instance_id: instance(who),
        }
    }

    pub(super) fn leaving(&self, who: Who) -> LeaveGroupRequest {
        let leaving = MemberIdentity {
            member_id: self.id(who),
            group_instance_id: instance(who),
            reason: None,
        };
        let members = vec![leaving.clone(), leaving];
        LeaveGroupRequest {
            group_id: name(who.group),
            members,
            ..Default::default()
        }
    }

    pub(super) fn committing(&self, who: Who, off: i32, note: usize) -> OffsetCommitRequest {
        let partition = |partition_index| OffsetCommitRequestPartition {
            partition_index,
            committed_metadata: Some("n".repeat(note)),
            ..Default::default()
        };
        let topic = OffsetCommitRequestTopic {
            name: "demo".into(),
            partitions: (0..3).map(partition).collect(),
            ..Default::default()
        };
        OffsetCommitRequest {
            group_id: name(who.group),
            generation_id_or_member_epoch: who.member.map_or(-1, |_| self.generation(who.group, off)),
            member_id: self.id(who),
            topics: vec![topic],
            ..Default::default()
        }
    }

    pub(super) fn rejoining(&self, group: u8, but: u8) -> Vec<JoinGroupRequest> {
        let rejoin = |(member_id, group_instance_id)| JoinGroupRequest {
            group_id: name(group),
            session_timeout_ms: 3_000 + 4_000 * i32::from(but),
            rebalance_timeout_ms: 25_000,
            member_id,
            group_instance_id,
            protocol_type: "consumer".into(),
            protocols: vec![protocol("b", but)],
            reason: None,
        };
        self.members(group, but).map(rejoin).collect()
    }

    pub(super) fn all_syncing(&self, group: u8, but: u8) -> Vec<SyncGroupRequest> {
        let generation_id = self.generation(group, 0);
        let sync = |(member_id, group_instance_id)| SyncGroupRequest {
            group_id: name(group),
            generation_id,
            member_id,
            group_instance_id,
            ..Default::default()
        };
        self.members(group, but).map(sync).collect()
    }
}
