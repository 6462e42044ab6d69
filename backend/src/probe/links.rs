//! The connections of one member: made, used and ended as its machine says.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use shared::event::LinkFault;
use shared::member::{AnswerFault, Input, LinkId, Peer, Token};
use shared::protocol::AnyRequest;
use shared::time::{Millis, Timestamp};

use crate::kafka::address::Address;
use crate::kafka::cluster::Cluster;
use crate::kafka::connection::{Answered, Connection, Opened};
use crate::kafka::link_end::LinkEnd;

/// At most a lookup's and the coordinator's, so a list is enough.
pub(super) struct Links {
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    links: Vec<(LinkId, Link)>,
    /// What happened and is not told yet; nothing of a link that was disconnected.
    untold: VecDeque<(LinkId, Input)>,
}

enum Link {
    Opening(Pin<Box<dyn Future<Output = Result<Opened, Failure>> + Send>>),
    Open {
        connection: Box<Connection>,
        address: Address,
    },
}

/// Why a link is no more, as events tell it.
struct Failure {
    cause: LinkFault,
    detail: String,
}

/// What happened on a link: an input for the machine.
pub(super) struct Happened {
    /// When an answer was read; none of what just happened.
    pub(super) read: Option<Timestamp>,
    pub(super) input: Input,
}

impl Links {
    pub(super) const fn new(cluster: Arc<Cluster>, client_id: Arc<str>) -> Self {
        Self {
            cluster,
            client_id,
            links: Vec::new(),
            untold: VecDeque::new(),
        }
    }

    pub(super) fn connect(&mut self, link: LinkId, to: Peer) {
        let cluster = Arc::clone(&self.cluster);
        let client_id = Arc::clone(&self.client_id);
        let opening = async move {
            match to {
                Peer::Bootstrap => cluster.open_any(client_id).await.map_err(|error| Failure {
                    cause: error.fault(),
                    detail: error.to_string(),
                }),
                Peer::Coordinator { node, host, port } => {
                    let opened = cluster.open(node, &host, port, client_id).await;
                    opened.map_err(|end| Failure {
                        cause: end.fault(),
                        detail: format!("{host}:{port}: {end}"),
                    })
                }
            }
        };
        self.links.push((link, Link::Opening(Box::pin(opening))));
    }

    pub(super) fn disconnect(&mut self, link: LinkId) {
        self.links.retain(|(id, _)| *id != link);
        self.untold.retain(|(id, _)| *id != link);
    }

    /// Sends at once. A link that has ended meanwhile takes nothing; that it ended is told as an event.
    pub(super) fn send(
        &mut self,
        link: LinkId,
        token: Token,
        version: i16,
        request: &AnyRequest,
        timeout: Millis,
    ) {
        let Some(at) = self.links.iter().position(|(id, _)| *id == link) else {
            return;
        };
        let Some((_, Link::Open { connection, address })) = self.links.get_mut(at) else {
            return;
        };
        if let Err(end) = connection.send(token.0, version, request, timeout) {
            let detail = format!("{address}: {end}");
            self.end(at, &end, detail);
        }
    }

    /// The next thing that happens.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Happened> {
        if let Some((_, input)) = self.untold.pop_front() {
            return Poll::Ready(Happened { read: None, input });
        }
        for at in 0..self.links.len() {
            if let Poll::Ready(happened) = self.poll_one(at, cx) {
                return Poll::Ready(happened);
            }
        }
        Poll::Pending
    }

    fn poll_one(&mut self, at: usize, cx: &mut Context<'_>) -> Poll<Happened> {
        let Some((link, state)) = self.links.get_mut(at) else {
            return Poll::Pending;
        };
        let link = *link;
        let (read, input) = match state {
            Link::Opening(opening) => match ready!(opening.as_mut().poll(cx)) {
                Ok(Opened {
                    connection,
                    address,
                    versions,
                }) => {
                    let connection = Box::new(connection);
                    *state = Link::Open { connection, address };
                    (None, Input::LinkUp { link, versions })
                }
                Err(failure) => {
                    self.links.remove(at);
                    (None, down(link, failure))
                }
            },
            Link::Open { connection, address } => match ready!(connection.poll_answer(cx)) {
                Ok(Answered {
                    token,
                    response,
                    received,
                    ..
                }) => {
                    let token = Token(token);
                    let result = Ok(response);
                    (Some(received), Input::Answer { link, token, result })
                }
                Err(end) => {
                    let detail = format!("{address}: {end}");
                    self.end(at, &end, detail);
                    return self.poll(cx);
                }
            },
        };
        Poll::Ready(Happened { read, input })
    }

    /// When [`Self::expire`] must be called.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let deadlines = self.links.iter().filter_map(|(_, link)| match link {
            Link::Opening(_) => None,
            Link::Open { connection, .. } => connection.deadline(),
        });
        deadlines.min()
    }

    /// Ends the links on which a request is overdue; [`Self::poll`] tells them.
    pub(super) fn expire(&mut self, now: Timestamp) {
        let mut at = 0;
        while let Some((_, link)) = self.links.get(at) {
            let overdue = match link {
                Link::Opening(_) => None,
                Link::Open { connection, address } => connection
                    .overdue(now)
                    .map(|end| (format!("{address}: {end}"), end)),
            };
            match overdue {
                Some((detail, end)) => self.end(at, &end, detail),
                None => at += 1,
            }
        }
    }

    /// Closes a connection. The request that brought the end about fails first and by its own fault, the others with the
    /// connection.
    fn end(&mut self, at: usize, end: &LinkEnd, detail: String) {
        let (link, _closed) = self.links.remove(at);
        let cause = end.fault();
        if let Some(token) = end.request().map(Token) {
            let detail = detail.clone();
            let fault = match cause {
                LinkFault::Timeout => AnswerFault::Timeout { detail: Some(detail) },
                LinkFault::Garbled | LinkFault::Disconnect | LinkFault::Authentication => {
                    AnswerFault::Garbled { detail }
                }
            };
            let result = Err(fault);
            self.untold
                .push_back((link, Input::Answer { link, token, result }));
        }
        self.untold
            .push_back((link, down(link, Failure { cause, detail })));
    }
}

fn down(link: LinkId, Failure { cause, detail }: Failure) -> Input {
    let detail = Some(detail);
    Input::LinkDown { link, cause, detail }
}
