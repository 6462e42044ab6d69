//! Who coordinates groups of certain names: FindCoordinator, many names in one request (KIP-699), from any broker.
//!
//! Where probe groups go follows from who leads the partitions of the offsets log. Whoever may not see that topic is told by
//! nobody who leads it; but of every name that he may use himself he is told who coordinates it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::error_code;
use shared::ids::{GroupId, NodeId};
use shared::protocol::{ApiKey, FindCoordinatorRequest, FindCoordinatorResponse};
use shared::time::Timestamp;

use super::desk::{Desk, Question, What};
use crate::limits;

/// The first version that takes many names.
const MANY_NAMES: i16 = 4;

/// What names were asked about, and who coordinates them.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// What they begin with.
    base: Option<String>,
    found: Arc<BTreeMap<GroupId, NodeId>>,
    /// When they were asked about last.
    asked: Option<Timestamp>,
    /// Who coordinated groups of others then: when that changes, leadership may have moved.
    busy: BTreeSet<NodeId>,
    /// Whether one of them may be used. Before that is known only one is asked about: each that may not be is a line in a log.
    allowed: bool,
    due: bool,
}

impl Names {
    /// Names that begin with this group's.
    pub(super) fn begin_with(&mut self, base: &GroupId) {
        self.base = Some(base.as_str().to_owned());
    }

    /// Who coordinates groups of these names, as far as that was asked.
    pub(super) fn found(&self) -> Arc<BTreeMap<GroupId, NodeId>> {
        Arc::clone(&self.found)
    }

    /// Finds out whether to ask in this round; `hidden` is whether nobody tells who leads the offsets log.
    pub(super) fn begin(&mut self, now: Timestamp, hidden: bool, busy: BTreeSet<NodeId>) {
        if !hidden || self.base.is_none() {
            self.due = false;
            return;
        }
        let old = self
            .asked
            .is_none_or(|asked| asked + limits::ROUND_LEADERS <= now);
        let partly = self.allowed && self.found.len() <= 1;
        self.due = !busy.is_empty() && (old || partly || busy != self.busy);
        self.busy = busy;
    }

    pub(super) const fn wants(&self) -> bool {
        self.due
    }

    /// The question; none where it is not due, or that broker takes one name a request: those before 3.0 do.
    pub(super) fn next(&mut self, now: Timestamp, desk: &Desk) -> Option<Question> {
        let base = self.base.as_ref().filter(|_| std::mem::take(&mut self.due))?;
        self.asked = Some(now);
        let version = desk.line.version(ApiKey::FindCoordinator);
        let version = version.filter(|version| *version >= MANY_NAMES)?;
        let many = if self.allowed { limits::ROUND_NAMES } else { 1 };
        let request = FindCoordinatorRequest {
            coordinator_keys: (1..=many).map(|counter| format!("{base}-{counter}")).collect(),
            ..Default::default()
        };
        Some((What::Names, version, request.into()))
    }

    /// Takes in who coordinates what. A broker that knows of nobody, since it is just starting, is not believed.
    pub(super) fn told(&mut self, answer: FindCoordinatorResponse) {
        let coordinators = answer.coordinators;
        let refused = error_code::GROUP_AUTHORIZATION_FAILED;
        if coordinators.iter().all(|told| told.error_code == refused) {
            self.allowed = false;
            self.found = Arc::default();
            return;
        }
        let named = coordinators
            .into_iter()
            .filter(|told| told.error_code == error_code::NONE && told.node_id >= 0);
        let found: BTreeMap<GroupId, NodeId> = named
            .map(|told| (GroupId::from(told.key), NodeId(told.node_id)))
            .collect();
        if !found.is_empty() {
            self.allowed = true;
            self.found = Arc::new(found);
        }
    }
}
