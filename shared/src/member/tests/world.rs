//! The world around one member: a clock that jumps to the next deadline, connections, a coordinator that says what a test
//! tells it to say.

use std::collections::BTreeMap;

pub(super) use super::answers::*;
use crate::error_code;
use crate::event::{Change, LinkFault};
use crate::ids::MemberId;
use crate::member::{AnswerFault, Config, End, Input, LinkId, Member, Output, Peer, State, Token};
use crate::protocol::{
    AnyRequest, AnyResponse, ApiKey, BrokerVersions, HeartbeatRequest, JoinGroupRequest, JoinGroupResponse,
};
use crate::rules::GroupRequest;
use crate::time::{Millis, Timestamp};

/// A request that was sent.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) at: Timestamp,
    pub(super) link: LinkId,
    pub(super) token: Token,
    pub(super) version: i16,
    pub(super) body: AnyRequest,
    pub(super) timeout: Millis,
}

/// Something that happened, when, and to whom.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Happened {
    pub(super) at: u64,
    pub(super) member: String,
    pub(super) change: Change,
}

pub(super) struct World {
    pub(super) now: Timestamp,
    pub(super) member: Member,
    /// Connections that the member has asked for and not ended.
    pub(super) links: BTreeMap<LinkId, Peer>,
    /// Requests that were sent and have not ended, in order.
    pub(super) waiting: Vec<Request>,
    /// Every request ever sent.
    pub(super) sent: Vec<Request>,
    pub(super) events: Vec<Happened>,
    pub(super) topics_asked: Vec<Vec<String>>,
    pub(super) end: Option<End>,
}

impl World {
    /// A member made at `now` = 1000 s, about to look for its coordinator.
    pub(super) fn new(config: Config) -> Self {
        Self::at(config, ms(1_000_000))
    }

    pub(super) fn at(config: Config, now: Timestamp) -> Self {
        let member = Member::new(config, 7, now).unwrap();
        let mut world = Self {
            now,
            member,
            links: BTreeMap::new(),
            waiting: Vec::new(),
            sent: Vec::new(),
            events: Vec::new(),
            topics_asked: Vec::new(),
            end: None,
        };
        world.drain();
        world
    }

    /// Stable in generation 1 as "consumer", its own leader, with the clock where the SyncGroup was answered.
    pub(super) fn stable(config: Config) -> Self {
        let mut world = Self::new(config);
        world.find();
        world.up();
        world.join("consumer", 1);
        world
    }

    /// Gives one input and carries out what comes of it.
    pub(super) fn input(&mut self, input: Input) {
        self.member.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.member.poll() {
            assert!(self.end.is_none(), "{output:?} after the end");
            match output {
                Output::Connect { link, to } => {
                    assert!(self.links.insert(link, to).is_none(), "{link:?} twice");
                }
                Output::Disconnect { link } => {
                    self.links.remove(&link);
                    self.waiting.retain(|request| request.link != link);
                }
                Output::Send {
                    link,
                    token,
                    version,
                    request,
                    timeout,
                } => self.send(Request {
                    at: self.now,
                    link,
                    token,
                    version,
                    body: request,
                    timeout,
                }),
                Output::FindTopics(topics) => self.topics_asked.push(topics),
                Output::Event { member, change } => self.events.push(Happened {
                    at: self.now.as_millis(),
                    member: member.as_str().to_owned(),
                    change,
                }),
                Output::Ended(end) => self.end = Some(end),
            }
        }
        self.check_deadline();
    }

    fn send(&mut self, request: Request) {
        assert!(
            self.links.contains_key(&request.link),
            "{request:?} on no connection"
        );
        // What cannot be written down in its version would end the connection.
        let mut bytes = Vec::new();
        request.body.encode(request.version, &mut bytes).unwrap();
        let read = AnyRequest::decode(request.body.key(), request.version, &bytes).unwrap();
        assert_eq!(read.key(), request.body.key());
        self.waiting.push(request.clone());
        self.sent.push(request);
    }

    /// The law of one input: what was due is over.
    fn check_deadline(&self) {
        if let Some(deadline) = self.member.deadline() {
            let state = self.member.state();
            assert!(
                deadline > self.now,
                "{deadline:?} is not after {:?} in {state:?}",
                self.now
            );
        }
    }

    /// Lets `millis` pass, stopping at each deadline on the way.
    pub(super) fn pass(&mut self, millis: u64) {
        self.pass_until(self.now + Millis(millis));
    }

    pub(super) fn pass_until(&mut self, until: Timestamp) {
        while let Some(deadline) = self.member.deadline().filter(|deadline| *deadline <= until) {
            self.now = deadline;
            self.input(Input::Tick);
        }
        self.now = until;
        self.input(Input::Tick);
    }

    /// The connection asked for last.
    pub(super) fn link(&self) -> LinkId {
        *self.links.last_key_value().expect("no connection").0
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.links[&self.link()]
    }

    /// The connection asked for last is ready.
    pub(super) fn up(&mut self) {
        self.up_with(versions());
    }

    pub(super) fn up_with(&mut self, versions: BrokerVersions) {
        let link = self.link();
        self.input(Input::LinkUp { link, versions });
    }

    /// The connection asked for last ends, or cannot be made.
    pub(super) fn down(&mut self) {
        let link = self.link();
        self.links.remove(&link);
        self.waiting.retain(|request| request.link != link);
        self.input(Input::LinkDown {
            link,
            cause: LinkFault::Disconnect,
            detail: None,
        });
    }

