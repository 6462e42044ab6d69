//! The history on disk: events and, from time to time, a board, so that they outlive the process (docs/contract.md).
//!
//! ```text
//! hub --ranges, boards--> queue --> writer: once a second one transaction --> file
//!  ^                                                                           |
//!  +------------------ older than what is in memory: reader <------------------+
//! ```
//!
//! Single heartbeats are kept shortly, their summaries long, transitions longest, each bounded in age and bytes. Whoever reads is
//! told from where on nothing is missing. What goes wrong with the disk is said, and everything else goes on.
//!
//! - [`file`]: the tables, and what they hold; [`shelf`]: what is to go
//! - [`writer`]: the thread that writes; [`state`]: what it tells the others
//! - [`reader`]: events and boards of the past; [`earlier`]: what the runs before left

mod earlier;
mod file;
mod reader;
mod shelf;
mod state;
#[cfg(test)]
mod tests;
mod writer;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use shared::board::Group;
use shared::time::UnixMs;
use thiserror::Error;

use crate::clock::Clock;
use crate::data_folder::{FileError, open_database};
use crate::hub::{Keyframe, Range};
use crate::limits;
use crate::survey::Before;
pub use earlier::Earlier;
pub(crate) use earlier::WHATEVER;
pub use file::Last;
pub(crate) use reader::{Kept, Reader};
pub use shelf::Bounds;
use state::State;
use writer::Writer;

impl Keeping {
    /// When the newest event was seen that is known: what comes after must not be earlier.
    #[must_use]
    pub fn seen(&self) -> UnixMs {
        match self {
            Self::Journal(_, Some(earlier)) => earlier.last.seen,
            Self::Nothing | Self::Refused | Self::Journal(..) => UnixMs(0),
        }
    }

    /// The groups that the run before had looked at, for who is to go on from there.
    pub(crate) fn before(&self) -> Option<Before> {
        let Self::Journal(_, Some(earlier)) = self else {
            return None;
        };
        let groups: Vec<Arc<Group>> = earlier.board.groups().cloned().collect();
        let cluster = groups.first()?.key.cluster.clone();
        Some(Before {
            ended: earlier.ended(),
            cluster,
            groups,
        })
    }
}

/// What is to be kept.
#[derive(Debug)]
enum Job {
    Events(Arc<Range>),
    Board(Arc<Keyframe>),
}

/// The way to the journal. Dropped, it lets the writer write what is on its way and end.
#[derive(Debug)]
pub struct Journal {
    jobs: SyncSender<Job>,
    state: Arc<State>,
}

/// How what happens is kept.
#[derive(Debug)]
pub enum Keeping {
    /// Not at all: nobody asked for it.
    Nothing,
    /// Not at all: the journal could not be used.
    Refused,
    /// In a journal; with what the runs before left in it, if there were any.
    Journal(Journal, Option<Box<Earlier>>),
}

/// The writer's thread.
#[derive(Debug)]
pub struct Writing(JoinHandle<()>);

/// Why something could not be written or read.
#[derive(Debug, Error)]
pub(crate) enum Failed {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Database(#[from] redb::Error),
    /// A board that is no board.
    #[error("what is there cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it cannot be used now")]
    Closed,
    #[error("its writer has ended, which nothing of ours brings about: it is written again after a restart")]
    NoWriter,
}

impl Journal {
    /// Opens a journal, or makes one, and reads what is to be known of the runs before. Blocks until it is checked, and fails
    /// where it cannot be written.
    ///
    /// # Errors
    ///
    /// It cannot be made, read, written or locked, or holds something else.
    pub fn open(path: &Path, clock: Clock) -> Result<(Keeping, Writing), FileError> {
        let owned = path.to_owned();
        let state = State::new(path, move || open_database(&owned, limits::JOURNAL_CACHE));
        let state = Arc::new(state);
        let file = state.open()?;
        let last = file.last;
        let mut writer = Writer::new(file, clock, Arc::clone(&state));
        writer
            .begin()
            .map_err(|error| FileError::io(path)(io::Error::other(error)))?;
        let reader = Reader::new(Arc::clone(&state));
        let earlier = last.map(|last| Earlier::read(last, &reader)).transpose();
        let earlier = earlier.map_err(|error| FileError::damaged(path, &error))?;
        let earlier = earlier.map(Box::new);
        let (jobs, queue) = sync_channel(limits::JOURNAL_QUEUE);
        let thread = thread::Builder::new().name("heartline-journal".to_owned());
        let writing = thread
            .spawn(move || writer.run(&queue))
            .map_err(FileError::io(path))?;
        let journal = Self { jobs, state };
        Ok((Keeping::Journal(journal, earlier), Writing(writing)))
    }

    /// Keeps events; where the disk is too slow for them they are lost, which is counted.
    pub(crate) fn keep(&self, range: Arc<Range>) {
        let (to, events) = (range.to, range.events.len());
        if !self.state.queue(events) {
            self.state.lose(to, events);
        } else if !self.hand_over(Job::Events(range)) {
            self.state.unqueue(events);
            self.state.lose(to, events);
        }
    }

    /// Keeps a board; one that is lost costs whoever asks for its time a longer fold.
    pub(crate) fn keep_board(&self, board: Arc<Keyframe>) {
        self.hand_over(Job::Board(board));
    }

    fn hand_over(&self, job: Job) -> bool {
        match self.jobs.try_send(job) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => false,
            Err(TrySendError::Disconnected(_)) => {
                self.state.fails(&Failed::NoWriter);
                false
            }
        }
    }

    /// For readers of the past.
    pub(crate) fn reader(&self) -> Reader {
        Reader::new(Arc::clone(&self.state))
    }
}

impl Writing {
    /// Waits until all is written, once the way to the journal is dropped. Blocks.
    pub fn wait(self) {
        if self.0.join().is_err() {
            tracing::error!("history: its writer did not end well: its last seconds may be missing");
        }
    }
}
