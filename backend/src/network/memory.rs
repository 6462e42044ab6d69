//! A network in memory. It has any address: of a host that holds one, every other port is refused; a host that holds none
//! never answers, as one behind a firewall.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::sync::mpsc;

/// Bytes on their way in one direction before the writer waits: as much as a loopback socket takes.
const IN_FLIGHT: usize = 64 * 1024;
/// Where free ports are looked for: those that IANA leaves to whoever wants one.
const FREE_PORTS: std::ops::RangeInclusive<u16> = 49_152..=65_535;

/// The network. Cheap to clone: all clones are one.
#[derive(Clone, Debug, Default)]
pub struct MemoryNetwork {
    sockets: Arc<Mutex<Sockets>>,
    /// Where is kept what who connects through this clone sends.
    tap: Option<Tap>,
}

/// All that was sent on connections, by the address they were made from; each made at another.
pub type Tap = Arc<Mutex<BTreeMap<SocketAddr, Vec<u8>>>>;

#[derive(Debug, Default)]
struct Sockets {
    /// What is held, and where it is listened on the queue of connections.
    held: BTreeMap<SocketAddr, Option<mpsc::Sender<Arrival>>>,
    /// The last free port given away.
    last_port: Option<u16>,
}

/// A connection that came, and where it came from.
type Arrival = (MemoryStream, SocketAddr);

impl MemoryNetwork {
    /// The same network, for those whose every byte is to be seen: what they send on connections they make is kept.
    #[must_use]
    pub fn tapped(&self) -> (Self, Tap) {
        let tap = Tap::default();
        let tapped = Self {
            sockets: Arc::clone(&self.sockets),
            tap: Some(Arc::clone(&tap)),
        };
        (tapped, tap)
    }

    fn sockets(&self) -> MutexGuard<'_, Sockets> {
        // Each change is one call that leaves the sockets whole.
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bind(&self, mut address: SocketAddr) -> io::Result<Socket> {
        let mut sockets = self.sockets();
        if address.port() == 0 {
            let taken: BTreeSet<SocketAddr> = sockets.held.keys().copied().collect();
            let free = FREE_PORTS
                .map(|_| SocketAddr::new(address.ip(), sockets.free_port()))
                .find(|free| !taken.contains(free));
            address = free.ok_or(io::ErrorKind::AddrInUse)?;
        }
        if sockets.held.contains_key(&address) {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        sockets.held.insert(address, None);
        drop(sockets);
        let network = self.clone();
        Ok(Socket(Held { network, address }))
    }

    pub(super) async fn connect(&self, host: Option<IpAddr>, to: SocketAddr) -> io::Result<MemoryStream> {
        let Some(queue) = self.queue(to) else {
            return pending().await;
        };
        let from = SocketAddr::new(
            host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            self.sockets().free_port(),
        );
        let (ours, theirs) = duplex(IN_FLIGHT);
        let arrival = MemoryStream {
            pipe: theirs,
            local: to,
            tap: None,
        };
        let refused = |_| io::Error::from(io::ErrorKind::ConnectionRefused);
        queue?.try_send((arrival, from)).map_err(refused)?;
        Ok(MemoryStream {
            pipe: ours,
            local: from,
            tap: self.tap.clone(),
        })
    }

    /// Where connections to an address go; none where its host never answers.
    fn queue(&self, to: SocketAddr) -> Option<io::Result<mpsc::Sender<Arrival>>> {
        let sockets = self.sockets();
        let is_there = sockets.held.keys().any(|held| held.ip() == to.ip());
        let queue = sockets.held.get(&to).cloned().flatten();
        is_there.then(|| queue.ok_or_else(|| io::ErrorKind::ConnectionRefused.into()))
    }
}

impl Sockets {
    fn free_port(&mut self) -> u16 {
        let next = self.last_port.and_then(|last| last.checked_add(1));
        *self.last_port.insert(next.unwrap_or(*FREE_PORTS.start()))
    }
}

/// The address behind a name.
pub(super) fn resolve(host: &str) -> io::Result<IpAddr> {
    if host == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    host.parse().map_err(|_| {
        let why = "in memory there are no names: an IP address or localhost is needed";
        io::Error::new(io::ErrorKind::NotFound, why)
    })
}

/// An address that is taken until this is dropped.
#[derive(Debug)]
struct Held {
    network: MemoryNetwork,
    address: SocketAddr,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.network.sockets().held.remove(&self.address);
    }
}

/// As [`super::Socket`].
#[derive(Debug)]
pub struct Socket(Held);

impl Socket {
    pub(super) fn listen(self, backlog: u32) -> Listener {
        let Self(held) = self;
        let (queue, arrivals) = mpsc::channel(backlog.max(1) as usize);
        held.network.sockets().held.insert(held.address, Some(queue));
        Listener { held, arrivals }
    }
}

/// As [`super::Listener`].
#[derive(Debug)]
pub struct Listener {
    held: Held,
    arrivals: mpsc::Receiver<Arrival>,
}

impl Listener {
    pub(super) const fn local_addr(&self) -> SocketAddr {
        self.held.address
    }

    pub(super) async fn accept(&mut self) -> Arrival {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The sender is in the network for as long as this listener is.
            None => pending().await,
        }
    }
}

/// One end of a connection in memory.
#[derive(Debug)]
pub struct MemoryStream {
    pipe: DuplexStream,
    local: SocketAddr,
    tap: Option<Tap>,
}

impl MemoryStream {
    pub(super) const fn local_addr(&self) -> SocketAddr {
        self.local
    }
}

impl AsyncRead for MemoryStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().pipe).poll_read(cx, buf)
    }
}

impl AsyncWrite for MemoryStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.pipe).poll_write(cx, buf);
        if let (Some(tap), Poll::Ready(Ok(written))) = (&this.tap, &written) {
            let mut tap = tap.lock().unwrap_or_else(PoisonError::into_inner);
            let sent = tap.entry(this.local).or_default();
            sent.extend_from_slice(buf.get(..*written).unwrap_or_default());
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().pipe).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().pipe).poll_shutdown(cx)
    }
}
