//! What one look told all at once, and how that is taken apart again.

use serde::Serialize;

use super::{Change, Observation};
use crate::ids::MemberId;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// One thing of several that were told together: [`Change::GroupDescribed`].
#[derive(Clone, Debug, PartialEq, Serialize, FromNode)]
pub struct Detail {
    /// When it happened, where that is not when all was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<UnixMs>,
    /// Of which member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<MemberId>,
    /// What.
    pub change: Change,
}

/// What an observation says, or a part of that; all the rest of it stands in the observation.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// When it happened, at the latest.
    pub at: UnixMs,
    /// At the earliest, where that is not exact.
    pub at_earliest: Option<UnixMs>,
    /// Of which member.
    pub member: Option<&'a MemberId>,
    /// What.
    pub change: &'a Change,
}

impl Observation {
    /// What it says itself, and then each thing that it told together with others. What is nested deeper says nothing.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        (0..).map_while(|place| self.part(place))
    }

    fn part(&self, place: usize) -> Option<Part<'_>> {
        let Some(place) = place.checked_sub(1) else {
            return Some(Part {
                at: self.at,
                at_earliest: self.at_earliest,
                member: self.member.as_ref(),
                change: &self.change,
            });
        };
        let Change::GroupDescribed { told } = &self.change else {
            return None;
        };
        let detail = told.get(place)?;
        Some(Part {
            at: detail.at.unwrap_or(self.at),
            at_earliest: None,
            member: detail.member.as_ref(),
            change: &detail.change,
        })
    }
}
