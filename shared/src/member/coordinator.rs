//! Finding the coordinator, and taking it for dead.
//!
//! A lookup has a connection of its own to any broker, closed as soon as it is answered: ten thousand members keep one
//! connection each, not two.

use super::Member;
use super::link::{Ask, Link, Sent};
use super::membership::Membership;
use super::port::{AnswerFault, LinkId, Output, Peer};
use crate::error_code;
use crate::event::{Change, DeathCause, LinkFault};
use crate::ids::NodeId;
use crate::protocol::{AnyResponse, FindCoordinatorResponse};
use crate::rules::{Effect, GroupRequest, Guard};
use crate::time::Timestamp;

/// The group's coordinator, as long as it is taken to live.
#[derive(Debug)]
pub(super) struct Coordinator {
    pub(super) node: NodeId,
    /// Where it is, for a second connection.
    host: String,
    port: u16,
    pub(super) link: Link,
    /// Whether it has answered a request of the group as a coordinator does. One that has not is looked up again only after
    /// a backoff, so that a node that is named but refuses everybody (protocol.md 4.7) is not asked in a loop.
    pub(super) proven: bool,
}

/// The search for the coordinator.
#[derive(Debug)]
pub(super) enum Lookup {
    /// It is known.
    Idle,
    /// It is not; asked again then.
    Waiting { until: Timestamp },
    /// Asked on this connection.
    Asking(Link),
}

/// Why a lookup failed: remembered, so that it is told once however often it is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookupFailure {
    Answered(i16),
    Unanswered(LinkFault),
}

impl Member {
    /// Starts a lookup where the coordinator is unknown and the backoff is over.
    pub(super) fn look_up_coordinator(&mut self, now: Timestamp) {
        let Lookup::Waiting { until } = self.lookup else {
            return;
        };
        if self.standing.state().over() || now < until {
            return;
        }
        let id = self.new_link(Peer::Bootstrap);
        let mut link = Link::new(id);
        link.push(
            Ask::FindCoordinator,
            Membership::none(),
            self.config.request_timeout,
            now,
        );
        self.lookup = Lookup::Asking(link);
    }

    pub(super) fn new_link(&mut self, to: Peer) -> LinkId {
        let id = LinkId(self.links.next());
        self.outputs.push_back(Output::Connect { link: id, to });
        id
    }

    /// Kafka's `FindCoordinatorResponseHandler` (0.10.0: `GroupMetadataResponseHandler`).
    pub(super) fn coordinator_looked_up(&mut self, now: Timestamp, result: Result<AnyResponse, AnswerFault>) {
        if self.coordinator.is_some() {
            return self.looked_twice(now, result);
        }
        let answer = match result {
            Ok(answer) => answer,
            Err(AnswerFault::Timeout { detail }) => {
                return self.lookup_unanswered(now, LinkFault::Timeout, detail);
            }
            Err(AnswerFault::Garbled { detail }) => {
                return self.lookup_unanswered(now, LinkFault::Garbled, Some(detail));
            }
        };
        let code = answer.error_code().unwrap_or(error_code::NONE);
        match self
            .config
            .rules
            .answers
            .effect(GroupRequest::FindCoordinator, code)
        {
            Effect::Accept => match address(answer, self.config.group.as_str()) {
                Some(found) => self.coordinator_found(now, found),
                None => {
                    let detail = "it names no coordinator one could connect to".to_owned();
                    self.lookup_unanswered(now, LinkFault::Garbled, Some(detail));
                }
            },
            Effect::Fatal | Effect::Fenced => self.refused(GroupRequest::FindCoordinator, code),
            // A lookup has no coordinator to lose and no membership to forget: what is left is to ask again.
            Effect::Retry
            | Effect::CoordinatorDead
            | Effect::Rejoin(_)
            | Effect::TakeMemberId
            | Effect::Over => self.lookup_failed(now, LookupFailure::Answered(code), None),
        }
    }

    pub(super) fn coordinator_found(&mut self, now: Timestamp, (node, host, port): (NodeId, String, u16)) {
        self.close_lookup();
        self.lookup = Lookup::Idle;
        self.lookup_failure = None;
        self.tell(Change::CoordinatorFound {
            node,
            host: host.clone(),
            port,
        });
        let id = self.new_link(Peer::Coordinator {
            node,
            host: host.clone(),
            port,
        });
        self.coordinator = Some(Coordinator {
            node,
            host,
            port,
            link: Link::new(id),
            proven: false,
        });
        match self.config.rules.guard {
            // 0.10.0 asks `generation > 0` here and `< 0` in its guard: no real generation lies between.
            Guard::RejoinSilences if self.membership.generation.0 > 0 => self.restart_heartbeats(now),
            Guard::RejoinSilences => {}
            Guard::JoinedOnly => self.heartbeat.reset_session(now),
        }
    }

    pub(super) fn lookup_unanswered(&mut self, now: Timestamp, cause: LinkFault, detail: Option<String>) {
        self.lookup_failed(now, LookupFailure::Unanswered(cause), detail);
    }

    pub(super) fn look_again_later(&mut self, now: Timestamp) {
        self.close_lookup();
        let until = now + self.lookups.delay();
        self.lookup = Lookup::Waiting { until };
    }

