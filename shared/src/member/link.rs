//! A connection as the member knows it: what waits for it, what is out on it, which versions it speaks.
//!
//! Kafka's `ConsumerNetworkClient`, cut to one node: a request is first *unsent*, and goes out when the connection is ready.

use std::collections::VecDeque;
use std::sync::Arc;

use super::membership::Membership;
use super::negotiation::Spoken;
use super::port::{LinkId, Token};
use crate::protocol::{AnyResponse, SyncGroupRequestAssignment};
use crate::rules::GroupRequest;
use crate::time::{Millis, Timestamp};

/// A request before it is written down in a version.
#[derive(Debug)]
pub(super) enum Ask {
    FindCoordinator,
    JoinGroup {
        topics: Arc<[String]>,
        /// For the coordinator's log (KIP-800).
        reason: &'static str,
    },
    SyncGroup {
        assignments: Vec<SyncGroupRequestAssignment>,
    },
    Heartbeat,
    LeaveGroup {
        reason: Option<String>,
    },
}

impl Ask {
    pub(super) const fn request(&self) -> GroupRequest {
        match self {
            Self::FindCoordinator => GroupRequest::FindCoordinator,
            Self::JoinGroup { .. } => GroupRequest::JoinGroup,
            Self::SyncGroup { .. } => GroupRequest::SyncGroup,
            Self::Heartbeat => GroupRequest::Heartbeat,
            Self::LeaveGroup { .. } => GroupRequest::LeaveGroup,
        }
    }
}

/// A request that waits for its connection.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) ask: Ask,
    /// The membership it speaks for.
    pub(super) by: Membership,
    pub(super) timeout: Millis,
    /// From here on it is too late to send it (Kafka 0.10's expiry of unsent requests).
    expires: Timestamp,
}

/// A request that was sent. It ends once: whoever completes or fails it consumes it.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) token: Token,
    pub(super) request: GroupRequest,
    pub(super) by: Membership,
    pub(super) at: Timestamp,
    /// An earlier request that was still unanswered then: a broker answers a connection in order.
    pub(super) behind: Option<GroupRequest>,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: LinkId,
    spoken: Option<Spoken>,
    unsent: VecDeque<Unsent>,
    /// In the order of sending. At most one of each request, so that looking through it is cheap.
    sent: Vec<Sent>,
    /// A quota of the broker's is exceeded: nothing more is sent before then (KIP-219).
    muted_until: Timestamp,
}

impl Link {
    pub(super) const fn new(id: LinkId) -> Self {
        Self {
            id,
            spoken: None,
            unsent: VecDeque::new(),
            sent: Vec::new(),
            muted_until: Timestamp(0),
        }
    }

    /// The connection is ready: what waits can go.
    pub(super) const fn ready(&mut self, spoken: Spoken) {
        self.spoken = Some(spoken);
    }

    pub(super) fn push(&mut self, ask: Ask, by: Membership, timeout: Millis, now: Timestamp) {
        self.unsent.push_back(Unsent {
            ask,
            by,
            timeout,
            expires: now + timeout,
        });
    }

    /// Obeys what an answer says of the broker's quotas, as Java's `NetworkClient` does: the node counts as not ready for so
    /// long, for heartbeats too. For how long that is; none where it says nothing of it.
    pub(super) fn throttle(
        &mut self,
        now: Timestamp,
        request: GroupRequest,
        answer: &AnyResponse,
    ) -> Option<Millis> {
        let version = self.spoken.map_or(0, |spoken| spoken.version(request));
        let wait = Millis(answer.client_throttle_ms(version).into());
        self.muted_until = self.muted_until.max(now + wait);
        (wait.0 > 0).then_some(wait)
    }

    /// The next request to send and its version; none while the connection is not ready or muted. It counts as sent at
    /// `now`.
    pub(super) fn send_next(&mut self, token: Token, now: Timestamp) -> Option<(Unsent, i16)> {
        let spoken = self.spoken.filter(|_| now >= self.muted_until)?;
        let next = self.unsent.pop_front()?;
        let request = next.ask.request();
        self.sent.push(Sent {
            token,
            request,
            by: next.by.clone(),
            at: now,
            behind: self.sent.first().map(|earlier| earlier.request),
        });
        Some((next, spoken.version(request)))
    }

    /// The request with this token, if it is still out.
    pub(super) fn take(&mut self, token: Token) -> Option<Sent> {
        let at = self.sent.iter().position(|sent| sent.token == token)?;
        Some(self.sent.remove(at))
    }

    /// A request that has waited too long.
    pub(super) fn take_expired(&mut self, now: Timestamp) -> Option<Unsent> {
        let at = self.unsent.iter().position(|waiting| waiting.expires <= now)?;
        self.unsent.remove(at)
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let expiry = self.unsent.iter().map(|waiting| waiting.expires).min()?;
        // On a connection that is ready something waits only while that is muted.
        Some(self.spoken.map_or(expiry, |_| expiry.min(self.muted_until)))
    }

    /// Whether nothing waits and nothing is out.
    pub(super) fn is_idle(&self) -> bool {
        self.unsent.is_empty() && self.sent.is_empty()
    }

    /// Whether the broker owes something: an answer, or what it understands.
    pub(super) fn is_waited_for(&self) -> bool {
        self.spoken.is_none() || !self.sent.is_empty()
    }

    /// Whether such a request waits or is out.
    pub(super) fn has(&self, request: GroupRequest) -> bool {
        self.unsent.iter().any(|waiting| waiting.ask.request() == request) || self.is_out(request)
    }

    /// Whether such a request was sent and is not answered yet.
    pub(super) fn is_out(&self, request: GroupRequest) -> bool {
        self.sent.iter().any(|sent| sent.request == request)
    }

    pub(super) fn unsent_count(&self) -> u32 {
        u32::try_from(self.unsent.len()).unwrap_or(u32::MAX)
    }

    /// What waits and what is out, for whoever must fail it.
    pub(super) fn into_requests(self) -> (VecDeque<Unsent>, Vec<Sent>) {
        (self.unsent, self.sent)
    }
}
