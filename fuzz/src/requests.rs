//! Any request of any version, as bytes off the wire, to the coordinator with simulated time, and to what answers about the
//! cluster beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend::coordinator::config::Config;
use backend::coordinator::topics::Topics;
use backend::coordinator::{Call, Coordinator, Input, Origin, Output, Ticket};
use backend::embedded::answer_about_the_cluster;
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse,
    SyncGroupRequest,
};
use shared::time::{Millis, Timestamp};

/// Requests in one run.
const REQUESTS: usize = 64;

/// The group that is there from the start, Stable in generation 1 with one member.
const GROUP: &str = "g";

/// Record after record: an API, a version, how long to wait before it (two bytes, milliseconds), the body's length (two
/// bytes) and the body. A member id of one digit stands for the nth id that the coordinator has given out.
pub fn requests(data: &[u8]) {
    let mut desk = Desk::new();
    let mut rest = data;
    for _ in 0..REQUESTS {
        let Some(([api, version, wait @ .., high, low], after)) = rest.split_first_chunk::<6>() else {
            break;
        };
        let key = ApiKey::ALL[usize::from(*api) % ApiKey::ALL.len()];
        let versions: Vec<i16> = key.versions().iter().collect();
        let version = versions[usize::from(*version) % versions.len()];
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(after.len());
        let (body, after) = after.split_at(length);
        rest = after;
        desk.wait(Millis(u16::from_be_bytes([wait[0], wait[1]]).into()));
        if let Ok(request) = AnyRequest::decode(key, version, body) {
            desk.ask(version, request);
        }
        desk.check();
    }
}

/// A coordinator, and what it was asked and has answered.
struct Desk {
    coordinator: Coordinator,
    topics: Arc<Topics>,
    now: Timestamp,
    asked: BTreeMap<Ticket, (ApiKey, i16)>,
    /// The tickets of requests that wait.
    waiting: Vec<Ticket>,
    ids: Vec<String>,
}

impl Desk {
    fn new() -> Self {
        let settings = [
            "group.initial.rebalance.delay.ms=0",
            "group.min.session.timeout.ms=1",
            "group.max.size=4",
        ];
        let topics = Arc::new(Topics::parse("demo:2,other:1").unwrap());
        let config = Config::from_settings(settings).unwrap();
        let mut desk = Self {
            coordinator: Coordinator::new(config, Arc::clone(&topics), 7),
            topics,
            now: Timestamp::from_millis(1),
            asked: BTreeMap::new(),
            waiting: Vec::new(),
            ids: Vec::new(),
        };
        desk.ask(9, joining("").into());
        desk.ask(9, joining("0").into());
        let syncing = SyncGroupRequest {
            group_id: GROUP.into(),
            generation_id: 1,
            member_id: "0".into(),
            ..SyncGroupRequest::default()
        };
        desk.ask(5, syncing.into());
        assert_eq!((desk.ids.len(), &desk.waiting[..]), (1, &[][..]));
        desk
    }

    fn wait(&mut self, length: Millis) {
        let until = self.now + length;
        while let Some(due) = self.coordinator.deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.input(Input::Tick);
        }
        self.now = until;
        self.input(Input::Tick);
    }

    fn ask(&mut self, version: i16, mut request: AnyRequest) {
        self.name(&mut request);
        let key = request.key();
        check_answer(key, version, &request.error_response(version, 16));
        if let Some(answer) = answer_about_the_cluster(&self.topics, version, &request) {
            return check_answer(key, version, &answer);
        }
        let ticket = Ticket(self.asked.len() as u64 + 1);
        self.asked.insert(ticket, (key, version));
        self.waiting.push(ticket);
        let from = Origin {
            client_id: "client",
            host: "/127.0.0.1",
        };
        let call = Call {
            ticket,
            version,
            from,
        };
        self.input(Input::Request(call, request));
    }

    fn input(&mut self, input: Input<'_>) {
        self.coordinator.handle(self.now, input);
        while let Some(output) = self.coordinator.poll() {
            let (ticket, response) = match output {
                Output::Reply { ticket, response } => (ticket, response),
                Output::Append { append, .. } => {
                    let result = Ok(());
                    self.coordinator
                        .handle(self.now, Input::Appended { append, result });
                    continue;
                }
                Output::Observed(_) => continue,
            };
            let waited = self.waiting.iter().position(|waiting| *waiting == ticket);
            self.waiting
                .remove(waited.expect("a request is answered once, and only if it was asked"));
            let (key, version) = self.asked[&ticket];
            check_answer(key, version, &response);
            if let AnyResponse::JoinGroup(JoinGroupResponse { member_id, .. }) = response
                && !member_id.is_empty()
                && !self.ids.contains(&member_id)
            {
                self.ids.push(member_id);
            }
        }
        assert!(
            self.coordinator.deadline().is_none_or(|due| due > self.now),
            "what was due is over"
        );
    }

    fn check(&self) {
        assert_eq!(
            self.coordinator.check_invariants(),
            self.waiting,
            "what is not answered is parked"
        );
    }

    /// Puts the ids that were given out where the request says a digit.
    fn name(&self, request: &mut AnyRequest) {
        let put = |id: &mut String| {
            if let [digit @ b'0'..=b'9'] = id.as_bytes()
                && let Some(given) = self.ids.get(usize::from(digit - b'0'))
            {
                id.clone_from(given);
            }
        };
        match request {
            AnyRequest::JoinGroup(request) => put(&mut request.member_id),
            AnyRequest::SyncGroup(request) => {
                put(&mut request.member_id);
                request
                    .assignments
                    .iter_mut()
                    .for_each(|part| put(&mut part.member_id));
            }
            AnyRequest::Heartbeat(request) => put(&mut request.member_id),
            AnyRequest::LeaveGroup(request) => {
                put(&mut request.member_id);
                request
                    .members
                    .iter_mut()
                    .for_each(|member| put(&mut member.member_id));
            }
            AnyRequest::OffsetCommit(request) => put(&mut request.member_id),
            _ => {}
        }
    }
}

/// An answer can be written in the request's version, and read again.
fn check_answer(key: ApiKey, version: i16, answer: &AnyResponse) {
    let mut bytes = Vec::new();
    let written = answer.encode(version, &mut bytes);
    assert!(written.is_ok(), "{key} {version}: {written:?}: {answer:?}");
    let read = AnyResponse::decode(key, version, &bytes);
    assert!(read.is_ok(), "{key} {version}: {read:?}: {answer:?}");
}

fn joining(member: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: GROUP.into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 20_000,
        member_id: member.into(),
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "range".into(),
            metadata: vec![1],
        }],
        ..JoinGroupRequest::default()
    }
}
