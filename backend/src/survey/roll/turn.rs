//! The rebalance of a group as looks at it show it: between the last look at rest and the next.

use std::collections::VecDeque;

use shared::event::{Change, GroupState, Rebalanced};
use shared::ids::{Generation, GroupId};
use shared::time::{Timestamp, UnixMs};

use super::group::Known;
use crate::limits;
use crate::survey::comings::Comings;
use crate::survey::ledger::{Course, Ledger};
use crate::survey::look::Told;
use crate::survey::port::{Output, Report, When};

/// How many looks in a row may show a group at rest of which the log has not told that its rebalance is over, or in the epoch at
/// which its rebalance began. More say that the log will not tell it, or that there is none.
const LOOKS_AT_REST: u8 = 3;

/// What is known of the rebalance that runs.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) running: bool,
    from: Option<Generation>,
    comings: Comings,
    /// How many looks showed the group at rest meanwhile.
    rests: u8,
    /// Whether its begin was read in the log, and when that was written, by its coordinator's clock.
    recorded: bool,
    written_at: Option<UnixMs>,
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

    /// The same, as the log told it.
    pub(super) fn recorded(from: Option<Generation>) -> Self {
        Self {
            recorded: true,
            ..Self::begun(from)
        }
    }

    /// The same, as the log told it now.
    pub(super) fn written(from: Option<Generation>, at: UnixMs) -> Self {
        Self {
            written_at: Some(at),
            ..Self::recorded(from)
        }
    }

    /// Whether the epoch that follows `from` is one after that of this one, which gives way to it; `seen` is the epoch that looks
    /// have shown. Where looks saw this one first, the log tells of the same.
    pub(super) fn is_before(&self, from: Option<i32>, seen: Option<Generation>) -> bool {
        let Some(from) = from.map(Generation) else {
            return false;
        };
        match self.from {
            Some(left) => left < from,
            None => self.recorded || seen.is_some_and(|seen| seen <= from),
        }
    }

    /// When its coordinator made up its mind, at the earliest, to write at `at` that it gives way: after it had written of this one.
    pub(super) fn gives_way_since(&self, at: UnixMs) -> When {
        match (decided(at), self.written_at) {
            (When::There(decided), Some(written)) => When::There(decided.max(written).min(at)),
            (decided, _) => decided,
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
        if self.log.followed {
            // The log tells when it begins and when it is over.
            if !state.is_rebalancing() && !self.turn.running {
                self.rested_at = [Some(now), self.rested_at[0]];
            }
        } else if !state.is_rebalancing() {
            self.rests(now, id, None, out);
        } else if !self.turn.running && self.rested_at[0].is_some() {
            self.starts(now, id, &Comings::default(), false, out);
        }
    }

    /// In which epoch the group is when it is seen for the first time.
    pub(super) fn stands(
        &self,
        now: Timestamp,
        id: &GroupId,
        generation: Generation,
        protocol: Option<String>,
    ) -> Output {
        let change = Change::GenerationFormed {
            generation,
            leader: None,
            protocol,
            members: u32::try_from(self.members.len()).unwrap_or(u32::MAX),
        };
        Output::Report(Report::seen(now, id, change))
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
        // The generation that the log told last is not the last one where it owes an end.
        let from = epoch.or(self.log.generation.filter(|_| self.log.owes == 0));
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

    /// When it was at rest before a rebalance whose first record was read at `now`.
    pub(super) fn rested_before(&self, now: Timestamp) -> Option<Timestamp> {
        before_record(self.rested_at, now)
    }

    /// Whether a look that shows a group with epochs at rest does not end the rebalance that runs: its coordinator tells what is
    /// copied to its followers, as it knew it when it looked last, and the log may have told more by then. One that the log follows
    /// it ends itself.
    pub(super) fn lags(&mut self, epoch: Option<Generation>, resting: bool, followed: bool) -> bool {
        if !resting || !self.turn.running || !self.has_epochs() {
            return false;
        }
        self.turn.rests = self.turn.rests.saturating_add(1);
        let before = epoch.is_some() && epoch == self.turn.from;
        let few = self.turn.rests < LOOKS_AT_REST;
        (before && self.turn.recorded) || ((before || followed) && few)
    }

    /// The log tells where a classic group stands: where that is read as what was written before, it tells no end that looks saw.
    pub(super) fn settles(&mut self, id: &GroupId, ledger: &Ledger) {
        if ledger
            .standing(id)
            .is_some_and(|standing| standing.heard.is_none())
        {
            self.log.owes = 0;
        }
    }

    /// Goes on from what the log told of it before it was listed as what it is.
    pub(super) fn goes_on(&mut self, course: Option<Course>) {
        match course.filter(|_| self.has_epochs()) {
            Some(Course::Runs { from }) => {
                self.turn = Turn::recorded(from);
                self.log.followed = true;
            }
            Some(Course::Rests { epoch }) => self.log.over = Some(epoch),
            None => {}
        }
    }

    /// That it is at rest; with that a rebalance of a group with epochs has ended. A classic group's generation, and so the end of
    /// its rebalance, is in the offsets log alone.
    pub(super) fn rests(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        epoch: Option<Generation>,
        out: &mut VecDeque<Output>,
    ) {
        self.rested_at = [Some(now), self.rested_at[0]];
        let turn = std::mem::take(&mut self.turn);
        if turn.running && epoch.is_none() {
            self.log.owes = self.log.owes.saturating_add(1);
        }
        // In the epoch it began at there was none.
        let Some(generation) = epoch.filter(|epoch| turn.running && turn.from != Some(*epoch)) else {
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
        self.log.seen = Some(generation);
    }
}

/// When a coordinator made up its mind, at the earliest, to write what it wrote at `at`, by its clock: where nobody saw how the group
/// stood before.
pub(super) const fn decided(at: UnixMs) -> When {
    When::There(UnixMs(at.0.saturating_sub(limits::SURVEY_DECIDED.0)))
}

/// Of times at which a group was at rest, or was not there, the later one first: the last that was so before its coordinator made
/// up its mind to write what was read at `now`.
pub(super) fn before_record(at: [Option<Timestamp>; 2], now: Timestamp) -> Option<Timestamp> {
    let mut times = at.into_iter().flatten();
    let before = times.find(|at| *at + limits::SURVEY_DECIDED <= now);
    before.or(at[1]).or(at[0])
}
