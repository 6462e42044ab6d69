//! From an address to a connection whose versions are known, by a deadline.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::ids::NodeId;
use shared::protocol::BrokerVersions;
use shared::time::{Millis, Timestamp};
use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use super::authentication::Authentication;
use super::receive::note_times;
use super::refusals::Refusals;
use super::{Connection, handshake};
use crate::hub::Reporter;
use crate::kafka::address::Address;
use crate::kafka::link_end::LinkEnd;
use crate::kafka::security::Security;
use crate::limits;
use crate::network::Stream;
use crate::world::World;

/// Makes connections: what all of them share.
#[derive(Clone, Debug)]
pub struct Dialer {
    pub(super) world: World,
    /// Where connections come from; none: wherever the system likes.
    host: Option<IpAddr>,
    pub(super) reporter: Reporter,
    connect_timeout: Millis,
    handshake_timeout: Millis,
    turns: Arc<Semaphore>,
    security: Security,
    refusals: Arc<Mutex<Refusals>>,
}

/// A connection that is ready, and what the broker at its other end understands.
#[derive(Debug)]
pub struct Opened {
    /// The connection.
    pub connection: Connection,
    /// From its answer to ApiVersions.
    pub versions: BrokerVersions,
    /// Where it is.
    pub address: Address,
}

impl Dialer {
    /// `connect_timeout`: for the name and the TCP connection together (Kafka's `socket.connection.setup.timeout.ms`);
    /// `handshake_timeout`: for each of TLS, the answer to ApiVersions and the authentication.
    #[must_use]
    pub fn new(
        world: impl Into<World>,
        reporter: Reporter,
        connect_timeout: Millis,
        handshake_timeout: Millis,
    ) -> Self {
        Self {
            world: world.into(),
            host: None,
            reporter,
            connect_timeout,
            handshake_timeout,
            turns: Arc::new(Semaphore::new(limits::CONNECTS_AT_ONCE)),
            security: Security::default(),
            refusals: Arc::default(),
        }
    }

    /// The same, connecting from `host`: an address of this machine, so that a broker takes its members for that host's.
    #[must_use]
    pub const fn from_host(mut self, host: Option<IpAddr>) -> Self {
        self.host = host;
        self
    }

    /// The same, with connections that are encrypted and authenticated so.
    #[must_use]
    pub fn secured(mut self, security: Security) -> Self {
        self.security = security;
        self
    }

    /// Connects to `address` and asks for its versions. `node`: which broker it is, where that is known by now.
    ///
    /// Waits for its turn first, which counts against no deadline: ten thousand members that start together would
    /// overflow a listener's queue.
    ///
    /// # Errors
    /// How it failed; nothing is left behind.
    pub async fn open(
        &self,
        address: &Address,
        node: Option<NodeId>,
        client_id: Arc<str>,
    ) -> Result<Opened, LinkEnd> {
        // Nobody closes the semaphore; were it closed, there would be no turn to wait for.
        let turn = self.turns.acquire().await;
        self.refusals().recent(self.world.clock.now(), address)?;
        let deadline = self.world.clock.now() + self.connect_timeout;
        let stream = self.connect(address, deadline).await?;
        drop(turn);
        // A heartbeat is one small write: waiting to fill a packet would only delay it.
        stream.set_nodelay(true).map_err(|error| LinkEnd::of_io(&error))?;
        note_times(&stream);
        let mut connection = Connection::new(stream, client_id, node, self);
        if let Some(tls) = &self.security.tls {
            connection
                .encrypt(tls, address.host(), self.handshake_timeout)
                .await?;
        }
        let versions = handshake::versions(&mut connection, self.handshake_timeout).await?;
        if let Some(credentials) = &self.security.sasl {
            let chance = self.world.chance.clone();
            let authentication =
                Authentication::new(credentials.clone(), &versions, self.handshake_timeout, chance);
            if let Err(end) = connection.authenticate(authentication).await {
                self.refusals().note(self.world.clock.now(), address, &end);
                return Err(end);
            }
        }
        Ok(Opened {
            connection,
            versions,
            address: address.clone(),
        })
    }

    async fn connect(&self, address: &Address, deadline: Timestamp) -> Result<Stream, LinkEnd> {
        let within = self.connect_timeout;
        let resolved = match self
            .by(
                deadline,
                self.world.network.resolve(address.host(), address.port()),
            )
            .await
        {
            None => return Err(LinkEnd::ConnectTimedOut { within }),
            Some(Err(error)) => {
                return Err(LinkEnd::Unresolved {
                    reason: error.to_string(),
                });
            }
            Some(Ok(resolved)) => resolved,
        };
        let mut end = LinkEnd::Unresolved {
            reason: "the name has no address".to_owned(),
        };
        for (tried, socket_address) in resolved.iter().enumerate() {
            // One that swallows packets must leave time for the others behind the same name.
            let now = self.world.clock.now();
            let left = deadline.micros_since(now) / (resolved.len() - tried) as u64;
            let share = Timestamp(now.0.saturating_add(left));
            let connecting = self.world.network.connect(self.host, *socket_address);
            end = match self.by(share, connecting).await {
                Some(Ok(stream)) => return Ok(stream),
                Some(Err(error)) => LinkEnd::Unreachable {
                    reason: error.to_string(),
                },
                None => LinkEnd::ConnectTimedOut { within },
            };
        }
        Err(end)
    }

    fn refusals(&self) -> MutexGuard<'_, Refusals> {
        // Each change is one call that leaves them whole.
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn by<F: Future>(&self, deadline: Timestamp, future: F) -> Option<F::Output> {
        timeout_at(self.world.clock.instant(deadline).into(), future)
            .await
            .ok()
    }
}
