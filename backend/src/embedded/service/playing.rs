//! What of the machine's surroundings faults change.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use shared::fault::{Fault, Reload};
use shared::health::words::many;
use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::{AnyRequest, AnyResponse};
use shared::time::{Millis, Timestamp};
use tokio::sync::watch;

use super::{Inner, Service};
use crate::coordinator::Input;
use crate::embedded::faults::{Asked, FaultError, Played, Verdict};

impl Service {
    /// What a fault says about this request; counts as played.
    pub(in crate::embedded) fn judge(
        &self,
        connection: u64,
        client_id: &str,
        request: &AnyRequest,
    ) -> Verdict {
        if self.planned.load(Ordering::Relaxed) == 0 {
            return Verdict::default();
        }
        let mut inner = self.lock();
        self.end_what_is_over(&mut inner);
        let verdict = inner.faults.judge(&Asked::new(connection, client_id, request));
        self.count_faults(&inner);
        verdict
    }

    /// Whether nothing passes on a connection any more, and when that is over.
    pub(in crate::embedded) fn cuts(&self, connection: u64, client_id: &str) -> Option<watch::Receiver<()>> {
        if self.planned.load(Ordering::Relaxed) == 0 {
            return None;
        }
        self.lock().faults.cuts(connection, client_id)
    }

    pub(super) fn end_what_is_over(&self, inner: &mut Inner) {
        if let Some(max) = inner.faults.expire(self.clock.now()) {
            inner.coordinator.set_max_size(max);
        }
    }

    /// Two nodes count as a fault: their answers are told otherwise.
    pub(super) fn count_faults(&self, inner: &Inner) {
        let count = inner.faults.count() + usize::from(inner.nodes.are_two());
        self.planned.store(count, Ordering::Relaxed);
    }

    /// What faults and the other node change in an answer; `group` is what was asked about.
    pub(super) fn amend(&self, at: (NodeId, SocketAddr), group: Option<&str>, response: &mut AnyResponse) {
        if self.planned.load(Ordering::Relaxed) == 0 {
            return;
        }
        let inner = self.lock();
        inner.nodes.tell(at, group, response);
        inner.faults.amend(response);
    }

    /// Takes a fault into force.
    pub(in crate::embedded) fn plan(&self, fault: &Fault) -> Result<Played, FaultError> {
        let now = self.clock.now();
        let connections = self.connections.load(Ordering::Relaxed);
        let mut inner = self.lock();
        let Inner {
            coordinator,
            faults,
            clients,
            ..
        } = &mut *inner;
        let planned = match fault {
            Fault::Full { max, ms } => {
                let before = coordinator.set_max_size(usize::try_from(*max).unwrap_or(usize::MAX));
                faults.fill(now, before, *ms);
                let most = many(u64::from(*max), "member", "members");
                Ok(Played::new(format!("groups take at most {most}, for {ms} ms")))
            }
            Fault::ClockStep { ms } => {
                let step = self.clock_step.load(Ordering::Relaxed).saturating_add(*ms);
                self.clock_step.store(step, Ordering::Relaxed);
                Ok(Played::new(format!(
                    "the coordinator's time of day is set by {ms} ms"
                )))
            }
            Fault::Calm => {
                if let Some(max) = faults.calm() {
                    coordinator.set_max_size(max);
                }
                Ok(Played::new("whatever fault lasted is over"))
            }
            other => faults.plan(now, other, connections, (coordinator, clients)),
        };
        self.count_faults(&inner);
        // What it ends by may be due before all else.
        self.deadline.notify_one();
        planned
    }

    /// Whether there is such a group.
    pub(in crate::embedded) fn has_group(&self, group: &GroupId) -> bool {
        self.lock().coordinator.has_group(group.as_str())
    }

    /// The second node listens there.
    pub(in crate::embedded) fn second_node_joined(&self, address: SocketAddr) {
        let mut inner = self.lock();
        inner.nodes.joined(address);
        self.count_faults(&inner);
    }

    /// Moves a group's partition to the other node, which reads it for so long. Gives that node.
    pub(in crate::embedded) fn move_group(&self, group: &GroupId, reload: Reload, reads: Millis) -> NodeId {
        let now = self.clock.now();
        let mut inner = self.lock();
        let former = inner.nodes.owner_of(group.as_str());
        let loading = inner.nodes.move_group(group.as_str(), reload, now + reads);
        let (node, partition) = (loading.node, loading.partition);
        let goes = Input::Unload {
            node: former,
            partition,
        };
        inner.coordinator.handle(now, goes);
        inner
            .coordinator
            .handle(now, Input::LoadBegins { node, partition });
        self.settle(&mut inner, now, None);
        self.deadline.notify_one();
        node
    }
}

/// The code of a node that does not have the group's partition.
pub(super) fn elsewhere(inner: &Inner, node: NodeId, request: &AnyRequest) -> Option<i16> {
    if !inner.nodes.are_two() {
        return None;
    }
    let group = Asked::new(0, "", request).group?;
    inner.nodes.refusal(node, group)
}

/// The members a group had before this JoinGroup, where newcomers displace the others.
pub(super) fn joined_where_all_displace(
    inner: &Inner,
    request: &AnyRequest,
) -> Option<(GroupId, Vec<MemberId>)> {
    let AnyRequest::JoinGroup(join) = request else {
        return None;
    };
    let group = join.group_id.as_str();
    let displaces = inner.faults.displaces(group);
    displaces.then(|| (GroupId::from(group), inner.coordinator.members_of(group)))
}

/// A newcomer is in: the coordinator forgets the others.
pub(super) fn displace(inner: &mut Inner, now: Timestamp, group: GroupId, before: Vec<MemberId>) {
    let after = inner.coordinator.members_of(group.as_str());
    if after.iter().any(|id| !before.contains(id)) && !before.is_empty() {
        let others = before;
        inner.coordinator.handle(now, Input::Displace { group, others });
    }
}

/// The partitions that a node has read by now are there.
pub(super) fn read_what_has_moved(inner: &mut Inner, now: Timestamp) {
    while let Some(loaded) = inner.nodes.loaded(now) {
        let records = match loaded.reload {
            Reload::None => Vec::new(),
            Reload::Newest => inner.store.records(loaded.partition),
            Reload::Older => inner.store.records_before(loaded.partition),
        };
        let input = Input::Loaded {
            node: loaded.node,
            partition: loaded.partition,
            records,
        };
        inner.coordinator.handle(now, input);
    }
}
