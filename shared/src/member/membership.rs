//! What a member is in its group: its generation, its id, the assignor chosen.

use std::sync::Arc;

use crate::ids::{Generation, MemberId};
use crate::rules::Forget;

/// Kafka's `AbstractCoordinator.Generation`. A request remembers the one it was made with: an answer to another is stale
/// only if this differs in any of its three parts (KAFKA-9823).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Membership {
    pub(super) generation: Generation,
    /// Empty until the coordinator has given one.
    pub(super) member_id: MemberId,
    pub(super) protocol: Option<Arc<str>>,
}

impl Membership {
    pub(super) fn none() -> Self {
        Self {
            generation: Generation::NONE,
            member_id: MemberId::default(),
            protocol: None,
        }
    }

    pub(super) fn forget(&mut self, what: Forget) {
        if what.generation() {
            self.generation = Generation::NONE;
            self.protocol = None;
        }
        if what.member_id() {
            self.member_id = MemberId::default();
        }
    }
}
