//! LeaveGroup (protocol.md 3.6; Kafka's `classicGroupLeaveToClassicGroup`).

use shared::error_code as code;
use shared::event::{Change, EvictionCause, RebalanceCause};
use shared::ids::MemberId;
use shared::protocol::{LeaveGroupResponse, MemberIdentity, MemberResponse};

use super::story::Cause;
use super::{Desk, Group, State};

/// A client's reason is shown, not more of it (Kafka's clients cut it there too).
const REASON_CHARS: usize = 255;

impl Group {
    /// These members leave: one rebalance for all of them together.
    pub(crate) fn leave(&mut self, desk: &mut Desk, members: Vec<MemberIdentity>) -> LeaveGroupResponse {
        if self.state == State::Dead {
            return LeaveGroupResponse {
                error_code: code::COORDINATOR_NOT_AVAILABLE,
                ..Default::default()
            };
        }
        let mut gone = None;
        let mut responses = Vec::with_capacity(members.len());
        let mut any = false;
        for identity in members {
            let left = self.let_go(desk, &identity);
            any |= left.is_ok();
            if let Ok(Some(member)) = &left {
                gone.get_or_insert_with(|| member.clone());
            }
            responses.push(MemberResponse {
                member_id: identity.member_id,
                group_instance_id: identity.group_instance_id,
                error_code: left.err().unwrap_or(code::NONE),
            });
        }
        if any {
            self.go_on_without(desk, RebalanceCause::MemberLeft, gone);
        }
        LeaveGroupResponse {
            members: responses,
            ..Default::default()
        }
    }

    /// These members are out because somebody else came, as no Kafka does it: one rebalance for all of them together.
    pub(crate) fn displace(&mut self, desk: &mut Desk, others: Vec<MemberId>) {
        let mut gone = None;
        for id in others {
            if self.remove(desk, id.as_str()).is_some() {
                let cause = EvictionCause::Displaced;
                desk.observe(&self.id, Some(&id), Change::MemberEvicted { cause });
                gone.get_or_insert(id);
            }
        }
        if gone.is_some() {
            self.go_on_without(desk, RebalanceCause::MemberEvicted, gone);
        }
    }

    fn go_on_without(&mut self, desk: &mut Desk, why: RebalanceCause, member: Option<MemberId>) {
        let cause = Cause::Rebalance { why, member };
        match self.state {
            State::Stable | State::CompletingRebalance => self.rebalance_or_complete(desk, cause),
            State::PreparingRebalance => self.complete_join_if_all_are_here(desk),
            State::Empty | State::Dead => {}
        }
    }

    /// One of them: the member that went, none where it was an id handed out but not used.
    fn let_go(&mut self, desk: &mut Desk, identity: &MemberIdentity) -> Result<Option<MemberId>, i16> {
        let MemberIdentity {
            member_id,
            group_instance_id: instance,
            ..
        } = identity;
        if member_id.is_empty() {
            // An administrator removes a static member by its name.
            let holder = instance
                .as_deref()
                .and_then(|instance| self.instances.get(instance))
                .cloned();
            let holder = holder.ok_or(code::UNKNOWN_MEMBER_ID)?;
            return Ok(self.dismiss(desk, holder.as_str(), "removed by its group.instance.id"));
        }
        if self.drop_pending(desk, member_id).is_some() {
            return Ok(None);
        }
        self.admit(desk, member_id, instance.as_deref())?;
        let reason: String = identity
            .reason
            .iter()
            .flat_map(|text| text.chars())
            .take(REASON_CHARS)
            .collect();
        let cause = if reason.is_empty() { "LeaveGroup" } else { &reason };
        Ok(self.dismiss(desk, member_id, cause))
    }

    fn dismiss(&mut self, desk: &mut Desk, id: &str, cause: &str) -> Option<MemberId> {
        let member = self.remove(desk, id)?;
        desk.observe(
            &self.id,
            Some(&member.id),
            Change::MemberLeft {
                cause: cause.to_owned(),
            },
        );
        Some(member.id)
    }
}
