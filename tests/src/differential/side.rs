//! One of the two coordinators, as the actors of one sequence know it: their ids, what was asked, what was answered.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use shared::error_code as code;
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, DescribeGroupsRequest, DescribedGroup, JoinGroupResponse,
    LeaveGroupRequest, MemberIdentity, Uuid,
};

use super::connection::{Answer, Connection};
use super::requests;
use super::step::{self, Step};
use crate::wait::wait_until;

/// A coordinator under test.
#[derive(Clone, Debug)]
pub(super) struct Coordinator {
    pub(super) address: SocketAddr,
    /// The id of the topic that is committed to.
    pub(super) topic: Uuid,
}

/// A sequence on one coordinator.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) coordinator: Coordinator,
    pub(super) group: String,
    /// A unit of short timeouts.
    pub(super) unit: Duration,
    pub(super) cast: Vec<Actor>,
    /// The newest generation that anybody was told, and the protocol of that answer.
    pub(super) generation: i32,
    pub(super) spoken: (Option<String>, Option<String>),
    idle: Vec<Connection>,
    waiting: BTreeMap<usize, Connection>,
    /// Of each step that waited: which API, under which member id.
    asked: BTreeMap<usize, (ApiKey, String)>,
    /// Steps whose requests another took the place of.
    superseded: BTreeSet<usize>,
    /// Each id by its symbol.
    symbols: BTreeMap<String, String>,
    /// What was answered since the last step, by the step that asked.
    pub(super) answers: BTreeMap<usize, Answer>,
    pub(super) seen: Option<DescribedGroup>,
}

/// Somebody who sends requests; each has its own client id.
#[derive(Clone, Debug, Default)]
pub(super) struct Actor {
    /// The ids it was given, by the step that asked: two answers may come in either order.
    pub(super) ids: BTreeMap<usize, String>,
}

impl Side {
    pub(super) fn new(coordinator: Coordinator, group: String, actors: usize, unit: Duration) -> Self {
        Self {
            coordinator,
            group,
            unit,
            cast: vec![Actor::default(); actors],
            generation: 0,
            spoken: (None, None),
            idle: Vec::new(),
            waiting: BTreeMap::new(),
            asked: BTreeMap::new(),
            superseded: BTreeSet::new(),
            symbols: BTreeMap::new(),
            answers: BTreeMap::new(),
            seen: None,
        }
    }

    async fn connection(&mut self) -> Connection {
        match self.idle.pop() {
            Some(connection) => connection,
            None => Connection::open(self.coordinator.address)
                .await
                .expect("the coordinator takes connections"),
        }
    }

    /// Waits until the coordinator has loaded what it needs for the group.
    pub(super) async fn ready(&mut self) {
        let mut connection = self.connection().await;
        wait_until("a coordinator for the group", async || {
            match self.barrier(&mut connection).await {
                code::NONE => Ok(()),
                error => Err(code::label(error)),
            }
        })
        .await;
        self.idle.push(connection);
    }

    /// Closes every connection: nothing is expected any more of what waited.
    pub(super) fn disconnect(&mut self) {
        self.idle.clear();
        self.waiting.clear();
    }

    /// A coordinator handles the requests of one group in order, and Kafka answers this one, which changes nothing, only
    /// when all that was written before is kept: what was due before it has been answered.
    async fn barrier(&self, connection: &mut Connection) -> i16 {
        let nobody = MemberIdentity {
            member_id: requests::STRANGER.into(),
            ..MemberIdentity::default()
        };
        let request = LeaveGroupRequest {
            group_id: self.group.clone(),
            members: vec![nobody],
            ..LeaveGroupRequest::default()
        };
        connection.send("barrier", 4, &request.into()).await;
        match connection.answer().await {
            Answer::Response(AnyResponse::LeaveGroup(answer)) => answer.error_code,
            other => panic!("LeaveGroup was answered {other:?}"),
        }
    }

    /// The steps whose requests wait for their answers.
    pub(super) fn waiting(&self) -> Vec<usize> {
        let waiting = self.waiting.keys().copied();
        waiting.filter(|step| !self.superseded.contains(step)).collect()
    }

    /// Requests that had waited before step `now` and were answered at it although Kafka never answers them (see
    /// [`ON_PURPOSE`]): another request of the same member took the place, or its member is gone.
    ///
    /// [`ON_PURPOSE`]: super::ON_PURPOSE
    pub(super) fn answered_out_of_courtesy(&self, now: usize) -> Vec<usize> {
        let is_one = |step: &usize| {
            let Some(asked) = self.asked.get(step) else {
                return false;
            };
            match self.error_of(*step) {
                Some(code::REBALANCE_IN_PROGRESS) => self.asked.get(&now) == Some(asked),
                Some(code::UNKNOWN_MEMBER_ID) => asked.0 == ApiKey::SyncGroup && !self.is_member(&asked.1),
                _ => false,
            }
        };
        let waited = self.answers.keys().copied().filter(|step| *step < now);
        waited.filter(is_one).collect()
    }

