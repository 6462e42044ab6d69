//! The thread that writes: all that waits goes to disk together, in one transaction that is synced once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::{io, thread};

use redb::Database;
use shared::error_code as code;
use tokio::sync::mpsc;

use super::compacted::Row;
use super::data_dir::{LOG_ENDS, OFFSETS, Reopen};
use crate::coordinator::AppendId;
use crate::limits;
use crate::partitions::End;

/// What is to be written.
#[derive(Debug)]
pub(super) enum Job {
    /// Records, all or none.
    Append { append: AppendId, rows: Vec<Row> },
    /// Where the topics' logs end. Nobody waits for it.
    Ends(Vec<End>),
}

/// What became of an append.
#[derive(Debug)]
pub(in crate::embedded) struct Done {
    pub(super) append: AppendId,
    pub(super) rows: Vec<Row>,
    pub(super) result: Result<(), i16>,
}

/// The way to the thread. Dropped, it lets the thread write what is on its way, close the file and end.
#[derive(Debug)]
pub(super) struct Disk {
    jobs: SyncSender<Job>,
    /// Jobs that found the queue full.
    refused: AtomicU64,
}

impl Disk {
    pub(super) fn start(database: Database, reopen: Reopen) -> io::Result<(Self, mpsc::Receiver<Vec<Done>>)> {
        let (jobs, queue) = sync_channel(limits::STORE_QUEUE);
        let (done, stored) = mpsc::channel(1);
        let mut writer = Writer {
            database: Some(database),
            reopen,
        };
        thread::Builder::new()
            .name("heartline-store".to_owned())
            .spawn(move || {
                writer.run(&queue, &done);
                // First the file, then the word that all is done: whoever waits for that may open it.
                drop(writer);
                drop(done);
            })?;
        let refused = AtomicU64::new(0);
        Ok((Self { jobs, refused }, stored))
    }

    /// Hands a job over; the code that refuses it where there is no room, as where replicas are too slow.
    pub(super) fn write(&self, job: Job) -> Result<(), i16> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => {
                let refused = self.refused.fetch_add(1, Ordering::Relaxed) + 1;
                if refused.is_power_of_two() {
                    tracing::warn!(
                        refused,
                        "store: the disk is too slow: what was to be kept is refused"
                    );
                }
                code::REQUEST_TIMED_OUT
            }
            TrySendError::Disconnected(_) => code::KAFKA_STORAGE_ERROR,
        })
    }
}

struct Writer {
    /// None after a failure, until it is open again.
    database: Option<Database>,
    reopen: Reopen,
}

impl Writer {
    /// Writes until nobody can hand over any more, or nobody wants to know.
    fn run(&mut self, queue: &Receiver<Job>, done: &mpsc::Sender<Vec<Done>>) {
        while let Ok(first) = queue.recv() {
            let mut batch = vec![first];
            while batch.len() < limits::STORE_BATCH
                && let Ok(next) = queue.try_recv()
            {
                batch.push(next);
            }
            let result = self.write(&batch).map_err(|error| {
                tracing::error!(%error, "store: what was to be kept could not be written");
                code::KAFKA_STORAGE_ERROR
            });
            let told = batch.into_iter().filter_map(|job| match job {
                Job::Append { append, rows } => Some(Done { append, rows, result }),
                Job::Ends(_) => None,
            });
            let told: Vec<Done> = told.collect();
            if !told.is_empty() && done.blocking_send(told).is_err() {
                return;
            }
        }
    }

    /// One transaction. After a failure redb wants the file opened anew.
    fn write(&mut self, batch: &[Job]) -> Result<(), redb::Error> {
        let database = match self.database.take() {
            Some(database) => database,
            None => (self.reopen)()?,
        };
        let writing = database.begin_write()?;
        {
            let mut offsets = writing.open_table(OFFSETS)?;
            let mut log_ends = writing.open_table(LOG_ENDS)?;
            for job in batch {
                match job {
                    Job::Append { rows, .. } => {
                        for row in rows {
                            match &row.value {
                                Some(value) => offsets.insert(&*row.key, &**value)?,
                                None => offsets.remove(&*row.key)?,
                            };
                        }
                    }
                    Job::Ends(ends) => {
                        for end in ends {
                            log_ends.insert((end.topic.as_str(), end.partition), end.offset)?;
                        }
                    }
                }
            }
        }
        writing.commit()?;
        self.database = Some(database);
        Ok(())
    }
}
