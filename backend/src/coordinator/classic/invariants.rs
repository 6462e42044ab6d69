//! What holds of a group between any two inputs; property tests check it after each.

use std::collections::BTreeMap;

use super::{Group, JoinPhase, State, Support, Waiting};
use crate::coordinator::Ticket;
use crate::coordinator::desk::Load;

impl Group {
    /// Panics where something does not hold that must.
    pub(crate) fn check_invariants(&self) {
        let parked = self
            .members
            .values()
            .filter(|member| member.join.is_some())
            .count();
        assert_eq!(self.parked_joins, parked);
        assert_eq!(self.leader.is_some(), !self.members.is_empty());
        assert!(self.leader.iter().all(|leader| self.members.contains_key(leader)));
        let mut support = Support::default();
        for (id, member) in &self.members {
            assert_eq!(id, &member.id);
            assert!(
                member.session.due().is_some() || member.is_excused(),
                "{id}: nothing will ever put it out"
            );
            assert!(
                !member.is_new || member.join.is_some(),
                "{id}: a new member waits in its JoinGroup"
            );
            support.add(&member.protocols);
        }
        assert_eq!(self.support, support);
        let fixed = self
            .members
            .values()
            .filter_map(|member| Some((member.instance.clone()?, member.id.clone())));
        assert_eq!(fixed.collect::<BTreeMap<_, _>>(), self.instances);
        assert!(self.pending.values().all(|pending| pending.alarm.due().is_some()));
        assert!(self.pending_sync.iter().all(|id| self.members.contains_key(id)));
        match self.state {
            State::Empty | State::Dead => assert!(self.members.is_empty()),
            State::PreparingRebalance => {
                assert!(self.join_alarm.due().is_some(), "the join phase never ends")
            }
            State::CompletingRebalance | State::Stable => {
                assert!(!self.members.is_empty() && self.join_alarm.due().is_none());
                assert_eq!(parked, 0);
                assert_eq!(self.sync_alarm.due().is_some(), !self.pending_sync.is_empty());
                assert!(self.protocol.is_some() && self.generation > 0);
            }
        }
        let gathering = matches!(self.phase, JoinPhase::Gathering { .. });
        assert!(self.state != State::PreparingRebalance || !gathering || self.previous == State::Empty);
        assert_eq!(
            self.retention.due().is_some(),
            self.established && self.state == State::Empty
        );
    }

    /// The tickets of all requests that wait.
    pub(crate) fn parked(&self) -> impl Iterator<Item = Ticket> {
        let waiting = self
            .members
            .values()
            .flat_map(|member| [member.join, member.sync]);
        let stored = self.appends.values().filter_map(Waiting::ticket);
        waiting.flatten().map(|parked| parked.ticket).chain(stored)
    }

    /// How many alarms are set.
    pub(crate) fn alarms(&self) -> usize {
        let own = [self.join_alarm, self.sync_alarm, self.retention];
        let pending = self.pending.values().map(|pending| pending.alarm);
        let sessions = self.members.values().map(|member| member.session);
        own.into_iter()
            .chain(pending)
            .chain(sessions)
            .filter(|alarm| alarm.due().is_some())
            .count()
    }

    /// What the group weighs.
    pub(crate) fn weight(&self) -> Load {
        let members: usize = self.members.values().map(super::Member::bytes).sum();
        let pending: usize = self.pending.keys().map(|id| id.as_str().len()).sum();
        let notes: usize = self
            .offsets
            .iter()
            .map(|committed| committed.metadata.len())
            .sum();
        Load {
            members: self.members.len(),
            pending: self.pending.len(),
            offsets: self.offsets.iter().count() + self.appends.values().map(Waiting::offsets).sum::<usize>(),
            bytes: self.id.as_str().len()
                + members
                + pending
                + notes
                + self.appends.values().map(Waiting::bytes).sum::<usize>(),
        }
    }

    pub(crate) const fn generation(&self) -> i32 {
        self.generation
    }
}
