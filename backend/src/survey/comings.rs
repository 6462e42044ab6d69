//! Who came and who went between two sights of a group, in the words of events.

use shared::event::{RebalanceCause, Rebalanced};
use shared::ids::MemberId;

/// Who came, and who went.
#[derive(Debug, Default)]
pub(super) struct Comings {
    pub(super) joined: Vec<MemberId>,
    pub(super) left: Vec<MemberId>,
}

impl Comings {
    /// Leaves out who came into a generation with these members and who had gone by then: that was the rebalance before.
    pub(super) fn after(&mut self, has: impl Fn(&MemberId) -> bool) {
        self.joined.retain(|member| !has(member));
        self.left.retain(has);
    }

    /// Why a rebalance began, as far as that tells it, and who caused it.
    pub(super) fn cause(&self) -> (RebalanceCause, Option<MemberId>) {
        match (&*self.joined, &*self.left) {
            ([member], []) => (RebalanceCause::MemberJoined, Some(member.clone())),
            // Who of them was the first is not visible.
            ([_, ..], []) => (RebalanceCause::MemberJoined, None),
            // How it went is not visible, but that it did.
            ([], [member]) => (RebalanceCause::NotVisible, Some(member.clone())),
            _ => (RebalanceCause::NotVisible, None),
        }
    }

    /// How many more came or went than an event names.
    pub(super) fn unnamed(&self) -> u32 {
        let over = |ids: &[MemberId]| ids.len().saturating_sub(Rebalanced::NAMED);
        u32::try_from(over(&self.joined) + over(&self.left)).unwrap_or(u32::MAX)
    }

    /// Who came and who went, as many as an event names.
    pub(super) fn named(mut self) -> (Vec<MemberId>, Vec<MemberId>) {
        self.joined.truncate(Rebalanced::NAMED);
        self.left.truncate(Rebalanced::NAMED);
        (self.joined, self.left)
    }
}
