//! What the timeline has beyond its group's row: more of its past, and times of which nothing is known.

use std::sync::Arc;

use shared::board::{Departed, Group, Rebalance, Unseen};
use shared::time::UnixMs;

use super::super::ByPointer;
use super::marks::{Mark, What};
use super::span::Span;
use super::{Lanes, LanesProps};
use crate::model::{Action, Model};

/// All of that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beyond {
    /// The group as its events make it, where its row keeps less than there was.
    pub earlier: Option<ByPointer<Group>>,
    /// Since when all rebalances, and all members that went, are there.
    pub since: UnixMs,
    /// Whether the server has told since when.
    pub told: bool,
    /// What was not seen, newest first.
    pub gaps: Vec<Unseen>,
}

impl Beyond {
    /// Of a group on the board on show.
    #[must_use]
    pub fn of(model: &Model, group: &Group) -> Self {
        let gaps = model.board().map_or(&[][..], |board| &board.gaps);
        let gaps = gaps
            .iter()
            .filter(|gap| gap.concerns(&group.key))
            .cloned()
            .collect();
        let (turns, since) = (model.log().turns(), group.whole_since());
        let earlier = (since > UnixMs(0)).then(|| ByPointer(turns.recalled(&group.key)));
        Self {
            earlier,
            since: turns.since().map_or(since, |told| since.min(told)),
            told: turns.since().is_some(),
            gaps,
        }
    }

    /// The rebalances of before those in the row, oldest first.
    pub(super) fn rebalances<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Arc<Rebalance>> {
        let oldest = group.rebalances.last();
        let before = move |row: &&Arc<Rebalance>| {
            oldest.is_none_or(|oldest| {
                row.finished.get() < oldest.finished.get() && row.generation != oldest.generation
            })
        };
        let earlier = self.earlier.iter().flat_map(|earlier| &earlier.rebalances).rev();
        earlier.filter(before)
    }

    /// The members that went before those in the row.
    pub(super) fn departed<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Arc<Departed>> {
        let oldest = group.departed.last();
        let before = move |gone: &&Arc<Departed>| {
            oldest.is_some_and(|oldest| gone.end.at <= oldest.end.at && gone.id != oldest.id)
        };
        let earlier = self.earlier.iter().flat_map(|earlier| &earlier.departed);
        earlier.filter(before)
    }

    /// What is not known within a span.
    pub(super) fn unknown(&self, span: Span) -> impl Iterator<Item = Mark<'_>> {
        let gaps = self.gaps.iter().filter(move |gap| span.shows(gap.from, gap.to));
        gaps.map(gap).chain(self.older(span))
    }

    /// Up to when not all is there, where that is within a span or after it.
    pub(super) fn older(&self, span: Span) -> Option<Mark<'_>> {
        (self.since > span.from).then(|| Mark {
            at: self.since.min(span.until),
            lane: None,
            what: What::Older,
        })
    }

    /// That nothing is known of a moment.
    pub(super) fn gap_at(&self, at: UnixMs) -> Option<Mark<'_>> {
        let mut gaps = self.gaps.iter();
        gaps.find(|unseen| (unseen.from..=unseen.to).contains(&at))
            .map(gap)
    }
}

impl Lanes {
    /// Has what was before asked for where it is looked at, and as much again: who goes back goes on.
    pub(super) fn look_back(&mut self, props: &LanesProps) {
        let span = self.gaze.span(props.at);
        let asks = !props.beyond.told || span.from < self.asked;
        if asks && span.from < props.beyond.since {
            self.asked = span.from;
            let from = UnixMs(span.from.0.saturating_sub(span.length()));
            props.act.emit(Action::LookBack(from));
        }
    }
}

const fn gap(unseen: &Unseen) -> Mark<'_> {
    Mark {
        at: unseen.from,
        lane: None,
        what: What::Unseen(unseen),
    }
}
