//! The listener and the connections behind it: opened, stopped, opened again at the same address.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use shared::ids::NodeId;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::NODE;
use super::connection;
use super::faults::{FaultError, Played};
use super::nodes::SECOND;
use super::service::Service;
use crate::limits;
use crate::network::{Listener, Network, Socket, Stream};

/// Connections the kernel holds for us until we take them: a group of thousands comes at once.
pub(super) const BACKLOG: u32 = 4_096;

/// How long to wait when the kernel has no socket for us (too many open files).
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// What the gate is told.
#[derive(Debug)]
enum Command {
    Stop(oneshot::Sender<Result<Played, FaultError>>),
    Restart(oneshot::Sender<Result<Played, FaultError>>),
    /// Serve again where that was stopped.
    Calm(oneshot::Sender<Result<Played, FaultError>>),
    /// The second node opens its own door, if it has none.
    Join(oneshot::Sender<Result<Played, FaultError>>),
    ShutDown(oneshot::Sender<()>),
}

/// The end by which the gate is told.
#[derive(Debug)]
pub(super) struct Commands {
    queue: mpsc::Sender<Command>,
}

impl Commands {
    pub(super) async fn stop(&self) -> Result<Played, FaultError> {
        self.ask(Command::Stop).await
    }

    pub(super) async fn restart(&self) -> Result<Played, FaultError> {
        self.ask(Command::Restart).await
    }

    pub(super) async fn calm(&self) -> Result<Played, FaultError> {
        self.ask(Command::Calm).await
    }

    pub(super) async fn join(&self) -> Result<Played, FaultError> {
        self.ask(Command::Join).await
    }

    pub(super) async fn shut_down(&self) {
        let (done, ended) = oneshot::channel();
        if self.queue.send(Command::ShutDown(done)).await.is_ok() {
            let _gone = ended.await;
        }
    }

    async fn ask(
        &self,
        command: fn(oneshot::Sender<Result<Played, FaultError>>) -> Command,
    ) -> Result<Played, FaultError> {
        let (done, answer) = oneshot::channel();
        let sent = self.queue.send(command(done)).await;
        if sent.is_err() {
            return Err(FaultError::Ended);
        }
        answer.await.unwrap_or(Err(FaultError::Ended))
    }
}

/// Open or shut.
#[derive(Debug)]
enum Door {
    Open(Listener),
    /// The socket keeps the port ours meanwhile; none where the kernel did not give it back.
    Shut(Option<Socket>),
}

/// A node's address and its door.
#[derive(Debug)]
struct House {
    node: NodeId,
    address: SocketAddr,
    door: Door,
}

/// The task that owns listeners and connections.
#[derive(Debug)]
pub(super) struct Gate {
    network: Network,
    first: House,
    /// There from the first fault `move` on.
    second: Option<House>,
    connections: JoinSet<()>,
    commands: mpsc::Receiver<Command>,
    service: Arc<Service>,
}

impl Gate {
    pub(super) fn new(
        network: Network,
        listener: Listener,
        address: SocketAddr,
        service: Arc<Service>,
    ) -> (Commands, Self) {
        let (queue, commands) = mpsc::channel(limits::FAULTS_WAITING);
        let gate = Self {
            network,
            first: House {
                node: NODE,
                address,
                door: Door::Open(listener),
            },
            second: None,
            connections: JoinSet::new(),
            commands,
            service,
        };
        (Commands { queue }, gate)
    }

    /// Runs until it is told to shut down.
    pub(super) async fn run(mut self) {
        loop {
            tokio::select! {
                command = self.commands.recv() => match command {
                    Some(Command::Stop(done)) => {
                        let stopped = self.stop().await;
                        let _gone = done.send(stopped);
                    }
                    Some(Command::Restart(done)) => {
                        let restarted = self.restart().await;
                        let _gone = done.send(restarted);
                    }
                    Some(Command::Calm(done)) => {
                        let calm = if self.is_shut() { self.restart().await } else { Ok(Played::new("it serves")) };
                        let _gone = done.send(calm);
                    }
                    Some(Command::Join(done)) => {
                        let _gone = done.send(self.join());
                    }
                    Some(Command::ShutDown(done)) => {
                        self.close().await;
                        let _gone = done.send(());
                        return;
                    }
                    None => return,
                },
                accepted = self.first.accept() => self.welcome(accepted).await,
                accepted = accept_second(&mut self.second) => self.welcome(accepted).await,
                Some(_ended) = self.connections.join_next() => {}
            }
        }
    }

