//! From asking to sending: what waits, what goes out, what has waited too long.

use super::Member;
use super::coordinator::Lookup;
use super::link::Ask;
use super::port::{Output, Token};
use super::request;
use crate::event::LinkFault;
use crate::rules::GroupRequest;
use crate::time::{Millis, Timestamp};

impl Member {
    /// Sends a request to the coordinator as soon as its connection is ready. Whoever asks has seen that there is one.
    pub(super) fn ask(&mut self, now: Timestamp, ask: Ask) {
        let timeout = match ask.request() {
            GroupRequest::JoinGroup => self.join_timeout(),
            GroupRequest::FindCoordinator
            | GroupRequest::SyncGroup
            | GroupRequest::Heartbeat
            | GroupRequest::LeaveGroup => self.config.request_timeout,
        };
        if let Some(coordinator) = &mut self.coordinator {
            coordinator.link.push(ask, self.membership.clone(), timeout, now);
        }
        self.hand_out(now);
    }

    /// Sends what waits on connections that are ready.
    pub(super) fn hand_out(&mut self, now: Timestamp) {
        let lookup = match &mut self.lookup {
            Lookup::Asking(link) => Some(link),
            Lookup::Idle | Lookup::Waiting { .. } => None,
        };
        let coordinator = self.coordinator.as_mut().map(|known| &mut known.link);
        for link in coordinator.into_iter().chain(lookup) {
            loop {
                let token = Token(self.tokens.0);
                let Some((next, version)) = link.send_next(token, now) else {
                    break;
                };
                self.tokens.next();
                if next.ask.request() == GroupRequest::JoinGroup {
                    self.seen.join_sent(now);
                    self.joining.version = version;
                }
                self.outputs.push_back(Output::Send {
                    link: link.id,
                    token,
                    version,
                    timeout: next.timeout,
                    request: request::write(&self.config, &next.by, next.ask, version),
                });
            }
        }
    }

    /// Requests that waited too long for their connection fail by themselves; the coordinator is not blamed for it.
    pub(super) fn fail_expired(&mut self, now: Timestamp) {
        let not_ready = "never sent: the connection was not ready in time";
        while let Some(expired) = self
            .coordinator
            .as_mut()
            .and_then(|known| known.link.take_expired(now))
        {
            let (request, detail) = (expired.ask.request(), Some(not_ready.to_owned()));
            self.request_failed(now, request, &expired.by, LinkFault::Timeout, detail);
        }
        if let Lookup::Asking(link) = &mut self.lookup
            && link.take_expired(now).is_some()
        {
            self.lookup_unanswered(now, LinkFault::Timeout, Some(not_ready.to_owned()));
        }
    }

    /// JoinGroup version 0 has no rebalance timeout: the session timeout stands for it.
    pub(super) fn effective_rebalance_timeout(&self) -> Millis {
        if self.joining.version == 0 {
            self.config.session_timeout
        } else {
            self.config.rebalance_timeout
        }
    }
}
