//! One random life: what the world does to the member, and what is checked after everything it did.

use super::Step;
use crate::error_code::*;
use crate::event::{Change, LinkFault};
use crate::ids::NodeId;
use crate::member::membership::Membership;
use crate::member::tests::world::*;
use crate::member::{AnswerFault, Config, Input, LinkId, Outlook};
use crate::protocol::{AnyRequest, AnyResponse, ApiKey, JoinGroupResponse};
use crate::rules::{ClockRule, GroupRequest, Rules};
use crate::time::{Millis, Timestamp};

/// Codes that keep a member alive are more likely than those that end it.
const CODES: [i16; 16] = [
    NONE,
    NONE,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    NOT_COORDINATOR,
    ILLEGAL_GENERATION,
    ILLEGAL_GENERATION,
    UNKNOWN_MEMBER_ID,
    UNKNOWN_MEMBER_ID,
    REBALANCE_IN_PROGRESS,
    REBALANCE_IN_PROGRESS,
    MEMBER_ID_REQUIRED,
    MEMBER_ID_REQUIRED,
    FENCED_INSTANCE_ID,
    GROUP_AUTHORIZATION_FAILED,
    UNKNOWN_SERVER_ERROR,
];

/// The world, and beside it what the test knows by itself.
pub(super) struct Storm {
    pub(super) world: World,
    pub(super) rules: Rules,
    pub(super) generation: i32,
    /// The latest moment seen, where the rules let no clock step back.
    pub(super) latest: Timestamp,
    pub(super) session_reset: Timestamp,
    pub(super) received: Option<Timestamp>,
    pub(super) last_send: Option<Timestamp>,
    pub(super) join_answered: Option<Timestamp>,
    pub(super) last_failure: Option<Timestamp>,
    pub(super) seen: usize,
}

fn weather(rules: Rules) -> Config {
    Config {
        topics: vec!["t".to_owned()],
        request_timeout: Millis(12_000),
        ..config(rules)
    }
}

impl Storm {
    pub(super) fn new(rules: Rules) -> Self {
        let world = World::new(weather(rules));
        Self {
            rules,
            generation: 0,
            latest: world.now,
            session_reset: world.now,
            received: None,
            last_send: None,
            join_answered: None,
            last_failure: None,
            seen: 0,
            world,
        }
    }

    pub(super) fn apply(&mut self, step: Step) {
        match step {
            Step::Pass(millis) => self.pass(u64::from(millis)),
            Step::Sleep(millis) => {
                self.world.now = self.world.now + Millis(u64::from(millis));
                self.input(Input::Tick);
            }
            Step::ClockBack(millis) => {
                self.world.now = self.world.now - Millis(u64::from(millis));
                self.input(Input::Tick);
            }
            Step::Up(which) => {
                if let Some(link) = self.link(which) {
                    let versions = versions();
                    self.input(Input::LinkUp { link, versions });
                }
            }
            Step::Down(which) => self.down(which),
            Step::Answer { which, code } => self.answer(which, CODES[usize::from(code) % CODES.len()]),
            Step::Well(times) => (0..times).for_each(|_| self.well()),
            Step::Garbled(which) => self.fail(
                which,
                AnswerFault::Garbled {
                    detail: "x".to_owned(),
                },
            ),
            Step::Nonsense { which, what } => self.nonsense(which, what),
            Step::Again { which, code } => self.again(which, CODES[usize::from(code) % CODES.len()]),
            Step::Topics(count) => {
                self.input(Input::Topics([("t".to_owned(), u32::from(count))].into()));
            }
            Step::Subscribe(topic) => self.input(Input::Subscribe(vec![format!("t{}", topic % 3)])),
            Step::Outlook(what) => self.input(Input::Outlook(Outlook {
                coordinator: (what % 5 < 4).then(|| NodeId((what % 5).into())),
                answering: (1..4).filter(|node| what >> *node & 8 != 0).map(NodeId).collect(),
            })),
            // Leaving ends a run: one in a while.
            Step::Leave if self.generation % 3 == 2 => self.input(Input::Leave { reason: None }),
            Step::Leave => {}
        }
    }

