//! One connection, on either network.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::memory::MemoryStream;

/// One end of a connection.
#[derive(Debug)]
pub enum Stream {
    /// The system's.
    Tcp(TcpStream),
    /// In memory.
    Memory(MemoryStream),
}

impl Stream {
    /// Sends small writes at once; in memory they always are.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_nodelay(&self, at_once: bool) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_nodelay(at_once),
            Self::Memory(_) => Ok(()),
        }
    }

    /// The address of this end.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match self {
            Self::Tcp(stream) => stream.local_addr(),
            Self::Memory(stream) => Ok(stream.local_addr()),
        }
    }

    /// Writes what is taken at once.
    ///
    /// # Errors
    ///
    /// `WouldBlock` where nothing is; else the connection is of no more use.
    pub fn try_write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_write(bytes),
            Self::Memory(stream) => {
                // Whoever gets WouldBlock writes again with a waker of its own.
                let mut cx = Context::from_waker(Waker::noop());
                match Pin::new(stream).poll_write(&mut cx, bytes) {
                    Poll::Ready(written) => written,
                    Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
                }
            }
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Memory(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Memory(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Memory(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Memory(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
