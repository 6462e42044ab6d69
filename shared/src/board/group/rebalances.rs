//! A group's rebalances and its state: the open one, the finished ones by generation, one row each.

use std::sync::Arc;

use super::{Group, News};
use crate::board::member::{Member, Phase};
use crate::board::rebalance::{Rebalance, Sighting, restarts};
use crate::board::text::clipped;
use crate::board::told::Told;
use crate::event::{Change, GroupState, GroupType, RebalanceCause, Rebalanced, Source};
use crate::ids::{Generation, MemberId};
use crate::time::UnixMs;

impl Group {
    pub(super) fn apply_rebalance(&mut self, news: &News<'_>) {
        let (at, source) = (news.at, news.source);
        match news.change {
            Change::RebalanceStarted {
                cause,
                member,
                from_generation,
            } => self.rebalance_started(*cause, member.as_ref(), *from_generation, news),
            Change::RebalanceFinished(what) => self.rebalance_finished(what, news),
            Change::GroupState { to, .. } => {
                let to = match to {
                    GroupState::Other(word) => GroupState::Other(clipped(word)),
                    known => known.clone(),
                };
                if source == Source::Embedded && to == GroupState::CompletingRebalance {
                    self.others_enter(&Phase::Rejoining, at);
                }
                self.enter_state(to, at, source);
                self.ends_unseen(news);
            }
            _ => {}
        }
    }

    pub(super) fn enter_state(&mut self, to: GroupState, at: UnixMs, source: Source) {
        let before = self.state.get().cloned();
        self.state.tell_of_group(Some(to), source);
        if self.state.get() != before.as_ref() {
            self.state_since = Some(at);
            self.state_since_at_latest = before.is_none() && source == Source::Survey;
        }
    }

    /// In which generation it is. One that a member of ours has come into is there, though the cluster's word of it comes later.
    pub(super) fn tell_generation(&mut self, generation: Generation, source: Source) {
        let surveyed = self.generation.source() == Some(Source::Survey);
        if source == Source::Probe
            && surveyed
            && self.generation.get().is_some_and(|known| *known < generation)
        {
            self.generation = Told::default();
        }
        self.generation.tell_of_group(Some(generation), source);
    }

    /// The group is at rest again, as a survey alone sees it: which generation the rebalance ended with is not visible to
    /// a describe call of a classic group, but that it ended is.
    fn ends_unseen(&mut self, news: &News<'_>) {
        let at_rest = !self.state.get().is_some_and(GroupState::is_rebalancing);
        let watched = self.members.values().any(|member| member.is_ours());
        let alone = |open: &mut Arc<Rebalance>| {
            !watched || open.sources.iter().all(|source| source == Source::Survey)
        };
        // The state of a share group says nothing of it.
        let is_share = self.group_type.get() == Some(&GroupType::Share);
        if !at_rest || is_share || news.source != Source::Survey {
            return;
        }
        let Some(mut open) = self.open.take_if(alone) else {
            return;
        };
        Arc::make_mut(&mut open).tell_over(&news.sighting());
        let total = self.rebalances_total.get_or_default(open.cause());
        *total = total.saturating_add(1);
        self.keep_newest(open, news.room.history.1);
        self.add_rejoined();
    }

    /// Members of others, which do not say themselves where they stand, as the embedded coordinator sees them.
    fn others_enter(&mut self, phase: &Phase, at: UnixMs) {
        for member in self.members.values_mut().filter(|member| !member.is_ours()) {
            Arc::make_mut(member).enter(phase.clone(), at);
        }
    }

