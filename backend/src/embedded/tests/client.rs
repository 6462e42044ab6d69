//! A client that writes and reads single frames, so that a test sees each byte it is answered.

use std::net::SocketAddr;

use shared::protocol::header::{RequestHeader, decode_response_header, encode_request};
use shared::protocol::{
    AnyRequest, JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, Message, Request,
    SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::soon;

pub(super) struct Client {
    stream: TcpStream,
    client_id: String,
    sent: i32,
    answered: i32,
}

impl Client {
    pub(super) async fn connect(address: SocketAddr, client_id: &str) -> Self {
        let stream = soon(TcpStream::connect(address)).await.unwrap();
        Self {
            stream,
            client_id: client_id.into(),
            sent: 0,
            answered: 0,
        }
    }

    pub(super) async fn ask<R: Request>(&mut self, version: i16, request: R) -> R::Response {
        self.send(version, request).await;
        self.answer::<R>(version).await
    }

    pub(super) async fn send<R: Request>(&mut self, version: i16, request: R) {
        self.sent += 1;
        let header = RequestHeader::new(R::KEY, version, self.sent, &self.client_id);
        let request: AnyRequest = request.into();
        self.write(&encode_request(&header, &request).unwrap()).await;
    }

    /// The next answer, which must be to the oldest request.
    pub(super) async fn answer<R: Request>(&mut self, version: i16) -> R::Response {
        let frame = self.frame().await;
        let (id, body) = decode_response_header(R::KEY, version, &frame).unwrap();
        self.answered += 1;
        assert_eq!(id, self.answered, "answers come in the order of the requests");
        R::Response::decode(body, version).unwrap()
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    pub(super) async fn frame(&mut self) -> Vec<u8> {
        soon(async {
            let length = self.stream.read_i32().await.unwrap();
            let mut frame = vec![0; usize::try_from(length).unwrap()];
            self.stream.read_exact(&mut frame).await.unwrap();
            frame
        })
        .await
    }

    /// What is still sent until the other end closes.
    pub(super) async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is an end too: the kernel sends one where the other end has not read all.
        let _end = soon(self.stream.read_to_end(&mut rest)).await;
        rest
    }

    /// Joins with the newest versions: the id, the generation and whether it leads. The JoinGroup of a second member is
    /// answered only when the first has joined again.
    pub(super) async fn join(&mut self, group: &str) -> JoinGroupResponse {
        let given = self.ask(9, joining(group, "")).await;
        self.ask(9, joining(group, &given.member_id)).await
    }

    /// A group of this client alone, stable, with metadata 1,2,3 and assignment 4,5,6.
    pub(super) async fn stable(&mut self, group: &str) -> JoinGroupResponse {
        let joined = self.join(group).await;
        assert_eq!(joined.error_code, 0);
        let synced = self.sync(group, &joined).await;
        assert_eq!((synced.error_code, synced.assignment), (0, vec![4, 5, 6]));
        joined
    }

    pub(super) async fn sync(&mut self, group: &str, joined: &JoinGroupResponse) -> SyncGroupResponse {
        self.ask(5, syncing(group, joined)).await
    }
}

pub(super) fn joining(group: &str, member: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 60_000,
        rebalance_timeout_ms: 60_000,
        member_id: member.into(),
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "consumer-range".into(),
            metadata: vec![1, 2, 3],
        }],
        ..JoinGroupRequest::default()
    }
}

pub(super) fn syncing(group: &str, joined: &JoinGroupResponse) -> SyncGroupRequest {
    let part = SyncGroupRequestAssignment {
        member_id: joined.member_id.clone(),
        assignment: vec![4, 5, 6],
    };
    SyncGroupRequest {
        group_id: group.into(),
        generation_id: joined.generation_id,
        member_id: joined.member_id.clone(),
        group_instance_id: None,
        protocol_type: Some("consumer".into()),
        protocol_name: Some("consumer-range".into()),
        assignments: if joined.leader == joined.member_id {
            vec![part]
        } else {
            Vec::new()
        },
    }
}