    fn link(&self, which: u8) -> Option<LinkId> {
        let links: Vec<_> = self.world.links.keys().copied().collect();
        (!links.is_empty()).then(|| links[usize::from(which) % links.len()])
    }

    fn down(&mut self, which: u8) {
        if let Some(link) = self.link(which) {
            self.world.links.remove(&link);
            self.world.waiting.retain(|request| request.link != link);
            self.input(Input::LinkDown {
                link,
                cause: LinkFault::Disconnect,
                detail: None,
            });
        }
    }

    /// Time passes: deadlines are kept, and requests whose time is over are told so, as the connection does.
    fn pass(&mut self, millis: u64) {
        let until = self.world.now + Millis(millis);
        loop {
            let over = self
                .world
                .waiting
                .iter()
                .map(|request| request.at + request.timeout)
                .min();
            let due = [self.world.member.deadline(), over].into_iter().flatten().min();
            let Some(next) = due.filter(|due| *due <= until) else {
                break;
            };
            self.world.now = self.world.now.max(next);
            match self
                .world
                .waiting
                .iter()
                .position(|request| request.at + request.timeout <= next)
            {
                Some(which) => self.fail_at(which, AnswerFault::Timeout { detail: None }),
                None => self.input(Input::Tick),
            }
        }
        self.world.now = until;
        self.input(Input::Tick);
    }

    fn fail(&mut self, which: u8, fault: AnswerFault) {
        if !self.world.waiting.is_empty() {
            self.fail_at(usize::from(which) % self.world.waiting.len(), fault);
        }
    }

    fn fail_at(&mut self, which: usize, fault: AnswerFault) {
        let request = self.world.waiting.remove(which);
        self.input(Input::Answer {
            link: request.link,
            token: request.token,
            result: Err(fault),
        });
    }

    fn well(&mut self) {
        for link in self.world.links.keys().copied().collect::<Vec<_>>() {
            let versions = versions();
            self.input(Input::LinkUp { link, versions });
        }
        if self.world.waiting.is_empty() {
            self.pass(3000);
        } else {
            self.answer(0, NONE);
        }
    }

    fn answer(&mut self, which: u8, code: i16) {
        if self.world.waiting.is_empty() {
            return;
        }
        let request = self
            .world
            .waiting
            .remove(usize::from(which) % self.world.waiting.len());
        let response = self.response(&request, code);
        self.deliver(&request, response);
    }

    fn nonsense(&mut self, which: u8, what: u8) {
        if self.world.waiting.is_empty() {
            return;
        }
        let request = self
            .world
            .waiting
            .remove(usize::from(which) % self.world.waiting.len());
        let response: AnyResponse = match (what % 6, request.body.key()) {
            (0, ApiKey::JoinGroup) => joined("", 1, "", &[]).into(),
            (1, ApiKey::JoinGroup) => joined("extreme", i32::MIN, "extreme", &[]).into(),
            (2, ApiKey::JoinGroup) => joined("extreme", i32::MAX, "extreme", &[]).into(),
            (3, ApiKey::JoinGroup) => joined("leader", 0, "leader", &["a", "a", ""]).into(),
            (4, ApiKey::FindCoordinator) => found(request.version, -1).into(),
            (5, ApiKey::LeaveGroup) => left(&[NONE, NONE]).into(),
            (_, ApiKey::Heartbeat) => synced().into(),
            (_, _) => beat(NONE).into(),
        };
        self.deliver(&request, response);
    }

