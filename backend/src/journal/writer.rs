//! The thread that writes: once a second all that came since, in one transaction that is synced once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use redb::WriteTransaction;
use shared::time::{Timestamp, UnixMs};

use super::file::{BOARDS, ENDED, File, LAST, PACKS, SEEN, SEQ, WHOLE_ABOVE, piece};
use super::shelf::Bounds;
use super::{Failed, Job, State};
use crate::clock::Clock;
use crate::hub::{Keyframe, Numbered, Pack, Range, Tier};
use crate::limits;

/// The newest events of a tier: those of the row that is not full yet, and those that no row holds.
#[derive(Debug, Default)]
struct Tail {
    events: Vec<Arc<Numbered>>,
    /// How many of them a row holds.
    written: usize,
}

/// What writes, and what waits to be written.
#[derive(Debug)]
pub(super) struct Writer {
    clock: Clock,
    state: Arc<State>,
    /// None after a failure, until it is open again.
    file: Option<File>,
    tails: [Tail; Tier::ALL.len()],
    boards: VecDeque<Arc<Keyframe>>,
    /// The newest event's number, and when it was seen.
    last: Option<(u64, UnixMs)>,
}

impl Writer {
    pub(super) fn new(file: File, clock: Clock, state: Arc<State>) -> Self {
        Self {
            clock,
            state,
            file: Some(file),
            tails: Default::default(),
            boards: VecDeque::new(),
            last: None,
        }
    }

    /// Says that a run is under way: one that is killed leaves that behind.
    pub(super) fn begin(&mut self) -> Result<(), Failed> {
        let now = self.clock.now_unix();
        self.transaction(now, None)
    }

    /// Writes until nobody hands over any more; then that the run has ended.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        let mut due: Option<Timestamp> = None;
        loop {
            let now = self.clock.now();
            if due.is_some_and(|due| due <= now) || self.is_crowded() {
                let is_written = self.write(self.clock.now_unix(), false);
                due = (!is_written).then(|| self.clock.now() + limits::JOURNAL_PACE);
                continue;
            }
            let job = match due {
                None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => jobs.recv_timeout(self.until(due)),
            };
            match job {
                Ok(job) => {
                    due.get_or_insert(self.clock.now() + limits::JOURNAL_PACE);
                    if let Job::Events(range) = &job {
                        self.state.unqueue(range.events.len());
                    }
                    self.take(job);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.write(self.clock.now_unix(), true);
                    return;
                }
            }
        }
    }

    /// Whether so much waits that it is to be written before its time; while that fails it has to wait all the same.
    fn is_crowded(&self) -> bool {
        let waits = |tail: &Tail| tail.events.len() - tail.written >= limits::JOURNAL_WAITING;
        self.file.is_some() && self.tails.iter().any(waits)
    }

    fn until(&self, due: Timestamp) -> Duration {
        self.clock
            .real(Duration::from_micros(due.micros_since(self.clock.now())))
    }

    /// Takes in what is to be written next.
    pub(super) fn take(&mut self, job: Job) {
        match job {
            Job::Events(range) => self.take_events(&range),
            Job::Board(board) => {
                self.boards.push_back(board);
                while self.boards.len() > limits::JOURNAL_BOARDS_WAITING {
                    self.boards.pop_front();
                }
            }
        }
    }

    fn take_events(&mut self, range: &Range) {
        for event in &range.events {
            self.tails[event.tier() as usize].events.push(Arc::clone(event));
        }
        let seen = range.events.last().map(|event| event.event.seen);
        let before = self.last.map(|(_, seen)| seen);
        self.last = seen.or(before).map(|seen| (range.to, seen));
        for tail in &mut self.tails {
            let most = limits::JOURNAL_WAITING;
            if tail.events.len() > 2 * most {
                let lost = tail.events.drain(..most);
                let to = lost.as_slice().last().map_or(0, |event| event.event.seq);
                self.state.lose(to, lost.len());
                tail.written = 0;
            }
        }
    }

    /// Writes what waits, and whether the run ends with it; whether it could.
    pub(super) fn write(&mut self, now: UnixMs, is_end: bool) -> bool {
        let result = self.transaction(now, is_end.then_some(now));
        if let Err(error) = &result {
            self.file = None;
            self.state.fails(error);
        } else {
            self.state.works();
        }
        result.is_ok()
    }

    fn transaction(&mut self, now: UnixMs, ended: Option<UnixMs>) -> Result<(), Failed> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.state.open()?),
        };
        let writing = file.database.begin_write().map_err(redb::Error::from)?;
        let mut full = [0; Tier::ALL.len()];
        for (tier, full) in Tier::ALL.into_iter().zip(&mut full) {
            *full = write_tail(&writing, file, tier, &self.tails[tier as usize])?;
        }
        write_boards(&writing, file, &self.boards)?;
        let gone_to = retain(&writing, file, now, self.state.lost_to())?;
        write_last(&writing, self.last, ended)?;
        writing.commit().map_err(redb::Error::from)?;
        for ((tail, full), gone_to) in self.tails.iter_mut().zip(full).zip(gone_to) {
            tail.events.drain(..full);
            if tail.events.last().is_some_and(|event| event.event.seq <= gone_to) {
                // The row that is not full was too old: what it held does not come back with the next one.
                tail.events.clear();
            }
            tail.written = tail.events.len();
        }
        self.boards.clear();
        Ok(())
    }
}

