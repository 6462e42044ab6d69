//! A cluster of one broker and one member, as good as a member needs it, that plays a trick when it is told to.

use std::sync::{Arc, Mutex};

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, Coordinator, FindCoordinatorResponse, HeartbeatResponse,
    JoinGroupResponse, LeaveGroupResponse, MemberResponse, MetadataResponse, RequestHeader,
    SyncGroupResponse, encode_response,
};

use crate::kafka::address::Address;
use crate::kafka::scripted_peer::{Received, ScriptedPeer, Session, all_versions};

/// What happens instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trick {
    /// Bytes that are no answer at all.
    Write(&'static [u8]),
    /// The answer of another request.
    WrongCorrelation,
    /// The answer, and then one that nobody asked for.
    Twice,
    /// The start of the answer, and then nothing.
    Half,
    /// The start of the answer, and then the end of the connection.
    HalfAndClose,
    /// Members without end in an answer to JoinGroup.
    HugeArray,
    /// Nothing at all, on a connection that stays open.
    Silence,
    /// The end of the connection.
    Close,
    /// The end of the connection, without a goodbye.
    Reset,
    /// An error code instead of 0.
    Code(i16),
}

/// The cluster; its tasks end with the test's runtime.
#[derive(Clone)]
pub(super) struct ScriptedCoordinator {
    address: Address,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    generation: i32,
    /// Played at the next request of that API, once.
    trick: Option<(ApiKey, Trick)>,
    /// Played at every request of that API.
    always: Option<(ApiKey, Trick)>,
    requests: Vec<ApiKey>,
}

impl ScriptedCoordinator {
    pub(super) async fn start() -> Self {
        let peer = ScriptedPeer::bind().await;
        let coordinator = Self {
            address: peer.address(),
            state: Arc::default(),
        };
        let accepting = coordinator.clone();
        tokio::spawn(async move {
            loop {
                let session = peer.accept().await;
                tokio::spawn(accepting.clone().serve(session));
            }
        });
        coordinator
    }

    pub(super) fn address(&self) -> Address {
        self.address.clone()
    }

    /// Plays `trick` at the next request of `api`.
    pub(super) fn play(&self, api: ApiKey, trick: Trick) {
        self.state.lock().expect("whole").trick = Some((api, trick));
    }

    /// Plays `trick` at every request of `api`.
    pub(super) fn always_play(&self, api: ApiKey, trick: Trick) {
        self.state.lock().expect("whole").always = Some((api, trick));
    }

    /// How many requests of `api` came.
    pub(super) fn count(&self, api: ApiKey) -> usize {
        let state = self.state.lock().expect("whole");
        state.requests.iter().filter(|seen| **seen == api).count()
    }

    async fn serve(self, mut session: Session) {
        while let Some(received) = session.next().await {
            let (trick, answer) = self.decide(&received);
            let header = &received.header;
            match trick {
                None => session.answer(header, answer).await,
                Some(Trick::Write(bytes)) => session.write(bytes).await,
                Some(Trick::WrongCorrelation) => {
                    let other = RequestHeader {
                        correlation_id: header.correlation_id + 7,
                        ..header.clone()
                    };
                    session.answer(&other, answer).await;
                }
                Some(Trick::Twice) => {
                    session.answer(header, answer.clone()).await;
                    session.answer(header, answer).await;
                }
                Some(Trick::Half) => session.write(half(header, &answer)).await,
                Some(Trick::HalfAndClose) => return session.write(half(header, &answer)).await,
                Some(Trick::HugeArray) => session.write(&huge_array(header)).await,
                Some(Trick::Silence) => {}
                Some(Trick::Close) => return,
                Some(Trick::Reset) => return session.reset(),
                Some(Trick::Code(code)) => {
                    let refusal = received.request.error_response(header.version, code);
                    session.answer(header, refusal).await;
                }
            }
        }
    }

    fn decide(&self, received: &Received) -> (Option<Trick>, AnyResponse) {
        let mut state = self.state.lock().expect("whole");
        let api = received.request.key();
        state.requests.push(api);
        let once = state.trick.take_if(|(at, _)| *at == api);
        let trick = once
            .or(state.always.filter(|(at, _)| *at == api))
            .map(|(_, trick)| trick);
        let generation = match api {
            ApiKey::JoinGroup => state.generation + 1,
            _ => state.generation,
        };
        state.generation = generation;
        drop(state);
        (trick, self.answer(&received.request, generation))
    }

    fn answer(&self, request: &AnyRequest, generation: i32) -> AnyResponse {
        match request {
            AnyRequest::ApiVersions(_) => all_versions().into(),
            AnyRequest::Metadata(_) => MetadataResponse {
                cluster_id: Some("scripted".to_owned()),
                ..Default::default()
            }
            .into(),
            AnyRequest::FindCoordinator(request) => {
                let found = request.coordinator_keys.iter().map(|key| Coordinator {
                    key: key.clone(),
                    node_id: 1,
                    host: self.address.host().to_owned(),
                    port: self.address.port().into(),
                    ..Default::default()
                });
                FindCoordinatorResponse {
                    coordinators: found.collect(),
                    ..Default::default()
                }
                .into()
            }
            AnyRequest::JoinGroup(_) => JoinGroupResponse {
                generation_id: generation,
                protocol_type: Some("consumer".to_owned()),
                protocol_name: Some("range".to_owned()),
                leader: "another".to_owned(),
                member_id: "demo-1-5f".to_owned(),
                ..Default::default()
            }
            .into(),
            AnyRequest::SyncGroup(_) => SyncGroupResponse {
                protocol_type: Some("consumer".to_owned()),
                protocol_name: Some("range".to_owned()),
                ..Default::default()
            }
            .into(),
            AnyRequest::Heartbeat(_) => HeartbeatResponse::default().into(),
            AnyRequest::LeaveGroup(request) => {
                let left = request.members.iter().map(|member| MemberResponse {
                    member_id: member.member_id.clone(),
                    ..Default::default()
                });
                LeaveGroupResponse {
                    members: left.collect(),
                    ..Default::default()
                }
                .into()
            }
            other => panic!("a member sends no {}", other.key()),
        }
    }
}

fn half(header: &RequestHeader, answer: &AnyResponse) -> &'static [u8] {
    let whole = encode_response(answer.key(), header.version, header.correlation_id, answer);
    // A few bytes for the rest of the test's process.
    whole.expect("encodes").leak().split_at(6).0
}

/// JoinGroup from version 7 on: no throttling, no error, names, and then a count of members that no frame can hold.
fn huge_array(header: &RequestHeader) -> Vec<u8> {
    assert!(header.version >= 9, "written down for today's version");
    let body = [
        &header.correlation_id.to_be_bytes()[..],
        &[0],                            // tags of the header
        &[0; 4],                         // throttle time
        &[0; 2],                         // error
        &[0, 0, 0, 1],                   // generation
        &[1, 1, 1],                      // protocol type, protocol, leader: empty
        &[0],                            // skip assignment
        &[1],                            // member id: empty
        &[0xff, 0xff, 0xff, 0xff, 0x0f], // members: 2^32 - 2
    ]
    .concat();
    let length = i32::try_from(body.len()).expect("short");
    [&length.to_be_bytes()[..], &body].concat()
}
