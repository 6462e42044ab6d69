//! `__consumer_offsets`: what the coordinator keeps of its groups, compacted to the newest value of each key.
//!
//! It is all in memory; with a data directory it is on disk as well, and an append is answered when it is there.
//!
//! - here: appends and reading back; [`compacted`]: the log in memory
//! - [`data_dir`]: the directory, its cluster id and its file; [`disk`]: the thread that writes

mod compacted;
mod data_dir;
mod disk;
#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::error_code as code;
use shared::protocol::EncodeError;
use shared::protocol::offsets_log::OffsetsRecord;
use shared::time::UnixMs;
use tokio::sync::mpsc;

use super::service::Service;
use crate::coordinator::AppendId;
use crate::partitions::End;
use compacted::{Compacted, Row};
pub use data_dir::{DataDir, DataDirError};
pub(super) use disk::Done;
use disk::{Disk, Job};

/// The log.
#[derive(Debug, Default)]
pub(super) struct Store {
    compacted: Compacted,
    disk: Option<Disk>,
    /// Where the topics' logs end, as it was kept last.
    ends: Vec<End>,
}

/// Appends that the disk has answered.
pub(super) type Stored = mpsc::Receiver<Vec<Done>>;

impl Store {
    /// The log as it is on disk, and where the disk's answers come from.
    ///
    /// # Errors
    ///
    /// There can be no further thread.
    pub(super) fn on_disk(kept: DataDir) -> std::io::Result<(Self, Stored)> {
        let mut compacted = Compacted::default();
        for row in kept.rows {
            compacted.apply(row);
        }
        let (disk, stored) = Disk::start(kept.database, kept.reopen)?;
        let store = Self {
            compacted,
            disk: Some(disk),
            ends: kept.ends,
        };
        Ok((store, stored))
    }

    /// Where the topics' logs are to go on: not before what somebody has committed, else consumers would be told that their
    /// offsets are out of range. What a process that was killed had not kept yet may be missing.
    pub(super) fn ends(&self) -> Vec<End> {
        let mut ends = BTreeMap::new();
        let partitions = self.compacted.partitions().into_iter();
        let committed = partitions.flat_map(|partition| self.compacted.records(partition));
        let committed = committed.filter_map(|record| match record {
            OffsetsRecord::Commit(key, Some(value)) => Some(((key.topic, key.partition), value.offset)),
            OffsetsRecord::Commit(_, None) | OffsetsRecord::Group(..) => None,
        });
        let kept = self.ends.iter().cloned();
        let kept = kept.map(|end| ((end.topic, end.partition), end.offset));
        for (at, offset) in committed.chain(kept) {
            let end = ends.entry(at).or_insert(offset);
            *end = offset.max(*end);
        }
        ends.into_iter()
            .map(|((topic, partition), offset)| End {
                topic,
                partition,
                offset,
            })
            .collect()
    }

    /// Keeps where the topics' logs end, where that goes to a disk and something has changed. Where the disk has no room for
    /// it now, the next time will do.
    pub(super) fn save_ends(&mut self, ends: Vec<End>) {
        if let Some(disk) = &self.disk
            && self.ends != ends
            && disk.write(Job::Ends(ends.clone())).is_ok()
        {
            self.ends = ends;
        }
    }

    /// Takes records in, all or none: at once, or, where they go to a disk, later: then [`Self::stored`] tells.
    pub(super) fn append(
        &mut self,
        append: AppendId,
        mut records: Vec<OffsetsRecord>,
        now: UnixMs,
    ) -> Option<Result<(), i16>> {
        stamp(&mut records, now);
        let rows: Result<Vec<Row>, EncodeError> = records.iter().map(Row::of).collect();
        let Ok(rows) = rows else {
            // Names too long for the format: the one thing about a record that depends on its size.
            return Some(Err(code::MESSAGE_TOO_LARGE));
        };
        match &self.disk {
            Some(disk) => disk.write(Job::Append { append, rows }).err().map(Err),
            None => {
                rows.into_iter().for_each(|row| self.compacted.apply(row));
                Some(Ok(()))
            }
        }
    }

    /// Takes in what the disk has written.
    pub(super) fn stored(&mut self, done: Done) -> (AppendId, Result<(), i16>) {
        if done.result.is_ok() {
            done.rows.into_iter().for_each(|row| self.compacted.apply(row));
        }
        (done.append, done.result)
    }

    /// What a partition holds.
    pub(super) fn records(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.compacted.records(partition)
    }

    /// What it held before the newest record of each group: what a coordinator reads that lost those.
    pub(super) fn records_before(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.compacted.records_before(partition)
    }

    /// Partitions that hold something.
    pub(super) fn partitions(&self) -> Vec<i32> {
        self.compacted.partitions()
    }

    /// Nothing more is taken; what is on its way is written.
    pub(super) fn close(&mut self) {
        self.disk = None;
    }
}

/// Fills in when it was: the machine that made the records knows no wall clock.
fn stamp(records: &mut [OffsetsRecord], now: UnixMs) {
    let now = i64::try_from(now.0).unwrap_or(i64::MAX);
    for record in records {
        match record {
            OffsetsRecord::Commit(_, Some(value)) => value.commit_timestamp = now,
            OffsetsRecord::Group(_, Some(value)) => value.current_state_timestamp = now,
            OffsetsRecord::Commit(_, None) | OffsetsRecord::Group(_, None) => {}
        }
    }
}

/// The task that carries the disk's answers to the machine. It ends when the disk is closed and all is written.
pub(super) async fn run(service: Arc<Service>, mut stored: Stored) {
    while let Some(done) = stored.recv().await {
        service.stored(done);
    }
}
