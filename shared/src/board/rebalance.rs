//! One rebalance of a group, from leaving Stable or Empty to the next Stable or Empty: one row, however many saw it.

mod order;

use serde::Serialize;

use super::beats::is_default;
use super::limits::{CAUSE_SETTLES, NAMED};
use super::text::clipped;
use super::told::{Sources, Told};
use crate::event::{Evidence, RebalanceCause, Rebalanced, Source};
use crate::ids::{Generation, MemberId};
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// A rebalance. Its key is the generation it ends with; while it runs it has none and is its group's open one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Rebalance {
    /// The generation it ended with; none while it runs.
    pub generation: Option<Generation>,
    /// The generation it left.
    pub from_generation: Told<Generation>,
    /// Why it began; none is "not visible".
    pub cause: Told<RebalanceCause>,
    /// Who caused it.
    pub member: Told<MemberId>,
    /// When the group left Stable or Empty.
    pub started: Told<UnixMs>,
    /// The earliest it can have started, where `started` is not exact.
    pub started_earliest: Option<UnixMs>,
    /// Whether it may have started at any time before `started`: it ran when the group was first seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub started_unbounded: bool,
    /// When it was Stable or Empty again.
    pub finished: Told<UnixMs>,
    /// The earliest that can have been, where `finished` is not exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_earliest: Option<UnixMs>,
    /// How long it took.
    pub took_ms: Told<u64>,
    /// Its join phase.
    pub join_ms: Told<u64>,
    /// Its sync phase.
    pub sync_ms: Told<u64>,
    /// Who came in, at most [`NAMED`].
    pub joined: Told<Vec<MemberId>>,
    /// Who went, at most [`NAMED`].
    pub left: Told<Vec<MemberId>>,
    /// How many more came or went than are named.
    pub unnamed: u32,
    /// Generations formed on the way that never became Stable; 1 too where the one it ended with gave way to the next, see
    /// [`Self::gave_way`].
    pub abandoned: Told<u32>,
    /// Generations never seen.
    pub missed: Told<u32>,
    /// Who joined again and how long that took, at most [`NAMED`].
    pub rejoined: Vec<Rejoined>,
    /// Whether it began in an empty group, as its coordinator sees it: then that waits for others to come
    /// (`group.initial.rebalance.delay.ms`), though nobody is late.
    #[serde(default)]
    pub from_empty: bool,
    /// Whom it waited for longest, as a coordinator sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// How many members the generation formed last has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<u32>,
    /// How the best source knows it.
    pub evidence: Told<Evidence>,
    /// Who saw it.
    pub sources: Sources,
}

/// Whom a rebalance waited for longest: the last one of its longest join phase, or its leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Awaited {
    /// Who.
    pub member: MemberId,
    /// What it is called, where that is known.
    pub name: Option<String>,
    /// For how long: since the join phase began, or since its JoinGroup was answered.
    pub after: Millis,
    /// How the wait for it ended.
    pub end: AwaitedEnd,
    /// How many ids were never used, beside this one, of those that the same rebalance waited for.
    #[serde(default, skip_serializing_if = "super::owned::is_zero")]
    pub unused_too: u32,
}

/// How the wait for one member ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(rename_all = "snake_case")]
pub enum AwaitedEnd {
    /// Its JoinGroup came.
    Joined,
    /// It was an id handed out, and its session ended without a JoinGroup.
    NeverUsed,
    /// The coordinator removed it.
    Removed,
    /// It was the leader, whose JoinGroup was answered, and the coordinator removed it because its SyncGroup did not come.
    NeverSynced,
}

/// How long one member took to be back in the group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Rejoined {
    /// Who.
    pub member: MemberId,
    /// From its first JoinGroup sent to its SyncGroup answered.
    pub took_ms: Told<u64>,
}

impl Rebalance {
    pub(super) fn open(source: Source) -> Self {
        Self {
            generation: None,
            from_generation: Told::default(),
            cause: Told::default(),
            member: Told::default(),
            started: Told::default(),
            started_earliest: None,
            started_unbounded: false,
            finished: Told::default(),
            finished_earliest: None,
            took_ms: Told::default(),
            join_ms: Told::default(),
            sync_ms: Told::default(),
            joined: Told::default(),
            left: Told::default(),
            unnamed: 0,
            abandoned: Told::default(),
            missed: Told::default(),
            rejoined: Vec::new(),
            from_empty: false,
            awaited: None,
            members: None,
            evidence: Told::default(),
            sources: Sources::from(source),
        }
    }

