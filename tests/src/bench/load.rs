//! A closed loop of Heartbeats: many connections, one joined member each, the next request when the answer is there.

use std::time::{Duration, Instant};

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, FindCoordinatorRequest, HeartbeatRequest, JoinGroupRequest,
    JoinGroupRequestProtocol, JoinGroupResponse, RequestHeader, SyncGroupRequest, SyncGroupRequestAssignment,
    decode_response_header, encode_request,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The versions used: what Kafka, librdkafka's mock and we all speak, and an empty member id joins at once (below
/// JoinGroup 4 no member id is required first, KIP-394).
const FIND: i16 = 0;
const JOIN: i16 = 3;
const SYNC: i16 = 2;
const BEAT: i16 = 3;

/// How long a coordinator may take until it serves, and how often it is asked.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// Answers larger than this are none of ours.
const ANSWER_MAX: usize = backend::limits::ANSWER_BYTES;

/// A member of a group of its own, on a connection of its own.
#[derive(Debug)]
struct Beater {
    socket: TcpStream,
    /// The whole request frame; only its correlation id changes.
    frame: Vec<u8>,
}

/// Joins `connections` members at `address`, each in a group of its own named after `prefix`, then lets all of them
/// beat for `length`; returns how many answers came in that time.
///
/// # Errors
///
/// What the peer answered or did instead.
pub async fn closed_loop(
    address: &str,
    prefix: &str,
    connections: usize,
    length: Duration,
) -> Result<u64, String> {
    let mut joining = JoinSet::new();
    for number in 0..connections {
        let (address, group) = (address.to_owned(), format!("{prefix}-{number}"));
        joining.spawn(async move { Beater::join(&address, &group).await });
    }
    let mut beaters = Vec::with_capacity(connections);
    while let Some(joined) = joining.join_next().await {
        beaters.push(joined.map_err(|error| error.to_string())??);
    }
    let end = Instant::now() + length;
    let mut beating = JoinSet::new();
    for beater in beaters {
        beating.spawn(beater.beat_until(end));
    }
    let mut answers = 0;
    while let Some(count) = beating.join_next().await {
        answers += count.map_err(|error| error.to_string())??;
    }
    Ok(answers)
}

impl Beater {
    async fn join(address: &str, group: &str) -> Result<Self, String> {
        let mut socket = TcpStream::connect(address)
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        socket.set_nodelay(true).map_err(|error| error.to_string())?;
        let join = JoinGroupRequest {
            group_id: group.to_owned(),
            session_timeout_ms: 60_000,
            rebalance_timeout_ms: 60_000,
            protocol_type: "consumer".to_owned(),
            protocols: vec![JoinGroupRequestProtocol {
                name: "range".to_owned(),
                metadata: vec![0; 10],
            }],
            ..JoinGroupRequest::default()
        };
        let joined = join_when_ready(&mut socket, address, join).await?;
        let sync = SyncGroupRequest {
            group_id: group.to_owned(),
            generation_id: joined.generation_id,
            member_id: joined.member_id.clone(),
            assignments: vec![SyncGroupRequestAssignment {
                member_id: joined.member_id.clone(),
                assignment: vec![0; 10],
            }],
            ..SyncGroupRequest::default()
        };
        match ask(&mut socket, SYNC, sync.into()).await? {
            AnyResponse::SyncGroup(synced) if synced.error_code == 0 => {}
            other => return Err(format!("{address}: SyncGroup answered {other:?}")),
        }
        let beat = HeartbeatRequest {
            group_id: group.to_owned(),
            generation_id: joined.generation_id,
            member_id: joined.member_id,
            group_instance_id: None,
        };
        Ok(Self {
            socket,
            frame: frame(BEAT, &beat.into())?,
        })
    }

    async fn beat_until(mut self, end: Instant) -> Result<u64, String> {
        let mut answers = 0;
        let mut answer = [0; 64];
        for correlation in 1_i32.. {
            self.frame[8..12].copy_from_slice(&correlation.to_be_bytes());
            self.socket
                .write_all(&self.frame)
                .await
                .map_err(|error| error.to_string())?;
            // length, correlation id, throttle time, error code: 14 bytes at this version.
            self.socket
                .read_exact(&mut answer[..14])
                .await
                .map_err(|error| error.to_string())?;
            if answer[4..8] != correlation.to_be_bytes() || answer[12..14] != [0, 0] {
                return Err(format!("Heartbeat answered {:?}", &answer[..14]));
            }
            answers += 1;
            if Instant::now() >= end {
                break;
            }
        }
        Ok(answers)
    }
}

/// Asks for the group's coordinator, which makes a fresh broker create its offsets topic, and joins once it is loaded:
/// until then JoinGroup is answered 14, 15 or 16.
async fn join_when_ready(
    socket: &mut TcpStream,
    address: &str,
    join: JoinGroupRequest,
) -> Result<JoinGroupResponse, String> {
    let find = FindCoordinatorRequest {
        key: join.group_id.clone(),
        ..FindCoordinatorRequest::default()
    };
    let patience = Instant::now() + PATIENCE;
    loop {
        ask(socket, FIND, find.clone().into()).await?;
        let AnyResponse::JoinGroup(joined) = ask(socket, JOIN, join.clone().into()).await? else {
            return Err(format!("{address}: another answer than JoinGroup's"));
        };
        match joined.error_code {
            0 => return Ok(joined),
            14..=16 if Instant::now() < patience => {}
            code => return Err(format!("{address}: JoinGroup answered {code}")),
        }
        tokio::time::interval_at((Instant::now() + PAUSE).into(), PAUSE)
            .tick()
            .await;
    }
}

fn frame(version: i16, request: &AnyRequest) -> Result<Vec<u8>, String> {
    let header = RequestHeader::new(request.key(), version, 0, "heartline-bench");
    encode_request(&header, request).map_err(|error| error.to_string())
}

/// One request and its answer; for what happens once a member, not for what is measured.
///
/// # Errors
///
/// What kept the request from being written or its answer from being read.
pub async fn ask(socket: &mut TcpStream, version: i16, request: AnyRequest) -> Result<AnyResponse, String> {
    let key: ApiKey = request.key();
    socket
        .write_all(&frame(version, &request)?)
        .await
        .map_err(|error| format!("{key:?}: {error}"))?;
    let length = socket
        .read_u32()
        .await
        .map_err(|error| format!("{key:?}: {error}"))? as usize;
    if length > ANSWER_MAX {
        return Err(format!(
            "{key:?}: an answer of {length} bytes; at most {ANSWER_MAX} are expected"
        ));
    }
    let mut bytes = vec![0; length];
    socket
        .read_exact(&mut bytes)
        .await
        .map_err(|error| format!("{key:?}: {error}"))?;
    let (_, body) = decode_response_header(key, version, &bytes).map_err(|error| error.to_string())?;
    AnyResponse::decode(key, version, body).map_err(|error| error.to_string())
}
