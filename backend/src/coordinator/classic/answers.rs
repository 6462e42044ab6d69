//! What a group says back: JoinGroup and SyncGroup answers, in the shape each version wants (protocol.md 2.6, 3.3).

use shared::error_code as code;
use shared::event::{Change, Joined};
use shared::ids::{Generation, MemberId};
use shared::protocol::{JoinGroupResponse, JoinGroupResponseMember, SyncGroupResponse};
use shared::time::Millis;

use super::member::{Member, Parked};
use super::{Desk, Group};

/// A refused JoinGroup: no generation, no protocol, no leader.
pub(crate) fn join_refused(version: i16, error: i16, member_id: &str) -> JoinGroupResponse {
    JoinGroupResponse {
        error_code: error,
        generation_id: Generation::NONE.0,
        protocol_name: protocol_name(version, None),
        member_id: member_id.into(),
        ..JoinGroupResponse::default()
    }
}

/// A refused SyncGroup.
pub(crate) fn sync_refused(error: i16) -> SyncGroupResponse {
    SyncGroupResponse {
        error_code: error,
        ..SyncGroupResponse::default()
    }
}

/// "No protocol" is null from version 7 on and empty before (KIP-559).
fn protocol_name(version: i16, name: Option<&str>) -> Option<String> {
    match name {
        Some(name) if !name.is_empty() => Some(name.into()),
        _ if version >= 7 => None,
        _ => Some(String::new()),
    }
}

impl Group {
    /// The answer that tells a member the current generation; the list of members goes to whom it is given.
    pub(super) fn join_accepted(
        &self,
        version: i16,
        member: &MemberId,
        leader: &MemberId,
        members: Vec<JoinGroupResponseMember>,
    ) -> JoinGroupResponse {
        JoinGroupResponse {
            error_code: code::NONE,
            generation_id: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol_name: protocol_name(version, self.protocol.as_deref()),
            leader: leader.as_str().into(),
            member_id: member.as_str().into(),
            members,
            ..JoinGroupResponse::default()
        }
    }

    /// All members with what they told under the chosen protocol, by order of arrival: what the leader assigns from.
    pub(super) fn list_for_leader(&self) -> Vec<JoinGroupResponseMember> {
        let protocol = self.protocol.as_deref().unwrap_or_default();
        let row = |member: &Member| JoinGroupResponseMember {
            member_id: member.id.as_str().into(),
            group_instance_id: member.instance.as_ref().map(|id| id.as_str().into()),
            metadata: member.protocols.metadata(protocol).unwrap_or_default().into(),
        };
        self.in_order().into_iter().map(row).collect()
    }

    /// Answers a member's JoinGroup with the generation as it stands: the list goes to the leader.
    pub(super) fn answer_join(&self, desk: &mut Desk, member: &MemberId, parked: Parked) {
        let leader = self.leader.clone().unwrap_or_default();
        let list = if *member == leader {
            self.list_for_leader()
        } else {
            Vec::new()
        };
        desk.reply(
            parked.ticket,
            self.join_accepted(parked.version, member, &leader, list),
        );
    }

    /// Answers whatever a member has parked with an error.
    pub(super) fn answer_parked(
        &mut self,
        desk: &mut Desk,
        member: &mut Member,
        error: i16,
        id: &str,
    ) -> bool {
        let (join, sync) = (member.join.take(), member.sync.take());
        if let Some(parked) = join {
            self.parked_joins -= 1;
            desk.reply(parked.ticket, join_refused(parked.version, error, id));
        }
        if let Some(parked) = sync {
            desk.reply(parked.ticket, sync_refused(error));
        }
        join.is_some() || sync.is_some()
    }

    /// Hands a member its part of the assignment: with that it is in.
    pub(super) fn answer_sync(&mut self, desk: &mut Desk, member: &MemberId, parked: Parked) {
        let Some(record) = self.members.get_mut(member) else {
            return;
        };
        let response = SyncGroupResponse {
            error_code: code::NONE,
            protocol_type: self.protocol_type.clone(),
            protocol_name: self.protocol.clone(),
            assignment: record.assignment.clone(),
            ..SyncGroupResponse::default()
        };
        desk.reply(parked.ticket, response);
        let Some(since) = record.joining_since.take() else {
            return;
        };
        let took = Millis(desk.since(since));
        let joined = Joined {
            session_ran_ms: record.session_ran(desk.now).map(|ran| ran.0),
            ..record.joined(self.generation, Some(took))
        };
        let been_in = std::mem::replace(&mut record.has_been_in, true);
        let change = if been_in {
            Change::MemberRejoined(joined)
        } else {
            Change::MemberJoined(joined)
        };
        desk.observe(&self.id, Some(member), change);
    }
}
