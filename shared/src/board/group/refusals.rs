//! Rights that are missing, whom they end, and what they hide.

use std::sync::Arc;

use super::Group;
use crate::board::departed::Departed;
use crate::board::member::{Member, Refusal};
use crate::board::state::MemberState;
use crate::ids::MemberId;

impl Group {
    /// The last right that one of its members is refused and has not been granted since; or the group as a whole,
    /// unless an answer to any of its members came through since.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refused_last().map(|(refused, _)| refused)
    }

    /// The same, with the member that it ended or that still tries; none where it concerns the group as a whole.
    #[must_use]
    pub fn refused_last(&self) -> Option<(&Refusal, Option<&MemberId>)> {
        let of_group = self
            .refused
            .as_deref()
            .filter(|refused| self.last_renewed().is_none_or(|renewed| renewed <= refused.at))
            .map(|refused| (refused, None));
        let of_members = self
            .members
            .values()
            .filter_map(|member| Some((member.refusal()?, Some(&member.id))));
        let of_departed = self
            .departed
            .iter()
            .enumerate()
            .filter_map(|(place, gone)| Some((self.standing_refusal(place, gone)?, Some(&gone.id))));
        // Of equals the last: a member is better than none.
        of_group
            .into_iter()
            .chain(of_departed)
            .chain(of_members)
            .max_by_key(|(refused, _)| refused.at)
    }

    /// The right without which a survey sees no more of it than its name and state; what members of ours are refused hides
    /// nothing.
    #[must_use]
    pub fn hidden(&self) -> Option<&Refusal> {
        let refused = self.refused.as_deref()?;
        refused.right.starts_with("DESCRIBE").then_some(refused)
    }

    /// How many rebalances were seen to end; none where there may have been some that nobody here could see: neither its
    /// generation nor, where it may not be described, its members are visible.
    #[must_use]
    pub fn rebalance_count(&self) -> Option<u64> {
        let counts = self.rebalances_total.values();
        let total = counts.fold(0, |sum: u64, count| sum.saturating_add(*count));
        let lists = self.hidden().is_none() && self.member_count().is_some();
        let seen = total > 0 || self.generation.get().is_some() || lists;
        seen.then_some(total)
    }

    /// Whether there may have been more than [`Self::rebalance_count`]: generations passed that nobody here has seen.
    #[must_use]
    pub fn rebalanced_unseen(&self) -> bool {
        self.rebalances_unseen || self.rebalances.iter().any(|row| row.skips())
    }

    /// The right by which one of ours ended whose session has run out since, as long as no later member of its name has
    /// been granted it.
    fn standing_refusal<'a>(&self, place: usize, gone: &'a Departed) -> Option<&'a Refusal> {
        let refused = gone.refused.as_ref()?;
        let granted = |member: &Arc<Member>| {
            member.name() == gone.name() && member.last_renewed().is_some_and(|renewed| renewed > refused.at)
        };
        let later = || self.departed.iter().take(place);
        let stands = gone.end.state == MemberState::Expired
            && !self.members.values().any(granted)
            && !later().any(|later| later.name() == gone.name());
        stands.then_some(refused)
    }
}
