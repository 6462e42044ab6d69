//! What tests of groups work with: one group `g` on a coordinator with a simulated clock.

mod log;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::event::Change;
use shared::ids::NodeId;
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{
    AnyRequest, AnyResponse, DescribeGroupsRequest, DescribedGroup, HeartbeatRequest, JoinGroupRequest,
    JoinGroupRequestProtocol, JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, MemberIdentity,
    Request, SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse,
};
use shared::time::{Millis, Timestamp};

use crate::coordinator::classic::{Group, State};
use crate::coordinator::config::Config;
use crate::coordinator::desk::Desk;
use crate::coordinator::topics::Topics;
use crate::coordinator::{AppendId, Call, Coordinator, Input, Observed, Origin, Output, Ticket};

pub(crate) const GROUP: &str = "g";
/// The broker that coordinates it.
pub(crate) const NODE: NodeId = NodeId(1);

pub(crate) struct World {
    pub(crate) coordinator: Coordinator,
    pub(crate) events: Vec<Observed>,
    now: Timestamp,
    tickets: u64,
    replies: BTreeMap<Ticket, AnyResponse>,
    /// What the log was given, oldest first.
    pub(crate) log: Vec<OffsetsRecord>,
    /// Appends that the log has not answered; none where it answers at once.
    held: Option<VecDeque<(AppendId, Vec<OffsetsRecord>)>>,
}

/// How a member joins. As it stands: dynamic, let in without being given an id first.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) version: i16,
    pub(crate) member: String,
    pub(crate) instance: Option<String>,
    pub(crate) session: i32,
    pub(crate) rebalance: i32,
    pub(crate) protocols: Vec<(&'static str, Vec<u8>)>,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            version: 3,
            member: String::new(),
            instance: None,
            session: 500,
            rebalance: 500,
            protocols: vec![("range", vec![0])],
        }
    }
}

impl Spec {
    pub(crate) fn timeouts(session: i32, rebalance: i32) -> Self {
        Self {
            session,
            rebalance,
            ..Self::default()
        }
    }

    pub(crate) fn fixed(instance: &str, session: i32, rebalance: i32) -> Self {
        Self {
            version: 9,
            instance: Some(instance.into()),
            ..Self::timeouts(session, rebalance)
        }
    }

    pub(crate) fn version(self, version: i16) -> Self {
        Self { version, ..self }
    }

    /// The same member, with the id it was given.
    pub(crate) fn known(&self, member: &str) -> Self {
        Self {
            member: member.into(),
            ..self.clone()
        }
    }

