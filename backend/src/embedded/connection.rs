//! One client's connection: requests are read, worked on one at a time and answered in their order.
//!
//! There may be ten thousand of these, most of them asleep between two heartbeats: one that waits holds no buffer.

mod asked;
mod ending;

use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use shared::error_code as code;
use shared::ids::NodeId;
use shared::protocol::frame::FrameReader;
use shared::protocol::header::{RequestHeader, encode_response};
use shared::protocol::{AnyRequest, AnyResponse, ApiKey, HeartbeatResponse};
use shared::time::{Millis, Timestamp};
use tokio::io::{AsyncRead, AsyncWriteExt as _, ReadBuf};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::broker;
use super::data::Waiting;
use super::faults::{Act, Verdict};
use super::service::{Incoming, Served, Service};
use crate::coordinator::{Origin, Ticket};
use crate::limits;
use crate::network::Stream;
use asked::{admitted, is_refused};
use ending::Ending;

/// Bytes read at once, on the stack of the reading function: not part of what a waiting connection holds.
const READ_AT_ONCE: usize = 8 * 1024;

/// Serves a connection until it ends.
pub(super) async fn run(stream: Stream, peer: SocketAddr, node: NodeId, service: Arc<Service>) {
    let mut connection = match Connection::new(stream, peer, node, service) {
        Ok(connection) => connection,
        Err(error) => return tracing::debug!(%peer, %error, "coordinator: connection ended at once"),
    };
    let ending = connection.serve().await;
    let client = connection.client.as_deref().unwrap_or_default().escape_debug();
    if ending.is_violation() {
        if let Some(left_out) = connection.service.may_complain() {
            tracing::warn!(%peer, %client, left_out, "coordinator: connection closed: {ending}");
        }
    } else {
        tracing::debug!(%peer, %client, "coordinator: connection ended: {ending}");
    }
}

/// A connection and what is under way on it.
struct Connection {
    stream: Stream,
    service: Arc<Service>,
    /// Rises with each connection.
    number: u64,
    /// The node the client reached.
    node: NodeId,
    /// The address the client reached us by.
    reached: SocketAddr,
    /// The client's address as Kafka shows it.
    host: Box<str>,
    client: Option<Arc<str>>,
    reader: FrameReader,
    /// Answers not written yet.
    out: Vec<u8>,
    /// What it holds of the room that all connections share.
    held: usize,
    /// Since when the request that is coming is not all there.
    coming_since: Option<Timestamp>,
    /// An answer was dropped: those after it cannot be sent, or the client would take each for another's.
    mute: bool,
}

