//! What is on disk, for those who ask the hub for more than memory holds.

use crate::journal::{Failed, Keeping, Reader};

/// Where older events are.
#[derive(Clone, Debug)]
pub(super) enum Disk {
    /// Nowhere: nobody asked for it, or it could not be used when this run began.
    Nothing,
    Open(Reader),
}

impl Disk {
    pub(super) fn of(keeping: &Keeping) -> Self {
        match keeping {
            Keeping::Nothing | Keeping::Refused => Self::Nothing,
            Keeping::Journal(journal, _) => Self::Open(journal.reader()),
        }
    }

    /// Whether what happens is kept.
    pub(super) fn is_kept(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Open(reader) => reader.trouble().is_none(),
        }
    }

    /// Events of this run that are not kept, though they should be.
    pub(super) fn lost(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Open(reader) => reader.lost(),
        }
    }

    /// Reads, which blocks; none where there is nothing, or it cannot be read now, which is said.
    pub(super) async fn read<A: Send + 'static>(
        &self,
        read: impl FnOnce(&Reader) -> Result<A, Failed> + Send + 'static,
    ) -> Option<A> {
        let Self::Open(reader) = self else { return None };
        let reader = reader.clone();
        let read = tokio::task::spawn_blocking(move || read(&reader)).await;
        let error = match read {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(error)) => error.to_string(),
            Err(ended) => ended.to_string(),
        };
        tracing::warn!("history: what is on disk cannot be read: {error}");
        None
    }
}
