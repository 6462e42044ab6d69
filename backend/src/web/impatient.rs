//! A stream whose other end must read: a write that makes no progress for too long fails.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// A connection that waits for its client, but not for ever.
#[derive(Debug)]
pub(super) struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// When the write that waits has waited long enough; none while none waits.
    over: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    pub(super) const fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            over: None,
        }
    }

    /// What a write came to, unless it still waits and has for too long.
    fn while_patient<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.over = None;
            return written;
        }
        let patience = self.patience;
        let over = self.over.get_or_insert_with(|| Box::pin(sleep(patience)));
        over.as_mut().poll(context).map(|()| {
            let error = format!("the client took nothing of an answer for {patience:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, error))
        })
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.while_patient(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.while_patient(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
