//! Verdicts: what is wrong with a group, as values with their sentences and the evidence they rest on.
//!
//! Computed from a row of the board and the time of day, never stored. Of the closed vocabulary [`Verdict`] these are
//! found so far: stable, empty, rebalancing, member-late, member-silent, coordinator-gone, not-authorized; and
//! not-visible where what was seen does not tell.

mod coordinator;
mod group;
mod member;
mod verdict;
pub mod words;

pub use verdict::{Finding, Verdict};

use crate::board::Group;
use crate::time::UnixMs;

/// All that is to be said of a group at `now`, the worst first; never empty.
#[must_use]
pub fn verdicts(group: &Group, now: UnixMs) -> Vec<Finding> {
    let mut found: Vec<Finding> = [
        coordinator::not_authorized(group, now),
        coordinator::gone(group, now),
        member::silent(group, now),
        member::late(group, now),
        Some(group::at_work_or_at_rest(group, now)),
    ]
    .into_iter()
    .flatten()
    .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.verdict.severity()));
    found
}

/// The worst of [`verdicts`].
#[must_use]
pub fn verdict(group: &Group, now: UnixMs) -> Finding {
    // Never out of range: there is always one.
    verdicts(group, now).swap_remove(0)
}

#[cfg(test)]
mod tests;
