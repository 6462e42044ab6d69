//! Faults that last: until their time is over, or until all is calm.

use std::collections::BTreeSet;
use std::sync::Arc;

use shared::error_code as code;
use shared::ids::GroupId;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey, DescribedGroup};
use shared::time::Timestamp;
use tokio::sync::watch;

use super::{Act, Asked};
use crate::embedded::NODE;

/// One of them.
#[derive(Debug)]
pub(super) struct Lasting {
    pub(super) until: Timestamp,
    pub(super) effect: Effect,
}

#[derive(Debug)]
pub(super) enum Effect {
    /// Requests about groups are answered so; about one of them where one is named.
    Refuse { group: Option<GroupId>, error: i16 },
    /// All about the group is answered 30, its lookup too.
    Forbid { group: GroupId },
    /// Whoever joins the group displaces the others.
    Displace { group: GroupId },
    /// What clients are told of where this broker is.
    Advertise { host: Option<String>, port: Option<u16> },
    /// `group.max.size` is lower than it was.
    Full { before: usize },
    /// Nothing passes on connections of these clients that were there before.
    HalfOpen {
        clients: BTreeSet<Arc<str>>,
        /// The number of the first connection that is free of it.
        before: u64,
        /// Dropped when it is over: connections wait for that.
        over: watch::Sender<()>,
    },
}

impl Lasting {
    /// What becomes of a request; none where this is not about it.
    pub(super) fn judge(&self, asked: &Asked<'_>) -> Option<Act> {
        let about = |group: &GroupId| asked.group == Some(group.as_str());
        match &self.effect {
            Effect::Refuse { group, error } => {
                let hit = group.as_ref().map_or(asked.group.is_some(), about);
                (hit && asked.api != ApiKey::FindCoordinator).then(|| refusal(*error, asked.api))
            }
            Effect::Forbid { group } => {
                let hit = about(group) && asked.groups == 1;
                hit.then_some(Act::Refuse(code::GROUP_AUTHORIZATION_FAILED))
            }
            Effect::HalfOpen { .. } => self.cuts(asked.connection, asked.client_id).map(Act::Swallow),
            Effect::Displace { .. } | Effect::Advertise { .. } | Effect::Full { .. } => None,
        }
    }

    /// Whether nothing passes on this connection.
    pub(super) fn cuts(&self, connection: u64, client_id: &str) -> Option<watch::Receiver<()>> {
        match &self.effect {
            Effect::HalfOpen {
                clients,
                before,
                over,
            } if connection < *before && clients.contains(client_id) => Some(over.subscribe()),
            _ => None,
        }
    }

    /// Changes what an answer says.
    pub(super) fn amend(&self, response: &mut AnyResponse) {
        match &self.effect {
            Effect::Advertise { host, port } => advertise(host.as_deref(), *port, response),
            Effect::Forbid { group } => forbid(group.as_str(), response),
            _ => {}
        }
    }
}

/// What a broker that reads the group's partition says (protocol.md 3.4, 3.5): a heartbeat must not throw its member out, and
/// a SyncGroup answered 14 would end a Java client. Such a heartbeat reaches the group: no session ends while it is read, and
/// one that was answered 0 must not end for want of heartbeats.
const fn refusal(error: i16, api: ApiKey) -> Act {
    match (error, api) {
        (code::COORDINATOR_LOAD_IN_PROGRESS, ApiKey::Heartbeat) => Act::ServeAs0,
        (code::COORDINATOR_LOAD_IN_PROGRESS, ApiKey::SyncGroup) => Act::Refuse(code::REBALANCE_IN_PROGRESS),
        _ => Act::Refuse(error),
    }
}

/// Of this broker only: another's address is as it was.
fn advertise(host: Option<&str>, port: Option<u16>, response: &mut AnyResponse) {
    let change = |node: i32, place: (&mut String, &mut i32)| {
        if node == NODE.0 {
            if let Some(host) = host {
                host.clone_into(place.0);
            }
            if let Some(port) = port {
                *place.1 = port.into();
            }
        }
    };
    match response {
        AnyResponse::Metadata(answer) => {
            for broker in &mut answer.brokers {
                change(broker.node_id, (&mut broker.host, &mut broker.port));
            }
        }
        AnyResponse::FindCoordinator(answer) => {
            if answer.coordinators.is_empty() {
                change(answer.node_id, (&mut answer.host, &mut answer.port));
            }
            for found in &mut answer.coordinators {
                change(found.node_id, (&mut found.host, &mut found.port));
            }
        }
        _ => {}
    }
}

/// In an answer about many groups the forbidden one alone is refused.
fn forbid(group: &str, response: &mut AnyResponse) {
    let denied = code::GROUP_AUTHORIZATION_FAILED;
    match response {
        AnyResponse::DescribeGroups(answer) => {
            for described in answer.groups.iter_mut().filter(|it| it.group_id == group) {
                *described = DescribedGroup {
                    group_id: group.to_owned(),
                    error_code: denied,
                    ..DescribedGroup::default()
                };
            }
        }
        AnyResponse::FindCoordinator(answer) => {
            for found in answer.coordinators.iter_mut().filter(|found| found.key == group) {
                (found.error_code, found.node_id, found.port) = (denied, -1, -1);
                found.host.clear();
            }
        }
        AnyResponse::OffsetFetch(answer) => {
            for fetched in answer.groups.iter_mut().filter(|it| it.group_id == group) {
                fetched.error_code = denied;
                fetched.topics.clear();
            }
        }
        _ => {}
    }
}

/// How many groups a request asks about.
pub(super) fn groups_asked(request: &AnyRequest) -> usize {
    match request {
        AnyRequest::DescribeGroups(asked) => asked.groups.len(),
        AnyRequest::FindCoordinator(asked) => asked.coordinator_keys.len().max(1),
        AnyRequest::OffsetFetch(asked) => asked.groups.len().max(1),
        _ => 1,
    }
}

/// What could not be stored, and how often that is so yet.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) group: GroupId,
    pub(super) error: i16,
    pub(super) times: u32,
}
