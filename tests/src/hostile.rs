//! Peers that are slow, broken or mean: bare connections, thousands of them, without a client's manners.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use shared::protocol::header::{RequestHeader, encode_request};
use shared::protocol::{AnyRequest, ApiKey, FrameReader, HeartbeatRequest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::wait::PATIENCE;

/// Connections from one address: each has a port of its own for a minute after its end, and there are 28,000.
const PER_ADDRESS: usize = 10_000;

/// What a slow reader takes at once, in bytes; each answer is smaller.
const BITE: usize = 4 * 1024;

/// What a bad peer says first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Nothing.
    Mute,
    /// Half of a request.
    Half,
    /// A request whose answer it does not read.
    Deaf,
    /// What is no request.
    Garbage,
    /// A length that no request has.
    Endless,
}

impl Manner {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Mute, Self::Half, Self::Deaf, Self::Garbage, Self::Endless];

    /// Its bytes.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        let whole = heartbeat(1);
        match self {
            Self::Mute => Vec::new(),
            Self::Half => whole[..whole.len() / 2].to_vec(),
            Self::Deaf => whole,
            Self::Garbage => b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n".to_vec(),
            Self::Endless => i32::MAX.to_be_bytes().to_vec(),
        }
    }
}

/// A Heartbeat of a member that nobody knows: it is answered 25 and touches nothing.
///
/// # Panics
///
/// Never: it fits into its version.
#[must_use]
pub fn heartbeat(correlation: i32) -> Vec<u8> {
    let header = RequestHeader::new(ApiKey::Heartbeat, 4, correlation, "hostile");
    let request = HeartbeatRequest {
        group_id: "hostile".into(),
        member_id: "nobody".into(),
        ..HeartbeatRequest::default()
    };
    encode_request(&header, &AnyRequest::from(request)).expect("it fits")
}

fn asking_for_versions(correlation: i32) -> Vec<u8> {
    let header = RequestHeader::new(ApiKey::ApiVersions, 0, correlation, "hostile");
    let request = shared::protocol::ApiVersionsRequest::default();
    encode_request(&header, &AnyRequest::from(request)).expect("it fits")
}

/// The beginning of a SyncGroup of `announced` bytes, of which `sent` come.
#[must_use]
pub fn half_of_a_sync_group(announced: usize, sent: usize) -> Vec<u8> {
    let header = RequestHeader::new(ApiKey::SyncGroup, 5, 1, "hostile");
    let empty = shared::protocol::SyncGroupRequest::default();
    let mut bytes = encode_request(&header, &AnyRequest::from(empty)).unwrap_or_default();
    bytes.resize(sent, 0);
    let length = i32::try_from(announced).unwrap_or(i32::MAX);
    for (byte, of_length) in bytes.iter_mut().zip(length.to_be_bytes()) {
        *byte = of_length;
    }
    bytes
}

/// The nth connection of many.
///
/// # Errors
///
/// It is refused, or this process may open no more.
pub async fn connect(to: SocketAddr, nth: usize) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    let host = u8::try_from(nth / PER_ADDRESS % 250).unwrap_or(0) + 2;
    socket.bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, host)), 0))?;
    socket.connect(to).await
}

/// Opens a connection, says what this manner says and drops it: every other one so that the other end hears of a reset.
///
/// # Panics
///
/// When it is refused.
pub async fn come_and_go(to: SocketAddr, nth: usize) {
    let mut stream = connect(to, nth).await.expect("it listens");
    let manner = Manner::ALL[nth % Manner::ALL.len()];
    // It may have been cut already.
    let _cut = stream.write_all(&manner.bytes()).await;
    if nth.is_multiple_of(2) {
        let _cut = stream.set_zero_linger();
    }
}

/// Asks and is answered, as a client with manners.
///
/// # Panics
///
/// When there is no answer.
pub async fn is_answered(stream: &mut TcpStream, correlation: i32) {
    stream
        .write_all(&heartbeat(correlation))
        .await
        .expect("the connection is open");
    let answer = async {
        let length = stream.read_i32().await?;
        let mut frame = vec![0; usize::try_from(length).unwrap_or(0)];
        stream.read_exact(&mut frame).await?;
        io::Result::Ok(frame)
    };
    let frame = timeout(PATIENCE, answer)
        .await
        .expect("an answer comes")
        .expect("whole");
    assert_eq!(frame.get(..4), Some(&correlation.to_be_bytes()[..]));
}

/// A connection on which the kernel keeps few of the answers that are not read.
///
/// # Errors
///
/// As [`connect`].
pub async fn connect_deaf(to: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4 * 1024)?;
    socket.connect(to).await
}

/// Sends requests whose answers are longer than they are and reads none, until the other end cuts the connection; how many
/// bytes it took. It is not given up before: on a busy machine nobody can tell who reads no more from who is slow.
pub async fn flood(stream: &mut TcpStream) -> usize {
    let requests = asking_for_versions(1).repeat(100);
    let mut taken = 0;
    // What was not taken of one round comes first in the next: each request is whole.
    while let Ok(Ok(written)) = timeout(PATIENCE, stream.write(&requests[taken % requests.len()..])).await {
        taken += written;
    }
    taken
}

/// Asks so often without waiting for answers, and takes these in small bites, each after something else was done (`between`).
///
/// # Panics
///
/// When an answer is missing, not in its place, or the connection is cut.
pub async fn ask_and_read_slowly(stream: TcpStream, times: i32, mut between: impl AsyncFnMut()) {
    let (mut answers, mut questions) = stream.into_split();
    let asking = async {
        for correlation in 1..=times {
            let request = asking_for_versions(correlation);
            questions.write_all(&request).await.expect("it is taken in time");
        }
    };
    let reading = async {
        let (mut frames, mut bite) = (FrameReader::new(BITE), [0; BITE]);
        let mut answered = 0;
        while answered < times {
            between().await;
            let read = answers.read(&mut bite).await.unwrap_or(0);
            assert!(read > 0, "cut after {answered} answers");
            frames.push(&bite[..read]);
            while let Some(frame) = frames.next_frame().expect("an answer of sound length") {
                answered += 1;
                assert_eq!(frame.get(..4), Some(&answered.to_be_bytes()[..]));
            }
        }
    };
    tokio::join!(asking, reading);
}

/// Waits until the other end has cut the connection.
///
/// # Panics
///
/// When it does not.
pub async fn is_cut(stream: &mut TcpStream) {
    let mut rest = [0; 64 * 1024];
    let end = async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} };
    timeout(PATIENCE, end).await.expect("it is cut");
}
