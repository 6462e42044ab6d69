//! One partition's log: batches in the order of their offsets, the oldest of which may be gone.

use std::collections::VecDeque;
use std::sync::Arc;

use super::LEADER_EPOCH;
use super::batch::{self, Header, Refused};
use super::producers::{Producers, Sequenced};
use super::records;

/// A log in memory.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The offset of the first record that is still there; of the next one where there is none.
    start: i64,
    /// The offset of the next record.
    end: i64,
    batches: VecDeque<Batch>,
    producers: Producers,
}

/// One batch that is kept.
#[derive(Clone, Debug)]
struct Batch {
    base_offset: i64,
    header: Header,
    bytes: Arc<[u8]>,
}

impl Batch {
    fn last_offset(&self) -> i64 {
        self.base_offset + i64::from(self.header.count) - 1
    }
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Appended {
    /// It stands at this offset.
    At(i64),
    /// It was there already, at this offset.
    Before(i64),
}

/// A record and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) offset: i64,
    /// Unix milliseconds.
    pub(super) timestamp: i64,
}

impl Log {
    /// Where there are no records the next one gets this offset, as if all before had gone by retention.
    pub(super) fn resume(&mut self, end: i64) {
        if self.batches.is_empty() && end > self.end {
            (self.start, self.end) = (end, end);
        }
    }

    pub(super) const fn start(&self) -> i64 {
        self.start
    }

    pub(super) const fn end(&self) -> i64 {
        self.end
    }

    /// Appends a checked batch. Gives also whether its producer is new here.
    pub(super) fn append(&mut self, header: Header, mut bytes: Vec<u8>) -> Result<(Appended, bool), Refused> {
        let new = match self.producers.check(&header)? {
            Sequenced::Duplicate { base_offset } => return Ok((Appended::Before(base_offset), false)),
            Sequenced::Next => false,
            Sequenced::New => true,
        };
        let base_offset = self.end;
        batch::place(&mut bytes, base_offset, LEADER_EPOCH);
        self.producers.appended(&header, base_offset);
        let batch = Batch {
            base_offset,
            header,
            bytes: bytes.into(),
        };
        self.end = self.end.saturating_add(i64::from(header.count));
        self.batches.push_back(batch);
        Ok((Appended::At(base_offset), new))
    }

    /// Lets the oldest batch go; gives its bytes.
    pub(super) fn drop_oldest(&mut self) -> usize {
        let Some(gone) = self.batches.pop_front() else {
            return 0;
        };
        self.start = gone.last_offset() + 1;
        gone.bytes.len()
    }

    /// Forgets what a producer has appended.
    pub(super) fn forget(&mut self, producer_id: i64) {
        self.producers.forget(producer_id);
    }

    /// Whether an offset may be read from.
    pub(super) const fn holds(&self, offset: i64) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// The batches from the one with this offset on.
    fn from(&self, offset: i64) -> impl Iterator<Item = &Batch> {
        let first = self.batches.partition_point(|batch| batch.last_offset() < offset);
        self.batches.range(first..)
    }

    /// Bytes there are to read from an offset on, counted no further than `enough`.
    pub(super) fn readable(&self, offset: i64, enough: usize) -> usize {
        let mut bytes = 0_usize;
        for batch in self.from(offset) {
            bytes = bytes.saturating_add(batch.bytes.len());
            if bytes >= enough {
                break;
            }
        }
        bytes
    }

    /// Whole batches from the one with this offset on, of at most `most` bytes together; the first one even if it is
    /// longer, where `at_least_one` says so.
    pub(super) fn read(&self, offset: i64, most: usize, at_least_one: bool) -> Vec<u8> {
        let mut read = Vec::new();
        for batch in self.from(offset) {
            let fits = read.len().saturating_add(batch.bytes.len()) <= most;
            if fits || read.is_empty() && at_least_one {
                read.extend_from_slice(&batch.bytes);
            }
            if !fits {
                break;
            }
        }
        read
    }

    /// The first record of this time or a later one. Of a compressed batch, which is not opened, the first record stands
    /// for it: nothing of the time asked for is missed, and what is read too much is less than a batch.
    pub(super) fn at_time(&self, timestamp: i64) -> Option<Found> {
        let batch = self
            .batches
            .iter()
            .find(|batch| batch.header.max_timestamp >= timestamp)?;
        Some(batch.first_record(|time| time >= timestamp).unwrap_or(Found {
            offset: batch.base_offset,
            timestamp: batch.header.base_timestamp,
        }))
    }

    /// The first record with the latest time of all (KIP-734). Of a compressed batch, which is not opened, the last record
    /// stands for it.
    pub(super) fn latest_time(&self) -> Option<Found> {
        let mut latest: Option<&Batch> = None;
        for batch in &self.batches {
            if latest.is_none_or(|latest| batch.header.max_timestamp > latest.header.max_timestamp) {
                latest = Some(batch);
            }
        }
        let batch = latest?;
        let timestamp = batch.header.max_timestamp;
        Some(batch.first_record(|time| time >= timestamp).unwrap_or(Found {
            offset: batch.last_offset(),
            timestamp,
        }))
    }
}

impl Batch {
    /// The first record whose time is as wanted; none in a compressed batch.
    fn first_record(&self, wanted: impl Fn(i64) -> bool) -> Option<Found> {
        if self.header.compressed {
            return None;
        }
        let bytes = self.bytes.get(batch::RECORDS..).unwrap_or_default();
        let found = |record: shared::protocol::batches::RawRecord<'_>| Found {
            offset: self.base_offset.saturating_add(record.offset_delta),
            timestamp: self.header.base_timestamp.saturating_add(record.timestamp_delta),
        };
        records::iter(bytes)
            .map_while(Result::ok)
            .map(found)
            .find(|found| wanted(found.timestamp))
    }
}