    fn again(&mut self, which: u8, code: i16) {
        let over: Vec<Request> = {
            let out = &self.world.waiting;
            let ended = |sent: &&Request| !out.iter().any(|waiting| waiting.token == sent.token);
            self.world.sent.iter().filter(ended).cloned().collect()
        };
        if over.is_empty() {
            return;
        }
        let request = over[usize::from(which) % over.len()].clone();
        let before = (self.world.member.membership.clone(), self.world.member.state());
        let coordinator = self.world.coordinator_unknown();
        let response = self.response(&request, code);
        self.deliver(&request, response);
        let after = (self.world.member.membership.clone(), self.world.member.state());
        assert_eq!(
            before, after,
            "an answer that belongs to nobody changed something"
        );
        assert_eq!(coordinator, self.world.coordinator_unknown());
    }

    fn response(&mut self, request: &Request, code: i16) -> AnyResponse {
        if code == MEMBER_ID_REQUIRED && request.body.key() == ApiKey::JoinGroup {
            return JoinGroupResponse {
                error_code: code,
                member_id: format!("given-{}", request.token.0),
                ..Default::default()
            }
            .into();
        }
        if code != NONE {
            return request.body.error_response(request.version, code);
        }
        match &request.body {
            AnyRequest::FindCoordinator(_) => found(request.version, 1 + self.generation % 3).into(),
            AnyRequest::JoinGroup(join) => {
                self.generation += 1;
                let id = if join.member_id.is_empty() {
                    "named"
                } else {
                    &join.member_id
                };
                let leader = if self.generation % 2 == 0 { id } else { "leader" };
                joined(id, self.generation, leader, &[id, "other"]).into()
            }
            AnyRequest::SyncGroup(_) => synced().into(),
            AnyRequest::Heartbeat(_) => beat(NONE).into(),
            AnyRequest::LeaveGroup(_) => left(&[]).into(),
            other => panic!("{other:?}"),
        }
    }

    /// Hands an answer in, and checks what a stale answer to a heartbeat may do.
    fn deliver(&mut self, request: &Request, response: AnyResponse) {
        let (link, token) = (request.link, request.token);
        let code = response.error_code().unwrap_or(NONE);
        let before = self.world.member.membership.clone();
        let belongs = self.world.member.coordinator.as_ref().is_some_and(|known| {
            known.link.id == link
                && !self.world.member.state().over()
                && known.link.has(GroupRequest::Heartbeat)
        });
        let out_before = self.world.member.task.in_flight();
        self.input(Input::Answer {
            link,
            token,
            result: Ok(response),
        });
        let AnyRequest::Heartbeat(asked) = &request.body else {
            return;
        };
        let answered = out_before && belongs && self.world.saw_since(self.seen, "heartbeat_answered");
        let stale =
            asked.generation_id != before.generation.0 || asked.member_id != before.member_id.as_str();
        let about_membership = [ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID].contains(&code);
        if self.rules == Rules::MODERN && answered && stale && about_membership {
            self.assert_ignored(&before);
        }
    }

    fn assert_ignored(&self, before: &Membership) {
        assert_eq!(
            self.world.member.membership, *before,
            "a stale answer changed the membership"
        );
        assert_eq!(
            self.world.member.heartbeat.last_receive(),
            Some(self.latest),
            "and it is no success"
        );
        assert!(self.world.end.is_none());
    }

    /// Gives one input and checks what holds after every one.
    fn input(&mut self, input: Input) {
        self.latest = match self.rules.clock {
            ClockRule::NeverBack => self.latest.max(self.world.now),
            ClockRule::AsGiven => self.world.now,
        };
        let (link, sent) = (
            self.world.member.coordinator.as_ref().map(|c| c.link.id),
            self.world.sent.len(),
        );
        self.seen = self.world.events.len();
        let given = input.clone();
        self.world.input(input);
        let happened: Vec<Change> = self.world.events[self.seen..]
            .iter()
            .map(|event| event.change.clone())
            .collect();
        for change in &happened {
            self.note(change, &given, link);
        }
        if self.world.sent[sent..]
            .iter()
            .any(|sent| sent.body.key() == ApiKey::Heartbeat)
        {
            self.last_send = self.world.member.heartbeat.last_send();
        }
        self.at_most_one_heartbeat_is_out();
        self.it_waits_for_something();
        self.the_next_heartbeat_is_not_forgotten();
    }
}
