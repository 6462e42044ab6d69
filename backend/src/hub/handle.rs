//! What everybody but the sources holds of the hub: questions to its task, answered between two batches of events.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::board::Board;
use shared::time::UnixMs;
use tokio::sync::{broadcast, mpsc, oneshot};

use super::counters::Counters;
use super::numbered::{Numbered, Range};
use super::requests::RequestCounts;

/// A handle on the hub; cheap to clone. Each answer is `None` once the hub has ended.
#[derive(Clone, Debug)]
pub struct Hub {
    pub(super) questions: mpsc::Sender<Question>,
    pub(super) stream: Arc<str>,
    pub(super) requests: Arc<RequestCounts>,
    pub(super) counters: Arc<Counters>,
}

/// What the hub's task is asked.
#[derive(Debug)]
pub(super) enum Question {
    Subscribe(Option<Resume>, oneshot::Sender<Subscription>),
    Board(oneshot::Sender<Snapshot>),
    Past(UnixMs, oneshot::Sender<Result<Past, TooOld>>),
    Events(u64, usize, oneshot::Sender<Page>),
}

/// Where a viewer left off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The last event it has.
    pub seq: u64,
    /// Whether it wants single heartbeats, so that a hole among them matters.
    pub with_beats: bool,
}

/// A place in the stream: whatever follows comes over `ranges`, and nothing lies between the two.
#[derive(Debug)]
pub struct Subscription {
    /// The hub's newest event.
    pub seq: u64,
    /// Whether `backlog` starts right after the [`Resume`] asked for. Otherwise it is empty.
    pub resumed: bool,
    /// What the viewer missed, up to `seq`.
    pub backlog: VecDeque<Arc<Range>>,
    /// Everything after `seq`.
    pub ranges: broadcast::Receiver<Arc<Range>>,
}

/// A board and the event it reaches to.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub seq: u64,
    pub board: Board,
}

/// An earlier board: a keyframe and the events to fold onto it.
#[derive(Debug)]
pub struct Past {
    keyframe: Snapshot,
    events: Vec<Arc<Numbered>>,
}

/// A moment before all that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest moment that can be asked for.
    pub oldest: UnixMs,
}

/// A part of the history.
#[derive(Debug)]
pub struct Page {
    pub events: Vec<Arc<Numbered>>,
    /// The hub's newest event.
    pub seq: u64,
    /// Above this number every transition and summary is kept.
    pub whole_above: u64,
    /// Above this number every single heartbeat is kept too.
    pub every_beat_above: u64,
}

impl Hub {
    /// This run's stream: numbers of another stream mean other events.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// Requests sent to brokers so far.
    #[must_use]
    pub fn requests(&self) -> &RequestCounts {
        &self.requests
    }

    /// How often the hub had to spare itself so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Counts a viewer that fell behind [`limits::RANGES_BEHIND`].
    ///
    /// [`limits::RANGES_BEHIND`]: crate::limits::RANGES_BEHIND
    pub fn viewer_lagged(&self) {
        self.counters.lagged.add(1);
    }

    /// The newest event's number.
    pub async fn seq(&self) -> Option<u64> {
        self.events(u64::MAX, 0).await.map(|page| page.seq)
    }

    /// A place in the stream: after `resume` where the history reaches so far, else now.
    pub async fn subscribe(&self, resume: Option<Resume>) -> Option<Subscription> {
        self.ask(|answer| Question::Subscribe(resume, answer)).await
    }

    /// The board as it is.
    pub async fn board(&self) -> Option<Snapshot> {
        self.ask(Question::Board).await
    }

    /// What the board at an earlier moment is folded from.
    pub async fn past(&self, at: UnixMs) -> Option<Result<Past, TooOld>> {
        self.ask(|answer| Question::Past(at, answer)).await
    }

    /// The oldest kept events with numbers above `after`, at most `limit` and [`limits::HISTORY_PAGE`] of them.
    ///
    /// [`limits::HISTORY_PAGE`]: crate::limits::HISTORY_PAGE
    pub async fn events(&self, after: u64, limit: usize) -> Option<Page> {
        self.ask(|answer| Question::Events(after, limit, answer)).await
    }

    async fn ask<A>(&self, question: impl FnOnce(oneshot::Sender<A>) -> Question) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        self.questions.send(question(answer)).await.ok()?;
        answered.await.ok()
    }
}

impl Past {
    pub(super) const fn new(keyframe: Snapshot, events: Vec<Arc<Numbered>>) -> Self {
        Self { keyframe, events }
    }

    /// Folds the events; for a long history this takes milliseconds, so not in the hub's task.
    #[must_use]
    pub fn fold(self) -> Snapshot {
        let Snapshot { mut seq, mut board } = self.keyframe;
        for numbered in self.events {
            board.apply(&numbered.event);
            seq = numbered.event.seq;
        }
        Snapshot { seq, board }
    }
}
