//! The group coordinator as a sans-IO machine: requests and time in, answers and events out.
//!
//! It coordinates classic groups exactly as Kafka's brokers do (protocol.md 3.1-3.7), but reads no clock, no random source
//! and no socket: [`Coordinator::handle`] takes the moment and an input, [`Coordinator::poll`] gives what follows from it,
//! [`Coordinator::deadline`] says when it wants to be woken. The same inputs give the same outputs.
//!
//! A connection that ends is no input: Kafka's coordinator does not hear of it either. A member is out when its session
//! ends or when it says so.
//!
//! # Layout
//!
//! - here: the machine's surface; [`port`]: what it is told and what it says; [`requests`]: which group a request goes to, and whether it may; [`offset_fetch`]: how
//!   far groups have read
//! - [`config`], [`topics`]: what an operator sets
//! - [`classic`]: classic groups
//! - [`offsets_log`]: which partitions of `__consumer_offsets` are here, and what comes of their moves
//! - [`refusals`], [`progress`]: errors, and how far groups have read, as they are told
//! - [`timers`]: deadlines as data; [`desk`]: what a group works with; [`member_ids`]: new names

mod classic;
pub mod config;
mod desk;
#[cfg(any(test, feature = "fuzz"))]
mod invariants;
mod member_ids;
mod offset_fetch;
pub mod offsets_log;
mod port;
mod progress;
mod refusals;
mod requests;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod tests;
mod timers;
pub mod topics;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::error_code as code;
use shared::event::Change;
use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::{
    AnyRequest, ApiKey, DescribeGroupsRequest, DescribeGroupsResponse, DescribedGroup, HeartbeatRequest,
    HeartbeatResponse, JoinGroupRequest, LeaveGroupRequest, LeaveGroupResponse, ListGroupsRequest,
    ListGroupsResponse, MemberIdentity, MemberResponse, OffsetCommitRequest, SyncGroupRequest,
};
use shared::time::{Millis, Timestamp};

use crate::limits;
use classic::Group;
use config::Config;
use desk::{Appends, Desk, Load};
use member_ids::MemberIds;
use offsets_log::{Partitions, partition_of};
pub use port::{AppendId, Call, Input, Named, Observed, Origin, Output, Ticket};
use refusals::{Asker, Refusals};
use timers::Timers;
use topics::Topics;

/// How long the JoinGroup of a new member may be parked (Kafka's constant, KAFKA-7610).
const NEW_MEMBER_TIMEOUT: Millis = Millis(300_000);

/// Coordinates all groups.
#[derive(Debug)]
pub struct Coordinator {
    groups: BTreeMap<GroupId, Group>,
    partitions: Partitions,
    /// The group whose progress was measured last; none begins with the first.
    measured: Option<GroupId>,
    desk: Desk,
    frozen_since: Option<Timestamp>,
}

impl Coordinator {
    /// A coordinator without groups. `seed` is all the randomness it ever has; it shows in member ids only.
    #[must_use]
    pub fn new(config: Config, topics: Arc<Topics>, seed: u64) -> Self {
        let desk = Desk {
            now: Timestamp::default(),
            config,
            topics,
            timers: Timers::default(),
            ids: MemberIds::new(seed),
            load: Load::default(),
            out: VecDeque::new(),
            appends: Appends::default(),
            askers: BTreeMap::new(),
            refusals: Refusals::default(),
        };
        Self {
            groups: BTreeMap::new(),
            partitions: Partitions::default(),
            measured: None,
            desk,
            frozen_since: None,
        }
    }

