//! The survey's connections: each a task that makes it, asks what it is given, and tells all that comes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::event::LinkFault;
use shared::protocol::AnyRequest;
use shared::time::{Millis, Timestamp};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::port::{Input, Link, Output, Report};
use crate::clock::Clock;
use crate::kafka::address::Address;
use crate::kafka::cluster::Cluster;
use crate::kafka::connection::{Answered, Compared, Opened};
use crate::kafka::link_end::LinkEnd;
use crate::limits;

/// What happened, and on which connection: its link and its number, for late news of one that was replaced.
#[derive(Debug)]
pub(super) struct Happened {
    pub(super) at: Timestamp,
    pub(super) from: Option<(Link, u64)>,
    pub(super) input: Input,
}

/// All connections of one machine.
#[derive(Debug)]
pub(super) struct Links {
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    clock: Clock,
    links: BTreeMap<Link, (u64, LinkHandle)>,
    /// Connections made so far: what comes late of an earlier one is no news of its successor.
    opened: u64,
    happened: mpsc::Sender<Happened>,
}

impl Links {
    /// None yet; and where all that happens is told.
    pub(super) fn new(
        cluster: Arc<Cluster>,
        client_id: Arc<str>,
        clock: Clock,
    ) -> (Self, mpsc::Receiver<Happened>) {
        let (happened, happenings) = mpsc::channel(limits::SURVEY_HAPPENINGS);
        let links = Self {
            cluster,
            client_id,
            clock,
            links: BTreeMap::new(),
            opened: 0,
            happened,
        };
        (links, happenings)
    }

    /// Does what the machine wants done, but for what is to be told to the hub: that is given back.
    pub(super) fn carry_out(&mut self, output: Output) -> Option<Report> {
        match output {
            Output::Find => find(
                Arc::clone(&self.cluster),
                Arc::clone(&self.client_id),
                self.clock,
                self.happened.clone(),
            ),
            Output::Open { link, address } => {
                self.opened += 1;
                let made = open(
                    link,
                    self.opened,
                    address,
                    Arc::clone(&self.cluster),
                    Arc::clone(&self.client_id),
                    self.clock,
                    self.happened.clone(),
                );
                self.links.insert(link, (self.opened, made));
            }
            Output::Close { link } => drop(self.links.remove(&link)),
            Output::Ask {
                link,
                token,
                version,
                request,
                timeout,
                compare,
            } => {
                if let Some((_, handle)) = self.links.get(&link) {
                    handle.ask(Question {
                        token,
                        version,
                        request,
                        timeout,
                        compare,
                    });
                }
            }
            Output::Report(report) => return Some(report),
        }
        None
    }

    /// Whether the machine is to know of it: of a connection that was closed or replaced it is not.
    pub(super) fn take_note(&mut self, happened: &Happened) -> bool {
        let Some((link, number)) = happened.from else {
            return true;
        };
        let current = self.links.get(&link);
        let current = current.is_some_and(|(current, _)| *current == number);
        if current && matches!(happened.input, Input::Ended { .. }) {
            self.links.remove(&link);
        }
        current
    }
}

/// A connection that is made, or stands; dropping it closes it.
#[derive(Debug)]
struct LinkHandle {
    questions: mpsc::Sender<Question>,
    task: JoinHandle<()>,
}

/// What is asked on a connection: an [`Output::Ask`].
#[derive(Debug)]
struct Question {
    token: u64,
    version: i16,
    request: AnyRequest,
    timeout: Millis,
    compare: Option<u64>,
}

impl LinkHandle {
    fn ask(&self, question: Question) {
        // A connection that has ended says so itself. There is always room: the machine has fewer out than the bound.
        let _ended = self.questions.try_send(question);
    }
}

impl Drop for LinkHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Asks the bootstrap list who is there.
fn find(cluster: Arc<Cluster>, client_id: Arc<str>, clock: Clock, happened: mpsc::Sender<Happened>) {
    tokio::spawn(async move {
        let input = match cluster.describe(client_id, &[]).await {
            Ok(described) => Input::Found {
                cluster: described.id,
                brokers: described.brokers,
            },
            Err(error) => Input::NotFound {
                fault: error.fault().unwrap_or(LinkFault::Garbled),
                detail: error.to_string(),
            },
        };
        let at = clock.now();
        let _ended = happened
            .send(Happened {
                at,
                from: None,
                input,
            })
            .await;
    });
}

/// Makes a connection.
fn open(
    link: Link,
    number: u64,
    address: Address,
    cluster: Arc<Cluster>,
    client_id: Arc<str>,
    clock: Clock,
    happened: mpsc::Sender<Happened>,
) -> LinkHandle {
    let (questions, asked) = mpsc::channel(limits::REQUESTS_UNANSWERED);
    let tell = Teller {
        from: (link, number),
        clock,
        happened,
    };
    let task = tokio::spawn(async move {
        let end = match cluster
            .open(link.node, address.host(), address.port(), client_id)
            .await
        {
            Ok(opened) => tell.serve(opened, asked).await,
            Err(end) => end,
        };
        let fault = end.fault();
        let detail = format!("{address}: {end}");
        tell.tell(clock.now(), Input::Ended { link, fault, detail }).await;
    });
    LinkHandle { questions, task }
}

struct Teller {
    from: (Link, u64),
    clock: Clock,
    happened: mpsc::Sender<Happened>,
}

impl Teller {
    async fn tell(&self, at: Timestamp, input: Input) {
        let from = Some(self.from);
        let _ended = self.happened.send(Happened { at, from, input }).await;
    }

    /// Asks and tells until the connection ends; how it did.
    async fn serve(&self, opened: Opened, mut asked: mpsc::Receiver<Question>) -> LinkEnd {
        let Opened {
            mut connection,
            versions,
            ..
        } = opened;
        let link = self.from.0;
        self.tell(self.clock.now(), Input::Opened { link, versions })
            .await;
        loop {
            let due = connection.deadline().unwrap_or(Timestamp::FAR);
            tokio::select! {
                biased;
                answered = connection.compared() => match answered {
                    Ok(Compared::Other(answered, digest)) => {
                        let Answered { token, response, sent, received } = answered;
                        self.tell(received, Input::Answered { link, token, sent, response, digest }).await;
                    }
                    Ok(Compared::Same { token, api, sent, received }) => {
                        self.tell(received, Input::Same { link, token, api, sent }).await;
                    }
                    Err(end) => return end,
                },
                // The handle gone, this task is at its end.
                Some(question) = asked.recv() => {
                    let Question { token, version, request, timeout, compare } = question;
                    if let Err(end) = connection.send_to_compare(token, version, &request, timeout, compare) {
                        return end;
                    }
                }
                () = sleep_until(self.clock.instant(due).into()) => {
                    if let Some(end) = connection.overdue(self.clock.now()) {
                        return end;
                    }
                }
            }
        }
    }
}
