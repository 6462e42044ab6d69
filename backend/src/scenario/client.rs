//! A scenario's client on its connection: opened when it first asks, kept between its requests, opened again when it broke.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::protocol::{AnyRequest, AnyResponse};
use shared::time::Timestamp;
use thiserror::Error;
use tokio::time::timeout_at;

use super::file::Asking;
use super::frames::{ClientRow, Frame};
use super::standing::{Found, Standing, again, found};
use crate::clock::Clock;
use crate::kafka::address::{Address, AddressError};
use crate::kafka::connection::{Connection, Dialer, Opened};
use crate::kafka::link_end::LinkEnd;
use shared::protocol::versions::NoCommonVersion;

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    told: Arc<ClientRow>,
    standing: Standing,
    dialer: Dialer,
    clock: Clock,
    /// The broker it takes for the coordinator.
    address: Address,
    open: Option<Opened>,
    token: u64,
}

/// Why a request came to nothing.
#[derive(Debug, Error)]
pub(super) enum Failed {
    #[error(transparent)]
    Link(#[from] LinkEnd),
    #[error(transparent)]
    Version(#[from] NoCommonVersion),
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl Client {
    pub(super) fn new(
        told: Arc<ClientRow>,
        partitions: Arc<BTreeMap<String, u32>>,
        dialer: Dialer,
        clock: Clock,
        address: Address,
    ) -> Self {
        Self {
            standing: Standing::new(Arc::clone(&told), partitions),
            told,
            dialer,
            clock,
            address,
            open: None,
            token: 0,
        }
    }

    /// Sends a request; the code of its answer, `None` where it was not to be waited for.
    ///
    /// # Errors
    ///
    /// There was no answer; the connection is closed then.
    pub(super) async fn ask(&mut self, asking: &Asking) -> Result<Option<i16>, Failed> {
        let mut frame = asking.frame.clone();
        loop {
            let asked = self.attempt(&frame, asking).await;
            if asked.is_err() {
                self.disconnect();
            }
            let Some(answer) = asked? else {
                return Ok(None);
            };
            let code = self.standing.take(&answer);
            if let Some(found) = found(&answer) {
                self.follow(&found)?;
            }
            if !Standing::must_ask_again(&frame, code) {
                return Ok(Some(code));
            }
            frame = again(&frame);
        }
    }

    /// Closes the connection; what the client knows it goes on to know.
    pub(super) fn disconnect(&mut self) {
        self.open = None;
    }

    async fn attempt(&mut self, frame: &Frame, asking: &Asking) -> Result<Option<AnyResponse>, Failed> {
        let was_open = self.open.is_some();
        let (request, version) = self.prepare(frame).await?;
        match self.exchange(&request, version, asking).await {
            // An idle connection may have been closed long ago; a client finds out when it writes.
            Err(LinkEnd::Closed { .. } | LinkEnd::Broken { .. }) if was_open => {
                self.disconnect();
                self.prepare(frame).await?;
                Ok(self.exchange(&request, version, asking).await?)
            }
            outcome => Ok(outcome?),
        }
    }

    async fn prepare(&mut self, frame: &Frame) -> Result<(AnyRequest, i16), Failed> {
        if self.open.is_none() {
            let client_id = Arc::from(self.told.id.as_str());
            self.open = Some(self.dialer.open(&self.address, None, client_id).await?);
        }
        let version = match (frame.version(), &self.open) {
            (Some(version), _) => version,
            (None, Some(opened)) => opened.versions.highest_common(frame.key())?,
            // It was opened above.
            (None, None) => frame.key().versions().max,
        };
        Ok((self.standing.request(frame, version), version))
    }

    async fn exchange(
        &mut self,
        request: &AnyRequest,
        version: i16,
        asking: &Asking,
    ) -> Result<Option<AnyResponse>, LinkEnd> {
        let Some(Opened { connection, .. }) = &mut self.open else {
            return Err(LinkEnd::Closed { unanswered: 0 });
        };
        self.token += 1;
        connection.send(self.token, version, request, asking.within)?;
        if !asking.answer {
            return Ok(None);
        }
        answer_to(connection, self.token, self.clock).await.map(Some)
    }

    fn follow(&mut self, found: &Found) -> Result<(), Failed> {
        let address = Address::new(&found.host, found.port)?;
        if address != self.address {
            self.address = address;
            self.disconnect();
        }
        Ok(())
    }
}

/// The answer to one request; those to earlier ones, for which nobody waited, are passed over.
async fn answer_to(connection: &mut Connection, token: u64, clock: Clock) -> Result<AnyResponse, LinkEnd> {
    loop {
        let deadline = connection.deadline().unwrap_or(Timestamp::FAR);
        match timeout_at(clock.instant(deadline).into(), connection.answer()).await {
            Ok(answered) => {
                let answered = answered?;
                if answered.token == token {
                    return Ok(answered.response);
                }
            }
            Err(_elapsed) => {
                if let Some(end) = connection.overdue(clock.now()) {
                    return Err(end);
                }
            }
        }
    }
}
