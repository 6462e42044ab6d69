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
//! - here: the machine's surface; [`requests`]: which group a request goes to, and whether it may; [`offset_fetch`]: how
//!   far groups have read
//! - [`config`], [`topics`]: what an operator sets
//! - [`classic`]: classic groups
//! - [`offsets_log`]: which partitions of `__consumer_offsets` are here, and what comes of their moves
//! - [`timers`]: deadlines as data; [`desk`]: what a group works with; [`member_ids`]: new names

mod classic;
pub mod config;
mod desk;
#[cfg(any(test, feature = "fuzz"))]
mod invariants;
mod member_ids;
mod offset_fetch;
pub mod offsets_log;
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
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{
    AnyRequest, AnyResponse, DescribeGroupsRequest, DescribeGroupsResponse, DescribedGroup, HeartbeatRequest,
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
use timers::Timers;
use topics::Topics;

/// How long the JoinGroup of a new member may be parked (Kafka's constant, KAFKA-7610).
const NEW_MEMBER_TIMEOUT: Millis = Millis(300_000);

/// The number under which a request's answer comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// The number under which [`Input::Appended`] tells what became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppendId(pub u64);

/// Who asks: what the coordinator keeps of a new member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// From the request's header.
    pub client_id: &'a str,
    /// As Kafka shows it: the address after a slash, `/127.0.0.1`.
    pub host: &'a str,
}

/// The circumstances of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    pub ticket: Ticket,
    /// The version of its API; one that the API's schema table has.
    pub version: i16,
    pub from: Origin<'a>,
}

/// What the coordinator is told.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once; a box would cost an allocation a heartbeat"
)]
pub enum Input<'a> {
    /// A request came. It is answered once: now, or when what it waits for has happened.
    Request(Call<'a>, AnyRequest),
    /// Somebody else answered this request with an error (a fault): the coordinator only tells of it.
    Refused(&'a AnyRequest, i16),
    /// Time passed.
    Tick,
    /// Stand still: no deadline passes until [`Input::Thaw`].
    Freeze,
    /// Go on: what was due is due later by as long as it stood still, and every member gets a full session.
    Thaw,
    /// A partition of `__consumer_offsets` is another broker's from now on (`node` is the one that had it): its groups go,
    /// what waits in them is answered 16, and so is whoever asks for them.
    Unload { node: NodeId, partition: i32 },
    /// `node` has the partition from now on and begins to read it: until [`Input::Loaded`] requests about its groups are
    /// answered 14, SyncGroup 27, heartbeats 0. Where the partition was here it is unloaded first.
    LoadBegins { node: NodeId, partition: i32 },
    /// What the partition holds, oldest first: its groups are as these records say, and every member has a full session
    /// from now. Where no [`Input::LoadBegins`] came before, it began just now.
    Loaded {
        node: NodeId,
        partition: i32,
        records: Vec<OffsetsRecord>,
    },
    /// What became of an [`Output::Append`]: the log has it, or the log's own error. Each is told once, in the order in
    /// which the appends came out.
    Appended {
        append: AppendId,
        result: Result<(), i16>,
    },
}

/// What the coordinator says.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// The answer to a request.
    Reply { ticket: Ticket, response: AnyResponse },
    /// Something happened.
    Observed(Observed),
    /// These records belong into the log, all or none of them. Whoever waits for it is answered at [`Input::Appended`].
    /// Their times are -1: the machine knows no wall clock, so whoever stores them fills those in.
    Append {
        append: AppendId,
        partition: i32,
        records: Vec<OffsetsRecord>,
    },
}

/// Something that happened in a group, at the moment of the input it follows from.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    pub group: GroupId,
    pub member: Option<MemberId>,
    pub change: Change,
}

/// A member that was asked for by name.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    pub group: &'a GroupId,
    pub id: &'a MemberId,
    pub client_id: &'a Arc<str>,
}

/// Coordinates all groups.
#[derive(Debug)]
pub struct Coordinator {
    groups: BTreeMap<GroupId, Group>,
    partitions: Partitions,
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
        };
        Self {
            groups: BTreeMap::new(),
            partitions: Partitions::default(),
            desk,
            frozen_since: None,
        }
    }

    /// Takes an input at a moment; deadlines that have passed by then come first. Time does not run backwards: an earlier
    /// moment than the last counts as the last.
    pub fn handle(&mut self, now: Timestamp, input: Input<'_>) {
        self.desk.now = self.desk.now.max(now);
        self.ring();
        match input {
            Input::Request(call, request) if self.frozen_since.is_some() => {
                let response = request.error_response(call.version, code::COORDINATOR_NOT_AVAILABLE);
                self.desk.reply(call.ticket, response);
            }
            Input::Request(call, request) => self.request(call, request),
            Input::Refused(AnyRequest::Heartbeat(request), error) => self.heartbeat_refused(request, error),
            Input::Refused(_, _) | Input::Tick => {}
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
            self.desk.timers.next()
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

    fn request(&mut self, call: Call<'_>, request: AnyRequest) {
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
