//! A rebalance from its start to the answers that end its join phase (protocol.md 3.3; Kafka's `prepareRebalance`,
//! `tryCompleteInitialRebalanceElseSchedule` and `completeClassicGroupJoin`).

use shared::error_code as code;
use shared::event::{Change, EvictionCause};
use shared::ids::{Generation, MemberId};
use shared::time::Millis;

use super::answers::sync_refused;
use super::story::Cause;
use super::{Desk, Group, JoinPhase, State, protocols};
use crate::coordinator::timers::Timer;

impl Group {
    /// Starts a rebalance where the state allows one; else the running one may be able to end.
    pub(super) fn rebalance_or_complete(&mut self, desk: &mut Desk, cause: Cause) {
        if State::PreparingRebalance.may_follow(self.state) {
            self.rebalance(desk, cause);
        } else {
            self.complete_join_if_all_are_here(desk);
        }
    }

    /// Everybody must join again.
    pub(super) fn rebalance(&mut self, desk: &mut Desk, cause: Cause) {
        if self.state == State::CompletingRebalance {
            self.refuse_syncs(desk, code::REBALANCE_IN_PROGRESS);
        }
        self.end_sync_phase(desk);
        if self.state == State::Empty {
            let delay = desk.config.initial_rebalance_delay;
            let remaining = Millis(self.rebalance_timeout().0.saturating_sub(delay.0));
            self.phase = JoinPhase::Gathering {
                delay,
                remaining,
                newcomer: false,
            };
            self.wait_for_joins(desk, delay);
            self.transition(desk, State::PreparingRebalance, cause);
            return;
        }
        self.transition(desk, State::PreparingRebalance, cause);
        self.phase = JoinPhase::Rejoining;
        if self.all_have_joined() {
            self.complete_join(desk);
        } else {
            self.wait_for_joins(desk, self.rebalance_timeout());
        }
    }

    fn wait_for_joins(&mut self, desk: &mut Desk, wait: Millis) {
        let due = desk.after(wait);
        desk.timers
            .set(&mut self.join_alarm, due, || Timer::JoinPhase(self.id.clone()));
    }

    /// A group that was empty goes on gathering until its alarm, however many are here.
    pub(super) fn complete_join_if_all_are_here(&mut self, desk: &mut Desk) {
        let gathering = self.previous == State::Empty;
        if self.state == State::PreparingRebalance && !gathering && self.all_have_joined() {
            self.complete_join(desk);
        }
    }

    /// The join phase's alarm rang.
    pub(super) fn join_phase_over(&mut self, desk: &mut Desk) {
        if self.state != State::PreparingRebalance {
            return;
        }
        if let JoinPhase::Gathering {
            delay,
            remaining,
            newcomer: true,
        } = self.phase
            && remaining != Millis(0)
        {
            let next = desk.config.initial_rebalance_delay.min(remaining);
            let left = Millis(remaining.0.saturating_sub(delay.0));
            self.phase = JoinPhase::Gathering {
                delay: next,
                remaining: left,
                newcomer: false,
            };
            self.wait_for_joins(desk, next);
        } else {
            self.complete_join(desk);
        }
    }

    /// Whoever is here forms the next generation.
    pub(super) fn complete_join(&mut self, desk: &mut Desk) {
        desk.timers
            .cancel(&mut self.join_alarm, || Timer::JoinPhase(self.id.clone()));
        let absent = |(id, member): (&MemberId, &super::Member)| {
            (member.join.is_none() && !member.is_static()).then(|| id.clone())
        };
        let absent: Vec<MemberId> = self.members.iter().filter_map(absent).collect();
        for id in absent {
            self.remove(desk, id.as_str());
            let cause = EvictionCause::RebalanceTimeout;
            desk.observe(&self.id, Some(&id), Change::MemberEvicted { cause });
        }
        if !self.leader_is_here() && !self.members.is_empty() {
            // Static members keep their seats until their sessions end, so there may be nobody to lead yet.
            self.phase = JoinPhase::Rejoining;
            return self.wait_for_joins(desk, self.rebalance_timeout());
        }
        // A generation past i32::MAX would be negative, which means "none".
        self.generation = self.generation.checked_add(1).unwrap_or(1);
        self.pending_sync.clear();
        if self.members.is_empty() {
            self.protocol = None;
            self.transition(desk, State::Empty, Cause::Deserted);
            self.append_standing(desk);
        } else {
            self.protocol = self.elected();
            self.transition(desk, State::CompletingRebalance, Cause::Joined);
            let formed = Change::GenerationFormed {
                generation: Generation(self.generation),
                leader: self.leader.clone(),
                protocol: self.protocol.clone(),
                members: u32::try_from(self.members.len()).unwrap_or(u32::MAX),
            };
            desk.observe(&self.id, None, formed);
            self.tell_generation(desk);
        }
    }

    /// The leader stays if it joined again; else the first that did leads. False where nobody did.
    pub(super) fn leader_is_here(&mut self) -> bool {
        let here = |id: &MemberId| self.members.get(id).is_some_and(|member| member.join.is_some());
        if self.leader.as_ref().is_some_and(here) {
            return true;
        }
        let parked = self.members.values().filter(|member| member.join.is_some());
        let first = parked
            .min_by_key(|member| member.seat)
            .map(|member| member.id.clone());
        let elected = first.is_some();
        if elected {
            self.leader = first;
        }
        elected
    }

    /// The protocol the members would choose now.
    pub(super) fn elected(&self) -> Option<String> {
        protocols::elect(
            self.members.values().map(|member| &member.protocols),
            &self.support,
        )
        .map(str::to_owned)
    }

    /// Answers every parked JoinGroup; from here on each member must ask for its part in time, also one that is absent.
    fn tell_generation(&mut self, desk: &mut Desk) {
        for id in self.ids_in_order() {
            let Some(member) = self.members.get_mut(&id) else {
                continue;
            };
            member.is_new = false;
            let parked = member.join.take();
            if let Some(parked) = parked {
                self.parked_joins -= 1;
                self.answer_join(desk, &id, parked);
            }
            self.renew(desk, id.as_str());
            self.pending_sync.insert(id);
        }
        let due = desk.after(self.rebalance_timeout());
        desk.timers
            .set(&mut self.sync_alarm, due, || Timer::SyncPhase(self.id.clone()));
    }

    /// Takes every assignment back and answers the parked SyncGroups with an error.
    pub(super) fn refuse_syncs(&mut self, desk: &mut Desk, error: i16) {
        let mut answered = Vec::new();
        for member in self.members.values_mut() {
            desk.load.bytes -= member.assignment.len();
            member.assignment = Vec::new();
            if let Some(parked) = member.sync.take() {
                desk.reply(parked.ticket, sync_refused(error));
                answered.push(member.id.clone());
            }
        }
        // While they were parked their sessions could pass unnoticed; from now on they count again.
        for id in answered {
            self.renew(desk, id.as_str());
        }
    }

    pub(super) fn end_sync_phase(&mut self, desk: &mut Desk) {
        self.pending_sync.clear();
        desk.timers
            .cancel(&mut self.sync_alarm, || Timer::SyncPhase(self.id.clone()));
    }
}
