//! What the writer tells the others: whether the file can be used, and what is in no file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use redb::{Database, DatabaseError};
use shared::time::UnixMs;
use shared::wire::Trouble;

use super::Failed;
use super::file::File;
use crate::clock::Clock;
use crate::data_folder::FileError;
use crate::limits;

/// Opens the file; called again after each failure.
type Open = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// Shared by the writer and whoever reads.
pub(super) struct State {
    path: PathBuf,
    open: Open,
    /// None while it cannot be used.
    database: Mutex<Option<Arc<Database>>>,
    /// Events on their way to the writer.
    queued: AtomicUsize,
    /// Events that are in no file.
    lost: AtomicU64,
    /// The number of the newest of them.
    lost_to: AtomicU64,
    /// When the newest event of this run was seen that the file has, in Unix milliseconds; 0 before the first.
    written: AtomicU64,
    trouble: Mutex<Option<Trouble>>,
    clock: Clock,
    /// What was found wrong when it was opened, and has been put right.
    mended: Option<Trouble>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl State {
    pub(super) fn new(
        path: &Path,
        clock: Clock,
        mended: Option<String>,
        open: impl Fn() -> Result<Database, DatabaseError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            path: path.into(),
            open: Box::new(open),
            database: Mutex::default(),
            queued: AtomicUsize::new(0),
            lost: AtomicU64::new(0),
            lost_to: AtomicU64::new(0),
            written: AtomicU64::new(0),
            trouble: Mutex::default(),
            clock,
            mended: mended.map(|what| Trouble {
                since: clock.now_unix(),
                what,
            }),
        }
    }

    /// Opens the file, be it again after a failure; whoever still reads the one before makes that fail.
    pub(super) fn open(&self) -> Result<File, FileError> {
        let file = File::of(&self.path, (self.open)())?;
        let mut database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        *database = Some(Arc::clone(&file.database));
        Ok(file)
    }

    /// The file, where it can be used.
    pub(super) fn database(&self) -> Option<Arc<Database>> {
        let database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        database.clone()
    }

    /// Makes room for so many events on their way to the writer; false where there is none.
    pub(super) fn queue(&self, events: usize) -> bool {
        let before = self.queued.fetch_add(events, Ordering::Relaxed);
        let fits = before.saturating_add(events) <= limits::JOURNAL_QUEUE_EVENTS;
        if !fits {
            self.unqueue(events);
        }
        fits
    }

    /// So many events are on their way no more.
    pub(super) fn unqueue(&self, events: usize) {
        self.queued.fetch_sub(events, Ordering::Relaxed);
    }

    /// So many events, the newest of them `to`, are in no file.
    pub(super) fn lose(&self, to: u64, events: usize) {
        self.lost_to.fetch_max(to, Ordering::Relaxed);
        self.lost.fetch_add(events as u64, Ordering::Relaxed);
    }

    /// All events that were seen up to then are in the file, but for those that are lost.
    pub(super) fn written(&self, seen: UnixMs) {
        self.written.store(seen.0, Ordering::Relaxed);
    }

    /// Up to when they are; none before the first is.
    pub(super) fn written_to(&self) -> Option<UnixMs> {
        let seen = self.written.load(Ordering::Relaxed);
        (seen > 0).then_some(UnixMs(seen))
    }

    /// The number of the newest event that is in no file, though it should be.
    pub(super) fn lost_to(&self) -> u64 {
        self.lost_to.load(Ordering::Relaxed)
    }

    /// How many they are.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Says what is wrong, once as long as it is the same.
    pub(super) fn fails(&self, error: &Failed) {
        *self.database.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let what = format!(
            "{}: {error}; what happens is kept in memory only as long as it is so",
            self.path.display()
        );
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.as_ref().is_none_or(|known| known.what != what) {
            tracing::error!("history: {what}");
            // Whatever it is by now, it began then.
            let since = trouble.take().map(|known| known.since);
            let since = since.unwrap_or_else(|| self.clock.now_unix());
            *trouble = Some(Trouble { since, what });
        }
    }

    /// Says that it can be written again, where it could not be.
    pub(super) fn works(&self) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.take().is_some() {
            tracing::warn!("history: {} is written again", self.path.display());
        }
    }

    /// What is wrong with it now.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }

    /// What is to be told of it: what is wrong, or for a while that it had to begin anew.
    pub(super) fn told(&self) -> Option<Trouble> {
        let lately =
            |mended: &&Trouble| self.clock.now_unix().since(mended.since).0 < limits::JOURNAL_MENDED_TOLD_MS;
        self.trouble()
            .or_else(|| self.mended.as_ref().filter(lately).cloned())
    }
}