    /// Takes an input at a moment; deadlines that have passed by then come first. Time does not run backwards: an earlier
    /// moment than the last counts as the last.
    pub fn handle(&mut self, now: Timestamp, input: Input<'_>) {
        // Its time stands still as it does: what is set meanwhile is due later by the whole pause, like all else.
        if self.frozen_since.is_none() || matches!(input, Input::Thaw) {
            self.desk.now = self.desk.now.max(now);
        }
        self.ring();
        match input {
            Input::Request(call, request) if self.frozen_since.is_some() => {
                let response = request.error_response(call.version, code::COORDINATOR_NOT_AVAILABLE);
                self.desk.reply(call.ticket, response);
            }
            Input::Request(call, request) => self.request(call, request),
            Input::Refused(_, AnyRequest::Heartbeat(request), error) => {
                self.heartbeat_refused(request, error)
            }
            Input::Refused(from, request, error) => {
                if let Some(asker) = self.asker(from, request) {
                    self.desk.refused(asker, error);
                }
            }
            Input::Gone(ticket) => self.gone(ticket),
            Input::Displace { group, others } => {
                self.with(group.as_str(), |group, desk| group.displace(desk, others));
            }
            Input::Tick => {}
            Input::Freeze => self.frozen_since = self.frozen_since.or(Some(self.desk.now)),
            Input::Thaw => self.thaw(),
            Input::Unload { node, partition } => self.unload(node, partition),
            Input::LoadBegins { node, partition } => self.load_begins(node, partition),
            Input::Loaded {
                node,
                partition,
                records,
            } => self.loaded(node, partition, records),
            Input::Appended { append, result } => self.appended(append, result),
        }
        self.ring();
    }

    /// The next thing that follows from the inputs so far.
    pub fn poll(&mut self) -> Option<Output> {
        self.desk.out.pop_front()
    }

