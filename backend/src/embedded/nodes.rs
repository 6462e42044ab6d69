//! The cluster's two nodes: which coordinates which partition of `__consumer_offsets`, and where each is reached.
//!
//! There is one machine for both: a partition is here or being read, and a request is the machine's only if it came to the
//! node that has the group's partition. The second node is there from the first fault `move` on.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use shared::error_code as code;
use shared::fault::Reload;
use shared::ids::NodeId;
use shared::protocol::{AnyResponse, FindCoordinatorResponse, MetadataResponse, MetadataResponseBroker};
use shared::time::Timestamp;

use super::NODE;
use crate::coordinator::offsets_log::partition_of;

/// The node that groups move to.
pub(super) const SECOND: NodeId = NodeId(2);

/// Who has what.
#[derive(Debug)]
pub(super) struct Nodes {
    first: SocketAddr,
    /// Where the second node listens, once it does.
    second: Option<SocketAddr>,
    /// The partitions that the second node has; the first has all others.
    moved: BTreeSet<i32>,
    loading: Vec<Loading>,
}

/// A partition that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loading {
    pub(super) node: NodeId,
    pub(super) partition: i32,
    pub(super) reload: Reload,
    until: Timestamp,
}

impl Nodes {
    pub(super) const fn new(first: SocketAddr) -> Self {
        Self {
            first,
            second: None,
            moved: BTreeSet::new(),
            loading: Vec::new(),
        }
    }

    /// Whether there are two.
    pub(super) const fn are_two(&self) -> bool {
        self.second.is_some()
    }

    /// The second node listens there.
    pub(super) const fn joined(&mut self, second: SocketAddr) {
        self.second = Some(second);
    }

    fn owner(&self, partition: i32) -> NodeId {
        if self.moved.contains(&partition) {
            SECOND
        } else {
            NODE
        }
    }

    /// The node that coordinates a group.
    pub(super) fn owner_of(&self, group: &str) -> NodeId {
        self.owner(partition_of(group))
    }

    /// Moves the partition of a group to the other node, which reads it until then.
    pub(super) fn move_group(&mut self, group: &str, reload: Reload, until: Timestamp) -> Loading {
        let partition = partition_of(group);
        let node = if self.moved.remove(&partition) {
            NODE
        } else {
            self.moved.insert(partition);
            SECOND
        };
        let loading = Loading {
            node,
            partition,
            reload,
            until,
        };
        self.loading.retain(|other| other.partition != partition);
        self.loading.push(loading);
        loading
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.loading.iter().map(|loading| loading.until).min()
    }

    /// A partition that has been read by now.
    pub(super) fn loaded(&mut self, now: Timestamp) -> Option<Loading> {
        let at = self.loading.iter().position(|loading| loading.until <= now)?;
        Some(self.loading.remove(at))
    }

    /// The code by which `node` refuses what it is asked about a group; none where the group is its own.
    pub(super) fn refusal(&self, node: NodeId, group: &str) -> Option<i16> {
        (self.are_two() && self.owner(partition_of(group)) != node).then_some(code::NOT_COORDINATOR)
    }

    /// Where a node is reached by a client that reached `node` at `reached`: on the same interface.
    fn address(&self, of: NodeId, (node, reached): (NodeId, SocketAddr)) -> (String, i32) {
        let listens = if of == SECOND {
            self.second
        } else {
            Some(self.first)
        };
        let port = if of == node {
            reached.port()
        } else {
            listens.unwrap_or(self.first).port()
        };
        (reached.ip().to_string(), port.into())
    }

    /// Tells both nodes where an answer tells of one. `group` is what a lookup of one key asked for.
    pub(super) fn tell(&self, at: (NodeId, SocketAddr), group: Option<&str>, response: &mut AnyResponse) {
        if !self.are_two() {
            return;
        }
        match response {
            AnyResponse::Metadata(MetadataResponse { brokers, .. }) => {
                *brokers = [NODE, SECOND]
                    .into_iter()
                    .map(|node| {
                        let (host, port) = self.address(node, at);
                        MetadataResponseBroker {
                            node_id: node.0,
                            host,
                            port,
                            ..MetadataResponseBroker::default()
                        }
                    })
                    .collect();
            }
            AnyResponse::FindCoordinator(answer) => self.tell_coordinators(at, group, answer),
            AnyResponse::ListGroups(answer) => {
                answer
                    .groups
                    .retain(|group| self.refusal(at.0, &group.group_id).is_none());
            }
            _ => {}
        }
    }

    fn tell_coordinators(
        &self,
        at: (NodeId, SocketAddr),
        group: Option<&str>,
        answer: &mut FindCoordinatorResponse,
    ) {
        for found in answer
            .coordinators
            .iter_mut()
            .filter(|found| found.error_code == 0)
        {
            let node = self.owner(partition_of(&found.key));
            (found.node_id, (found.host, found.port)) = (node.0, self.address(node, at));
        }
        if let (true, 0, Some(group)) = (answer.coordinators.is_empty(), answer.error_code, group) {
            let node = self.owner(partition_of(group));
            (answer.node_id, (answer.host, answer.port)) = (node.0, self.address(node, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::protocol::Coordinator;
    use shared::time::Millis;

    use super::*;

    fn two() -> Nodes {
        let mut nodes = Nodes::new("127.0.0.1:9092".parse().unwrap());
        nodes.joined("127.0.0.1:9093".parse().unwrap());
        nodes
    }

    #[test]
    fn a_group_is_one_nodes_and_the_other_says_so() {
        let mut nodes = two();
        assert_eq!(
            (nodes.refusal(NODE, "a"), nodes.refusal(SECOND, "a")),
            (None, Some(16))
        );
        let now = Timestamp::from_millis(5);
        let moved = nodes.move_group("a", Reload::Newest, now + Millis(3));
        assert_eq!((moved.node, moved.partition), (SECOND, partition_of("a")));
        assert_eq!(
            (nodes.refusal(NODE, "a"), nodes.refusal(SECOND, "a")),
            (Some(16), None)
        );
        assert_eq!(nodes.loaded(now), None);
        assert_eq!(nodes.loaded(now + Millis(3)), Some(moved));
        assert_eq!(nodes.deadline(), None);
        assert_eq!(nodes.move_group("a", Reload::None, now).node, NODE);
    }

    #[test]
    fn lookups_name_the_node_that_has_the_group_by_the_interface_the_client_came_by() {
        let mut nodes = two();
        nodes.move_group("a", Reload::Newest, Timestamp::from_millis(0));
        let other = (0..)
            .map(|n| n.to_string())
            .find(|id| partition_of(id) != partition_of("a"));
        let found = |key: &str| Coordinator {
            key: key.to_owned(),
            ..Coordinator::default()
        };
        let mut response = AnyResponse::from(FindCoordinatorResponse {
            coordinators: vec![found("a"), found(&other.unwrap())],
            ..FindCoordinatorResponse::default()
        });
        let at = (NODE, "10.0.0.7:19092".parse().unwrap());
        nodes.tell(at, Some("a"), &mut response);
        let AnyResponse::FindCoordinator(answer) = response else {
            panic!("it is the same answer");
        };
        let told: Vec<_> = answer
            .coordinators
            .iter()
            .map(|found| (found.node_id, found.host.as_str(), found.port))
            .collect();
        assert_eq!(told, [(2, "10.0.0.7", 9093), (1, "10.0.0.7", 19092)]);
    }
}