    /// The earliest request of this kind that waits for its answer.
    pub(super) fn waits(&self, request: GroupRequest) -> Option<&Request> {
        self.waiting
            .iter()
            .find(|waiting| waiting.body.key() == request.key())
    }

    fn take(&mut self, request: GroupRequest) -> Request {
        let at = self
            .waiting
            .iter()
            .position(|waiting| waiting.body.key() == request.key());
        self.waiting
            .remove(at.unwrap_or_else(|| panic!("no {request} waits, but {:?}", self.waiting)))
    }

    /// Answers the earliest request of the answer's kind.
    pub(super) fn answer(&mut self, response: impl Into<AnyResponse>) {
        let response = response.into();
        let request = GroupRequest::ALL
            .into_iter()
            .find(|request| request.key() == response.key())
            .expect("an answer to a group request");
        let Request { link, token, .. } = self.take(request);
        self.input(Input::Answer {
            link,
            token,
            result: Ok(response),
        });
    }

    /// Answers the earliest request of this kind with a code, in its own shape.
    pub(super) fn refuse(&mut self, request: GroupRequest, code: i16) {
        let waiting = self.waits(request).expect("nothing to refuse");
        let response = waiting.body.error_response(waiting.version, code);
        self.answer(response);
    }

    /// The earliest request of this kind gets no answer in time.
    pub(super) fn time_out(&mut self, request: GroupRequest) {
        let Request { link, token, .. } = self.take(request);
        self.input(Input::Answer {
            link,
            token,
            result: Err(AnswerFault::Timeout { detail: None }),
        });
    }

    /// The lookup's connection comes up and the coordinator is named: node 3 at "broker-3:9092".
    pub(super) fn find(&mut self) {
        assert_eq!(*self.peer(), Peer::Bootstrap);
        self.up();
        let version = self
            .waits(GroupRequest::FindCoordinator)
            .expect("no lookup")
            .version;
        self.answer(found(version, 3));
    }

    /// The JoinGroup that waits is answered with a generation it leads alone, and the SyncGroup that follows.
    pub(super) fn join(&mut self, member: &str, generation: i32) {
        if self.joining().member_id.is_empty() && self.waits(GroupRequest::JoinGroup).unwrap().version >= 4 {
            self.refuse_with_id(member);
        }
        self.answer(joined(member, generation, member, &[member]));
        self.answer(synced());
    }

    /// The JoinGroup that waits is answered 79: "ask again, with this id".
    pub(super) fn refuse_with_id(&mut self, member: &str) {
        self.answer(JoinGroupResponse {
            error_code: error_code::MEMBER_ID_REQUIRED,
            member_id: member.to_owned(),
            ..Default::default()
        });
    }

    /// The JoinGroup that waits.
    pub(super) fn joining(&self) -> &JoinGroupRequest {
        match &self
            .waits(GroupRequest::JoinGroup)
            .expect("no JoinGroup waits")
            .body
        {
            AnyRequest::JoinGroup(request) => request,
            other => panic!("{other:?}"),
        }
    }

    /// The heartbeats sent so far, as milliseconds since `from`.
    pub(super) fn beats_since(&self, from: Timestamp) -> Vec<u64> {
        let beats = self
            .sent
            .iter()
            .filter(|sent| sent.body.key() == ApiKey::Heartbeat);
        beats
            .filter(|sent| sent.at >= from)
            .map(|sent| sent.at.micros_since(from) / 1000)
            .collect()
    }

    pub(super) fn last_heartbeat(&self) -> &HeartbeatRequest {
        let mut bodies = self.sent.iter().rev().map(|sent| &sent.body);
        bodies
            .find_map(|body| match body {
                AnyRequest::Heartbeat(request) => Some(request),
                _ => None,
            })
            .expect("no heartbeat was sent")
    }

    pub(super) fn count(&self, request: GroupRequest) -> usize {
        self.sent
            .iter()
            .filter(|sent| sent.body.key() == request.key())
            .count()
    }

    /// Forgets the events so far, so that a test sees its own.
    pub(super) fn clear(&mut self) {
        self.events.clear();
    }

    pub(super) fn changes(&self) -> Vec<&Change> {
        self.events.iter().map(|event| &event.change).collect()
    }

    pub(super) fn kinds(&self) -> Vec<&'static str> {
        self.events.iter().map(|event| event.change.kind()).collect()
    }

    pub(super) fn saw(&self, kind: &str) -> bool {
        self.kinds().contains(&kind)
    }

    /// Whether it happened among the events from number `from` on.
    pub(super) fn saw_since(&self, from: usize, kind: &str) -> bool {
        self.kinds()[from..].contains(&kind)
    }

    pub(super) fn coordinator_unknown(&self) -> bool {
        self.member.coordinator.is_none()
    }

    pub(super) fn must_rejoin(&self) -> bool {
        self.member.must_rejoin || !self.member.state().joined()
    }

    pub(super) fn member_id(&self) -> MemberId {
        self.member.membership.member_id.clone()
    }

    pub(super) fn assert_stable(&self, member: &str, generation: i32) {
        assert_eq!(self.member.state(), State::Stable);
        assert_eq!(self.member_id().as_str(), member);
        assert_eq!(self.member.generation().0, generation);
    }
}