    /// When to give [`Input::Tick`] if nothing else comes first; none where nothing is due ever. It may be early.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        if self.frozen_since.is_some() {
            None
        } else {
            let told = self.desk.refusals.next();
            self.desk.timers.next().into_iter().chain(told).min()
        }
    }

    /// The members that go by this name: by member id, else by client id.
    #[must_use]
    pub fn members_named(&self, name: &str) -> Vec<Named<'_>> {
        let named = |by: fn(&classic::Member, &str) -> bool| -> Vec<_> {
            let named = self.members().filter(|(_, member)| by(member, name));
            named
                .map(|(group, m)| Named {
                    group,
                    id: &m.id,
                    client_id: &m.client_id,
                })
                .collect()
        };
        let by_id = named(|member, name| member.id.as_str() == name);
        if by_id.is_empty() {
            named(|member, name| member.client_id.as_ref() == name)
        } else {
            by_id
        }
    }

    /// All member ids, by group and id.
    pub fn member_ids(&self) -> impl Iterator<Item = &MemberId> {
        self.members().map(|(_, member)| &member.id)
    }

    /// The ids of a group's members; none where there is no such group.
    #[must_use]
    pub fn members_of(&self, group: &str) -> Vec<MemberId> {
        let members = self.groups.get(group).into_iter().flat_map(Group::members);
        members.map(|member| member.id.clone()).collect()
    }

    /// Changes `group.max.size` and gives what it was. Who is in already is looked at when a group rebalances.
    pub const fn set_max_size(&mut self, max: usize) -> usize {
        std::mem::replace(&mut self.desk.config.max_size, max)
    }

    /// Whether there is such a group.
    #[must_use]
    pub fn has_group(&self, group: &str) -> bool {
        self.groups.get(group).is_some_and(Group::is_listed)
    }

    /// The offset committed for a group's partition, if there is one.
    #[must_use]
    pub fn committed(&self, group: &str, topic: &str, partition: i32) -> Option<i64> {
        Some(self.groups.get(group)?.committed(topic, partition)?.offset)
    }

    fn members(&self) -> impl Iterator<Item = (&GroupId, &classic::Member)> {
        self.groups
            .iter()
            .flat_map(|(id, group)| group.members().map(move |member| (id, member)))
    }

    /// What was due by now happens.
    fn ring(&mut self) {
        if self.frozen_since.is_some() {
            return;
        }
        while let Some(timer) = self.desk.timers.pop(self.desk.now) {
            let group = timer.group().clone();
            self.with(group.as_str(), |group, desk| group.timer(desk, timer));
        }
        while let Some(told) = self.desk.refusals.due(self.desk.now) {
            self.desk.out.push_back(Output::Observed(told));
        }
    }

    fn thaw(&mut self) {
        let Some(since) = self.frozen_since.take() else {
            return;
        };
        let pause = Millis(self.desk.since(since));
        for group in self.groups.values_mut() {
            group.thaw(&mut self.desk, pause);
        }
    }

    /// Lets a group do something, and forgets it if nothing keeps it after that. None where there is no such group.
    fn with<T>(&mut self, id: &str, act: impl FnOnce(&mut Group, &mut Desk) -> T) -> Option<T> {
        let group = self.groups.get_mut(id)?;
        let result = act(group, &mut self.desk);
        if group.is_abandoned() {
            self.forget(id);
        }
        Some(result)
    }

    fn forget(&mut self, id: &str) {
        if self.groups.remove(id).is_some() {
            self.desk.load.bytes -= id.len();
        }
    }

    /// The log has what was handed to it, or has not.
    fn appended(&mut self, append: AppendId, result: Result<(), i16>) {
        let Some(id) = self.desk.appends.waiting.remove(&append) else {
            return;
        };
        if let Err(error) = result {
            let partition = partition_of(id.as_str());
            self.desk
                .observe(&id, None, Change::AppendFailed { partition, error });
        }
        self.with(id.as_str(), |group, desk| group.appended(desk, append, result));
    }

    /// Who asks, where a refusal would be told: of groups that nobody asked to make, and of names longer than Kafka's topics
    /// have, nothing is told. Strangers would fill the board.
    fn asker(&self, from: Origin<'_>, request: &AnyRequest) -> Option<Asker> {
        let asker = Asker::of(request, from, self.desk.now)?;
        let id = asker.group().as_str();
        let asks_to_join =
            asker.api == ApiKey::JoinGroup && (1..=limits::PROBE_GROUP_BYTES).contains(&id.len());
        let known = self.groups.contains_key(id) || self.partitions.left(id);
        (known || asks_to_join).then_some(asker)
    }

    /// The client of a request that waits has gone.
    fn gone(&mut self, ticket: Ticket) {
        let Some(asker) = self.desk.askers.get_mut(&ticket) else {
            return;
        };
        asker.gone = true;
        let asker = asker.clone();
        if let (ApiKey::JoinGroup, Some(member)) = (asker.api, &asker.member) {
            let waited = self.desk.since(asker.since);
            self.with(asker.group().as_str(), |group, desk| {
                group.join_abandoned(desk, member, waited)
            });
        }
    }

    fn request(&mut self, call: Call<'_>, request: AnyRequest) {
        if let Some(asker) = self.asker(call.from, &request) {
            self.desk.askers.insert(call.ticket, asker);
        }
        match request {
            AnyRequest::JoinGroup(request) => self.join_group(call, request),
            AnyRequest::SyncGroup(request) => self.sync_group(call, request),
            AnyRequest::Heartbeat(request) => self.heartbeat(call, &request),
            AnyRequest::LeaveGroup(request) => self.leave_group(call, request),
            AnyRequest::OffsetCommit(request) => self.offset_commit(call, request),
            AnyRequest::OffsetFetch(request) => self.offset_fetch(call, request),
            AnyRequest::DescribeGroups(request) => self.describe_groups(call, &request),
            AnyRequest::ListGroups(request) => self.list_groups(call, &request),
            AnyRequest::Metadata(_)
            | AnyRequest::FindCoordinator(_)
            | AnyRequest::ApiVersions(_)
            | AnyRequest::Produce(_)
            | AnyRequest::Fetch(_)
            | AnyRequest::ListOffsets(_)
            | AnyRequest::InitProducerId(_)
            | AnyRequest::DescribeConfigs(_)
            | AnyRequest::DescribeCluster(_)
            | AnyRequest::ConsumerGroupDescribe(_)
            | AnyRequest::ShareGroupDescribe(_)
            | AnyRequest::StreamsGroupDescribe(_)
            | AnyRequest::DescribeShareGroupOffsets(_)
            | AnyRequest::SaslHandshake(_)
            | AnyRequest::SaslAuthenticate(_)
            | AnyRequest::ConsumerGroupHeartbeat(_) => {
                let response = request.error_response(call.version, code::UNSUPPORTED_VERSION);
                self.desk.reply(call.ticket, response);
            }
        }
    }

    fn heartbeat_refused(&mut self, request: &HeartbeatRequest, error: i16) {
        self.with(&request.group_id, |group, desk| {
            group.heartbeat_came(desk, request, error)
        });
    }

    fn refuse(&mut self, call: Call<'_>, request: impl Into<AnyRequest>, error: i16) {
        let response = request.into().error_response(call.version, error);
        self.desk.reply(call.ticket, response);
    }
}
