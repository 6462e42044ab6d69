//! A rebalance beside the one before it and the one after it: no two of a group run at a time.

use super::{Rebalance, Sighting};
use crate::board::told::Told;
use crate::event::Source;
use crate::ids::Generation;
use crate::time::UnixMs;

impl Rebalance {
    /// Ends it with `generation`, which not all its members came into before they got the next one.
    pub(in crate::board) fn gives_way_at(&mut self, generation: Generation, next: &Sighting) {
        self.generation = Some(generation);
        // A look may have seen later that it had begun.
        let began = self.started.get().map(|began| *began.min(&next.at));
        self.started.tell(began, next.source);
        self.tell_over(next);
        self.finished_earliest = self
            .finished_earliest
            .map(|earliest| Some(earliest).max(began).unwrap_or(earliest));
        self.abandoned.tell(Some(1), next.source);
        let left = self.from_generation.get();
        let steps = left.and_then(|left| u32::try_from(generation.0.saturating_sub(left.0)).ok());
        self.missed
            .tell(steps.map(|steps| steps.saturating_sub(1)), next.source);
    }

    /// Whether it ended before all its members were in it: with the next one.
    #[must_use]
    pub fn gave_way(&self) -> bool {
        let (Some(to), Some(left)) = (self.generation, self.from_generation.get()) else {
            return false;
        };
        let unseen = self.missed.get().copied().unwrap_or(0);
        let given_up = self.abandoned.get().copied().unwrap_or(0).saturating_add(unseen);
        given_up > 0 && i64::from(to.0) - i64::from(left.0) <= i64::from(given_up)
    }

    /// Whether it is told to have begun before `older` was over, which is the one before it: at or before the start of that, where
    /// that is known. A coordinator of ours sees them itself.
    pub(in crate::board) fn takes_in(&self, older: &Self) -> bool {
        let seen = self.sources.contains(Source::Embedded) || older.sources.contains(Source::Embedded);
        if seen || older.generation.is_none() || self.generation <= older.generation {
            return false;
        }
        let early = |began: UnixMs| match older.started.get() {
            Some(started) => began <= *started,
            None => older.finished.get().is_some_and(|over| began < *over),
        };
        let left = self.from_generation.get();
        left.is_some_and(|left| Some(*left) < older.generation)
            || self.started.get().is_some_and(|began| early(*began))
            || self.began_by_length().is_some_and(early)
    }

    /// When it began if its end is taken for exact and it took as long as is told.
    fn began_by_length(&self) -> Option<UnixMs> {
        let (over, took) = (self.finished.get()?, self.took_ms.get()?);
        Some(UnixMs(over.0.saturating_sub(*took)))
    }

    /// Gives `older`, which is the one before it, what is that one's: when and why it began, and the generation it left.
    pub(in crate::board) fn give_back(&mut self, older: &mut Self) {
        let over = older.finished.get().copied();
        let too_long = self.began_by_length().is_some_and(|began| Some(began) < over);
        let too_early = self.started.get().copied() < over;
        if too_long || too_early {
            older.cause.absorb(std::mem::take(&mut self.cause));
            older.member.absorb(std::mem::take(&mut self.member));
            (self.took_ms, self.join_ms) = (Told::default(), Told::default());
        }
        if too_early {
            if older.started.get().is_none() {
                older.started_earliest = self.started_earliest;
                older.started_unbounded = self.started_unbounded;
            }
            older.started.absorb(std::mem::take(&mut self.started));
            (self.started_earliest, self.started_unbounded) = (None, false);
        }
        let left = std::mem::take(&mut self.from_generation);
        if let Some(generation) = older.generation
            && let Some(source) = older.sources.iter().next()
        {
            if left.get().is_some_and(|left| *left < generation) {
                older.from_generation.absorb(left);
                (self.abandoned, self.missed) = (Told::default(), Told::default());
            }
            self.from_generation.tell(Some(generation), source);
        }
    }
}