    pub(crate) fn speaking(self, protocols: &[&'static str]) -> Self {
        Self {
            protocols: protocols.iter().map(|name| (*name, vec![0])).collect(),
            ..self
        }
    }

    pub(crate) fn metadata(self, bytes: &[u8]) -> Self {
        Self {
            protocols: vec![("range", bytes.to_vec())],
            ..self
        }
    }

    pub(crate) fn request(&self) -> JoinGroupRequest {
        let protocol = |(name, metadata): &(&str, Vec<u8>)| JoinGroupRequestProtocol {
            name: (*name).into(),
            metadata: metadata.clone(),
        };
        JoinGroupRequest {
            group_id: GROUP.into(),
            session_timeout_ms: self.session,
            rebalance_timeout_ms: self.rebalance,
            member_id: self.member.clone(),
            group_instance_id: self.instance.clone(),
            protocol_type: "consumer".into(),
            protocols: self.protocols.iter().map(protocol).collect(),
            reason: None,
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(settings: &[&str]) -> Self {
        let any_session = ["group.min.session.timeout.ms=1"];
        let config = Config::from_settings(any_session.iter().chain(settings)).unwrap();
        let topics = Arc::new(Topics::parse("demo:6").unwrap());
        Self {
            coordinator: Coordinator::new(config, topics, 1),
            events: Vec::new(),
            now: Timestamp::from_millis(1_000),
            tickets: 0,
            replies: BTreeMap::new(),
            log: Vec::new(),
            held: None,
        }
    }

    /// A group of these members, all with generation 1 and their SyncGroup still to come. The first leads.
    pub(crate) fn completing(specs: &[Spec]) -> (Self, Vec<JoinGroupResponse>) {
        let mut world = Self::new();
        let tickets: Vec<Ticket> = specs.iter().map(|spec| world.join(spec)).collect();
        while world.group().state == State::PreparingRebalance {
            let due = world.coordinator.deadline().unwrap();
            world.input(due, Input::Tick);
        }
        let members: Vec<_> = tickets.into_iter().map(|ticket| world.joined(ticket)).collect();
        assert!(
            members
                .iter()
                .all(|member| (member.error_code, member.generation_id) == (0, 1))
        );
        (world, members)
    }

    /// The same group with generation 1 stable.
    pub(crate) fn stable(specs: &[Spec]) -> (Self, Vec<JoinGroupResponse>) {
        let (mut world, members) = Self::completing(specs);
        world.sync_all(&members);
        (world, members)
    }

    fn input(&mut self, now: Timestamp, input: Input<'_>) {
        self.now = self.now.max(now);
        self.coordinator.handle(self.now, input);
        while let Some(output) = self.coordinator.poll() {
            match output {
                Output::Append { append, records, .. } => match &mut self.held {
                    Some(held) => held.push_back((append, records)),
                    None => {
                        self.log.extend(records);
                        let result = Ok(());
                        self.coordinator
                            .handle(self.now, Input::Appended { append, result });
                    }
                },
                Output::Reply { ticket, response } => {
                    let before = self.replies.insert(ticket, response);
                    assert!(before.is_none(), "{ticket:?} is answered twice");
                }
                Output::Observed(observed) => self.events.push(observed),
            }
        }
    }

    /// Time passes, and each deadline is met at its moment.
    pub(crate) fn advance(&mut self, ms: u64) {
        let until = self.now + Millis(ms);
        while let Some(due) = self.coordinator.deadline().filter(|due| *due <= until) {
            self.input(due, Input::Tick);
        }
        self.input(until, Input::Tick);
    }

    /// Time passes while nobody looks: what was due in between happens at its end, as in Kafka's tests.
    pub(crate) fn jump(&mut self, ms: u64) {
        let until = self.now + Millis(ms);
        self.input(until, Input::Tick);
    }

    pub(crate) fn freeze(&mut self) {
        self.input(self.now, Input::Freeze);
    }

    pub(crate) fn thaw(&mut self) {
        self.input(self.now, Input::Thaw);
    }

    pub(crate) fn send(&mut self, version: i16, request: impl Into<AnyRequest>) -> Ticket {
        let from = Origin {
            client_id: "client",
            host: "/127.0.0.1",
        };
        self.send_from(from, version, request)
    }

    pub(crate) fn send_from(
        &mut self,
        from: Origin<'_>,
        version: i16,
        request: impl Into<AnyRequest>,
    ) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let call = Call {
            ticket,
            version,
            from,
        };
        self.input(self.now, Input::Request(call, request.into()));
        ticket
    }

    pub(crate) fn is_parked(&self, ticket: Ticket) -> bool {
        !self.replies.contains_key(&ticket)
    }

    /// The answer to a request, which must be there.
    pub(crate) fn answer<R: Request>(&mut self, ticket: Ticket) -> R::Response {
        let answer = self
            .replies
            .remove(&ticket)
            .unwrap_or_else(|| panic!("{ticket:?} is parked"));
        R::Response::try_from(answer).unwrap_or_else(|other| panic!("{other:?}"))
    }

    pub(crate) fn ask<R: Request>(&mut self, version: i16, request: R) -> R::Response {
        let ticket = self.send(version, request);
        self.answer::<R>(ticket)
    }

    /// As DescribeGroups has the group.
    pub(crate) fn described(&mut self) -> DescribedGroup {
        let question = DescribeGroupsRequest {
            groups: vec![GROUP.into()],
            ..DescribeGroupsRequest::default()
        };
        self.ask(6, question).groups.pop().unwrap()
    }

    pub(crate) fn join(&mut self, spec: &Spec) -> Ticket {
        self.send(spec.version, spec.request())
    }

    pub(crate) fn joined(&mut self, ticket: Ticket) -> JoinGroupResponse {
        self.answer::<JoinGroupRequest>(ticket)
    }

    pub(crate) fn join_now(&mut self, spec: &Spec) -> JoinGroupResponse {
        let ticket = self.join(spec);
        self.joined(ticket)
    }

    pub(crate) fn sync(&mut self, member: &JoinGroupResponse, parts: &[(&str, &[u8])]) -> Ticket {
        let part = |(id, bytes): &(&str, &[u8])| SyncGroupRequestAssignment {
            member_id: (*id).into(),
            assignment: bytes.to_vec(),
        };
        let request = SyncGroupRequest {
            group_id: GROUP.into(),
            generation_id: member.generation_id,
            member_id: member.member_id.clone(),
            assignments: parts.iter().map(part).collect(),
            ..SyncGroupRequest::default()
        };
        self.send(4, request)
    }

    pub(crate) fn synced(&mut self, ticket: Ticket) -> SyncGroupResponse {
        self.answer::<SyncGroupRequest>(ticket)
    }

    pub(crate) fn sync_now(&mut self, member: &JoinGroupResponse) -> SyncGroupResponse {
        let ticket = self.sync(member, &[]);
        self.synced(ticket)
    }

    /// Followers first, then the leader.
    pub(crate) fn sync_all(&mut self, members: &[JoinGroupResponse]) {
        let (leaders, followers): (Vec<_>, Vec<_>) = members
            .iter()
            .partition(|member| member.member_id == member.leader);
        let order = followers.into_iter().chain(leaders);
        let tickets: Vec<Ticket> = order.map(|member| self.sync(member, &[])).collect();
        for ticket in tickets {
            assert_eq!(self.synced(ticket).error_code, 0);
        }
        assert_eq!(self.state(), State::Stable);
    }

    pub(crate) fn beat(&mut self, member: &JoinGroupResponse) -> i16 {
        self.beat_as(&member.member_id, None, member.generation_id)
    }

    pub(crate) fn beat_as(&mut self, member: &str, instance: Option<&str>, generation: i32) -> i16 {
        let request = HeartbeatRequest {
            group_id: GROUP.into(),
            generation_id: generation,
            member_id: member.into(),
            group_instance_id: instance.map(str::to_owned),
        };
        self.ask(4, request).error_code
    }

    pub(crate) fn leave(&mut self, members: &[(&str, Option<&str>)]) -> LeaveGroupResponse {
        let identity = |(member, instance): &(&str, Option<&str>)| MemberIdentity {
            member_id: (*member).into(),
            group_instance_id: instance.map(str::to_owned),
            reason: None,
        };
        let members = members.iter().map(identity).collect();
        self.ask(
            5,
            LeaveGroupRequest {
                group_id: GROUP.into(),
                members,
                ..LeaveGroupRequest::default()
            },
        )
    }

    /// The codes of a leave, member by member.
    pub(crate) fn leave_codes(&mut self, members: &[(&str, Option<&str>)]) -> Vec<i16> {
        let answer = self.leave(members);
        assert_eq!(answer.error_code, 0);
        answer.members.iter().map(|member| member.error_code).collect()
    }

    pub(crate) fn group(&self) -> &Group {
        self.coordinator.groups.get(GROUP).unwrap()
    }

    pub(crate) fn state(&self) -> State {
        self.group().state
    }

    /// State, generation, members, and how many of them wait in a JoinGroup.
    pub(crate) fn standing(&self) -> (State, i32, usize, usize) {
        let group = self.group();
        (
            group.state,
            group.generation,
            group.members.len(),
            group.parked_joins,
        )
    }

    pub(crate) fn has(&self, member: &str) -> bool {
        self.group().members.contains_key(member)
    }

    /// Does something to the group that no request could.
    pub(crate) fn force(&mut self, deed: impl FnOnce(&mut Group, &mut Desk)) {
        let Coordinator { groups, desk, .. } = &mut self.coordinator;
        deed(groups.get_mut(GROUP).unwrap(), desk);
    }

    /// The changes since this was last asked, single heartbeats left out.
    pub(crate) fn changes(&mut self) -> Vec<Change> {
        let events = std::mem::take(&mut self.events);
        let changes = events.into_iter().map(|event| event.change);
        changes
            .filter(|change| !matches!(change, Change::HeartbeatReceived { .. }))
            .collect()
    }
}
