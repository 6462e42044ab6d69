//! How much brokers in memory are asked.

use std::collections::{BTreeMap, VecDeque};

use shared::ids::NodeId;
use shared::time::{Millis, Timestamp};

use super::Cluster;

/// What the brokers are asked.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// When, in the second before.
    lately: BTreeMap<NodeId, VecDeque<Timestamp>>,
    most_in_flight: BTreeMap<NodeId, usize>,
    most_in_a_second: BTreeMap<NodeId, usize>,
}

impl Traffic {
    pub(super) fn sent(&mut self, now: Timestamp, node: NodeId, in_flight: usize) {
        let lately = self.lately.entry(node).or_default();
        lately.push_back(now);
        while lately.front().is_some_and(|at| *at + Millis(1_000) <= now) {
            lately.pop_front();
        }
        let most = self.most_in_a_second.entry(node).or_default();
        *most = lately.len().max(*most);
        let most = self.most_in_flight.entry(node).or_default();
        *most = in_flight.max(*most);
    }
}

impl Cluster {
    /// Requests that a broker had not answered, at most.
    pub(in crate::survey) fn most_in_flight(&self, node: NodeId) -> usize {
        self.traffic.most_in_flight.get(&node).copied().unwrap_or(0)
    }

    /// Requests that came to a broker in any one second, at most.
    pub(in crate::survey) fn most_in_a_second(&self, node: NodeId) -> usize {
        self.traffic.most_in_a_second.get(&node).copied().unwrap_or(0)
    }
}
