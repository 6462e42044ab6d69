//! The hub's task: reports in, numbered events out, questions answered in between.

use std::io;
use std::sync::Arc;

use shared::board::Board;
use shared::event::{Event, Observation, Summariser};
use shared::time::UnixMs;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;

use super::beginning::Beginning;
use super::counters::Counters;
use super::ended;
use super::handle::{Part, Past, Place, Question, Resume, Snapshot, TooOld};
use super::history::{History, Stretch};
use super::keyframes::{Keyframe, Keyframes};
use super::numbered::{Numbered, Range};
use super::told_times::ToldTimes;
use crate::clock::Clock;
use crate::journal::Journal;
use crate::limits;

/// All that the hub knows; only its task touches it.
pub(super) struct Task {
    clock: Clock,
    seq: u64,
    board: Board,
    summariser: Summariser,
    told_times: ToldTimes,
    history: History,
    keyframes: Keyframes,
    /// Since when the board is to be kept.
    keep_since: Option<UnixMs>,
    /// The board that is being packed, which takes a while.
    packing: Option<JoinHandle<io::Result<Keyframe>>>,
    counters: Arc<Counters>,
    ranges: broadcast::Sender<Arc<Range>>,
    /// Where all is kept; none where nothing outlives the process.
    journal: Option<Journal>,
}

impl Task {
    pub(super) fn new(clock: Clock, counters: Arc<Counters>, beginning: Beginning) -> Self {
        let (ranges, _nobody_yet) = broadcast::channel(limits::RANGES_BEHIND);
        let Beginning {
            seq,
            board,
            history,
            journal,
            first: news,
        } = beginning;
        let first = Keyframe::of(&board, seq, clock.now_unix()).ok().map(Arc::new);
        if let (Some(journal), Some(first)) = (&journal, &first) {
            journal.keep_board(Arc::clone(first));
        }
        let mut task = Self {
            clock,
            seq,
            board,
            summariser: Summariser::default(),
            told_times: ToldTimes::default(),
            history,
            keyframes: Keyframes::new(first),
            keep_since: None,
            packing: None,
            counters,
            ranges,
            journal,
        };
        task.take(&mut news.into_iter().collect(), false);
        task
    }

    /// Runs until every reporter is gone.
    pub(super) async fn run(mut self, reports: mpsc::Receiver<Observation>, asked: mpsc::Receiver<Question>) {
        let (mut reports, mut asked) = (reports, asked);
        let mut batch = Vec::with_capacity(limits::RANGE_EVENTS);
        loop {
            let second = self.summariser.deadline();
            let settle = self.settle_due();
            tokio::select! {
                // Questions first: whoever asks waits for the answer. What was reported before is numbered with it.
                biased;
                Some(question) = asked.recv() => {
                    self.catch_up(&mut reports, &mut batch);
                    self.answer(question);
                }
                taken = reports.recv_many(&mut batch, limits::RANGE_EVENTS) => {
                    if taken == 0 {
                        return;
                    }
                    self.take(&mut batch, reports.len() >= limits::REPORTS_NEARLY_FULL);
                }
                () = until(self.clock, second) => self.summarise(self.clock.now_unix()),
                packed = packed(&mut self.packing) => self.keep(packed),
                () = until(self.clock, settle) => self.settle(),
            }
        }
    }

    /// When there is something to do that can wait until nothing else is due.
    fn settle_due(&self) -> Option<UnixMs> {
        let board = self.keep_since.filter(|_| self.packing.is_none());
        let board = board.map(|since| UnixMs(since.0 + limits::KEYFRAME_SETTLES_MS));
        [self.history.deadline(), board].into_iter().flatten().min()
    }

    /// Does a part of it: less than a millisecond's work.
    fn settle(&mut self) {
        let now = self.clock.now_unix();
        if self.history.deadline().is_some_and(|due| due <= now) {
            self.history.settle(now);
        } else {
            self.keep_board();
        }
    }

    /// Has the board packed as it is now, unless another one still is.
    fn keep_board(&mut self) {
        if self.packing.is_none() {
            let (board, seq, seen) = (self.board.clone(), self.seq, self.clock.now_unix());
            let packing = tokio::task::spawn_blocking(move || Keyframe::of(&board, seq, seen));
            self.packing = Some(packing);
            self.keep_since = None;
        }
    }

    /// Keeps a board that is packed.
    fn keep(&mut self, packed: Option<Keyframe>) {
        self.packing = None;
        self.keyframes.forget_below(self.history.whole_above());
        if let Some(board) = packed.map(Arc::new) {
            if let Some(journal) = &self.journal {
                journal.keep_board(Arc::clone(&board));
            }
            self.keyframes.push(board);
        }
    }

    /// Numbers what was reported before a question came, and the summaries due by then: whoever reports and then asks
    /// finds it in the answer.
    fn catch_up(&mut self, reports: &mut mpsc::Receiver<Observation>, batch: &mut Vec<Observation>) {
        let mut waiting = reports.len();
        while waiting > 0 {
            let reported = std::iter::from_fn(|| reports.try_recv().ok());
            batch.extend(reported.take(waiting.min(limits::RANGE_EVENTS)));
            if batch.is_empty() {
                break;
            }
            waiting -= batch.len();
            self.take(batch, waiting >= limits::REPORTS_NEARLY_FULL);
        }
        self.summarise(self.clock.now_unix());
    }