/// Puts a tail's events into rows; the row that was not full is written anew. How many are in full rows then.
fn write_tail(
    writing: &WriteTransaction,
    file: &mut File,
    tier: Tier,
    tail: &Tail,
) -> Result<usize, redb::Error> {
    let Some(first) = tail.events.first().filter(|_| tail.written < tail.events.len()) else {
        return Ok(0);
    };
    let mut rows = writing.open_table(PACKS)?;
    let shelf = &mut file.packs[tier as usize];
    // Whatever is there of these events, be it of a transaction that was told to have failed.
    let place = |seq| (tier as u8, seq);
    rows.retain_in(place(first.event.seq)..=place(u64::MAX), |_, _| false)?;
    shelf.cut_from(first.event.seq);
    let mut full = 0;
    for events in tail.events.chunks(limits::HISTORY_PACK) {
        let Some(last) = events.last().map(|event| &event.event) else {
            break;
        };
        let pack = Pack::of(events);
        let value = (last.seen.0, events.len() as u64, pack.bytes());
        rows.insert(place(last.seq), value)?;
        shelf.put(piece(last.seq, last.seen.0, pack.bytes()));
        if events.len() == limits::HISTORY_PACK {
            full += events.len();
        }
    }
    Ok(full)
}

fn write_boards(
    writing: &WriteTransaction,
    file: &mut File,
    boards: &VecDeque<Arc<Keyframe>>,
) -> Result<(), redb::Error> {
    let mut rows = writing.open_table(BOARDS)?;
    for board in boards {
        rows.insert((board.seen().0, board.seq()), board.bytes())?;
        file.boards.put(piece(board.seq(), board.seen().0, board.bytes()));
    }
    Ok(())
}

/// Lets go what is too old or too much: up to which number, by tier.
fn retain(
    writing: &WriteTransaction,
    file: &mut File,
    now: UnixMs,
    lost_to: u64,
) -> Result<[u64; Tier::ALL.len()], redb::Error> {
    let mut rows = writing.open_table(PACKS)?;
    let mut whole_above = writing.open_table(WHOLE_ABOVE)?;
    let mut all_gone = [0; Tier::ALL.len()];
    for (tier, gone_to) in Tier::ALL.into_iter().zip(&mut all_gone) {
        let gone = file.packs[tier as usize].expire(now, bounds(tier));
        for piece in &gone {
            rows.remove((tier as u8, piece.to))?;
        }
        *gone_to = gone.last().map_or(0, |piece| piece.to);
        let above = &mut file.whole_above[tier as usize];
        let lowest = lost_to.max(*gone_to);
        if lowest > *above {
            *above = lowest;
            whole_above.insert(tier as u8, *above)?;
        }
    }
    let mut boards = writing.open_table(BOARDS)?;
    for piece in file.boards.thin(file.folds_above(), limits::JOURNAL_BOARDS) {
        boards.remove((piece.seen.0, piece.to))?;
    }
    Ok(all_gone)
}

const fn bounds(tier: Tier) -> Bounds {
    match tier {
        Tier::Beats => limits::JOURNAL_BEATS,
        Tier::Summaries => limits::JOURNAL_SUMMARIES,
        Tier::Transitions => limits::JOURNAL_TRANSITIONS,
    }
}

fn write_last(
    writing: &WriteTransaction,
    last: Option<(u64, UnixMs)>,
    ended: Option<UnixMs>,
) -> Result<(), redb::Error> {
    let mut rows = writing.open_table(LAST)?;
    if let Some((seq, seen)) = last {
        rows.insert(SEQ, seq)?;
        rows.insert(SEEN, seen.0)?;
    }
    match ended {
        Some(ended) => rows.insert(ENDED, ended.0)?,
        None => rows.remove(ENDED)?,
    };
    Ok(())
}
