//! TLS under the frames: the handshake, then every byte that comes.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use shared::protocol::ApiKey;
use shared::time::Millis;
use tokio::time::timeout_at;

use super::Connection;
use crate::kafka::link_end::LinkEnd;
use crate::kafka::security::tls::Tls;

impl Connection {
    /// Shakes hands with the broker of this name.
    pub(super) async fn encrypt(&mut self, tls: &Tls, host: &str, timeout: Millis) -> Result<(), LinkEnd> {
        let session = tls.session(host).map_err(|reason| LinkEnd::Tls { reason })?;
        self.tls = Some(Box::new(session));
        let deadline = self.clock.instant(self.clock.now() + timeout);
        let shaken = timeout_at(deadline.into(), poll_fn(|cx| self.poll_handshake(cx))).await;
        shaken.unwrap_or_else(|_elapsed| {
            Err(LinkEnd::Tls {
                reason: format!(
                    "the handshake was not over within {} ms: does the peer speak TLS there?",
                    timeout.0
                ),
            })
        })
    }

    fn poll_handshake(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        loop {
            let Some(tls) = &mut self.tls else {
                return Poll::Ready(Ok(()));
            };
            tls.outgoing(&mut self.unwritten);
            let goes_on = tls.is_handshaking();
            self.write_on(cx)?;
            if !goes_on {
                return Poll::Ready(Ok(()));
            }
            ready!(self.read_on(cx))?;
        }
    }

    /// Takes bytes as the socket gave them.
    pub(super) fn decrypt(&mut self, sealed: &[u8]) -> Result<(), LinkEnd> {
        let Some(tls) = &mut self.tls else {
            return Ok(());
        };
        let pipeline = &mut self.pipeline;
        let opened = tls.open(sealed, |plain| pipeline.push(plain));
        tls.outgoing(&mut self.unwritten);
        match opened {
            Ok(true) => Ok(()),
            // What came before the goodbye may hold whole answers; the end of the socket follows them.
            Ok(false) if self.pipeline.has_bytes() => Ok(()),
            Ok(false) => Err(self.closed()),
            Err(reason) => {
                // The peer should know why; it is gone if this does not reach it.
                let _told = self.stream.try_write(&self.unwritten);
                Err(LinkEnd::Tls { reason })
            }
        }
    }

    /// How the connection ended, now that the peer has closed it.
    pub(super) fn closed(&self) -> LinkEnd {
        if self.tls.as_ref().is_some_and(|tls| tls.is_handshaking()) {
            return LinkEnd::Tls {
                reason: "the peer closed the connection during the handshake: it may not speak TLS there \
                         (security.protocol is then PLAINTEXT or SASL_PLAINTEXT), or want a client certificate \
                         (ssl.keystore.location)"
                    .to_owned(),
            };
        }
        match self.pipeline.closed() {
            LinkEnd::Closed { .. } if !self.heard && self.authentication.is_none() => {
                match self.pipeline.waiting() {
                    None | Some(ApiKey::ApiVersions) => self.pipeline.closed(),
                    Some(_) => LinkEnd::ClosedAtOnce,
                }
            }
            end => end,
        }
    }
}

/// Says goodbye, as TLS wants it: a broker would take the end for an attack otherwise, and log it.
impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(tls) = &mut self.tls
            && self.unwritten.is_empty()
        {
            let _told = self.stream.try_write(&tls.close());
        }
    }
}
