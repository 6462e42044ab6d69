//! What everybody but the sources holds of the hub: questions to its task, answered between two batches of events.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use shared::board::Board;
use shared::time::UnixMs;
use tokio::sync::{broadcast, mpsc, oneshot};

use super::counters::Counters;
use super::disk::Disk;
use super::history::Stretch;
use super::keyframes::Keyframe;
use super::numbered::{Numbered, Range};
use super::requests::RequestCounts;
use crate::journal::Kept;
use crate::limits;

/// A handle on the hub; cheap to clone. Each answer is `None` once the hub has ended.
#[derive(Clone, Debug)]
pub struct Hub {
    pub(super) questions: mpsc::Sender<Question>,
    pub(super) stream: Arc<str>,
    pub(super) requests: Arc<RequestCounts>,
    pub(super) counters: Arc<Counters>,
    pub(super) disk: Disk,
}

/// What the hub's task is asked.
#[derive(Debug)]
pub(super) enum Question {
    Subscribe(Option<Resume>, oneshot::Sender<Place>),
    Board(oneshot::Sender<Snapshot>),
    Past(UnixMs, oneshot::Sender<Result<Past, TooOld>>),
    Events(u64, usize, oneshot::Sender<Part>),
}

/// A place in the stream, and what lies between the viewer's last event and it, where that is known.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) seq: u64,
    pub(super) missed: Option<Stretch>,
    pub(super) ranges: broadcast::Receiver<Arc<Range>>,
}

/// A part of the history, and how far it reaches.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) events: Stretch,
    pub(super) seq: u64,
    pub(super) whole_above: u64,
    pub(super) every_beat_above: u64,
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

impl Snapshot {
    /// Takes in the events that come after it, oldest first, up to a moment; whether those were all of them.
    pub(crate) fn fold(&mut self, events: &[Arc<Numbered>], until: UnixMs) -> bool {
        for numbered in events {
            if numbered.event.seen > until {
                return false;
            }
            self.board.apply(&numbered.event);
            self.seq = numbered.event.seq;
        }
        true
    }
}

/// An earlier board.
#[derive(Debug)]
pub struct Past(Fold);

#[derive(Debug)]
enum Fold {
    /// A keyframe and the events to fold onto it.
    Ahead {
        keyframe: Arc<Keyframe>,
        at: UnixMs,
        events: Stretch,
    },
    Done(Box<Snapshot>),
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
    pub fn viewer_lagged(&self) {
        self.counters.lagged.add(1);
    }

    /// The newest event's number.
    pub async fn seq(&self) -> Option<u64> {
        self.events(u64::MAX, 0).await.map(|page| page.seq)
    }

    /// A place in the stream: after `resume` where the history reaches so far, else now.
    pub async fn subscribe(&self, resume: Option<Resume>) -> Option<Subscription> {
        let place = self.ask(|answer| Question::Subscribe(resume, answer)).await?;
        let backlog = match (place.missed, resume) {
            (Some(missed), Some(resume)) => backlog(resume.seq, place.seq, &unpacked(missed).await),
            _ => None,
        };
        Some(Subscription {
            seq: place.seq,
            resumed: backlog.is_some(),
            backlog: backlog.unwrap_or_default(),
            ranges: place.ranges,
        })
    }

    /// The board as it is.
    pub async fn board(&self) -> Option<Snapshot> {
        self.ask(Question::Board).await
    }

    /// What the board at an earlier moment is folded from; what is older than memory is read from disk.
    pub async fn past(&self, at: UnixMs) -> Option<Result<Past, TooOld>> {
        let past = self.ask(|answer| Question::Past(at, answer)).await?;
        let too_old = match past {
            Ok(past) => return Some(Ok(past)),
            Err(too_old) => too_old,
        };
        Some(match self.disk.read(move |disk| disk.past(at)).await {
            Some(Ok(snapshot)) => Ok(Past(Fold::Done(Box::new(snapshot)))),
            Some(Err(Some(oldest))) => Err(TooOld { oldest }),
            Some(Err(None)) | None => Err(too_old),
        })
    }

