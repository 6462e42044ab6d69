//! For tests: the other end of a connection, which does what the test says, step by step.

use std::net::SocketAddr;

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsResponse, FrameReader, RequestHeader,
    encode_response,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::address::Address;

/// A listener on loopback that accepts when it is told to.
pub(crate) struct ScriptedPeer {
    listener: TcpListener,
    bound: SocketAddr,
}

/// One accepted connection.
pub(crate) struct Session {
    stream: TcpStream,
    frames: FrameReader,
}

/// A request as it came.
pub(crate) struct Received {
    pub(crate) header: RequestHeader,
    pub(crate) request: AnyRequest,
}

impl ScriptedPeer {
    pub(crate) async fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let bound = listener.local_addr().expect("bound");
        Self { listener, bound }
    }

    pub(crate) fn address(&self) -> Address {
        self.bound.into()
    }

    pub(crate) const fn port(&self) -> u16 {
        self.bound.port()
    }

    pub(crate) async fn accept(&self) -> Session {
        let (stream, _) = self.listener.accept().await.expect("a connection");
        let frames = FrameReader::new(1 << 20);
        Session { stream, frames }
    }

    /// Accepts a connection and tells it that we understand everything that Heartline does.
    pub(crate) async fn accept_ready(&self) -> Session {
        let mut session = self.accept().await;
        let asked = session.expect(ApiKey::ApiVersions).await;
        session.answer(&asked.header, all_versions()).await;
        session
    }
}

impl Session {
    /// The next request; `None` once the client has closed or cut the connection.
    pub(crate) async fn next(&mut self) -> Option<Received> {
        loop {
            if let Some(frame) = self.frames.next_frame().expect("a sane client") {
                let (header, body) = RequestHeader::decode(&frame).expect("a header");
                let key = ApiKey::try_from(header.key).expect("a known request");
                let request = AnyRequest::decode(key, header.version, body).expect("a body");
                return Some(Received { header, request });
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(n) => self.frames.push(&buffer[..n]),
            }
        }
    }

    /// The next request, which must be one of `key`.
    pub(crate) async fn expect(&mut self, key: ApiKey) -> Received {
        let received = self.next().await.expect("a request");
        assert_eq!(received.request.key(), key);
        received
    }

    /// Answers the request of that header.
    pub(crate) async fn answer(&mut self, header: &RequestHeader, response: impl Into<AnyResponse>) {
        let response = response.into();
        let bytes = encode_response(response.key(), header.version, header.correlation_id, &response);
        self.write(&bytes.expect("encodes")).await;
    }

    /// Writes bytes as they are.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        // The client may be gone by now, which is for the test to judge by its own means.
        let _gone = self.stream.write_all(bytes).await;
    }

    /// Whether the client closes the connection, after whatever it still sends.
    pub(crate) async fn closed(mut self) {
        while self.next().await.is_some() {}
    }

    /// Cuts the connection with a reset.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().expect("a socket");
    }
}

/// Everything Heartline speaks, in every version.
pub(crate) fn all_versions() -> ApiVersionsResponse {
    let api_keys = ApiKey::ALL.iter().map(|&key| ApiVersion {
        api_key: key.into(),
        min_version: key.versions().min,
        max_version: key.versions().max,
    });
    ApiVersionsResponse {
        api_keys: api_keys.collect(),
        ..Default::default()
    }
}
