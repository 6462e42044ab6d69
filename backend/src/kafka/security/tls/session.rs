//! One TLS session without IO: bytes of the socket in, bytes of Kafka's protocol out, and the reverse.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use super::sentence;

/// A session as its client has it.
#[derive(Debug)]
pub struct TlsSession {
    tls: ClientConnection,
}

impl TlsSession {
    pub(super) fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, String> {
        let mut tls = ClientConnection::new(config, name).map_err(|error| sentence(&error))?;
        // What waits is bounded by what is asked; it goes to the socket's own queue at once.
        tls.set_buffer_limit(None);
        Ok(Self { tls })
    }

    /// Whether the handshake goes on.
    #[must_use]
    pub fn is_handshaking(&self) -> bool {
        self.tls.is_handshaking()
    }

    /// What must go to the peer, appended to `out`.
    pub fn outgoing(&mut self, out: &mut Vec<u8>) {
        while self.tls.wants_write() {
            // Writing to memory does not fail.
            if self.tls.write_tls(out).is_err() {
                return;
            }
        }
    }

    /// Encrypts `plain` for the peer, behind what must go before it.
    ///
    /// # Errors
    /// A sentence: the session is over.
    pub fn seal(&mut self, plain: &[u8]) -> Result<Vec<u8>, String> {
        self.tls
            .writer()
            .write_all(plain)
            .map_err(|error| error.to_string())?;
        // A record adds 22 bytes to at most 16 KiB.
        let mut sealed = Vec::with_capacity(plain.len() + plain.len() / 256 + 64);
        self.outgoing(&mut sealed);
        Ok(sealed)
    }

    /// Takes bytes as they came and hands on what they say. False: the peer has ended the session in order.
    ///
    /// # Errors
    /// A sentence for an operator: the session cannot go on; [`Self::outgoing`] tells the peer.
    pub fn open(&mut self, mut sealed: &[u8], mut told: impl FnMut(&[u8])) -> Result<bool, String> {
        while !sealed.is_empty() {
            self.tls
                .read_tls(&mut sealed)
                .map_err(|error| error.to_string())?;
            let state = self.tls.process_new_packets().map_err(|error| sentence(&error))?;
            let mut waiting = state.plaintext_bytes_to_read();
            while waiting > 0 {
                let mut plain = [0; 4096];
                let read = self
                    .tls
                    .reader()
                    .read(&mut plain)
                    .map_err(|error| error.to_string())?;
                told(plain.get(..read).unwrap_or_default());
                waiting = waiting.saturating_sub(read.max(1));
            }
            if state.peer_has_closed() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The goodbye, encrypted.
    pub fn close(&mut self) -> Vec<u8> {
        let mut goodbye = Vec::new();
        self.tls.send_close_notify();
        self.outgoing(&mut goodbye);
        goodbye
    }
}
