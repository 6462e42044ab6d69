//! SyncGroup (protocol.md 3.4; Kafka's `classicGroupSyncToClassicGroup`).

use std::collections::BTreeMap;

use shared::error_code as code;
use shared::event::{Change, RebalanceCause};
use shared::ids::{Generation, MemberId};
use shared::protocol::{SyncGroupRequest, SyncGroupRequestAssignment};

use super::answers::sync_refused;
use super::story::Cause;
use super::{Desk, Group, Parked, State, Waiting};
use crate::coordinator::Call;
use crate::coordinator::timers::Timer;

impl Group {
    /// A member asks for its part; the leader brings everybody's.
    pub(crate) fn sync(&mut self, desk: &mut Desk, call: Call<'_>, request: SyncGroupRequest) {
        let parked = Parked {
            ticket: call.ticket,
            version: call.version,
        };
        if let Err(error) = self.check_sync(desk, &request) {
            return desk.reply(call.ticket, sync_refused(error));
        }
        let Some(member) = self.members.get_mut(request.member_id.as_str()) else {
            return;
        };
        let id = member.id.clone();
        self.pending_sync.remove(&id);
        if self.pending_sync.is_empty() {
            desk.timers
                .cancel(&mut self.sync_alarm, || Timer::SyncPhase(self.id.clone()));
        }
        if self.state == State::Stable {
            return self.answer_sync(desk, &id, parked);
        }
        if let Some(before) = member.sync.replace(parked) {
            desk.reply(before.ticket, sync_refused(code::REBALANCE_IN_PROGRESS));
        }
        let generation = Generation(self.generation);
        desk.observe(&self.id, Some(&id), Change::SyncReceived { generation });
        if self.is_leader(&id) {
            self.assign(desk, &id, request.assignments);
        }
    }

    fn check_sync(&mut self, desk: &mut Desk, request: &SyncGroupRequest) -> Result<(), i16> {
        let differs = |given: &Option<String>, ours: &Option<String>| given.is_some() && given != ours;
        match self.state {
            State::Empty => return Err(code::UNKNOWN_MEMBER_ID),
            State::Dead => return Err(code::COORDINATOR_NOT_AVAILABLE),
            State::PreparingRebalance | State::CompletingRebalance | State::Stable => {}
        }
        self.admit(desk, &request.member_id, request.group_instance_id.as_deref())?;
        if request.generation_id != self.generation {
            Err(code::ILLEGAL_GENERATION)
        } else if differs(&request.protocol_type, &self.protocol_type)
            || differs(&request.protocol_name, &self.protocol)
        {
            Err(code::INCONSISTENT_GROUP_PROTOCOL)
        } else if self.state == State::PreparingRebalance {
            Err(code::REBALANCE_IN_PROGRESS)
        } else {
            Ok(())
        }
    }

    /// The leader's assignment: whom it leaves out gets an empty part, parts of strangers are ignored. It is handed out when
    /// the log has it; of two the later counts.
    fn assign(&mut self, desk: &mut Desk, leader: &MemberId, assignments: Vec<SyncGroupRequestAssignment>) {
        let mut parts: BTreeMap<MemberId, Vec<u8>> = BTreeMap::new();
        for part in assignments {
            if let Some(member) = self.members.get(part.member_id.as_str()) {
                parts.insert(member.id.clone(), part.assignment);
            }
        }
        let brought: usize = parts.values().map(Vec::len).sum();
        if !desk.load.has_room_for_bytes(brought) {
            // What Kafka does when the group's record cannot be written.
            self.refuse_syncs(desk, code::COORDINATOR_NOT_AVAILABLE);
            return self.rebalance(desk, Cause::by(RebalanceCause::StorageFailed, leader));
        }
        let record = self.record(|member| parts.get(&member.id).cloned().unwrap_or_default());
        let waiting = Waiting::Assignment {
            generation: self.generation,
            leader: leader.clone(),
            parts,
        };
        self.append(desk, vec![record], waiting);
    }

    /// Whether the assignment that was stored is the one that is waited for: the group may have moved on, or its leader may
    /// have brought another since.
    pub(super) fn awaits_assignment(&self, generation: i32) -> bool {
        let another = |waiting: &Waiting| matches!(waiting, Waiting::Assignment { generation: of, .. } if *of == generation);
        self.state == State::CompletingRebalance
            && self.generation == generation
            && !self.appends.values().any(another)
    }

    /// The assignment is stored: everybody gets its part.
    pub(super) fn hand_out(&mut self, desk: &mut Desk, mut parts: BTreeMap<MemberId, Vec<u8>>) {
        for (id, member) in &mut self.members {
            desk.load.bytes -= member.assignment.len();
            member.assignment = parts.remove(id).unwrap_or_default();
            desk.load.bytes += member.assignment.len();
        }
        self.transition(desk, State::Stable, Cause::Assigned);
        for id in self.ids_in_order() {
            let parked = self.members.get_mut(&id).and_then(|member| member.sync.take());
            if let Some(parked) = parked {
                self.renew(desk, id.as_str());
                self.answer_sync(desk, &id, parked);
            }
            if let Some(member) = self.members.get(&id) {
                self.tell_assigned(desk, member);
            }
        }
    }
}