    /// Why it began; `NotVisible` where nobody could tell.
    #[must_use]
    pub fn cause(&self) -> RebalanceCause {
        self.cause.get().copied().unwrap_or(RebalanceCause::NotVisible)
    }

    /// Whether generations passed with it that were never seen.
    pub(super) fn skips(&self) -> bool {
        self.missed.get().is_some_and(|missed| *missed > 0)
    }

    /// Whether it was over so shortly before `now` that why it began may still be learnt.
    #[must_use]
    pub fn settles(&self, now: UnixMs) -> bool {
        self.finished
            .get()
            .is_some_and(|end| now.since(*end) < CAUSE_SETTLES)
    }

    /// How long it took at least; none where that is not visible or while it runs.
    #[must_use]
    pub fn took(&self) -> Option<Millis> {
        self.took_between().map(|(least, _)| least)
    }

    /// How long it took, at least and at most, the same where that is exact: as told, else from its start to its end. No most where
    /// nothing says when it began at the earliest.
    #[must_use]
    pub fn took_between(&self) -> Option<(Millis, Option<Millis>)> {
        if let Some(told) = self.took_ms.get().copied().map(Millis) {
            return Some((told, Some(told)));
        }
        let (started, finished) = (*self.started.get()?, *self.finished.get()?);
        let least = self.finished_earliest.unwrap_or(finished).since(started);
        let most = finished.since(self.started_earliest.unwrap_or(started));
        Some((least, (!self.started_unbounded).then_some(most)))
    }

    /// The same of its join phase: where only its sync phase is told, that is what goes before it.
    #[must_use]
    pub fn join_between(&self) -> Option<(Millis, Option<Millis>)> {
        if let Some(told) = self.join_ms.get().copied().map(Millis) {
            return Some((told, Some(told)));
        }
        let sync = *self.sync_ms.get()?;
        let (least, most) = self.took_between()?;
        let without = |took: Millis| Millis(took.0.saturating_sub(sync));
        Some((without(least), most.map(without)))
    }

    /// Whether its start is known to the moment, not as the first sign of it.
    #[must_use]
    pub fn starts_exactly(&self) -> bool {
        !self.started_unbounded
            && self
                .started_earliest
                .is_none_or(|earliest| self.started.get() == Some(&earliest))
    }

    /// How long it has been running at `now`; none once it has finished or where its start is not visible.
    #[must_use]
    pub fn running(&self, now: UnixMs) -> Option<Millis> {
        if self.finished.get().is_some() {
            return None;
        }
        self.started.get().map(|started| now.since(*started))
    }

    /// Whether the news of an end can be that of this open one: it ended above the generation it left, or began
    /// the count anew, as after a coordinator lost its groups.
    pub(super) fn is_ended_by(&self, what: &Rebalanced) -> bool {
        let left = self.from_generation.get();
        restarts(what) || left.is_none_or(|left| what.generation > *left)
    }

    /// Whether it is the finished one, of unknown generation, whose end is told here: at or before the moment at which it was
    /// seen, and after its start at the earliest.
    pub(super) fn lacks_generation_of(&self, end: &Sighting) -> bool {
        let since = self.started_earliest.or_else(|| self.started.get().copied());
        self.generation.is_none()
            && since.is_some_and(|since| since <= end.at)
            && self.finished.get().is_some_and(|seen| end.at <= *seen)
    }

    /// What its start tells.
    pub(super) fn tell_start(
        &mut self,
        cause: RebalanceCause,
        member: Option<&MemberId>,
        from_generation: Option<Generation>,
        seen: &Sighting,
    ) {
        let source = seen.source;
        self.sources.insert(source);
        self.cause.fill(known(cause), source);
        self.member.fill(member.map(clipped), source);
        self.from_generation.fill(from_generation, source);
        if self.started.source().is_none_or(|told| source < told) {
            self.started_earliest = seen.at_earliest;
            self.started_unbounded = seen.evidence == Evidence::Inferred && seen.at_earliest.is_none();
        }
        self.started.fill(Some(seen.at), source);
        self.evidence.fill(Some(seen.evidence), source);
    }