    fn lookup_failed(&mut self, now: Timestamp, failure: LookupFailure, detail: Option<String>) {
        self.look_again_later(now);
        // Who has a coordinator and only looks twice has lost nothing.
        if self.coordinator.is_none() && self.lookup_failure.replace(failure) != Some(failure) {
            let (error, cause) = match failure {
                LookupFailure::Answered(code) => (Some(code), None),
                LookupFailure::Unanswered(fault) => (None, Some(fault)),
            };
            self.tell(Change::CoordinatorNotFound { error, cause, detail });
        }
    }

    pub(super) fn close_lookup(&mut self) {
        if let Lookup::Asking(link) = &self.lookup {
            self.outputs.push_back(Output::Disconnect { link: link.id });
        }
    }

    /// Kafka's `AbstractCoordinator.coordinatorDead` (today `markCoordinatorUnknown`): the coordinator is forgotten and every
    /// request waiting to be sent to it fails with COORDINATOR_NOT_AVAILABLE. The membership is kept. Idempotent.
    ///
    /// Changed since 0.10.0: the connection is closed too, so that what is out on it fails now instead of being answered by a
    /// node that no longer matters. 0.10.0 kept it, because fetches shared the client; a member of ours has nothing else on
    /// it, so both rules close it here.
    pub(super) fn coordinator_dead(&mut self, now: Timestamp, cause: DeathCause, detail: Option<String>) {
        let Some(dead) = self.coordinator.take() else {
            return;
        };
        self.tell(Change::CoordinatorDead {
            node: dead.node,
            cause,
            detail,
            unsent: dead.link.unsent_count(),
            again: 0,
        });
        self.outputs.push_back(Output::Disconnect { link: dead.link.id });
        let until = if dead.proven && !cause.is_answer() {
            self.lookups.reset();
            now
        } else {
            now + self.lookups.delay()
        };
        // One that was looked at twice is being looked for already.
        if !matches!(self.lookup, Lookup::Asking(_)) {
            self.lookup = Lookup::Waiting { until };
        }
        let (unsent, sent) = dead.link.into_requests();
        let why = why_closed(cause).map(str::to_owned);
        for Sent { request, by, .. } in sent {
            self.request_failed(now, request, &by, LinkFault::Disconnect, why.clone());
        }
        for waiting in unsent {
            let detail = error_code::label(error_code::COORDINATOR_NOT_AVAILABLE);
            let request = waiting.ask.request();
            self.request_failed(now, request, &waiting.by, LinkFault::Disconnect, Some(detail));
        }
    }

    /// A fresh connection to the coordinator where a JoinGroup or a SyncGroup waits on the one there is: a broker answers a
    /// connection in order, so what came behind a parked one would wait for the whole rebalance. Kafka keeps the state of a
    /// group apart from connections: closing one takes nobody out of it.
    pub(super) fn pass_by_parked(&mut self) {
        let Some(known) = &self.coordinator else { return };
        if !known.link.has(GroupRequest::JoinGroup) && !known.link.has(GroupRequest::SyncGroup) {
            return;
        }
        let parked = known.link.id;
        let to = Peer::Coordinator {
            node: known.node,
            host: known.host.clone(),
            port: known.port,
        };
        self.outputs.push_back(Output::Disconnect { link: parked });
        let id = self.new_link(to);
        if let Some(known) = &mut self.coordinator {
            known.link = Link::new(id);
        }
    }

    /// The node answered 15 or 16.
    pub(super) fn coordinator_refused(&mut self, now: Timestamp, code: i16) {
        let cause = if code == error_code::NOT_COORDINATOR {
            DeathCause::NotCoordinator
        } else {
            DeathCause::CoordinatorNotAvailable
        };
        self.coordinator_dead(now, cause, None);
    }

    /// The coordinator has answered as one.
    pub(super) fn coordinator_proven(&mut self) {
        if let Some(coordinator) = &mut self.coordinator {
            coordinator.proven = true;
        }
        self.lookups.reset();
    }
}

/// The address in an answer without an error: at the top, or from version 4 on in the entry of our group.
pub(super) fn address(answer: AnyResponse, group: &str) -> Option<(NodeId, String, u16)> {
    let answer = FindCoordinatorResponse::try_from(answer).ok()?;
    let (node, host, port) = match answer.coordinators.into_iter().find(|found| found.key == group) {
        Some(found) => (found.node_id, found.host, found.port),
        None => (answer.node_id, answer.host, answer.port),
    };
    let port = u16::try_from(port).ok().filter(|port| *port != 0)?;
    (node >= 0 && !host.is_empty()).then_some((NodeId(node), host, port))
}

/// Why this side ended the connection, for whoever reads that a request failed with it; none where the other side did.
const fn why_closed(cause: DeathCause) -> Option<&'static str> {
    match cause {
        DeathCause::SessionOver => Some("closed by us: the session was over"),
        DeathCause::Timeout => Some("closed by us: a request was not answered in time"),
        DeathCause::CoordinatorNotAvailable => Some("closed by us: it answered 15 COORDINATOR_NOT_AVAILABLE"),
        DeathCause::NotCoordinator => Some("closed by us: it answered 16 NOT_COORDINATOR"),
        DeathCause::Moved => Some("closed by us: another broker is the coordinator"),
        DeathCause::Disconnect => None,
    }
}
