//! Whether the coordinator still is one, where somebody who sees the whole cluster knows more than its silence tells.
//!
//! A broker that stands still keeps its connections and answers nothing: a client of Kafka's waits for its own request timeout,
//! 30 s, before it looks for another coordinator. What is seen from outside starts that search at once, beside the connection
//! there is: only when a broker names another coordinator is that one given up, so that one that was merely slow is heard out.

use std::collections::BTreeSet;

use super::Member;
use super::coordinator::{Lookup, address};
use super::port::AnswerFault;
use super::state::State;
use crate::error_code;
use crate::event::DeathCause;
use crate::ids::NodeId;
use crate::protocol::AnyResponse;
use crate::time::Timestamp;

/// What is seen of a group's coordinator from outside of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Who coordinates the group; none while that is not known.
    pub coordinator: Option<NodeId>,
    /// Brokers that answer. Where none does, that tells nothing of a single one.
    pub answering: BTreeSet<NodeId>,
}

impl Outlook {
    fn doubts(&self, node: NodeId) -> bool {
        let elsewhere = self.coordinator.is_some_and(|coordinator| coordinator != node);
        elsewhere || !self.answering.is_empty() && !self.answering.contains(&node)
    }
}

impl Member {
    /// Looks for the coordinator while there is one, as long as that one owes an answer and is not seen to be it, or to answer.
    pub(super) fn look_twice(&mut self, now: Timestamp) {
        let Some(known) = &self.coordinator else { return };
        let doubted =
            known.link.is_waited_for() && self.outlook.doubts(known.node) && !self.standing.state().over();
        match (&self.lookup, doubted) {
            (Lookup::Idle, true) => self.lookup = Lookup::Waiting { until: now },
            (Lookup::Waiting { .. } | Lookup::Asking(_), false) => {
                self.close_lookup();
                self.lookup = Lookup::Idle;
            }
            (Lookup::Idle, false) | (Lookup::Waiting { .. } | Lookup::Asking(_), true) => {}
        }
    }

    /// The answer to such a lookup: where it names no other broker, it is asked again after the backoff.
    pub(super) fn looked_twice(&mut self, now: Timestamp, result: Result<AnyResponse, AnswerFault>) {
        let answer = result
            .ok()
            .filter(|answer| answer.error_code().is_none_or(|code| code == error_code::NONE));
        let found = answer.and_then(|answer| address(answer, self.config.group.as_str()));
        let other =
            found.filter(|(node, ..)| self.coordinator.as_ref().is_some_and(|known| known.node != *node));
        let Some(other) = other else {
            return self.look_again_later(now);
        };
        self.coordinator_dead(now, DeathCause::Moved, None);
        if self.standing.state() != State::Ended {
            self.coordinator_found(now, other);
        }
    }
}
