//! Who of a classic group joined again with its last rebalance, where only a survey sees it: no answer and no record names them, but
//! whoever was there before and is there after did. How long each took is not visible.

use std::sync::Arc;

use super::Group;
use crate::board::churn::Identity;
use crate::board::departed::End;
use crate::board::rebalance::Rebalance;
use crate::board::told::Told;
use crate::event::{GroupType, Source};
use crate::ids::MemberId;

impl Group {
    /// Adds them, as far as rows tell by now: under the id it had, or under another where it has left and come back meanwhile.
    pub(super) fn add_rejoined(&mut self) {
        let Some(row) = self.rebalances.first().filter(|row| self.is_seen_from_afar(row)) else {
            return;
        };
        let (joined, left) = (row.joined.get(), row.left.get());
        let among = |ids: Option<&Vec<MemberId>>, id| ids.is_some_and(|ids| ids.contains(id));
        let began = row.started.get().or(row.finished.get());
        let members = self.members.values().filter(|member| {
            if among(joined, &member.id) {
                let identity = Identity::of(member);
                let was = |id: &MemberId| self.gone(id).is_some_and(|gone| gone.identity() == identity);
                return identity.is_known() && left.is_some_and(|left| left.iter().any(was));
            }
            Some(&member.since) < began && !among(left, &member.id)
        });
        let back: Vec<MemberId> = members.map(|member| member.id.clone()).collect();
        if let Some(row) = self.rebalances.first_mut() {
            let row = Arc::make_mut(row);
            back.iter().for_each(|id| row.tell_rejoin(id, Told::default()));
        }
    }

    /// One that is gone since before the last rebalance was seen to be over did not.
    pub(super) fn take_rejoined(&mut self, id: &MemberId, end: &End) {
        let Some(row) = self.rebalances.first().filter(|row| self.is_seen_from_afar(row)) else {
            return;
        };
        let since = end.at_earliest.unwrap_or(end.at);
        if row.left.get().is_none()
            && Some(&since) < row.finished.get()
            && let Some(row) = self.rebalances.first_mut()
        {
            Arc::make_mut(row).rejoined.retain(|back| back.member != *id);
        }
    }

    fn is_seen_from_afar(&self, row: &Rebalance) -> bool {
        let classic = self.group_type.get() == Some(&GroupType::Classic);
        classic && row.sources.iter().all(|source| source == Source::Survey)
    }
}
