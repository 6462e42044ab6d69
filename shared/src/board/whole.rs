//! What concerns more than one group: faults, gaps, missing rights, the offsets log.

use std::sync::Arc;

use super::bounded::push_newest;
use super::{Board, ClusterRefusal, Group, GroupKey, NotFound, OffsetsLog, PlayedFault, Refusal, Unseen};
use super::{clipped, limits};
use crate::event::{Change, GroupType, Leaderless, LogAccess, Observation, Source};
use crate::fault::Fault;
use crate::ids::ClusterId;
use crate::time::UnixMs;

impl Board {
    /// That a member was killed: while its coordinator is stopped, nobody else tells.
    pub(super) fn tell_killed(&mut self, what: &Observation) {
        let (
            Change::FaultPlayed {
                fault: Fault::Kill { .. },
            },
            Some(group),
            Some(member),
        ) = (&what.change, &what.group, &what.member)
        else {
            return;
        };
        if let Some(group) = self.groups.get_mut(&GroupKey::new(&what.cluster, group)) {
            Arc::make_mut(group).killed(&clipped(member), what.at);
        }
    }

    /// That our own coordinator serves again after it was stopped: who was not heard meanwhile was not silent.
    fn restarted(&mut self, cluster: &ClusterId, at: UnixMs) {
        let cluster = clipped(cluster);
        let ours = |group: &&mut Arc<Group>| {
            group.key.cluster == cluster && group.sources.contains(Source::Embedded)
        };
        for group in self.groups.iter_mut().filter(ours) {
            Arc::make_mut(group).start_sessions_over(at, Source::Embedded);
        }
    }

    /// The log, which alone tells the generations of others' classic groups, cannot be read any more: they may have gone on.
    fn forget_generations(&mut self, cluster: &ClusterId) {
        let theirs = |group: &&mut Arc<Group>| group.key.cluster == *cluster;
        for group in self.groups.iter_mut().filter(theirs) {
            let group = Arc::make_mut(group);
            for row in Arc::make_mut(&mut group.progress) {
                row.committed_at = None;
            }
            if group.group_type.get() != Some(&GroupType::Classic) {
                continue;
            }
            group.generation.forget(Source::Survey);
            for member in group.members.values_mut() {
                Arc::make_mut(member).generation.forget(Source::Survey);
            }
        }
    }

    /// What concerns more than one group.
    pub(super) fn tell_whole(&mut self, seq: u64, what: &Observation) {
        match &what.change {
            Change::FaultPlayed { fault } => {
                if matches!(fault, Fault::Restart) {
                    self.restarted(&what.cluster, what.at);
                }
                let fault = PlayedFault::new(seq, what.at, fault);
                push_newest(&mut self.faults, fault, limits::FAULTS);
            }
            Change::NotAuthorized { error, right } => {
                self.granted(&what.cluster, right);
                let refusal = ClusterRefusal {
                    cluster: clipped(&what.cluster),
                    refusal: Refusal::new(what.at, *error, right),
                };
                push_newest(&mut self.refusals, refusal, limits::REFUSALS);
            }
            Change::Authorized { right } => self.granted(&what.cluster, right),
            Change::OffsetsLog { access } => {
                let cluster = clipped(&what.cluster);
                if *access == LogAccess::Denied {
                    self.forget_generations(&cluster);
                }
                let (access, since) = (*access, what.at);
                if let Some(log) = self.logs.iter_mut().find(|log| log.cluster == cluster) {
                    (log.access, log.since) = (access, since);
                    return;
                }
                self.logs.truncate(limits::LOGS - 1);
                self.logs.push(OffsetsLog {
                    cluster,
                    access,
                    since,
                    leaderless: Leaderless::default(),
                });
            }
            Change::OffsetsLogLeaderless(leaderless) => {
                let cluster = clipped(&what.cluster);
                let log = self.logs.iter_mut().find(|log| log.cluster == cluster);
                if let Some(log) = log {
                    log.leaderless = *leaderless;
                }
            }
            Change::CoordinatorNotFound { error, cause, detail } => {
                self.not_found = Some(NotFound::new(what.at, *error, *cause, detail.as_ref()));
            }
            _ => {
                if let Some(unseen) = Unseen::new(seq, what) {
                    push_newest(&mut self.gaps, unseen, limits::GAPS);
                }
            }
        }
    }

    /// That a right is not missing, or not any more.
    fn granted(&mut self, cluster: &ClusterId, right: &String) {
        let (cluster, right) = (clipped(cluster), clipped(right));
        self.refusals
            .retain(|row| row.cluster != cluster || row.refusal.right != right);
    }
}
