//! What is asked and not yet answered on one connection: correlation ids, deadlines, whole answers out of bytes.
//!
//! Does no IO: bytes and time are arguments, so that every way a peer can misbehave is a plain test.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, FrameReader, RequestHeader, decode_response_header, encode_request,
};
use shared::time::{Millis, Timestamp};

use super::link_end::LinkEnd;
use crate::limits;

/// What a connection's own requests, by which it authenticates, are sent with; nobody else's are.
pub const OWN: u64 = u64::MAX;

/// The requests of one connection.
///
/// A broker answers in the order it was asked (protocol.md 2.1), so the oldest request is the only one whose answer
/// may come; anything else means that the stream is broken.
#[derive(Debug)]
pub struct Pipeline {
    client_id: Arc<str>,
    next_correlation: i32,
    asked: VecDeque<Asked>,
    frames: FrameReader,
}

#[derive(Debug)]
struct Asked {
    token: u64,
    correlation: i32,
    api: ApiKey,
    version: i16,
    timeout: Millis,
    sent: Timestamp,
    deadline: Timestamp,
    compare: Option<u64>,
}

/// An answer to one of the requests.
#[derive(Debug)]
pub struct Answer {
    /// What the request was asked with.
    pub token: u64,
    /// When it was asked.
    pub sent: Timestamp,
    /// The answer.
    pub came: Came,
}

/// What an answer is.
#[derive(Debug)]
pub enum Came {
    /// The answer; and the digest of its bytes, where that was asked for, else 0.
    Whole(AnyResponse, u64),
    /// The same bytes as those whose digest is known: nobody has read them.
    Same(ApiKey),
}

impl Pipeline {
    /// Nothing asked yet. An answer has at most `answer_bytes` bytes.
    #[must_use]
    pub const fn new(client_id: Arc<str>, answer_bytes: usize) -> Self {
        Self {
            client_id,
            next_correlation: 0,
            asked: VecDeque::new(),
            frames: FrameReader::new(answer_bytes),
        }
    }

    /// Notes a request as asked `now` and gives its bytes; its answer is due `timeout` later and comes with `token`.
    ///
    /// # Errors
    /// Too many wait already, or `version` cannot carry the request.
    pub fn ask(
        &mut self,
        now: Timestamp,
        token: u64,
        version: i16,
        request: &AnyRequest,
        timeout: Millis,
    ) -> Result<Vec<u8>, LinkEnd> {
        let limit = limits::REQUESTS_UNANSWERED;
        if self.asked.len() >= limit {
            return Err(LinkEnd::Overrun { limit });
        }
        let api = request.key();
        let correlation = self.next_correlation;
        let header = RequestHeader::new(api, version, correlation, &self.client_id);
        let bytes = encode_request(&header, request).map_err(|reason| LinkEnd::Unsendable { api, reason })?;
        // Kafka's clients count on from 0 after i32::MAX; brokers only echo the number.
        self.next_correlation = correlation.checked_add(1).unwrap_or(0);
        self.asked.push_back(Asked {
            token,
            correlation,
            api,
            version,
            timeout,
            sent: now,
            deadline: now + timeout,
            compare: None,
        });
        Ok(bytes)
    }

    /// Has the answer to the request that was asked last compared with the one whose digest is `known`, 0 for none: the same
    /// bytes are not read again.
    pub fn compare_last(&mut self, known: u64) {
        if let Some(asked) = self.asked.back_mut() {
            asked.compare = Some(known);
        }
    }

    /// Whether nothing is unanswered.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.asked.is_empty()
    }

    /// How many requests are unanswered.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.asked.len()
    }

    /// The oldest request that is unanswered.
    #[must_use]
    pub fn waiting(&self) -> Option<ApiKey> {
        self.asked.front().map(|asked| asked.api)
    }

    /// Whether bytes of answers wait to be taken.
    #[must_use]
    pub fn has_bytes(&self) -> bool {
        self.frames.pending() > 0
    }

    /// Takes bytes as they came; [`Self::answer`] must be emptied before the next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.frames.push(bytes);
    }

    /// The next whole answer.
    ///
    /// # Errors
    /// What came cannot be the answer that is due: the stream is of no more use.
    pub fn answer(&mut self) -> Result<Option<Answer>, LinkEnd> {
        let Some(frame) = self
            .frames
            .next_frame()
            .map_err(|error| LinkEnd::BadLength { error })?
        else {
            return Ok(None);
        };
        let came = frame.first_chunk().map(|bytes| i32::from_be_bytes(*bytes));
        let Some(due) = self.asked.front() else {
            return Err(LinkEnd::Unasked { came });
        };
        let (token, api, version) = (due.token, due.api, due.version);
        let unreadable = |reason| LinkEnd::Undecodable { token, api, reason };
        let (correlation, body) = decode_response_header(api, version, &frame).map_err(unreadable)?;
        if correlation != due.correlation {
            return Err(LinkEnd::WrongCorrelation {
                came: correlation,
                due: due.correlation,
                api,
            });
        }
        let digest = due.compare.map_or(0, |_| digest(body));
        let came = if due.compare == Some(digest) {
            Came::Same(api)
        } else {
            Came::Whole(
                AnyResponse::decode(api, version, body).map_err(unreadable)?,
                digest,
            )
        };
        Ok(self.asked.pop_front().map(|asked| Answer {
            token: asked.token,
            sent: asked.sent,
            came,
        }))
    }

    /// When the first of the unanswered requests is overdue.
    ///
    /// Not always the oldest: a JoinGroup may wait for a whole rebalance, the Heartbeat behind it may not.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        self.asked.iter().map(|asked| asked.deadline).min()
    }

    /// How the connection ends `now` if a request is overdue. `unwritten`: whether requests still wait for the socket.
    #[must_use]
    pub fn overdue(&self, now: Timestamp, unwritten: bool) -> Option<LinkEnd> {
        let asked = self.asked.iter().find(|asked| asked.deadline <= now)?;
        let (token, api, within) = (asked.token, asked.api, asked.timeout);
        Some(if unwritten {
            LinkEnd::Unsent { token, api, within }
        } else {
            let bytes = self.frames.pending();
            LinkEnd::Unanswered {
                token,
                api,
                within,
                bytes,
            }
        })
    }

    /// How the connection ended, now that the peer has closed it.
    #[must_use]
    pub fn closed(&self) -> LinkEnd {
        match self.frames.pending() {
            0 => LinkEnd::Closed {
                unanswered: self.asked.len(),
            },
            bytes => LinkEnd::ClosedInside { bytes },
        }
    }
}

/// Stands for these bytes: 64 bits, so that others of the same are not met by chance. Never 0.
fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish().max(1)
}

#[cfg(test)]
mod tests;
