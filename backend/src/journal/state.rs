//! What the writer tells the others: whether the file can be used, and what is in no file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use redb::{Database, DatabaseError};

use super::Failed;
use super::file::File;
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
    trouble: Mutex<Option<String>>,
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
        open: impl Fn() -> Result<Database, DatabaseError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            path: path.into(),
            open: Box::new(open),
            database: Mutex::default(),
            queued: AtomicUsize::new(0),
            lost: AtomicU64::new(0),
            lost_to: AtomicU64::new(0),
            trouble: Mutex::default(),
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
        let error = error.to_string();
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.as_ref() != Some(&error) {
            tracing::error!(
                "history: {}: {error}; what happens is kept in memory only as long as it is so",
                self.path.display()
            );
            *trouble = Some(error);
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
    pub(super) fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.clone()
    }
}
