//! The marks of a timeline one by one: to draw, to explain, to step through.

use std::cmp::Reverse;

use shared::board::Group;
use shared::ids::MemberId;
use shared::time::UnixMs;

use super::lanes::{Band, End, Lane, Life, Seen, Timeline};
use super::span::Span;

/// One thing on show, for who goes from one to the next.
#[derive(Clone, Debug)]
pub struct Mark<'a> {
    /// When.
    pub at: UnixMs,
    /// Whose; none of a rebalance.
    pub lane: Option<&'a Lane>,
    /// What.
    pub what: What<'a>,
}

/// What a mark stands for.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// A rebalance.
    Rebalance(&'a Band),
    /// A member came.
    Came(&'a Life),
    /// A member went.
    Went(&'a Life, &'a End),
    /// A sign of a member.
    Sign(&'a Life, Seen),
    /// The heartbeats of a member before are no longer kept.
    Forgotten(&'a Life),
}

impl Timeline {
    /// What is within a span and more than life going on, newest first.
    #[must_use]
    pub fn turns(&self, group: &Group, span: Span) -> Vec<Mark<'_>> {
        let bands = self.bands.iter().map(|band| Mark {
            at: band.from,
            lane: None,
            what: What::Rebalance(band),
        });
        let lanes = self.lanes.iter().flat_map(|lane| lane.marks(group));
        let telling = lanes.filter(|mark| !matches!(mark.what, What::Sign(_, seen) if !seen.is_a_turn()));
        let mut marks: Vec<Mark<'_>> = bands.chain(telling).collect();
        marks.retain(|mark| span.shows(mark.at, mark.at));
        marks.sort_by_key(|mark| Reverse(mark.at));
        marks
    }
}

impl Timeline {
    /// The rebalance that ran at a moment; `now` ends one that still runs.
    #[must_use]
    pub fn band_at(&self, at: UnixMs, now: UnixMs) -> Option<Mark<'_>> {
        let runs = |band: &&Band| band.earliest.unwrap_or(band.from) <= at && at <= band.until.unwrap_or(now);
        let band = self.bands.iter().rev().find(runs)?;
        Some(Mark {
            at: band.from,
            lane: None,
            what: What::Rebalance(band),
        })
    }
}

impl Lane {
    /// All that is known of it; of one life its signs first, so that what is drawn above them comes later.
    pub fn marks<'a>(&'a self, group: &Group) -> Vec<Mark<'a>> {
        let mut marks = Vec::new();
        for life in &self.lives {
            let signs = life
                .signs(group)
                .into_iter()
                .map(|sign| (sign.at, What::Sign(life, sign.what)));
            let came = life.from.map(|at| (at, What::Came(life)));
            let went = life.end.iter().map(|end| (end.at, What::Went(life, end)));
            let all = signs.chain(came).chain(went);
            marks.extend(all.map(|(at, what)| Mark {
                at,
                lane: Some(self),
                what,
            }));
        }
        marks
    }

    /// That the heartbeats of a moment are no longer kept; none where they are, or could not be seen.
    #[must_use]
    pub fn forgotten_at<'a>(&'a self, group: &Group, at: UnixMs) -> Option<Mark<'a>> {
        self.lives.iter().find_map(|life| {
            let (from, until) = life.forgotten(group)?;
            (from..until).contains(&at).then_some(Mark {
                at: until,
                lane: Some(self),
                what: What::Forgotten(life),
            })
        })
    }
}

impl Mark<'_> {
    /// Whose it is; none of a rebalance.
    fn member(&self) -> Option<&MemberId> {
        match &self.what {
            What::Rebalance(_) => None,
            What::Came(life) | What::Went(life, _) | What::Sign(life, _) | What::Forgotten(life) => {
                Some(&life.member)
            }
        }
    }
}

/// Which mark it is, as long as time goes on and others come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// When.
    pub at: UnixMs,
    /// Whose; none of a rebalance.
    pub member: Option<MemberId>,
    /// How many of the same moment and member stand before it: what a member is told and what it does can be of one millisecond.
    nth: usize,
}

impl Place {
    /// Of a mark, the first of its moment and member.
    #[must_use]
    pub fn of(mark: &Mark<'_>) -> Self {
        Self {
            at: mark.at,
            member: mark.member().cloned(),
            nth: 0,
        }
    }

    fn is_of(&self, mark: &Mark<'_>) -> bool {
        mark.at == self.at && mark.member() == self.member.as_ref()
    }

    /// The mark one step older, where `back`, or newer among `marks`, which are newest first, and its place; without a place, or
    /// where its mark is not among them, the newest.
    #[must_use]
    pub fn step<'m, 'a>(
        here: Option<&Self>,
        marks: &'m [Mark<'a>],
        back: bool,
    ) -> Option<(&'m Mark<'a>, Self)> {
        let index = here.and_then(|here| {
            let alike = marks.iter().enumerate().filter(|(_, mark)| here.is_of(mark));
            alike
                .take(here.nth.saturating_add(1))
                .last()
                .map(|(index, _)| index)
        });
        let to = match (index, back) {
            (None, _) => 0,
            (Some(index), true) => index + 1,
            (Some(index), false) => index.saturating_sub(1),
        };
        let mark = marks.get(to)?;
        let mut place = Self::of(mark);
        place.nth = marks.iter().take(to).filter(|mark| place.is_of(mark)).count();
        Some((mark, place))
    }
}
