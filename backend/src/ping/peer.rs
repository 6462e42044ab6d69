//! For tests: a coordinator in memory that knows the heartbeats of both protocols and answers each as it is told to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ConsumerGroupDescribeResponse, ConsumerGroupHeartbeatResponse,
    Coordinator, DescribeGroupsResponse, FindCoordinatorResponse, FrameReader, HeartbeatResponse,
    RequestHeader, encode_response,
};
use shared::time::Millis;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::Pinger;
use crate::hub::Reporter;
use crate::kafka::cluster::Cluster;
use crate::kafka::connection::Dialer;
use crate::kafka::scripted_peer::all_versions;
use crate::network::Stream;
use crate::world::World;

/// How it answers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answers {
    pub(crate) find_coordinator: i16,
    pub(crate) heartbeat: i16,
}

/// Group, member id and epoch of each heartbeat that came; the epoch of those of KIP-848 only.
pub(crate) type Heartbeats = Arc<Mutex<Vec<(String, String, Option<i32>)>>>;

/// Listens from now on.
pub(crate) fn listen(world: &World, at: SocketAddr, answers: Answers) -> Heartbeats {
    let socket = world.network.bind(at).expect("free in memory");
    let mut listener = socket.listen(8).expect("in memory");
    let came = Heartbeats::default();
    let noted = Arc::clone(&came);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, at, answers, Arc::clone(&noted)));
        }
    });
    came
}

/// Whoever pings it.
pub(crate) fn pinger(world: &World, at: SocketAddr) -> Arc<Pinger> {
    let timeout = Millis(5_000);
    let dialer = Dialer::new(world.clone(), Reporter::channel(16).0, timeout, timeout);
    let cluster = Arc::new(Cluster::new(vec![at.into()], dialer, timeout));
    Arc::new(Pinger::new(cluster, "heartline", world.clone(), timeout))
}

async fn serve(mut stream: Stream, at: SocketAddr, answers: Answers, noted: Heartbeats) {
    let mut frames = FrameReader::new(1 << 20);
    loop {
        while let Some(frame) = frames.next_frame().expect("a sane client") {
            let (header, body) = RequestHeader::decode(&frame).expect("a header");
            let key = ApiKey::try_from(header.key).expect("a known request");
            let request = AnyRequest::decode(key, header.version, body).expect("a request");
            let answer = answer(&request, header.version, at, answers, &noted);
            let bytes =
                encode_response(key, header.version, header.correlation_id, &answer).expect("encodes");
            if stream.write_all(&bytes).await.is_err() {
                return;
            }
        }
        let mut space = [0; 4096];
        match stream.read(&mut space).await {
            Ok(0) | Err(_) => return,
            Ok(count) => frames.push(&space[..count]),
        }
    }
}

fn answer(
    request: &AnyRequest,
    version: i16,
    at: SocketAddr,
    answers: Answers,
    noted: &Heartbeats,
) -> AnyResponse {
    let note = |group: &str, member: &str, epoch| {
        let beat = (group.to_owned(), member.to_owned(), epoch);
        noted.lock().expect("nobody panicked").push(beat);
    };
    let error_code = answers.heartbeat;
    match request {
        AnyRequest::ApiVersions(_) => all_versions().into(),
        AnyRequest::FindCoordinator(asked) => {
            assert!(version >= 4, "all that is spoken here");
            let found = Coordinator {
                key: asked.coordinator_keys.concat(),
                node_id: 7,
                host: at.ip().to_string(),
                port: at.port().into(),
                error_code: answers.find_coordinator,
                error_message: None,
            };
            FindCoordinatorResponse {
                coordinators: vec![found],
                ..Default::default()
            }
            .into()
        }
        AnyRequest::DescribeGroups(_) => DescribeGroupsResponse::default().into(),
        AnyRequest::ConsumerGroupDescribe(_) => ConsumerGroupDescribeResponse::default().into(),
        AnyRequest::Heartbeat(beat) => {
            note(&beat.group_id, &beat.member_id, None);
            HeartbeatResponse {
                error_code,
                ..Default::default()
            }
            .into()
        }
        AnyRequest::ConsumerGroupHeartbeat(beat) => {
            note(&beat.group_id, &beat.member_id, Some(beat.member_epoch));
            ConsumerGroupHeartbeatResponse {
                error_code,
                ..Default::default()
            }
            .into()
        }
        other => panic!("a ping asks for no {}", other.key()),
    }
}
