//! What is asked of the server's API: the board, events from before, what faults can be played.

use shared::backoff::Jitter;
use shared::event::{Change, Event};
use shared::time::Timestamp;
use shared::tree::FromNode;

use super::address::Query;
use super::errand::{Errand, Ticket};
use super::faults::Offer;
use super::follow::BoardAnswer;
use super::log::is_beat;
use super::{Model, Scope};

/// How many events are asked for at once: the most the server gives.
pub(super) const EVENTS_AT_ONCE: usize = 10_000;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// `/api/board`
    Board,
    /// `/api/events`
    Events,
    /// `/api/faults`
    Faults,
}

/// A request to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What for.
    pub want: Want,
    /// Which of the requests for it.
    pub ticket: Ticket,
    /// Path and query.
    pub path: String,
}

/// What `/api/events` answers.
#[derive(Clone, Debug, FromNode)]
pub struct EventsAnswer {
    /// The run of the server they belong to.
    pub stream: String,
    /// Oldest first.
    pub events: Vec<Event>,
    /// The `after` to go on with; none at the end.
    pub next: Option<u64>,
    /// The server keeps every transition above this number, and perhaps none below.
    #[serde(default)]
    pub whole_above: u64,
}

/// What `/api/faults` answers.
#[derive(Clone, Debug, FromNode)]
pub struct FaultsAnswer {
    /// What can be played.
    pub faults: Vec<OfferedFault>,
}

/// One fault on offer.
#[derive(Clone, Debug, FromNode)]
pub struct OfferedFault {
    /// Its name.
    pub name: String,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Of `/api/board`.
    Board(Box<BoardAnswer>),
    /// Of `/api/events`.
    Events(EventsAnswer),
    /// Of `/api/faults`.
    Faults(FaultsAnswer),
    /// 404: there is no such thing here.
    NotHere,
    /// No answer, or none of use.
    Failed,
}

/// The errands.
#[derive(Debug)]
pub(super) struct Fetch {
    board: Errand,
    events: Errand,
    faults: Errand,
    /// Events after this number are wanted; what is below is in the log, or older than the server's memory.
    events_after: u64,
}

impl Fetch {
    pub(super) fn new(jitter: &Jitter) -> Self {
        Self {
            board: Errand::new(jitter.clone()),
            events: Errand::new(jitter.clone()),
            faults: Errand::new(jitter.clone()),
            events_after: 0,
        }
    }

    pub(super) fn want_board(&mut self) {
        self.board.want();
    }

    /// Events after a number were not seen; an earlier wish that is not fulfilled yet stays.
    pub(super) fn want_events(&mut self, after: u64) {
        self.events_after = if self.events.is_wanted() {
            self.events_after.min(after)
        } else {
            after
        };
        self.events.want();
    }

    pub(super) fn want_all_events(&mut self) {
        self.events_after = 0;
        self.events.want();
    }

    pub(super) fn want_faults(&mut self) {
        self.faults.want();
    }

    pub(super) fn events_wanted(&self) -> bool {
        self.events.is_wanted()
    }

    pub(super) fn renew(&mut self) {
        self.board.renew();
        self.events.renew();
        self.faults.renew();
    }

    const fn errand(&mut self, want: Want) -> &mut Errand {
        match want {
            Want::Board => &mut self.board,
            Want::Events => &mut self.events,
            Want::Faults => &mut self.faults,
        }
    }
}

impl Model {
    /// A request to make at `now`, if one is due. Call again until none is.
    pub fn poll(&mut self, now: Timestamp) -> Option<Request> {
        // Before the first welcome nobody knows which run of the server would answer.
        self.follow.stream()?;
        let (want, ticket) = [Want::Board, Want::Events, Want::Faults]
            .into_iter()
            .find_map(|want| Some((want, self.fetch.errand(want).poll(now)?)))?;
        let path = match want {
            Want::Board => "/api/board".to_owned(),
            Want::Events => self.events_path(),
            Want::Faults => "/api/faults".to_owned(),
        };
        Some(Request { want, ticket, path })
    }

    /// Transitions only: of single heartbeats the board keeps what matters. All of them are those that the server has in memory:
    /// what it keeps on disk is more than a page has room for.
    fn events_path(&self) -> String {
        let mut query = Query::default();
        if self.fetch.events_after > 0 {
            query.add("after", &self.fetch.events_after.to_string());
        }
        query.add("limit", &EVENTS_AT_ONCE.to_string());
        if let Scope::Group(group, _) = self.log.scope() {
            query.add("group", group.as_str());
        }
        for kind in Change::KINDS.iter().filter(|kind| !is_beat(kind)) {
            query.add("kind", kind);
        }
        format!("/api/events{}", query.finish())
    }

    /// Takes the answer to a request; one that is no longer waited for is of no use.
    pub fn answered(&mut self, now: Timestamp, request: &Request, answer: Answer) {
        if !self.fetch.errand(request.want).settle(request.ticket) {
            return;
        }
        let useful = match answer {
            Answer::Board(answer) => self.follow.take(*answer),
            Answer::Events(answer) => self.take_events(answer),
            Answer::Faults(answer) => {
                let names = answer.faults.into_iter().map(|fault| fault.name).collect();
                self.faults.offer = Offer::of(names);
                true
            }
            Answer::NotHere if request.want == Want::Faults => {
                self.faults.offer = Offer::Nothing;
                true
            }
            Answer::NotHere | Answer::Failed => false,
        };
        if !useful {
            self.fetch.errand(request.want).retry(now);
        }
    }

    fn take_events(&mut self, answer: EventsAnswer) -> bool {
        if self.follow.stream() != Some(answer.stream.as_str()) {
            return false;
        }
        self.log.set_whole_above(answer.whole_above);
        for event in answer.events {
            self.log.add(&std::sync::Arc::new(event));
        }
        if let Some(next) = answer.next {
            self.fetch.events_after = next;
            self.fetch.events.want();
        }
        true
    }
}
