//! Reading a socket, and the moment at which the kernel received what is read.
//!
//! A task is woken some time after its packet came, on a busy machine a long time after. The kernel notes the packet's
//! own moment (`SO_TIMESTAMPNS`, the clock that packet captures use); latencies rest on that one where there is one.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use tokio::io::{AsyncRead as _, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::network::Stream;

/// What one read brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    /// 0 at the end of the stream.
    pub(super) bytes: usize,
    /// When the kernel received the last of them, where it says so.
    pub(super) at: Option<SystemTime>,
}

/// Reads into `space`, or wakes `cx` when there is something to read.
pub(super) fn poll_receive(
    stream: &mut Stream,
    cx: &mut Context<'_>,
    space: &mut [u8],
) -> Poll<io::Result<Received>> {
    match stream {
        Stream::Tcp(stream) => poll_receive_tcp(stream, cx, space),
        Stream::Memory(stream) => {
            let mut read = ReadBuf::new(space);
            ready!(Pin::new(stream).poll_read(cx, &mut read))?;
            let bytes = read.filled().len();
            Poll::Ready(Ok(Received { bytes, at: None }))
        }
    }
}

/// Asks the kernel to note when packets come; in memory they come when they are sent.
pub(super) fn note_times(stream: &Stream) {
    match stream {
        Stream::Tcp(stream) => kernel::note_times(stream),
        Stream::Memory(_) => {}
    }
}

fn poll_receive_tcp(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    space: &mut [u8],
) -> Poll<io::Result<Received>> {
    loop {
        ready!(stream.poll_read_ready(cx))?;
        let mut received = None;
        let outcome = stream.try_io(Interest::READABLE, || {
            let got = kernel::receive(stream, space)?;
            received = Some(got);
            // Less than there was room for: the socket is empty. To say so spares the read that would find it out.
            if 0 < got.bytes && got.bytes < space.len() {
                return Err(ErrorKind::WouldBlock.into());
            }
            Ok(())
        });
        match (received, outcome) {
            (Some(received), _) => return Poll::Ready(Ok(received)),
            (None, Err(error)) if !is_passing(&error) => return Poll::Ready(Err(error)),
            (None, _) => {}
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io::{self, IoSliceMut};
    use std::os::fd::AsRawFd;
    use std::time::{Duration, UNIX_EPOCH};

    use nix::sys::socket::sockopt::ReceiveTimestampns;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt};
    use tokio::net::TcpStream;

    use super::Received;

    /// Room for the one control message that was asked for, aligned as its header is.
    #[repr(align(8))]
    struct ControlSpace([u8; 64]);

    /// Asks the kernel to note when packets come. Without it times are those of the reads.
    pub(super) fn note_times(stream: &TcpStream) {
        if let Err(error) = setsockopt(stream, ReceiveTimestampns, &true) {
            tracing::debug!("no packet times on this socket: {error}");
        }
    }

    pub(super) fn receive(stream: &TcpStream, space: &mut [u8]) -> io::Result<Received> {
        let mut control = ControlSpace([0; 64]);
        let mut slices = [IoSliceMut::new(space)];
        let message = recvmsg::<()>(
            stream.as_raw_fd(),
            &mut slices,
            Some(&mut control.0),
            MsgFlags::empty(),
        )?;
        let noted = message.cmsgs().ok().and_then(|mut controls| {
            controls.find_map(|control| match control {
                ControlMessageOwned::ScmTimestampns(at) => UNIX_EPOCH.checked_add(Duration::from(at)),
                _ => None,
            })
        });
        Ok(Received {
            bytes: message.bytes,
            at: noted,
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;

    use tokio::net::TcpStream;

    use super::Received;

    /// Packet times are read on Linux only; elsewhere times are those of the reads.
    pub(super) const fn note_times(_stream: &TcpStream) {}

    pub(super) fn receive(stream: &TcpStream, space: &mut [u8]) -> io::Result<Received> {
        let bytes = stream.try_read(space)?;
        Ok(Received { bytes, at: None })
    }
}
