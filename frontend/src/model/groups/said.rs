//! What is to be said of one group, as it was worked out last.

use shared::board::{Board, Group, GroupKey};
use shared::health::{Finding, verdicts};
use shared::time::UnixMs;

/// From how many members on a group is a crowd: what is to be said of it takes a part of a frame to work out.
const CROWD: usize = 100;

/// What is to be said of a group at a moment.
#[derive(Clone, Debug)]
pub struct Said {
    key: GroupKey,
    touched: u64,
    at: UnixMs,
    findings: Vec<Finding>,
}

impl Said {
    pub(in crate::model) fn of(board: &Board, group: &Group, at: UnixMs) -> Self {
        Self {
            key: group.key.clone(),
            touched: group.touched,
            at,
            findings: verdicts(board, group, at),
        }
    }

    /// Whether it goes for a group at a moment: of a crowd that beats a thousand times a second as long as nothing else came.
    pub(in crate::model) fn is_of(&self, group: &Group, at: UnixMs) -> bool {
        let same = (&self.key, self.touched, self.at) == (&group.key, group.touched, at);
        same && group.members.len() >= CROWD
    }

    /// The worst first.
    pub(in crate::model) fn findings(&self) -> Vec<Finding> {
        self.findings.clone()
    }
}
