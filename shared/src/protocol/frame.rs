//! A stream of bytes cut into frames: a length of four bytes, big endian, then so many bytes.

use thiserror::Error;

/// The bytes of a frame's length.
const LENGTH: usize = 4;

/// A length that no frame of this connection may have. What follows it cannot be found: the connection is of
/// no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Longer than this end accepts.
    #[error("a frame of {len} bytes (at most {max} are accepted)")]
    TooLarge {
        /// The length announced.
        len: usize,
        /// The longest accepted.
        max: usize,
    },
    /// Below 0.
    #[error("a frame of {len} bytes (allowed: 0 and above)")]
    Negative {
        /// The length announced.
        len: i32,
    },
}

/// Takes bytes as they come and gives whole frames.
///
/// It holds no more than has been pushed and not yet taken: an announced length reserves nothing. Take all
/// frames after each push, and it never holds more than the longest frame and one push.
#[derive(Debug)]
pub struct FrameReader {
    buffer: Vec<u8>,
    /// Where in the buffer the next frame starts.
    start: usize,
    max: usize,
    broken: Option<FrameError>,
}

impl FrameReader {
    /// A reader of frames of at most `max` bytes, their length not counted.
    #[must_use]
    pub const fn new(max: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            max,
            broken: None,
        }
    }

    /// Takes what came. After a [`FrameError`] it is dropped.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.broken.is_some() {
            return;
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame without its length, `None` while it is not all there.
    ///
    /// # Errors
    ///
    /// The length announced is not one this end accepts; the same error again from then on.
    pub fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        let pending = self.buffer.get(self.start..).unwrap_or_default();
        let Some((length, rest)) = pending.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let len = match self.accept(i32::from_be_bytes(*length)) {
            Ok(len) => len,
            Err(error) => {
                self.broken = Some(error);
                self.buffer = Vec::new();
                self.start = 0;
                return Err(error);
            }
        };
        let Some(frame) = rest.get(..len).map(<[u8]>::to_vec) else {
            return Ok(None);
        };
        self.start += LENGTH + len;
        if self.start == self.buffer.len() {
            // An idle connection holds no buffer, least of all one that was large once.
            self.buffer = Vec::new();
            self.start = 0;
        }
        Ok(Some(frame))
    }

    /// How many bytes have been pushed and not yet taken.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    fn accept(&self, length: i32) -> Result<usize, FrameError> {
        let len = usize::try_from(length).map_err(|_| FrameError::Negative { len: length })?;
        if len > self.max {
            Err(FrameError::TooLarge { len, max: self.max })
        } else {
            Ok(len)
        }
    }
}