impl Connection {
    fn new(stream: Stream, peer: SocketAddr, node: NodeId, service: Arc<Service>) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            number: service.connection_number(),
            node,
            reached: stream.local_addr()?,
            stream,
            service,
            host: format!("/{}", peer.ip()).into(),
            client: None,
            reader: FrameReader::new(limits::COORDINATOR_FRAME),
            out: Vec::new(),
            held: 0,
            coming_since: None,
            mute: false,
        })
    }

    async fn serve(&mut self) -> Ending {
        loop {
            if let Err(ending) = self.turn().await {
                return ending;
            }
        }
    }

    /// Answers what is there, then waits for more.
    async fn turn(&mut self) -> Result<(), Ending> {
        while let Some(frame) = self.reader.next_frame()? {
            self.coming_since = None;
            self.request(frame).await?;
            if self.out.len() >= limits::COORDINATOR_ANSWERS {
                self.flush().await?;
            }
        }
        self.flush().await?;
        self.wait().await
    }

    /// Waits for more, for as long as a client may say nothing, or a request be on its way.
    async fn wait(&mut self) -> Result<(), Ending> {
        let (longest, ending) = if self.reader.pending() == 0 {
            self.reader = FrameReader::new(limits::COORDINATOR_FRAME);
            self.out = Vec::new();
            let longest = Duration::from_millis(self.service.max_idle().0);
            (self.service.clock().real(longest), Ending::Idle)
        } else {
            let now = self.service.clock().now();
            let since = *self.coming_since.get_or_insert(now);
            let gone = Duration::from_micros(now.micros_since(since));
            let gone = self.service.clock().real(gone);
            (
                limits::COORDINATOR_FRAME_WAIT.saturating_sub(gone),
                Ending::SlowRequest,
            )
        };
        timeout(longest, self.fill()).await.map_err(|_| ending)?
    }

    /// Reads what comes next. Dropped before it is done, it has read nothing.
    async fn fill(&mut self) -> Result<(), Ending> {
        poll_fn(|context| self.poll_fill(context)).await
    }

    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Ending>> {
        let mut bytes = [MaybeUninit::uninit(); READ_AT_ONCE];
        let mut read = ReadBuf::uninit(&mut bytes);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
        if read.filled().is_empty() {
            return Poll::Ready(Err(Ending::Gone));
        }
        self.reader.push(read.filled());
        Poll::Ready(self.hold())
    }

    /// Accounts for what it holds; the room for that is shared by all connections.
    fn hold(&mut self) -> Result<(), Ending> {
        let holds = self.reader.pending().saturating_add(self.out.len());
        let beyond = holds.saturating_sub(limits::COORDINATOR_HELD_FREE);
        let before = std::mem::replace(&mut self.held, beyond);
        if self.service.hold(before, beyond) {
            Ok(())
        } else {
            Err(Ending::NoRoom)
        }
    }

    async fn request(&mut self, frame: Vec<u8>) -> Result<(), Ending> {
        let (header, body) = RequestHeader::decode(&frame)?;
        let (version, correlation_id) = (header.version, header.correlation_id);
        let key = ApiKey::try_from(header.key)?;
        let Some(request) = admitted(&self.service, (key, version), body, frame.len())? else {
            return self.append(key, 0, correlation_id, &broker::unsupported().into());
        };
        // A request may be parked for minutes: what it was read from goes first.
        drop(frame);
        self.introduce(header.client_id());
        self.service.reports().room().await;
        // A producer that asks for no answer gets none, and the end of its connection where there is something to say.
        let unanswered = matches!(&request, AnyRequest::Produce(asked) if asked.acks == 0);
        let verdict = self.service.judge(self.number, header.client_id(), &request);
        let Verdict { delay, throttle, act } = verdict;
        let Some(answer) = self.acted(act, key, &header, request).await? else {
            return Ok(());
        };
        if let Some(delay) = delay {
            self.hold_back(delay).await?;
        }
        if unanswered {
            return match is_refused(&answer) {
                true => Err(Ending::RefusedUnasked),
                false => Ok(()),
            };
        }
        if let Some(over) = self.service.cuts(self.number, header.client_id()) {
            return self.swallow(over).await;
        }
        match throttle {
            Some(throttle) => {
                self.throttle((key, version, correlation_id), throttle, answer)
                    .await
            }
            None => self.append(key, version, correlation_id, &answer),
        }
    }

    /// What comes of a request by the verdict on it; none where it has no answer, or has had one.
    async fn acted(
        &mut self,
        act: Act,
        key: ApiKey,
        header: &RequestHeader,
        request: AnyRequest,
    ) -> Result<Option<AnyResponse>, Ending> {
        Ok(Some(match act {
            Act::Swallow(over) => {
                self.swallow(over).await?;
                return Ok(None);
            }
            Act::Disconnect => return Err(Ending::Fault),
            Act::Refuse(code::UNSUPPORTED_VERSION) if key == ApiKey::ApiVersions => {
                self.append(key, 0, header.correlation_id, &broker::unsupported().into())?;
                return Ok(None);
            }
            Act::Refuse(error) => {
                let from = Origin {
                    client_id: header.client_id(),
                    host: &self.host,
                };
                self.service.refused(from, &request, error);
                request.error_response(header.version, error)
            }
            Act::Serve => match self.ask(header, request) {
                Served::Now(answer) => answer,
                Served::Later(ticket, answer) => self.parked(ticket, answer).await?,
                Served::Fetch(waiting) => self.fetched(waiting).await?,
            },
            Act::ServeAs0 => {
                self.ask(header, request);
                HeartbeatResponse::default().into()
            }
            Act::Drop => {
                self.ask(header, request);
                self.mute = true;
                return Ok(None);
            }
        }))
    }

    /// KIP-219: the client is told at once how long it must be silent and is not heard for as long; one that speaks an older
    /// version waits for its answer instead.
    async fn throttle(
        &mut self,
        (key, version, id): (ApiKey, i16, i32),
        throttle: Millis,
        mut answer: AnyResponse,
    ) -> Result<(), Ending> {
        answer.set_throttle_ms(i32::try_from(throttle.0).unwrap_or(i32::MAX));
        let wait = Duration::from_millis(throttle.0);
        if answer.client_throttle_ms(version) == 0 {
            self.hold_back(wait).await?;
            return self.append(key, version, id, &answer);
        }
        self.append(key, version, id, &answer)?;
        self.hold_back(wait).await
    }

    fn ask(&self, header: &RequestHeader, request: AnyRequest) -> Served {
        let incoming = Incoming {
            client_id: header.client_id(),
            host: &self.host,
            version: header.version,
            node: self.node,
            reached: self.reached,
        };
        self.service.serve(&incoming, request)
    }

    fn append(&mut self, key: ApiKey, version: i16, id: i32, answer: &AnyResponse) -> Result<(), Ending> {
        if !self.mute {
            self.out
                .extend_from_slice(&encode_response(key, version, id, answer)?);
        }
        self.hold()
    }

    /// Waits for the answer of a parked request. What the client sends behind it stays unread, but for a little that is
    /// read ahead so that its going away is noticed.
    async fn parked(
        &mut self,
        ticket: Ticket,
        mut answer: oneshot::Receiver<AnyResponse>,
    ) -> Result<AnyResponse, Ending> {
        self.flush().await?;
        loop {
            let filled = tokio::select! {
                biased;
                answer = &mut answer => return answer.map_err(|_| Ending::Gone),
                filled = self.fill(), if self.reads_ahead() => filled,
            };
            if let Err(ending) = filled {
                self.service.gone(ticket);
                return Err(ending);
            }
        }
    }

    /// Waits until a Fetch has its records or its time is over, as [`Self::parked`] does.
    async fn fetched(&mut self, mut waiting: Waiting) -> Result<AnyResponse, Ending> {
        self.flush().await?;
        loop {
            tokio::select! {
                biased;
                () = waiting.ready() => return Ok(waiting.collect(self.service.room()).into()),
                filled = self.fill(), if self.reads_ahead() => filled?,
            }
        }
    }

    /// Waits before an answer is sent.
    async fn hold_back(&mut self, delay: Duration) -> Result<(), Ending> {
        self.flush().await?;
        let over = tokio::time::sleep(self.service.clock().real(delay));
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return Ok(()),
                filled = self.fill(), if self.reads_ahead() => filled?,
            }
        }
    }

    fn reads_ahead(&self) -> bool {
        self.reader.pending() < limits::COORDINATOR_HELD_FREE
    }

    /// Reads and forgets until the silence is over. Then the connection is of no more use: what was swallowed on it will
    /// never be answered, so nothing after it can be.
    async fn swallow(&mut self, mut over: watch::Receiver<()>) -> Result<(), Ending> {
        self.flush().await?;
        loop {
            self.reader = FrameReader::new(limits::COORDINATOR_FRAME);
            tokio::select! {
                _ended = over.changed() => return Err(Ending::Fault),
                filled = self.fill() => filled?,
            }
        }
    }

    async fn flush(&mut self) -> Result<(), Ending> {
        let mut written = 0;
        while let Some(rest) = self.out.get(written..).filter(|rest| !rest.is_empty()) {
            match ending::none_yet(self.stream.try_write(rest))? {
                Some(more) => written += more,
                None => {
                    let write = timeout(limits::COORDINATOR_SEND, self.stream.write(rest));
                    written += write.await.map_err(|_| Ending::SlowReader)??;
                }
            }
        }
        self.out.clear();
        Ok(())
    }

    /// The client says its name with each request; what counts is the last one.
    fn introduce(&mut self, client_id: &str) {
        if self.client.as_deref() == Some(client_id) || client_id.len() > limits::COORDINATOR_NAME_BYTES {
            return;
        }
        let client: Arc<str> = client_id.into();
        self.service.client_came(&client);
        if let Some(before) = self.client.replace(client) {
            self.service.client_went(&before);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            self.service.client_went(client);
        }
        self.service.hold(self.held, 0);
    }
}
