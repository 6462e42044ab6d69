//! Groups as the run before this one left them: the survey goes on from there, as after a long time in which it did not look. So
//! what is as it was is not told anew, and what became of them meanwhile is told with the time in which it can have been.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::board::limits::TEXT;
use shared::board::{Group, Rebalance};
use shared::event::{Change, Evidence, GroupType, Observation, Source};
use shared::ids::{ClusterId, GroupId, MemberId};
use shared::time::{Timestamp, UnixMs};

use crate::limits;

/// Stands for the end of the run before. No moment of this one is as early.
pub(super) const BEFORE: Timestamp = Timestamp(0);

/// What the run before left.
#[derive(Debug)]
pub struct Before {
    /// When it ended.
    pub ended: UnixMs,
    /// The cluster that it looked at.
    pub cluster: ClusterId,
    /// The groups as they were then.
    pub groups: Vec<Arc<Group>>,
    /// When each was looked at last, where that was before the end.
    looked_at: BTreeMap<GroupId, UnixMs>,
}

impl Before {
    /// What a run that ended then left of a cluster.
    #[must_use]
    pub fn new(ended: UnixMs, cluster: ClusterId, groups: Vec<Arc<Group>>) -> Self {
        let of_one = |group: &Arc<Group>| (group.key.group.clone(), looked_at(group, ended));
        let looked_at = groups.iter().map(of_one).collect();
        Self {
            ended,
            cluster,
            groups,
            looked_at,
        }
    }

    /// What `BEFORE` stands for of a group: the last look at it, as far as that is known.
    #[must_use]
    pub fn unix(&self, group: Option<&GroupId>) -> UnixMs {
        let looked_at = group.and_then(|group| self.looked_at.get(group));
        looked_at.copied().unwrap_or(self.ended)
    }

    /// Who was in them; without those whose ids the board may have cut: who has the whole ones would not know them.
    #[must_use]
    pub fn members(&self) -> BTreeMap<GroupId, BTreeSet<MemberId>> {
        let is_whole = |id: &str| id.len() + char::MAX_LEN_UTF8 <= TEXT;
        let members = |group: &Group| {
            let ids = group.members.keys().filter(|id| is_whole(id.as_str()));
            ids.cloned().collect()
        };
        let groups = self.groups.iter();
        groups
            .filter(|group| is_whole(group.key.group.as_str()))
            .map(|group| (group.key.group.clone(), members(group)))
            .collect()
    }

    /// What is to be said where another cluster is found in that one's place: nobody looks at its groups any more.
    pub(super) fn farewell(&self, now: UnixMs) -> impl Iterator<Item = Observation> {
        self.groups.iter().map(move |group| {
            let group_type = group.group_type.get().cloned();
            Observation {
                at: now,
                at_earliest: Some(self.ended),
                source: Source::Survey,
                evidence: Evidence::Inferred,
                cluster: self.cluster.clone(),
                group: Some(group.key.group.clone()),
                member: None,
                change: Change::GroupGone {
                    group_type: group_type.unwrap_or(GroupType::Classic),
                },
            }
        })
    }
}

/// When a group was looked at last in a run that ended then, at the earliest. A look that shows what the one before it showed is no event:
/// the last was so long before the end of the run, or before its coordinator was silent, as looks may be apart; and not before what is
/// known to have happened.
fn looked_at(group: &Group, ended: UnixMs) -> UnixMs {
    let untold = group
        .coordinator
        .as_ref()
        .and_then(|seat| seat.unanswered.as_ref());
    let answered = untold.map_or(ended, |failure| failure.at.min(ended));
    let over = |row: &Arc<Rebalance>| row.finished.get().copied();
    let known = [group.state_since, group.rebalances.first().and_then(over)];
    let known = known.into_iter().flatten().max().unwrap_or_default();
    let apart = UnixMs(answered.0.saturating_sub(limits::SURVEY_OVERDUE.0));
    apart.max(known).min(answered)
}
