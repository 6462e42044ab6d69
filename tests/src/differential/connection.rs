//! A connection that carries one request at a time and can be looked at without waiting.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::time::Duration;

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, FrameReader, RequestHeader, decode_response_header, encode_request,
};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The longest answer expected.
const FRAME: usize = 1024 * 1024;

/// Bytes read at once.
const CHUNK: usize = 16 * 1024;

/// How long a request that never waits may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Response(AnyResponse),
    Closed,
}

/// The socket twice: tokio's, to write and to wait with; and as it is, since only a real read says whether bytes are
/// there *now* (tokio's knows what its poll last saw).
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    now: std::net::TcpStream,
    frames: FrameReader,
    asked: Option<(ApiKey, i16)>,
    correlation: i32,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?.into_std()?;
        stream.set_nodelay(true)?;
        Ok(Self {
            now: stream.try_clone()?,
            stream: TcpStream::from_std(stream)?,
            frames: FrameReader::new(FRAME),
            asked: None,
            correlation: 0,
        })
    }

    pub(super) async fn send(&mut self, client: &str, version: i16, request: &AnyRequest) {
        self.correlation += 1;
        let header = RequestHeader::new(request.key(), version, self.correlation, client);
        let frame = encode_request(&header, request)
            .unwrap_or_else(|error| panic!("version {version} of {request:?}: {error}"));
        self.asked = Some((request.key(), version));
        // A connection that was closed is seen where the answer is read.
        let _seen_there = self.stream.write_all(&frame).await;
    }

    /// The answer, if it is there.
    pub(super) fn look(&mut self) -> Option<Answer> {
        let mut chunk = vec![0; CHUNK];
        loop {
            if let Some(answer) = self.whole() {
                return Some(answer);
            }
            match self.now.read(&mut chunk) {
                Ok(0) => return Some(Answer::Closed),
                Ok(count) => self.frames.push(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Some(Answer::Closed),
            }
        }
    }

    /// Waits for the answer to a request that is always answered at once.
    pub(super) async fn answer(&mut self) -> Answer {
        let waiting = async {
            let mut chunk = vec![0; CHUNK];
            loop {
                if let Some(answer) = self.look() {
                    return answer;
                }
                if self.stream.readable().await.is_err() {
                    return Answer::Closed;
                }
                match self.stream.try_read(&mut chunk) {
                    Ok(0) => return Answer::Closed,
                    Ok(count) => self.frames.push(chunk.get(..count).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return Answer::Closed,
                }
            }
        };
        tokio::time::timeout(PATIENCE, waiting)
            .await
            .unwrap_or_else(|_| panic!("no answer to {:?} in {PATIENCE:?}", self.asked))
    }

    fn whole(&mut self) -> Option<Answer> {
        let frame = self.frames.next_frame().expect("a frame of sound length")?;
        let (key, version) = self.asked.take().expect("an answer follows a request");
        let (correlation, body) = decode_response_header(key, version, &frame).expect("an answer's header");
        assert_eq!(correlation, self.correlation, "the answer to another request");
        let response = AnyResponse::decode(key, version, body)
            .unwrap_or_else(|error| panic!("the answer to {key:?} version {version}: {error}"));
        Some(Answer::Response(response))
    }
}