    fn rebalance_started(
        &mut self,
        cause: RebalanceCause,
        member: Option<&MemberId>,
        from: Option<Generation>,
        news: &News<'_>,
    ) {
        let sighting = news.sighting();
        let cause = self.cause_of(cause, member);
        let known = self.generation.get().copied();
        // Late news of one that has finished: the group is past the generation it left.
        let may_be_late =
            sighting.source != Source::Embedded || self.generation.source() == Some(Source::Embedded);
        if let Some(from) = from.filter(|_| may_be_late) {
            if let Some(place) = self.started_late(from, &sighting) {
                return self.retell(place, news, &mut |row| {
                    row.tell_start(cause, member, Some(from), &sighting);
                });
            }
            if self.open.is_none() && known.is_some_and(|known| known > from) {
                return;
            }
        }
        if from.is_none()
            && let Some(place) = self.joined_late(&sighting)
        {
            return self.retell(place, news, &mut |row| {
                row.tell_start(cause, member, None, &sighting)
            });
        }
        // A new member cannot say which generation the group left. Where a better source has already seen the end, this is
        // late news of the rebalance that ended last.
        if from.is_none() && self.is_at_rest_by_better_than(&sighting) {
            self.retell(0, news, &mut |row| row.tell_start(cause, member, None, &sighting));
            return;
        }
        if let Some(from) = from {
            self.gives_way_to(from, &sighting, news.room.history.1);
        }
        if self.open.is_some() {
            // A member tells late of the start of what is under way; its coordinator knows that it started over.
            let told = self.state.source();
            if sighting.source == Source::Embedded || told == Some(sighting.source) {
                self.restarts(cause, member);
            }
        } else if let Some(run) = self.run.as_mut().filter(|run| run.next.is_some()) {
            Arc::make_mut(run).next = None;
        }
        let was_empty = match self.state.get() {
            Some(state) => *state == GroupState::Empty,
            None => from == Some(Generation(0)),
        };
        let open = self
            .open
            .get_or_insert_with(|| Arc::new(Rebalance::open(sighting.source)));
        Arc::make_mut(open).from_empty |= was_empty && sighting.source == Source::Embedded;
        // A member of ours left the generation that is known. A survey that does not say which one was left may have seen, before it
        // read of the start, the one that this brought about.
        let from = from.or(known.filter(|_| sighting.source != Source::Survey));
        Arc::make_mut(open).tell_start(cause, member, from, &sighting);
        if self.state.get() != Some(&GroupState::CompletingRebalance)
            && let Some(first) = self.first_state_of_rebalance()
        {
            self.enter_state(first, sighting.at, sighting.source);
        }
    }

    /// What a rebalance takes the group into; share groups stay Stable, and Empty, whatever their members do (KIP-932).
    fn first_state_of_rebalance(&self) -> Option<GroupState> {
        match self.group_type.get() {
            Some(GroupType::Consumer | GroupType::Streams) => Some(GroupState::Assigning),
            Some(GroupType::Share) => None,
            _ => Some(GroupState::PreparingRebalance),
        }
    }

    /// The coordinator no longer has the group, or has it as its log says: the rebalance it told of is not any more, and its
    /// end will not be told. Since when it ran. What members of ours tell of it later makes a row of its own.
    pub(super) fn cut_rebalance_off(&mut self, source: Source) -> Option<UnixMs> {
        let open = self.open.take_if(|open| open.sources.contains(source))?;
        if self.state.get().is_some_and(GroupState::is_rebalancing) {
            self.forget_state(source);
        }
        open.started.get().copied()
    }

    /// Its coordinator has read a state that is older than the last it had: the generations after that come once more.
    pub(super) fn goes_back_to(&mut self, generation: Generation, source: Source) {
        if self.generation.get().is_none_or(|known| *known <= generation) {
            return;
        }
        self.tell_generation(generation, source);
        for row in self.members.values_mut() {
            let row = Arc::make_mut(row);
            row.rejoins
                .retain(|rejoin| rejoin.generation.is_none_or(|of| of <= generation));
        }
    }

    /// Whether a better source than this one says that the group is in no rebalance: its own coordinator, or a member of ours that
    /// is in it and has told of the end since.
    fn is_at_rest_by_better_than(&self, start: &Sighting) -> bool {
        let over = |row: &Arc<Rebalance>| row.finished.get().copied() >= start.at_earliest;
        let in_it = |member: &Arc<Member>| member.is_ours() && member.phase == Phase::InGroup;
        let told_better = match self.state.source() {
            Some(Source::Embedded) => start.source != Source::Embedded,
            _ => {
                start.source == Source::Survey
                    && self.rebalances.first().is_some_and(over)
                    && self.members.values().any(in_it)
            }
        };
        let rebalancing = self.state.get().is_some_and(GroupState::is_rebalancing);
        self.open.is_none() && told_better && !rebalancing
    }