    /// What its end tells; the generation is the caller's to set.
    pub(super) fn tell_end(&mut self, what: &Rebalanced, seen: &Sighting) {
        let source = seen.source;
        self.sources.insert(source);
        self.gives_way(what, seen);
        self.from_generation.fill(what.from_generation, source);
        self.cause.fill(known(what.cause), source);
        self.member.fill(what.member.as_ref().map(clipped), source);
        self.tell_over(seen);
        self.took_ms.fill(what.took_ms, source);
        self.join_ms.fill(what.join_ms, source);
        self.sync_ms.fill(what.sync_ms, source);
        self.abandoned.fill(Some(what.abandoned), source);
        self.missed.fill(Some(what.missed), source);
        self.evidence.fill(Some(seen.evidence), source);
        let lists = [
            (&mut self.joined, what.joined.as_ref()),
            (&mut self.left, what.left.as_ref()),
        ];
        let mut unnamed = what.unnamed;
        for (row, told) in lists {
            let Some(told) = told else { continue };
            let over = told.len().saturating_sub(NAMED);
            unnamed = unnamed.saturating_add(u32::try_from(over).unwrap_or(u32::MAX));
            row.fill(Some(told.iter().take(NAMED).map(clipped).collect()), source);
        }
        self.unnamed = self.unnamed.max(unnamed);
    }

    /// What a survey concluded from looks gives way to what the records tell that it read later: to their end of it, and where they
    /// tell how long it took, to all that they tell.
    fn gives_way(&mut self, what: &Rebalanced, seen: &Sighting) {
        let concluded = self.evidence.get() == Some(&Evidence::Inferred) || self.finished_earliest.is_some();
        if !concluded || seen.source != Source::Survey || seen.evidence != Evidence::Observed {
            return;
        }
        self.finished.forget(Source::Survey);
        let least = what.took_between_ms.map(|(least, _)| least);
        // Of other groups the bounds are concluded, too.
        let recorded = least.filter(|_| seen.of_epochs);
        let Some(took) = what.took_ms.or(recorded) else {
            return;
        };
        let started = UnixMs(seen.at.0.saturating_sub(took));
        let why = known(what.cause).is_none();
        let row = std::mem::replace(self, Self::open(Source::Survey));
        self.started.fill(Some(started), Source::Survey);
        self.started_earliest = row.started_earliest.filter(|earliest| *earliest <= started);
        self.generation = row.generation;
        self.rejoined = row.rejoined;
        if why {
            self.cause = row.cause;
            self.member = row.member;
        }
        if what.from_generation.is_none() {
            self.from_generation = row.from_generation;
        }
    }

    /// When it was over.
    pub(super) fn tell_over(&mut self, seen: &Sighting) {
        if self.finished.source().is_none_or(|told| seen.source < told) {
            self.finished_earliest = seen.at_earliest;
        }
        self.finished.fill(Some(seen.at), seen.source);
    }

    /// That a member is back, and how long it took.
    pub(super) fn tell_rejoin(&mut self, member: &MemberId, took_ms: Told<u64>) {
        if let Some(row) = self.rejoined.iter_mut().find(|row| row.member == *member) {
            row.took_ms.absorb(took_ms);
        } else if self.rejoined.len() < NAMED {
            self.rejoined.push(Rejoined {
                member: member.clone(),
                took_ms,
            });
        }
    }
}

/// Whether the count of generations began anew: it ends at or below the generation it left.
pub(super) fn restarts(what: &Rebalanced) -> bool {
    what.from_generation.is_some_and(|from| from >= what.generation)
}

/// How a thing was seen: who, when, how well.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting {
    pub(super) at: UnixMs,
    pub(super) at_earliest: Option<UnixMs>,
    pub(super) source: Source,
    pub(super) evidence: Evidence,
    /// Whether it is the end of one of a group with epochs: it took at least what lies between its first record and its last.
    pub(super) of_epochs: bool,
}

const fn known(cause: RebalanceCause) -> Option<RebalanceCause> {
    match cause {
        RebalanceCause::NotVisible => None,
        known => Some(known),
    }
}