    fn error_of(&self, step: usize) -> Option<i16> {
        match self.answers.get(&step) {
            Some(Answer::Response(AnyResponse::JoinGroup(answer))) => Some(answer.error_code),
            Some(Answer::Response(AnyResponse::SyncGroup(answer))) => Some(answer.error_code),
            _ => None,
        }
    }

    fn is_member(&self, id: &str) -> bool {
        let members = self.seen.iter().flat_map(|group| &group.members);
        members.into_iter().any(|member| member.member_id == id)
    }

    pub(super) fn is_waiting(&self, step: usize) -> bool {
        self.waiting.contains_key(&step)
    }

    /// From now on nothing is expected of that step.
    pub(super) fn forget(&mut self, step: usize) {
        self.superseded.insert(step);
        self.answers.remove(&step);
    }

    /// Sends what a step asks; an answer that is always given at once is waited for.
    pub(super) async fn play(&mut self, number: usize, step: &Step) {
        self.answers.clear();
        let Some((version, request)) = requests::request(self, number, step) else {
            return;
        };
        let mut connection = self.connection().await;
        connection.send(&step::actor(step.actor), version, &request).await;
        let member = match &request {
            AnyRequest::JoinGroup(request) => Some(request.member_id.clone()),
            AnyRequest::SyncGroup(request) => Some(request.member_id.clone()),
            _ => None,
        };
        if let Some(member) = member {
            self.asked.insert(number, (request.key(), member));
            self.waiting.insert(number, connection);
        } else {
            let answer = connection.answer().await;
            self.answers.insert(number, answer);
            self.idle.push(connection);
        }
    }

    /// Looks at the group and takes in what has been answered meanwhile.
    pub(super) async fn look(&mut self, version: i16) {
        let mut connection = self.connection().await;
        // A request on another connection may be read after the first, though it was sent before, but not after the second:
        // both coordinators read all connections in one thread.
        self.barrier(&mut connection).await;
        self.barrier(&mut connection).await;
        let question = DescribeGroupsRequest {
            groups: vec![self.group.clone()],
            ..DescribeGroupsRequest::default()
        };
        connection.send("looker", version, &question.into()).await;
        self.seen = match connection.answer().await {
            Answer::Response(AnyResponse::DescribeGroups(mut answer)) => answer.groups.pop(),
            other => panic!("DescribeGroups was answered {other:?}"),
        };
        self.idle.push(connection);
        let waiting = std::mem::take(&mut self.waiting);
        for (number, mut connection) in waiting {
            match connection.look() {
                None => {
                    self.waiting.insert(number, connection);
                }
                Some(Answer::Closed) => {
                    self.answers.insert(number, Answer::Closed);
                }
                Some(answer) => {
                    self.answers.insert(number, answer);
                    self.idle.push(connection);
                }
            }
        }
    }

    /// Learns the ids and generations that came with answers to these steps.
    pub(super) fn learn(&mut self, steps: &[Step]) {
        for (number, answer) in &self.answers {
            let (Answer::Response(AnyResponse::JoinGroup(answer)), Some(step)) = (answer, steps.get(*number))
            else {
                continue;
            };
            let JoinGroupResponse {
                error_code,
                generation_id,
                protocol_type,
                protocol_name,
                member_id,
                ..
            } = answer;
            let is_given = [code::NONE, code::MEMBER_ID_REQUIRED].contains(error_code);
            if is_given
                && !member_id.is_empty()
                && !self.symbols.contains_key(member_id)
                && let Some(actor) = self.cast.get_mut(step.actor)
            {
                actor.ids.insert(*number, member_id.clone());
                let symbol = format!("{}{number}", step::actor(step.actor));
                self.symbols.insert(member_id.clone(), symbol);
            }
            if *error_code == code::NONE && *generation_id >= self.generation {
                self.generation = *generation_id;
                // Below version 7 the type is not told.
                let kind = protocol_type.clone().or_else(|| self.spoken.0.take());
                self.spoken = (kind, protocol_name.clone());
            }
        }
    }

    /// An id as its symbol; of one that nobody was told its beginning, since the rest is random.
    pub(super) fn symbol(&self, id: &str) -> String {
        const UUID: usize = 36;
        if let Some(symbol) = self.symbols.get(id) {
            return symbol.clone();
        }
        match id.len().checked_sub(UUID).and_then(|at| id.split_at_checked(at)) {
            Some((prefix, uuid)) if uuid.matches('-').count() == 4 => format!("{prefix}?"),
            _ => format!("{id:?}"),
        }
    }
}
