//! Where sockets are made: the system's TCP, or a network in memory.
//!
//! The frames are the same bytes on both. In memory a test runs hours of heartbeats in paused time: over loopback the
//! kernel delivers when it likes, and a clock that jumps whenever nobody is busy would jump past what is on its way.

mod memory;
mod stream;

pub use memory::{MemoryNetwork, Tap};
pub use stream::Stream;

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};

use crate::limits;

/// A network. Cheap to clone: all clones are one.
#[derive(Clone, Debug, Default)]
pub enum Network {
    /// The system's.
    #[default]
    Tcp,
    /// In memory: any address can be bound and dialled from.
    Memory(MemoryNetwork),
}

/// An address that is held and not listened on yet: who connects to it is refused.
#[derive(Debug)]
pub enum Socket {
    /// The system's.
    Tcp(TcpSocket),
    /// In memory.
    Memory(memory::Socket),
}

/// Where connections arrive.
#[derive(Debug)]
pub enum Listener {
    /// The system's.
    Tcp(TcpListener),
    /// In memory.
    Memory(memory::Listener),
}

impl Network {
    /// Holds an address; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// It is not free, or not this machine's.
    pub fn bind(&self, address: SocketAddr) -> io::Result<Socket> {
        match self {
            Self::Tcp => tcp_socket(address).map(Socket::Tcp),
            Self::Memory(network) => network.bind(address).map(Socket::Memory),
        }
    }

    /// The addresses behind a name, at most [`limits::ADDRESSES_PER_NAME`].
    ///
    /// # Errors
    ///
    /// There are none. In memory there are no names but `localhost`.
    pub async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::Tcp => {
                let found = lookup_host((host, port)).await?;
                Ok(found.take(limits::ADDRESSES_PER_NAME).collect())
            }
            Self::Memory(_) => memory::resolve(host).map(|ip| vec![SocketAddr::new(ip, port)]),
        }
    }

    /// Connects, from `host` where one is given: its own address there.
    ///
    /// # Errors
    ///
    /// Nobody listens, the network says no, or `host` is not this machine's.
    pub async fn connect(&self, host: Option<IpAddr>, to: SocketAddr) -> io::Result<Stream> {
        match (self, host) {
            (Self::Tcp, None) => TcpStream::connect(to).await.map(Stream::Tcp),
            (Self::Tcp, Some(host)) => {
                let socket = tcp_socket(SocketAddr::new(host, 0))?;
                socket.connect(to).await.map(Stream::Tcp)
            }
            (Self::Memory(network), host) => network.connect(host, to).await.map(Stream::Memory),
        }
    }
}

fn tcp_socket(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // Connections of an earlier run may still be closing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

impl Socket {
    /// Takes connections from now on, `backlog` of which may wait.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn listen(self, backlog: u32) -> io::Result<Listener> {
        match self {
            Self::Tcp(socket) => socket.listen(backlog).map(Listener::Tcp),
            Self::Memory(socket) => Ok(Listener::Memory(socket.listen(backlog))),
        }
    }
}

impl Listener {
    /// The address that is listened on.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr(),
            Self::Memory(listener) => Ok(listener.local_addr()),
        }
    }

    /// The next connection and where it comes from. Cancelling loses none.
    ///
    /// # Errors
    ///
    /// The system's.
    pub async fn accept(&mut self) -> io::Result<(Stream, SocketAddr)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                Ok((Stream::Tcp(stream), peer))
            }
            Self::Memory(listener) => {
                let (stream, peer) = listener.accept().await;
                Ok((Stream::Memory(stream), peer))
            }
        }
    }
}

#[cfg(test)]
mod tests;
