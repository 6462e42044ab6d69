//! Who coordinates groups of brokers in memory, by their names.

use shared::ids::NodeId;
use shared::protocol::{Coordinator, FindCoordinatorRequest, FindCoordinatorResponse};

/// Broker by broker, as the counters of names go up.
#[derive(Debug, Default)]
pub(in crate::survey) struct Names {
    pub(in crate::survey) nodes: Vec<NodeId>,
    /// Whether none may be used.
    pub(in crate::survey) refused: bool,
    /// How many names each question was about.
    pub(in crate::survey) asked: Vec<usize>,
}

impl Names {
    pub(super) fn find(&mut self, asked: FindCoordinatorRequest) -> FindCoordinatorResponse {
        self.asked.push(asked.coordinator_keys.len());
        let coordinators = asked.coordinator_keys.into_iter().map(|key| {
            let counter = key.rsplit('-').next().and_then(|counter| counter.parse().ok());
            let counter: usize = counter.unwrap();
            let node = self.nodes.get(counter % self.nodes.len().max(1));
            Coordinator {
                error_code: match node {
                    _ if self.refused => 30,
                    Some(_) => 0,
                    None => 15,
                },
                node_id: node.filter(|_| !self.refused).map_or(-1, |node| node.0),
                key,
                ..Default::default()
            }
        });
        FindCoordinatorResponse {
            coordinators: coordinators.collect(),
            ..Default::default()
        }
    }
}