    async fn welcome(&mut self, (node, accepted): (NodeId, io::Result<(Stream, SocketAddr)>)) {
        match accepted {
            Ok((_stream, peer)) if self.connections.len() >= limits::COORDINATOR_CONNECTIONS => {
                if let Some(left_out) = self.service.may_complain() {
                    let open = self.connections.len();
                    tracing::warn!(%peer, left_out, "coordinator: closed at once, {open} connections are open");
                }
            }
            Ok((stream, peer)) => {
                let service = Arc::clone(&self.service);
                self.connections
                    .spawn(connection::run(stream, peer, node, service));
            }
            Err(error) => {
                if let Some(left_out) = self.service.may_complain() {
                    tracing::warn!(%error, left_out, "coordinator: cannot take a connection");
                }
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }

    fn houses(&mut self) -> impl Iterator<Item = &mut House> {
        std::iter::once(&mut self.first).chain(&mut self.second)
    }

    const fn is_shut(&self) -> bool {
        matches!(self.first.door, Door::Shut(_))
    }

    /// Closes the listeners, then every connection.
    async fn close(&mut self) {
        for house in self.houses() {
            house.door = Door::Shut(None);
        }
        self.connections.shutdown().await;
    }

    async fn stop(&mut self) -> Result<Played, FaultError> {
        if self.is_shut() {
            return Err(FaultError::AlreadyStopped);
        }
        self.close().await;
        let network = self.network.clone();
        for house in self.houses() {
            house.door = Door::Shut(network.bind(house.address).ok());
        }
        self.service.freeze();
        Ok(Played::new(
            "the coordinator's sockets are closed and its timers stand still",
        ))
    }

    async fn restart(&mut self) -> Result<Played, FaultError> {
        if !self.is_shut() {
            self.stop().await?;
        }
        let network = self.network.clone();
        for house in self.houses() {
            house.open(&network)?;
        }
        self.service.thaw();
        Ok(Played::new(
            "the coordinator serves again and every member has a full session",
        ))
    }

    /// The second node listens beside the first, on a port of its own.
    fn join(&mut self) -> Result<Played, FaultError> {
        if self.is_shut() {
            return Err(FaultError::Stopped);
        }
        let second = match &self.second {
            Some(second) => second.address,
            None => {
                let wanted = SocketAddr::new(self.first.address.ip(), 0);
                let opened = self
                    .network
                    .bind(wanted)
                    .and_then(|socket| socket.listen(BACKLOG));
                let opened = opened.and_then(|listener| Ok((listener.local_addr()?, listener)));
                let (address, listener) = opened.map_err(|error| not_free(wanted, &error))?;
                self.second = Some(House {
                    node: SECOND,
                    address,
                    door: Door::Open(listener),
                });
                self.service.second_node_joined(address);
                address
            }
        };
        Ok(Played::new(format!("node {SECOND} is at {second}")))
    }
}

fn not_free(address: SocketAddr, error: &io::Error) -> FaultError {
    FaultError::Listen {
        address,
        error: error.to_string(),
    }
}

async fn accept_second(second: &mut Option<House>) -> (NodeId, io::Result<(Stream, SocketAddr)>) {
    match second {
        Some(second) => second.accept().await,
        None => std::future::pending().await,
    }
}

impl House {
    async fn accept(&mut self) -> (NodeId, io::Result<(Stream, SocketAddr)>) {
        (self.node, self.door.accept().await)
    }

    fn open(&mut self, network: &Network) -> Result<(), FaultError> {
        let kept = match &mut self.door {
            Door::Shut(kept) => kept.take(),
            Door::Open(_) => None,
        };
        let socket = kept.map_or_else(|| network.bind(self.address), Ok);
        let listener = socket.and_then(|socket| socket.listen(BACKLOG));
        self.door = Door::Open(listener.map_err(|error| not_free(self.address, &error))?);
        Ok(())
    }
}

impl Door {
    /// The next connection; a shut door has none, ever.
    async fn accept(&mut self) -> io::Result<(Stream, SocketAddr)> {
        match self {
            Self::Open(listener) => listener.accept().await,
            Self::Shut(_) => std::future::pending().await,
        }
    }
}
