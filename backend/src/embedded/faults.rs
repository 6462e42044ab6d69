//! What is made to go wrong: which requests are swallowed, which answers are late, lost or replaced.
//!
//! Decided for each request before the machine sees it. What a fault answers in the machine's place the machine never
//! sees, as if the broker had refused it: no member's session is renewed by it.

mod error;
mod lasting;
mod planning;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use shared::error_code as code;
use shared::event::Change;
use shared::fault::{AnswerWith, AnswerWord};
use shared::ids::{GroupId, MemberId};
use shared::protocol::{AnyRequest, AnyResponse, ApiKey};
use shared::time::{Millis, Timestamp};
use tokio::sync::watch;

use super::broker::Broker;
use crate::coordinator::Observed;
pub use error::{FaultError, Played};
use lasting::{Effect, Failure, Lasting, groups_asked};

/// Client ids of open connections, with how many each has.
pub(super) type Clients = BTreeMap<Arc<str>, usize>;

/// All faults in force, in the order in which they were planned.
#[derive(Debug, Default)]
pub(super) struct Faults {
    silences: Vec<Silence>,
    plans: Vec<Plan>,
    lasting: Vec<Lasting>,
    failures: Vec<Failure>,
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
    /// None: any.
    api: Option<ApiKey>,
    group: Option<GroupId>,
    /// A member id or a client id.
    member: Option<MemberId>,
    times: u32,
    deed: Deed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Delay(Duration),
    Throttle(Millis),
    Drop,
    Answer(AnswerWith),
}

/// What faults make of one request.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The answer is held back for this long.
    pub(super) delay: Option<Duration>,
    /// The answer says that the client sends too much, and it is not heard for so long.
    pub(super) throttle: Option<Millis>,
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
    /// The number of its connection.
    connection: u64,
    client_id: &'a str,
    /// The first where there are many.
    pub(super) group: Option<&'a str>,
    groups: usize,
    member: Option<&'a str>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(connection: u64, client_id: &'a str, request: &'a AnyRequest) -> Self {
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
            AnyRequest::ConsumerGroupDescribe(r) => (r.group_ids.first().map(String::as_str), None),
            AnyRequest::ShareGroupDescribe(r) => (r.group_ids.first().map(String::as_str), None),
            AnyRequest::StreamsGroupDescribe(r) => (r.group_ids.first().map(String::as_str), None),
            AnyRequest::DescribeShareGroupOffsets(r) => {
                (r.groups.first().map(|group| group.group_id.as_str()), None)
            }
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
            | AnyRequest::SaslHandshake(_)
            | AnyRequest::SaslAuthenticate(_)
            | AnyRequest::ListGroups(_)
            | AnyRequest::ApiVersions(_)
            | AnyRequest::ConsumerGroupHeartbeat(_) => (None, None),
        };
        Self {
            api: request.key(),
            connection,
            client_id,
            group,
            groups: groups_asked(request),
            member: member.filter(|id| !id.is_empty()),
        }
    }
}

impl Faults {
    pub(super) fn count(&self) -> usize {
        self.silences.len() + self.plans.len() + self.lasting.len() + self.failures.len()
    }

    /// When [`Self::expire`] must be called.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.lasting.iter().map(|lasting| lasting.until).min()
    }

    /// Ends what is over by now. Gives what `group.max.size` is again, where that changes.
    pub(super) fn expire(&mut self, now: Timestamp) -> Option<usize> {
        let over = |lasting: &mut Lasting| lasting.until <= now;
        let ended: Vec<Lasting> = self.lasting.extract_if(.., over).collect();
        let before = |lasting: &Lasting| match lasting.effect {
            Effect::Full { before } => Some(before),
            _ => None,
        };
        ended.iter().find_map(before)
    }

    /// Ends whatever is in force.
    pub(super) fn calm(&mut self) -> Option<usize> {
        self.silences.clear();
        self.plans.clear();
        self.failures.clear();
        self.expire(Timestamp::FAR)
    }

    /// The error by which a group's records cannot be stored; counts as played.
    pub(super) fn append_error(&mut self, group: &str) -> Option<i16> {
        let at = self
            .failures
            .iter()
            .position(|failure| failure.group.as_str() == group)?;
        let failure = self.failures.get_mut(at)?;
        let error = failure.error;
        failure.times = failure.times.saturating_sub(1);
        if failure.times == 0 {
            self.failures.remove(at);
        }
        Some(error)
    }

    /// Whether whoever joins this group displaces the others.
    pub(super) fn displaces(&self, group: &str) -> bool {
        let here = |lasting: &Lasting| matches!(&lasting.effect, Effect::Displace { group: at } if at.as_str() == group);
        self.lasting.iter().any(here)
    }

    /// Whether nothing passes on a connection, and when that is over.
    pub(super) fn cuts(&self, connection: u64, client_id: &str) -> Option<watch::Receiver<()>> {
        self.lasting
            .iter()
            .find_map(|lasting| lasting.cuts(connection, client_id))
    }

    /// Changes what an answer says.
    pub(super) fn amend(&self, response: &mut AnyResponse) {
        for lasting in &self.lasting {
            lasting.amend(response);
        }
    }

    /// What becomes of a request. Of delays and of all else the first plan that fits counts, once more played.
    pub(super) fn judge(&mut self, asked: &Asked<'_>) -> Verdict {
        if let Some(silence) = self.silences.iter().find(|silence| silence.swallows(asked)) {
            return Verdict {
                act: Act::Swallow(silence.over.subscribe()),
                ..Verdict::default()
            };
        }
        if let Some(act) = self.lasting.iter().find_map(|lasting| lasting.judge(asked)) {
            return Verdict {
                act,
                ..Verdict::default()
            };
        }
        let (mut delay, mut throttle, mut act) = (None, None, None);
        for plan in self.plans.iter_mut().filter(|plan| plan.fits(asked)) {
            let first = match plan.deed {
                Deed::Delay(wait) if delay.is_none() => {
                    delay = Some(wait);
                    true
                }
                Deed::Throttle(wait) if throttle.is_none() => {
                    throttle = Some(wait);
                    true
                }
                Deed::Drop | Deed::Answer(_) if act.is_none() => {
                    act = Some(plan.deed);
                    true
                }
                Deed::Delay(_) | Deed::Throttle(_) | Deed::Drop | Deed::Answer(_) => false,
            };
            plan.times -= u32::from(first);
        }
        self.plans.retain(|plan| plan.times > 0);
        let act = match act {
            None | Some(Deed::Delay(_) | Deed::Throttle(_)) => Act::Serve,
            Some(Deed::Drop) => Act::Drop,
            Some(Deed::Answer(AnswerWith::Code(code::NONE))) => Act::ServeAs0,
            Some(Deed::Answer(AnswerWith::Code(error))) => Act::Refuse(error),
            Some(Deed::Answer(AnswerWith::Word(AnswerWord::Disconnect))) => Act::Disconnect,
        };
        Verdict { delay, throttle, act }
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
        self.api.is_none_or(|api| api == asked.api)
            && self.group.as_ref().is_none_or(by_group)
            && self.member.as_ref().is_none_or(by_member)
    }
}