    /// Numbers what was reported; where the queue is crowded, single heartbeats are merged instead.
    fn take(&mut self, batch: &mut Vec<Observation>, crowded: bool) {
        let seen = self.clock.now_unix();
        // A second's summary stands before anything seen after it.
        self.summarise(seen);
        let first = self.seq;
        let overflow = self.summariser.overflow();
        let mut merged = 0;
        let mut events = Vec::with_capacity(batch.len());
        for mut what in batch.drain(..) {
            let clock_set = self.told_times.correct(seen, &mut what);
            self.summariser.add(seen, &what);
            if crowded && what.change.is_single_beat() {
                merged += 1;
            } else {
                events.push(self.number(seen, what));
            }
            events.extend(clock_set.map(|gap| self.number(seen, gap)));
        }
        self.counters.merged.add(merged);
        self.counters
            .unsummarised
            .add(self.summariser.overflow() - overflow);
        self.publish(first, events);
    }

    /// Numbers the summaries whose second is over.
    fn summarise(&mut self, now: UnixMs) {
        while self.summariser.deadline().is_some_and(|second| second <= now) {
            let first = self.seq;
            let mut events = Vec::new();
            while events.len() < limits::RANGE_EVENTS
                && let Some(summary) = self.summariser.poll(now)
            {
                events.push(self.number(now, summary));
            }
            self.publish(first, events);
        }
    }

    /// Gives an observation its number and does all that follows from it.
    fn number(&mut self, seen: UnixMs, what: Observation) -> Arc<Numbered> {
        let seq = self.seq + 1;
        let mut event = Event { seq, seen, what };
        self.seq = seq;
        self.board.apply(&event);
        ended::complete(&mut event.what, &self.board);
        let numbered = Arc::new(Numbered::new(event));
        self.history.push(Arc::clone(&numbered));
        if self.keyframes.is_overdue(seq) {
            self.keep_board();
        } else if self.packing.is_none() && self.keyframes.is_due(seq) {
            self.keep_since.get_or_insert(seen);
        }
        numbered
    }

    /// Keeps and sends the events after `first`; there may be none.
    fn publish(&self, first: u64, events: Vec<Arc<Numbered>>) {
        if self.seq > first {
            let (from, to) = (first + 1, self.seq);
            let range = Arc::new(Range { from, to, events });
            if let Some(journal) = &self.journal {
                journal.keep(Arc::clone(&range));
            }
            let _no_viewers = self.ranges.send(range);
        }
    }

    /// Whoever asked may be gone again; then nobody minds.
    fn answer(&mut self, question: Question) {
        match question {
            Question::Subscribe(resume, answer) => drop(answer.send(self.subscribe(resume))),
            Question::Board(answer) => drop(answer.send(self.snapshot())),
            Question::Past(at, answer) => drop(answer.send(self.past(at))),
            Question::Events(after, limit, answer) => drop(answer.send(self.page(after, limit))),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            seq: self.seq,
            board: self.board.clone(),
        }
    }

    fn subscribe(&self, resume: Option<Resume>) -> Place {
        Place {
            seq: self.seq,
            missed: resume.and_then(|resume| self.since(resume)),
            ranges: self.ranges.subscribe(),
        }
    }

    /// All that came after a viewer left off, and one event more than it resumes over; none where that is not known any more,
    /// or never was.
    fn since(&self, resume: Resume) -> Option<Stretch> {
        let known_above = match resume.with_beats {
            true => self.history.every_beat_above(),
            false => self.history.whole_above(),
        };
        let known = (known_above..=self.seq).contains(&resume.seq);
        known.then(|| self.history.after(resume.seq, limits::RESUME_EVENTS + 1))
    }

    fn past(&self, at: UnixMs) -> Result<Past, TooOld> {
        let whole_above = self.history.whole_above();
        let frame = self
            .keyframes
            .at(at)
            .filter(|(frame, _)| frame.seq() >= whole_above);
        let Some((frame, until_next)) = frame else {
            let oldest = self.keyframes.oldest_above(whole_above);
            return Err(TooOld {
                oldest: oldest.unwrap_or_else(|| self.clock.now_unix()),
            });
        };
        let limit = usize::try_from(until_next).unwrap_or(usize::MAX);
        let events = self.history.after(frame.seq(), limit);
        Ok(Past::new(Arc::clone(frame), at, events))
    }

    fn page(&self, after: u64, limit: usize) -> Part {
        Part {
            events: self.history.after(after, limit.min(limits::HISTORY_PAGE)),
            seq: self.seq,
            whole_above: self.history.whole_above(),
            every_beat_above: self.history.every_beat_above(),
        }
    }
}

/// Waits for a moment; for ever where there is none.
async fn until(clock: Clock, moment: Option<UnixMs>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(clock.instant_unix(moment).into()).await,
        None => std::future::pending().await,
    }
}

/// Waits for a board that is being packed; for ever where none is.
async fn packed(packing: &mut Option<JoinHandle<io::Result<Keyframe>>>) -> Option<Keyframe> {
    let Some(packing) = packing else {
        return std::future::pending().await;
    };
    match packing.await.map_err(io::Error::other).flatten() {
        Ok(board) => Some(board),
        Err(error) => {
            tracing::error!(%error, "a board could not be packed: the past is folded from an earlier one");
            None
        }
    }
}