    /// The oldest events in memory with numbers above `after`, at most `limit` and [`limits::HISTORY_PAGE`] of them.
    pub async fn events(&self, after: u64, limit: usize) -> Option<Page> {
        let part = self.ask(|answer| Question::Events(after, limit, answer)).await?;
        Some(Page {
            events: unpacked(part.events).await,
            seq: part.seq,
            whole_above: part.whole_above,
            every_beat_above: part.every_beat_above,
        })
    }

    /// The same of all that is kept, on disk too.
    pub async fn kept_events(&self, after: u64, limit: usize) -> Option<Page> {
        let limit = limit.min(limits::HISTORY_PAGE);
        let page = self.events(after, limit).await?;
        if after >= page.every_beat_above {
            return Some(page);
        }
        Some(
            match self.disk.read(move |disk| disk.events(after, limit)).await {
                Some(kept) => page.with_older(kept, limit),
                None => page,
            },
        )
    }

    /// Whether what happens is kept on disk.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.disk.is_kept()
    }

    /// Events that are not kept on disk, though they should be.
    #[must_use]
    pub fn not_kept(&self) -> u64 {
        self.disk.lost()
    }

    async fn ask<A>(&self, question: impl FnOnce(oneshot::Sender<A>) -> Question) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        self.questions.send(question(answer)).await.ok()?;
        answered.await.ok()
    }
}

impl Page {
    /// With what the disk has: each of the two holds the oldest it keeps.
    pub(super) fn with_older(mut self, kept: Kept, limit: usize) -> Self {
        self.events.extend(kept.events);
        self.events.sort_by_key(|event| event.event.seq);
        self.events.dedup_by_key(|event| event.event.seq);
        self.events.truncate(limit);
        // The disk is a second behind: it reaches further back only where it leaves no hole before what memory has.
        if kept.to >= self.whole_above {
            self.whole_above = self.whole_above.min(kept.whole_above);
        }
        if kept.to >= self.every_beat_above {
            self.every_beat_above = self.every_beat_above.min(kept.every_beat_above);
        }
        self
    }
}

impl Past {
    /// `events` are those after the keyframe, of which those seen up to `at` count.
    pub(super) const fn new(keyframe: Arc<Keyframe>, at: UnixMs, events: Stretch) -> Self {
        Self(Fold::Ahead { keyframe, at, events })
    }

    /// Folds the events; for a long history this takes milliseconds, so not in the hub's task.
    ///
    /// # Errors
    ///
    /// The board cannot be unpacked, which nothing of ours brings about.
    pub fn fold(self) -> io::Result<Snapshot> {
        let (keyframe, at, events) = match self.0 {
            Fold::Ahead { keyframe, at, events } => (keyframe, at, events),
            Fold::Done(snapshot) => return Ok(*snapshot),
        };
        let mut past = keyframe.unpacked()?;
        past.fold(&events.events(), at);
        Ok(past)
    }
}

/// The events of a stretch; unpacking them would hold up others.
async fn unpacked(stretch: Stretch) -> Vec<Arc<Numbered>> {
    if !stretch.is_packed() {
        return stretch.events();
    }
    let unpacking = tokio::task::spawn_blocking(|| stretch.events());
    unpacking.await.unwrap_or_default()
}

/// What a viewer missed after the event `after`, up to `seq`, in ranges without a hole; none where it is more than the board.
fn backlog(after: u64, seq: u64, missed: &[Arc<Numbered>]) -> Option<VecDeque<Arc<Range>>> {
    if missed.len() > limits::RESUME_EVENTS {
        return None;
    }
    let mut from = after + 1;
    let mut ranges = VecDeque::new();
    for events in missed.chunks(limits::RANGE_EVENTS) {
        let to = events.last()?.event.seq;
        let events = events.to_vec();
        ranges.push_back(Arc::new(Range { from, to, events }));
        from = to + 1;
    }
    if from <= seq {
        // The newest events were single heartbeats that are forgotten already.
        let (to, events) = (seq, Vec::new());
        ranges.push_back(Arc::new(Range { from, to, events }));
    }
    Some(ranges)
}
