//! The rebalance of a group as looks at it show it: between the last look at rest and the next.

use std::collections::VecDeque;

use shared::event::{Change, GroupState, Rebalanced};
use shared::ids::{Generation, GroupId};
use shared::time::Timestamp;

use super::group::Known;
use crate::survey::comings::Comings;
use crate::survey::look::Told;
use crate::survey::port::{Output, Report};

/// How many looks in a row may show a group at rest of which the log has not told that its rebalance is over. More say that the
/// log will not tell it.
const LOOKS_AT_REST: u8 = 3;

/// What is known of the rebalance that runs.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) running: bool,
    from: Option<Generation>,
    comings: Comings,
    /// How many looks showed the group at rest meanwhile.
    rests: u8,
}

impl Turn {
    /// One whose begin is told.
    pub(super) fn begun(from: Option<Generation>) -> Self {
        Self {
            running: true,
            from,
            ..Self::default()
        }
    }

    /// What it began at.
    pub(super) const fn from(&self) -> Option<Generation> {
        self.from
    }

    /// Who came and who went meanwhile.
    pub(super) fn add(&mut self, comings: Comings) {
        self.comings.joined.extend(comings.joined);
        self.comings.left.extend(comings.left);
    }
}

impl Known {
    /// Whether a look shows it at rest. Share groups are called Stable while their members take a new epoch over.
    pub(super) fn is_rest(&self, told: &Told) -> bool {
        let there = || {
            let mut members = told.members.iter();
            members.all(|member| member.epoch.is_none() || member.epoch == told.epoch)
        };
        !told.state.is_rebalancing() && (!self.has_epochs() || there())
    }

    /// Whether a look shows that a rebalance began since the look before. A group with epochs gets a new one with each: where a
    /// static member of KIP-848 is away for a while, its group is Reconciling in the epoch it was Stable in.
    pub(super) fn turns(&self, epoch: Option<Generation>, resting: bool) -> bool {
        match (self.epoch, epoch) {
            (Some(before), Some(epoch)) if before != epoch => true,
            (Some(_), Some(_)) => !resting && self.rested_at[0].is_none(),
            _ => !resting,
        }
    }

    /// What a list says of a group that may not be looked at: a rebalance begins between the last list that had it at rest and the
    /// first that has not.
    pub(super) fn lists(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        state: &GroupState,
        out: &mut VecDeque<Output>,
    ) {
        if !state.is_rebalancing() {
            self.rests(now, id, None, false, out);
        } else if !self.turn.running && self.rested_at[0].is_some() {
            self.starts(now, id, &Comings::default(), false, out);
        }
    }

    /// That a rebalance has begun since the group was at rest last. When one that is `over` by now began is not visible.
    pub(super) fn starts(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        comings: &Comings,
        over: bool,
        out: &mut VecDeque<Output>,
    ) {
        // The epoch of a group that was never seen at rest may be that of the rebalance itself.
        let epoch = self.rested_at[0].and(self.epoch);
        let from = epoch.or(self.log.generation);
        self.turn = Turn::begun(from);
        if over {
            return;
        }
        let (cause, member) = comings.cause();
        let change = Change::RebalanceStarted {
            cause,
            member,
            from_generation: from,
        };
        let report = Report::seen(now, id, change).since(self.rested_at[0]).inferred();
        out.push_back(Output::Report(report));
    }

    /// That it is at rest; with that a rebalance of a group with epochs has ended, unless the log follows it and so tells that
    /// itself. A classic group's generation, and so the end of its rebalance, is in the offsets log alone.
    pub(super) fn rests(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        epoch: Option<Generation>,
        followed: bool,
        out: &mut VecDeque<Output>,
    ) {
        self.rested_at = [Some(now), self.rested_at[0]];
        self.turn.rests = self.turn.rests.saturating_add(1);
        if followed && (self.turn.rests < LOOKS_AT_REST || epoch == self.turn.from) {
            return;
        }
        let turn = std::mem::take(&mut self.turn);
        self.log.owes |= turn.running && epoch.is_none();
        let Some(generation) = epoch.filter(|_| turn.running) else {
            return;
        };
        let (cause, member) = turn.comings.cause();
        let steps = turn.from.map_or(1, |from| generation.0.saturating_sub(from.0));
        let unnamed = turn.comings.unnamed();
        let (joined, left) = turn.comings.named();
        let change = Change::RebalanceFinished(Rebalanced {
            generation,
            from_generation: turn.from,
            cause,
            member,
            took_ms: None,
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            unnamed,
            joined: Some(joined),
            left: Some(left),
            abandoned: 0,
            missed: u32::try_from(steps.saturating_sub(1)).unwrap_or(0),
        });
        let report = Report::seen(now, id, change).since(self.looked_at).inferred();
        out.push_back(Output::Report(report));
        self.log.over = Some(generation);
    }
}
