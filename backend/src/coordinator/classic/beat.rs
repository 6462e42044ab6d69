//! Heartbeat (protocol.md 3.5; Kafka's `classicGroupHeartbeatToClassicGroup`), and who may speak for a member.

use shared::error_code as code;
use shared::event::Change;
use shared::ids::Generation;
use shared::protocol::{HeartbeatRequest, HeartbeatResponse};

use super::{Desk, Group, State};
use crate::coordinator::Call;
use crate::coordinator::refusals::Asker;

impl Group {
    /// A member says that it is alive.
    pub(crate) fn heartbeat(&mut self, desk: &mut Desk, call: Call<'_>, request: &HeartbeatRequest) {
        let error_code = self.judge_heartbeat(desk, request);
        desk.reply(
            call.ticket,
            HeartbeatResponse {
                error_code,
                ..HeartbeatResponse::default()
            },
        );
        if self.members.contains_key(request.member_id.as_str()) {
            self.heartbeat_came(desk, request, error_code);
        } else if let Some(asker) = Asker::of_stranger(request, call.from, desk.now) {
            // Somebody who was removed and does not know it yet.
            desk.refused(asker, error_code);
        }
    }

    fn judge_heartbeat(&mut self, desk: &mut Desk, request: &HeartbeatRequest) -> i16 {
        if self.state == State::Dead {
            return code::COORDINATOR_NOT_AVAILABLE;
        }
        if let Err(error) = self.admit(desk, &request.member_id, request.group_instance_id.as_deref()) {
            return error;
        }
        if request.generation_id != self.generation {
            return code::ILLEGAL_GENERATION;
        }
        match self.state {
            State::Empty | State::Dead => code::UNKNOWN_MEMBER_ID,
            State::PreparingRebalance => {
                self.renew(desk, &request.member_id);
                code::REBALANCE_IN_PROGRESS
            }
            State::CompletingRebalance | State::Stable => {
                self.renew(desk, &request.member_id);
                code::NONE
            }
        }
    }

    /// Tells of a member's heartbeat and its answer. Of strangers nothing is told: their ids would fill the board.
    pub(crate) fn heartbeat_came(&self, desk: &mut Desk, request: &HeartbeatRequest, error: i16) {
        if let Some(member) = self.members.get(request.member_id.as_str()) {
            let generation = Generation(request.generation_id);
            desk.observe(
                &self.id,
                Some(&member.id),
                Change::HeartbeatReceived { generation, error },
            );
        }
    }

    /// [`Group::check_member`], and when it answers 82 to the id that held the seat before, that one knows it now.
    pub(super) fn admit(&mut self, desk: &mut Desk, member: &str, instance: Option<&str>) -> Result<(), i16> {
        let checked = self.check_member(member, instance);
        if checked == Err(code::FENCED_INSTANCE_ID)
            && let Some(holder) = instance.and_then(|instance| self.instances.get(instance))
            && let Some(holder) = self.members.get_mut(holder)
            && holder.fenced.as_ref().is_some_and(|id| id.as_str() == member)
        {
            let fenced = holder.fenced.take();
            let cause = "it was answered 82: its instance id has a new member".to_owned();
            desk.observe(&self.id, fenced.as_ref(), Change::MemberFenced { cause });
        }
        checked
    }
}