    fn rebalance_finished(&mut self, what: &Rebalanced, news: &News<'_>) {
        let sighting = self.sighting_of_end(news);
        let cause = self.cause_of(what.cause, what.member.as_ref());
        let refined = (cause != what.cause).then(|| Rebalanced {
            cause,
            ..what.clone()
        });
        let what = refined.as_ref().unwrap_or(what);
        if self.names_unseen(what, news) {
            return;
        }
        let loaded = self.coordination.loaded.clone();
        // Of the same number, and yet another: the state that was read since does not know it.
        let is_lost = |row: &Rebalance| {
            loaded.as_ref().is_some_and(|load| {
                load.generation.is_some_and(|read| row.generation > Some(read))
                    && row.finished.get().is_some_and(|end| *end < load.at)
            })
        };
        let known = self
            .rebalances
            .iter()
            .position(|row| row.generation == Some(what.generation) && !is_lost(row));
        let closes = self.open.as_ref().is_some_and(|open| open.is_ended_by(what));
        // A generation seen before is the same rebalance, unless the count began anew.
        if let Some(place) = known
            && !(closes && restarts(what))
        {
            self.retell(place, news, &mut |row| row.tell_end(what, &sighting));
            let newest = self.rebalances.first().and_then(|row| row.generation);
            // Told first by a member and now by a better source, whose state and generation have not moved on yet.
            if self.open.is_none() && newest == Some(what.generation) {
                self.tell_generation(what.generation, sighting.source);
                self.settle_state(what, news);
            }
            return;
        }
        let mut row = if closes {
            self.open
                .take()
                .map_or_else(|| Rebalance::open(sighting.source), Arc::unwrap_or_clone)
        } else {
            Rebalance::open(sighting.source)
        };
        row.generation = Some(what.generation);
        row.tell_end(what, &sighting);
        self.tell_rejoins(&mut row);
        let total = self.rebalances_total.get_or_default(row.cause());
        *total = total.saturating_add(1);
        let last = self.keep_finished(row, news.room.history.1);
        self.part_rebalances(news);
        self.add_rejoined();
        if !last {
            return;
        }
        self.tell_generation(what.generation, sighting.source);
        if self.open.is_none() {
            self.turned(what.generation, sighting.at, 0);
            self.settle_state(what, news);
        }
    }

    fn sighting_of_end(&self, news: &News<'_>) -> Sighting {
        let newer = [GroupType::Consumer, GroupType::Share, GroupType::Streams];
        Sighting {
            of_epochs: self.group_type.get().is_some_and(|known| newer.contains(known)),
            ..news.sighting()
        }
    }

    /// Whether it tells the generation of one whose end was seen before.
    fn names_unseen(&mut self, what: &Rebalanced, news: &News<'_>) -> bool {
        let sighting = self.sighting_of_end(news);
        let mut rows = self.rebalances.iter();
        let Some(place) = rows.position(|row| row.lacks_generation_of(&sighting)) else {
            return false;
        };
        self.retell(place, news, &mut |row| {
            row.generation = Some(what.generation);
            // Exactly now, not when it was seen to be over; nor from what was the last generation that anybody knew of.
            row.finished = Told::default();
            if what.from_generation.is_some() {
                row.from_generation = Told::default();
            }
            row.tell_end(what, &sighting);
        });
        // One that is taken to run and began before is this one; one that began since left this generation.
        self.open.take_if(|open| open.started.get() <= Some(&sighting.at));
        self.tell_generation(what.generation, sighting.source);
        match &mut self.open {
            Some(open) => {
                let left = &mut Arc::make_mut(open).from_generation;
                left.tell(Some(what.generation), sighting.source);
            }
            None => self.turned(what.generation, sighting.at, 0),
        }
        self.add_rejoined();
        true
    }

    /// Tells a finished one more. It counts under why it began as that is known then, unless that comes too late: figures that only
    /// rise have it by then.
    fn retell(&mut self, place: usize, news: &News<'_>, tell: &mut dyn FnMut(&mut Rebalance)) {
        let Some(row) = self.rebalances.get_mut(place) else {
            return;
        };
        let row = Arc::make_mut(row);
        let (counted, settles) = (row.cause(), row.settles(news.seen));
        tell(row);
        let cause = row.cause();
        if settles {
            self.recount(counted, cause);
        }
        self.part_rebalances(news);
    }

    /// One that was counted under another cause.
    pub(super) fn recount(&mut self, counted: RebalanceCause, cause: RebalanceCause) {
        if cause != counted {
            let before = self.rebalances_total.get_or_default(counted);
            *before = before.saturating_sub(1);
            *self.rebalances_total.get_or_default(cause) += 1;
        }
    }

    /// Stable; Empty where nobody is left; not visible where that cannot be told.
    fn settle_state(&mut self, what: &Rebalanced, news: &News<'_>) {
        let (at, source) = (news.at, news.source);
        let in_it = |member: &Arc<Member>| !matches!(member.phase, Phase::Joining | Phase::Failed { .. });
        // A member of ours that tells of the end is in the group itself.
        if source == Source::Probe || self.members.values().any(in_it) {
            self.enter_state(GroupState::Stable, at, source);
        } else {
            match what.joined.as_deref() {
                Some([]) => self.enter_state(GroupState::Empty, at, source),
                Some(_) => self.enter_state(GroupState::Stable, at, source),
                None => self.forget_state(source),
            }
        }
        if source == Source::Embedded {
            for member in self.members.values_mut() {
                if !member.is_ours() && member.phase == Phase::Rejoining {
                    Arc::make_mut(member).enter(Phase::InGroup, at);
                }
            }
        }
    }
}
