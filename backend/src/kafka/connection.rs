//! One TCP connection to a broker: made by a deadline, its versions asked first, its every end a typed cause.
//!
//! It has no task and no timer of its own: who owns it polls it, and calls [`Connection::overdue`] at its deadline. An
//! idle one holds no buffer, so that ten thousand members fit into one process.

mod authentication;
mod encryption;
pub(crate) mod handshake;
mod open;
mod receive;
mod refusals;

pub use open::{Dialer, Opened};

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use shared::ids::NodeId;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey, Request};
use shared::time::{Millis, Timestamp};
use tokio::io::AsyncWrite;
use tokio::time::timeout_at;
use zeroize::Zeroizing;

use authentication::Authentication;

use super::link_end::LinkEnd;
use super::pipeline::{Answer, Came, OWN, Pipeline};
use super::security::tls::TlsSession;
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::limits;
use crate::network::Stream;

/// An answer, and when its last byte came.
#[derive(Debug)]
pub struct Answered {
    /// What the request was sent with.
    pub token: u64,
    /// The answer.
    pub response: AnyResponse,
    /// When the request was given to the socket.
    pub sent: Timestamp,
    /// When its last packet came, by the kernel; or when it was read, where the kernel does not tell.
    pub received: Timestamp,
}

/// An answer that is not read again where it is the same as one that is known.
#[derive(Debug)]
pub enum Compared {
    /// It is not, or nothing was to be compared; and the digest of its bytes, or 0.
    Other(Answered, u64),
    /// It is.
    Same {
        /// What the request was sent with.
        token: u64,
        /// What was asked.
        api: ApiKey,
        /// When the request was given to the socket.
        sent: Timestamp,
        /// When its last packet came.
        received: Timestamp,
    },
}

/// A connection whose versions are known.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    /// None on a plain listener.
    tls: Option<Box<TlsSession>>,
    /// None where nobody asks who we are.
    authentication: Option<Box<Authentication>>,
    pipeline: Pipeline,
    /// Whether anything but ApiVersions was ever answered.
    heard: bool,
    /// Whole requests, or the end of one, that the socket has not taken yet. Where a listener is plain and the mechanism too, a
    /// password is in it.
    unwritten: Zeroizing<Vec<u8>>,
    /// When what was read last had come.
    received: Timestamp,
    node: Option<NodeId>,
    clock: Clock,
    reporter: Reporter,
}

impl Connection {
    fn new(stream: Stream, client_id: Arc<str>, node: Option<NodeId>, dialer: &Dialer) -> Self {
        Self {
            stream,
            tls: None,
            authentication: None,
            pipeline: Pipeline::new(client_id, limits::ANSWER_BYTES),
            heard: false,
            unwritten: Zeroizing::default(),
            received: dialer.world.clock.now(),
            node,
            clock: dialer.world.clock,
            reporter: dialer.reporter.clone(),
        }
    }

