//! When a group's coordinator answered nobody: what its members did then and soon after says nothing of them.

use serde::Serialize;

use super::limits::{AFTER_OUTAGE, OUTAGES};
use crate::ids::NodeId;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// That a coordinator answered nobody, or not about the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Outage {
    /// Its broker.
    pub node: NodeId,
    /// Its last answer before.
    pub from: UnixMs,
    /// Its next one, or that of the broker that coordinates the group since.
    pub to: UnixMs,
}

impl Outage {
    /// Whether what happened then may be due to it: members that could not be heard are removed up to a session later, and come back.
    #[must_use]
    pub fn explains(&self, at: UnixMs) -> bool {
        self.from <= at && at.since(self.to) <= AFTER_OUTAGE
    }

    /// Takes it into a list, newest first; one that goes on where the last one was is one with that.
    pub(super) fn note(self, all: &mut Vec<Self>) {
        if let Some(last) = all.first_mut().filter(|last| self.from <= last.to) {
            last.from = last.from.min(self.from);
            last.to = last.to.max(self.to);
            return;
        }
        all.insert(0, self);
        all.truncate(OUTAGES);
    }
}
