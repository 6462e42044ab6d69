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
    /// `/api/board?at=`
    PastBoard,
    /// `/api/events`, of before an earlier moment
    PastEvents,
}

impl Want {
    const ALL: [Self; 5] = [
        Self::Board,
        Self::Events,
        Self::Faults,
        Self::PastBoard,
        Self::PastEvents,
    ];
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
    /// 410: nothing as old as that is kept.
    TooOld(String),
    /// No answer, or none of use.
    Failed,
}

/// The errands.
#[derive(Debug)]
pub(super) struct Fetch {
    /// One for each [`Want`].
    errands: [Errand; Want::ALL.len()],
    /// Events after this number are wanted; what is below is in the log, or older than the server's memory.
    events_after: u64,
}

impl Fetch {
    pub(super) fn new(jitter: &Jitter) -> Self {
        Self {
            errands: Want::ALL.map(|_| Errand::new(jitter.clone())),
            events_after: 0,
        }
    }

    pub(super) fn want(&mut self, what: Want) {
        self.errand(what).want();
    }

    pub(super) fn is_wanted(&self, what: Want) -> bool {
        self.errands
            .get(what as usize)
            .is_some_and(|errand| errand.is_wanted())
    }

    /// Events after a number were not seen; an earlier wish that is not fulfilled yet stays.
    pub(super) fn want_events(&mut self, after: u64) {
        self.events_after = if self.is_wanted(Want::Events) {
            self.events_after.min(after)
        } else {
            after
        };
        self.want(Want::Events);
    }

    pub(super) fn want_all_events(&mut self) {
        self.events_after = 0;
        self.want(Want::Events);
    }

    /// The present is looked at again.
    pub(super) fn drop_past(&mut self) {
        for what in [Want::PastBoard, Want::PastEvents] {
            self.errand(what).drop_it();
        }
    }

    pub(super) fn renew(&mut self) {
        for errand in &mut self.errands {
            errand.renew();
        }
    }

    const fn errand(&mut self, want: Want) -> &mut Errand {
        let [board, events, faults, past_board, past_events] = &mut self.errands;
        match want {
            Want::Board => board,
            Want::Events => events,
            Want::Faults => faults,
            Want::PastBoard => past_board,
            Want::PastEvents => past_events,
        }
    }
}

impl Model {
    /// A request to make at `now`, if one is due. Call again until none is.
    pub fn poll(&mut self, now: Timestamp) -> Option<Request> {
        // Before the first welcome nobody knows which run of the server would answer.
        self.follow.stream()?;
        // Of a moment to come there is no board before it has come.
        let to_come = self.is_to_come();
        let (want, ticket) = Want::ALL
            .into_iter()
            .filter(|want| !(to_come && *want == Want::PastBoard))
            .find_map(|want| Some((want, self.fetch.errand(want).poll(now)?)))?;
        let path = match want {
            Want::Board => "/api/board".to_owned(),
            Want::Events => self.events_path(Some(self.fetch.events_after).filter(|after| *after > 0)),
            Want::Faults => "/api/faults".to_owned(),
            Want::PastBoard => {
                let at = self.address.at.unwrap_or_default();
                format!("/api/board?at={}", at.0)
            }
            Want::PastEvents => self.events_path(Some(self.past_after())),
        };
        Some(Request { want, ticket, path })
    }

    /// Transitions only: of single heartbeats the board keeps what matters. All of them are those that the server has in memory:
    /// what it keeps on disk is more than a page has room for. With a number they are those after it, on disk too.
    fn events_path(&self, after: Option<u64>) -> String {
        let mut query = Query::default();
        query.add_some("after", after.map(|after| after.to_string()).as_deref());
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
            Answer::Board(answer) if request.want == Want::PastBoard => self.take_past(*answer),
            Answer::Board(answer) => self.follow.take(*answer),
            Answer::Events(answer) if request.want == Want::PastEvents => self.take_past_events(answer),
            Answer::Events(answer) => self.take_events(answer),
            Answer::TooOld(why) => {
                self.refuse_past(why);
                true
            }
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
            self.fetch.want(Want::Events);
        }
        true
    }
}