    /// Sends a request: at once where the socket takes it, else as [`Self::poll_answer`] goes on.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn send(
        &mut self,
        token: u64,
        version: i16,
        request: &AnyRequest,
        timeout: Millis,
    ) -> Result<(), LinkEnd> {
        let now = self.clock.now();
        let idle = self.pipeline.is_idle();
        match &mut self.authentication {
            Some(authentication) if authentication.holds(now, idle) => {
                authentication.hold(now, token, version, request.clone(), timeout)
            }
            _ => self.put(now, token, version, request, timeout),
        }
    }

    /// The same, and where `compare` says so the answer is compared with the one whose digest that is, 0 for none:
    /// [`Self::compared`] tells whether it is the same.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn send_to_compare(
        &mut self,
        token: u64,
        version: i16,
        request: &AnyRequest,
        timeout: Millis,
        compare: Option<u64>,
    ) -> Result<(), LinkEnd> {
        let before = self.pipeline.unanswered();
        self.send(token, version, request, timeout)?;
        // One that is held back while the session is authenticated again is answered whole.
        if let Some(known) = compare
            && self.pipeline.unanswered() > before
        {
            self.pipeline.compare_last(known);
        }
        Ok(())
    }

    fn put(
        &mut self,
        now: Timestamp,
        token: u64,
        version: i16,
        request: &AnyRequest,
        timeout: Millis,
    ) -> Result<(), LinkEnd> {
        let bytes = self.pipeline.ask(now, token, version, request, timeout)?;
        // Wiping costs: it is for what may hold a password.
        let (secret, plain) = match request {
            AnyRequest::SaslAuthenticate(_) => (Zeroizing::new(bytes), Vec::new()),
            _ => (Zeroizing::default(), bytes),
        };
        let bytes: &[u8] = if secret.is_empty() { &plain } else { &secret };
        self.reporter.request_sent(self.node, request.key().name());
        let sealed = match &mut self.tls {
            Some(tls) => Some(tls.seal(bytes).map_err(|reason| LinkEnd::Tls { reason })?),
            None => None,
        };
        self.write(sealed.as_deref().unwrap_or(bytes))
    }

    /// Writes what the socket takes at once; the rest as [`Self::poll_answer`] goes on.
    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkEnd> {
        let written = if self.unwritten.is_empty() {
            match self.stream.try_write(bytes) {
                Ok(written) => written,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(LinkEnd::of_io(&error)),
            }
        } else {
            0
        };
        self.unwritten
            .extend_from_slice(bytes.get(written..).unwrap_or_default());
        Ok(())
    }

    /// The next answer, or how the connection ended. Writes on meanwhile. Cancelling loses nothing.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answered, LinkEnd>> {
        loop {
            // Only what was sent to be compared can be the same.
            if let Some(Compared::Other(answered, _)) = ready!(self.poll_step(cx))? {
                return Poll::Ready(Ok(answered));
            }
        }
    }

    /// One answer that is there, or one read.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Compared>, LinkEnd>> {
        self.authenticate_on(cx)?;
        let received = self.received;
        match self.pipeline.answer()? {
            Some(Answer {
                token: OWN,
                came: Came::Whole(response, _),
                ..
            }) => {
                self.authentication_answered(response)?;
                return Poll::Ready(Ok(None));
            }
            Some(Answer {
                token,
                sent,
                came: Came::Whole(response, digest),
            }) => {
                self.heard |= response.key() != ApiKey::ApiVersions;
                let answered = Answered {
                    token,
                    response,
                    sent,
                    received,
                };
                return Poll::Ready(Ok(Some(Compared::Other(answered, digest))));
            }
            Some(Answer {
                token,
                sent,
                came: Came::Same(api),
            }) => {
                return Poll::Ready(Ok(Some(Compared::Same {
                    token,
                    api,
                    sent,
                    received,
                })));
            }
            None => {}
        }
        self.write_on(cx)?;
        ready!(self.read_on(cx))?;
        Poll::Ready(Ok(None))
    }

    /// [`Self::poll_answer`] as a future.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub async fn answer(&mut self) -> Result<Answered, LinkEnd> {
        std::future::poll_fn(|cx| self.poll_answer(cx)).await
    }

    /// The next answer, or that it is the same as one that is known. Cancelling loses nothing.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub async fn compared(&mut self) -> Result<Compared, LinkEnd> {
        std::future::poll_fn(|cx| {
            loop {
                if let Some(compared) = ready!(self.poll_step(cx))? {
                    return Poll::Ready(Ok(compared));
                }
            }
        })
        .await
    }

    /// Asks one question and waits for its answer. Only for a connection on which nothing else is unanswered.
    ///
    /// # Errors
    /// The connection is of no more use: the answer was not there after `timeout`, or was none.
    pub async fn ask<R: Request>(
        &mut self,
        version: i16,
        question: R,
        timeout: Millis,
    ) -> Result<R::Response, LinkEnd> {
        let (answer, _took) = self.trip(version, question, timeout).await?;
        Ok(answer)
    }

    /// The same, and how long it took from sent to the answer's last byte, in microseconds.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn trip<R: Request>(
        &mut self,
        version: i16,
        question: R,
        timeout: Millis,
    ) -> Result<(R::Response, u64), LinkEnd> {
        let answered = self.answered(version, &question.into(), timeout).await?;
        let took = answered.received.micros_since(answered.sent);
        let answer = R::Response::try_from(answered.response);
        let answer = answer.map_err(|other| LinkEnd::OtherAnswer {
            came: other.key(),
            due: R::KEY,
        })?;
        Ok((answer, took))
    }

    /// The same, of a question of any kind; that the answer is one of that kind is for whoever asks to see.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_any(
        &mut self,
        version: i16,
        question: &AnyRequest,
        timeout: Millis,
    ) -> Result<AnyResponse, LinkEnd> {
        let answered = self.answered(version, question, timeout).await?;
        Ok(answered.response)
    }

    async fn answered(
        &mut self,
        version: i16,
        question: &AnyRequest,
        timeout: Millis,
    ) -> Result<Answered, LinkEnd> {
        self.send(0, version, question, timeout)?;
        let deadline = self.deadline().unwrap_or(Timestamp::FAR);
        match timeout_at(self.clock.instant(deadline).into(), self.answer()).await {
            Ok(answered) => answered,
            Err(_elapsed) => {
                let end = self.overdue(deadline);
                Err(end.unwrap_or_else(|| self.pipeline.closed()))
            }
        }
    }

    /// When [`Self::overdue`] must be asked again, and [`Self::poll_answer`] too: it is then that a session that ends is
    /// authenticated again.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let authentication = self.authentication.as_ref();
        let authentication = authentication.and_then(|auth| auth.deadline(self.pipeline.is_idle()));
        [self.pipeline.deadline(), authentication]
            .into_iter()
            .flatten()
            .min()
    }

    /// How the connection ends `now` if a request is overdue: a half-open peer is found by its silence.
    #[must_use]
    pub fn overdue(&self, now: Timestamp) -> Option<LinkEnd> {
        let overdue = self.pipeline.overdue(now, !self.unwritten.is_empty());
        overdue.or_else(|| self.authentication.as_ref()?.overdue(now))
    }

    fn write_on(&mut self, cx: &mut Context<'_>) -> Result<(), LinkEnd> {
        while !self.unwritten.is_empty() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.unwritten) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(written)) => drop(self.unwritten.drain(..written)),
                Poll::Ready(Err(error)) => return Err(LinkEnd::of_io(&error)),
            }
        }
        self.unwritten = Zeroizing::default();
        Ok(())
    }

    fn read_on(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        // On the stack: a connection that waits holds no read buffer.
        if self.pipeline.has_bytes() {
            self.read_into(cx, &mut [0; limits::READ_ON_BYTES])
        } else {
            self.read_into(cx, &mut [0; limits::READ_BYTES])
        }
    }

    fn read_into(&mut self, cx: &mut Context<'_>, space: &mut [u8]) -> Poll<Result<(), LinkEnd>> {
        let received = ready!(receive::poll_receive(&mut self.stream, cx, space));
        let received = received.map_err(|error| LinkEnd::of_io(&error))?;
        self.received = match received.at {
            Some(noted) => self.clock.at_system(noted),
            None => self.clock.now(),
        };
        match space.get(..received.bytes).unwrap_or_default() {
            [] => return Poll::Ready(Err(self.closed())),
            bytes => match &mut self.tls {
                None => self.pipeline.push(bytes),
                Some(_) => return Poll::Ready(self.decrypt(bytes)),
            },
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
