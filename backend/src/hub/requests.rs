//! How many requests went to which broker: counted where they are sent, read by the metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use shared::ids::NodeId;

use crate::limits;

/// Requests by broker and API. A broker that has not named itself yet (bootstrap) counts under `None`.
#[derive(Debug, Default)]
pub struct RequestCounts {
    by_node: Mutex<BTreeMap<(Option<NodeId>, &'static str), u64>>,
}

impl RequestCounts {
    /// Counts one request.
    pub fn count(&self, node: Option<NodeId>, api: &'static str) {
        let mut counts = self.by_node.lock().unwrap_or_else(PoisonError::into_inner);
        // Node ids come from the peer; one that names a new broker each time must not fill the memory.
        let full = counts.len() >= limits::METRIC_SERIES;
        let node = if full && !counts.contains_key(&(node, api)) {
            None
        } else {
            node
        };
        let count = counts.entry((node, api)).or_insert(0);
        *count = count.saturating_add(1);
    }

    /// The counts so far, in order of broker and API.
    #[must_use]
    pub fn snapshot(&self) -> Vec<(Option<NodeId>, &'static str, u64)> {
        let counts = self.by_node.lock().unwrap_or_else(PoisonError::into_inner);
        counts
            .iter()
            .map(|(&(node, api), &count)| (node, api, count))
            .collect()
    }
}
