//! Groups as the run before this one left them: the survey goes on from there, as after a long time in which it did not look. So
//! what is as it was is not told anew, and what became of them meanwhile is told with the time in which it can have been.

use std::sync::Arc;

use shared::board::Group;
use shared::event::{Change, Evidence, GroupType, Observation, Source};
use shared::ids::ClusterId;
use shared::time::{Timestamp, UnixMs};

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
}

impl Before {
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
