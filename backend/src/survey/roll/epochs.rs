//! What the offsets log tells of groups with epochs (KIP-848, KIP-932, KIP-1071): each step of their rebalances, at its time.

use std::collections::VecDeque;

use shared::event::{Change, GroupState, GroupType, Joined, RebalanceCause, Rebalanced};
use shared::ids::{Generation, GroupId, MemberId};
use shared::time::{Timestamp, UnixMs};

use super::Roll;
use super::group::Known;
use super::turn::{Turn, before_record, decided};
use crate::survey::ledger::{Ledger, Step};
use crate::survey::port::{Output, Report, When};

impl Roll {
    /// Tells of one step.
    pub(super) fn stepped(
        &mut self,
        now: Timestamp,
        (group, at): (&GroupId, UnixMs),
        step: Step,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let absent = self.absent_at(group, ledger);
        let mut tell = |change, member: Option<&MemberId>, earliest: Option<When>| {
            let report = Report {
                at: When::There(at),
                member: member.cloned(),
                ..Report::seen(now, group, change)
            };
            let at_earliest = earliest;
            out.push_back(Output::Report(Report {
                at_earliest,
                ..report
            }));
        };
        let Some(known) = self.groups.get_mut(group).filter(|known| known.has_epochs()) else {
            // Not listed yet, or not as what it has become, or never to us: its log is read all the same.
            let begins = matches!(step, Step::Began { .. });
            let absent = before_record(absent, now).map(When::Here);
            let earliest = begins.then(|| absent.unwrap_or(decided(at)));
            if let Some((change, member)) = unlisted(step) {
                tell(change, member.as_ref(), earliest);
            }
            return;
        };
        match step {
            Step::Began {
                epoch,
                from,
                cause,
                member,
            } => {
                let gives_way = known.turn.running.then(|| known.turn.gives_way_since(at));
                let rested = || known.rested_before(now).map(When::Here);
                let earliest = gives_way.or_else(rested).unwrap_or(decided(at));
                if let Some(started) = known.began((epoch, at), from, cause, member) {
                    tell(started, None, Some(earliest));
                    if let Some(state) = known.passes(GroupState::Assigning) {
                        tell(state, None, None);
                    }
                }
            }
            Step::Assigned => {
                let state = known.turn.running.then(|| known.passes(GroupState::Reconciling));
                if let Some(state) = state.flatten() {
                    tell(state, None, None);
                }
            }
            Step::TookOver { member, epoch, took } => {
                if let Some(change) = known.took_over(&member, epoch, took.0) {
                    tell(change, Some(&member), None);
                }
                return;
            }
            Step::Replaced { gone, heir } => {
                tell(replaced(heir), Some(&gone), None);
                known.members.remove(&gone);
            }
            Step::Over(rebalanced) => {
                if let Some(finished) = known.over(rebalanced) {
                    tell(finished, None, None);
                }
            }
        }
        known.log.heard = Some(now);
        self.look_soon(now, group);
    }
}

/// What is told of a group that no list has shown.
fn unlisted(step: Step) -> Option<(Change, Option<MemberId>)> {
    Some(match step {
        Step::Began {
            from, cause, member, ..
        } => (started(from, cause, member), None),
        Step::Over(rebalanced) => (Change::RebalanceFinished(rebalanced), None),
        Step::Replaced { gone, heir } => (replaced(heir), Some(gone)),
        Step::Assigned | Step::TookOver { .. } => return None,
    })
}

fn started(from: Option<i32>, cause: RebalanceCause, member: Option<MemberId>) -> Change {
    Change::RebalanceStarted {
        cause,
        member,
        from_generation: from.map(Generation),
    }
}

fn replaced(heir: MemberId) -> Change {
    Change::MemberReplaced {
        cause: "A static member came back.".to_owned(),
        by: Some(heir),
    }
}

impl Known {
    /// Whether its type has epochs, and records of every step.
    pub(super) const fn has_epochs(&self) -> bool {
        matches!(
            self.group_type,
            GroupType::Consumer | GroupType::Share | GroupType::Streams
        )
    }

    /// A rebalance has begun with this epoch, which was written then; none where that was told already, or its end.
    fn began(
        &mut self,
        (epoch, at): (i32, UnixMs),
        from: Option<i32>,
        cause: RebalanceCause,
        member: Option<MemberId>,
    ) -> Option<Change> {
        self.log.took.clear();
        // A group made anew begins its count anew.
        self.log.over = self.log.over.filter(|_| from.is_some());
        let told = self.turn.running && !self.turn.is_before(from, self.epoch);
        if told || self.log.over.is_some_and(|over| over.0 >= epoch) {
            return None;
        }
        self.turn = Turn::written(from.map(Generation), at);
        Some(started(from, cause, member))
    }

    /// The state that a rebalance brings it into, where its type has that.
    fn passes(&mut self, to: GroupState) -> Option<Change> {
        let has_it = matches!(self.group_type, GroupType::Consumer | GroupType::Streams);
        if !has_it || self.state.as_ref() == Some(&to) {
            return None;
        }
        let from = self.state.replace(to.clone());
        Some(Change::GroupState { from, to })
    }

    /// A member is in the new epoch; of one that no look has shown yet, that is told with its first sight.
    fn took_over(&mut self, id: &MemberId, epoch: i32, took_ms: u64) -> Option<Change> {
        let generation = Generation(epoch);
        let known = self.log.over.is_some_and(|over| over >= generation);
        if known && self.log.seen != Some(generation) {
            return None;
        }
        let refused = self.is_refused();
        match self.members.get_mut(id) {
            Some(member) => member.epoch = Some(generation),
            // No look ever will.
            None if refused => {}
            None => {
                self.log.took.insert(id.clone(), (generation, took_ms));
                return None;
            }
        }
        Some(Change::MemberRejoined(Joined {
            generation: Some(generation),
            took_ms: Some(took_ms),
            ..Joined::default()
        }))
    }

    /// All are. Where a look has told that, the records still tell when it was.
    fn over(&mut self, mut rebalanced: Rebalanced) -> Option<Change> {
        if self.log.over.is_some_and(|over| over >= rebalanced.generation) {
            let again = self.log.seen.take_if(|seen| *seen == rebalanced.generation);
            return again.map(|_| Change::RebalanceFinished(rebalanced));
        }
        let seen = std::mem::take(&mut self.turn);
        self.log.over = Some(rebalanced.generation);
        self.log.ended = true;
        if rebalanced.from_generation.is_none() && seen.running {
            // Its begin stands in a part of the log that was not read then; looks saw it.
            rebalanced.from_generation = seen.from();
        }
        self.state = Some(GroupState::Stable);
        Some(Change::RebalanceFinished(rebalanced))
    }
}
