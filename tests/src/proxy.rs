//! A TCP proxy between a client and a server: it forwards, goes mute, cuts, and comes back.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What it does with connections, those it has and those that come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bytes pass both ways.
    Forward,
    /// Connections stay and come to be, but no byte passes: a half-open network.
    Mute,
    /// Every connection is closed, also those that come.
    Cut,
}

/// A running proxy; it ends when dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
}

impl Proxy {
    /// Starts one that forwards to `server` (`host:port`).
    ///
    /// # Panics
    ///
    /// When no port can be bound.
    pub async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a loopback port is free");
        let address = listener.local_addr().expect("it is bound");
        let (mode, watched) = watch::channel(Mode::Forward);
        tokio::spawn(accept(listener, server.to_owned(), watched));
        Self { address, mode }
    }

    /// Where clients connect.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// In force at once.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }
}

/// Takes connections until the proxy is dropped.
async fn accept(listener: TcpListener, server: String, mut mode: watch::Receiver<Mode>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            changed = mode.changed() => match changed {
                Ok(()) => continue,
                Err(_dropped) => return,
            },
        };
        let cut = *mode.borrow() == Mode::Cut;
        if let (Ok((client, _)), false) = (accepted, cut) {
            tokio::spawn(connect(client, server.clone(), mode.clone()));
        }
    }
}

async fn connect(client: TcpStream, server: String, mode: watch::Receiver<Mode>) {
    let Ok(server) = TcpStream::connect(&server).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::spawn(pass(from_client, to_server, mode.clone()));
    pass(from_server, to_client, mode).await;
}

/// Passes one direction on until either side ends, the connection is cut, or the proxy is dropped.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut mode: watch::Receiver<Mode>) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let seen = *mode.borrow_and_update();
        let read = async {
            match seen {
                Mode::Forward => from.read(&mut buffer).await.unwrap_or(0),
                Mode::Mute => std::future::pending().await,
                Mode::Cut => 0,
            }
        };
        let count = tokio::select! {
            biased;
            changed = mode.changed() => match changed {
                Ok(()) => continue,
                Err(_dropped) => return,
            },
            count = read => count,
        };
        if count == 0 || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
