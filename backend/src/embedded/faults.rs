//! What is made to go wrong: which requests are swallowed, which answers are late, lost or replaced.
//!
//! Decided for each request before the machine sees it. What a fault answers in the machine's place the machine never
//! sees, as if the broker had refused it: no member's session is renewed by it.

mod error;
mod planning;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use shared::error_code as code;
use shared::event::Change;
use shared::fault::{AnswerWith, AnswerWord};
use shared::ids::{GroupId, MemberId};
use shared::protocol::{AnyRequest, ApiKey};
use tokio::sync::watch;

use super::broker::Broker;
use crate::coordinator::Observed;
pub use error::{FaultError, Played};

/// Client ids of open connections, with how many each has.
pub(super) type Clients = BTreeMap<Arc<str>, usize>;

/// All faults in force, in the order in which they were planned.
#[derive(Debug, Default)]
pub(super) struct Faults {
    silences: Vec<Silence>,
    plans: Vec<Plan>,
}

/// A member that is not heard until the coordinator has expired it.
#[derive(Debug)]
struct Silence {
    /// Its ids that are still in a group.
    members: BTreeSet<MemberId>,
    /// Its clients, which could come back without an id.
    clients: BTreeSet<Arc<str>>,
    /// Dropped when it is over: connections wait for that.
    over: watch::Sender<()>,
}

/// What happens to the next answers that fit.
#[derive(Debug)]
struct Plan {
    api: ApiKey,
    group: Option<GroupId>,
    /// A member id or a client id.
    member: Option<MemberId>,
    times: u32,
    deed: Deed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Delay(Duration),
    Drop,
    Answer(AnswerWith),
}

/// What faults make of one request.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The answer is held back for this long.
    pub(super) delay: Option<Duration>,
    pub(super) act: Act,
}

/// How a request is treated.
#[derive(Debug, Default)]
pub(super) enum Act {
    #[default]
    Serve,
    /// Served, and answered 0 whatever the machine says.
    ServeAs0,
    /// Served, but the answer is not sent.
    Drop,
    /// Not served; answered with this code.
    Refuse(i16),
    /// Not served; the connection is closed.
    Disconnect,
    /// Not served, nor is anything after it on this connection, until the sender is gone; then it is closed.
    Swallow(watch::Receiver<()>),
}

/// What of a request faults look at.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    api: ApiKey,
    client_id: &'a str,
    group: Option<&'a str>,
    member: Option<&'a str>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(client_id: &'a str, request: &'a AnyRequest) -> Self {
        let (group, member): (Option<&str>, Option<&str>) = match request {
            AnyRequest::JoinGroup(r) => (Some(&r.group_id), Some(&r.member_id)),
            AnyRequest::SyncGroup(r) => (Some(&r.group_id), Some(&r.member_id)),
            AnyRequest::Heartbeat(r) => (Some(&r.group_id), Some(&r.member_id)),
            AnyRequest::OffsetCommit(r) => (Some(&r.group_id), Some(&r.member_id)),
            AnyRequest::LeaveGroup(r) => {
                let first = r
                    .members
                    .first()
                    .map_or(r.member_id.as_str(), |member| &member.member_id);
                (Some(&r.group_id), Some(first))
            }
            AnyRequest::FindCoordinator(r) => (
                Some(r.coordinator_keys.first().map_or(r.key.as_str(), String::as_str)),
                None,
            ),
            AnyRequest::DescribeGroups(r) => (r.groups.first().map(String::as_str), None),
            AnyRequest::OffsetFetch(r) => {
                let first = r.groups.first();
                (
                    Some(first.map_or(r.group_id.as_str(), |group| &group.group_id)),
                    first.and_then(|group| group.member_id.as_deref()),
                )
            }
            AnyRequest::Metadata(_)
            | AnyRequest::Produce(_)
            | AnyRequest::Fetch(_)
            | AnyRequest::ListOffsets(_)
            | AnyRequest::InitProducerId(_)
            | AnyRequest::DescribeConfigs(_)
            | AnyRequest::DescribeCluster(_)
            | AnyRequest::ListGroups(_)
            | AnyRequest::ApiVersions(_)
            | AnyRequest::ConsumerGroupHeartbeat(_) => (None, None),
        };
        Self {
            api: request.key(),
            client_id,
            group,
            member: member.filter(|id| !id.is_empty()),
        }
    }
}

impl Faults {
    pub(super) fn count(&self) -> usize {
        self.silences.len() + self.plans.len()
    }

    /// What becomes of a request. Of delays and of all else the first plan that fits counts, once more played.
    pub(super) fn judge(&mut self, asked: &Asked<'_>) -> Verdict {
        if let Some(silence) = self.silences.iter().find(|silence| silence.swallows(asked)) {
            return Verdict {
                delay: None,
                act: Act::Swallow(silence.over.subscribe()),
            };
        }
        let (mut delay, mut act) = (None, None);
        for plan in self.plans.iter_mut().filter(|plan| plan.fits(asked)) {
            let first = match plan.deed {
                Deed::Delay(wait) if delay.is_none() => {
                    delay = Some(wait);
                    true
                }
                Deed::Drop | Deed::Answer(_) if act.is_none() => {
                    act = Some(plan.deed);
                    true
                }
                Deed::Delay(_) | Deed::Drop | Deed::Answer(_) => false,
            };
            plan.times -= u32::from(first);
        }
        self.plans.retain(|plan| plan.times > 0);
        let act = match act {
            None | Some(Deed::Delay(_)) => Act::Serve,
            Some(Deed::Drop) => Act::Drop,
            Some(Deed::Answer(AnswerWith::Code(code::NONE))) => Act::ServeAs0,
            Some(Deed::Answer(AnswerWith::Code(error))) => Act::Refuse(error),
            Some(Deed::Answer(AnswerWith::Word(AnswerWord::Disconnect))) => Act::Disconnect,
        };
        Verdict { delay, act }
    }

    /// A silence is over when the coordinator has put the member out.
    pub(super) fn observe(&mut self, observed: &Observed) {
        let out = matches!(
            observed.change,
            Change::MemberExpired { .. }
                | Change::MemberEvicted { .. }
                | Change::MemberLeft { .. }
                | Change::MemberReplaced { .. }
        );
        if let (true, Some(member)) = (out, &observed.member) {
            for silence in &mut self.silences {
                silence.members.remove(member);
            }
            self.silences.retain(|silence| !silence.members.is_empty());
        }
    }
}

impl Silence {
    /// Its own requests, and a JoinGroup by which its client would come back as somebody new.
    fn swallows(&self, asked: &Asked<'_>) -> bool {
        match asked.member {
            Some(member) => self.members.contains(member),
            None => asked.api == ApiKey::JoinGroup && self.clients.contains(asked.client_id),
        }
    }
}

impl Plan {
    fn fits(&self, asked: &Asked<'_>) -> bool {
        let by_group = |group: &GroupId| asked.group == Some(group.as_str());
        let by_member =
            |member: &MemberId| asked.member == Some(member.as_str()) || asked.client_id == member.as_str();
        self.api == asked.api
            && self.group.as_ref().is_none_or(by_group)
            && self.member.as_ref().is_none_or(by_member)
    }
}
