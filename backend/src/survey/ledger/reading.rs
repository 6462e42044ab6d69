//! The bytes of an answer to Fetch, record by record into the book.

use std::collections::BTreeMap;

use shared::protocol::batches::Batch;
use shared::protocol::offsets_log::LogRecord;
use shared::time::{Millis, Timestamp, UnixMs};

use super::News;
use super::book::{Book, Heard, Place};
use super::newer::Fact;
use crate::kafka::batches::{Entry, Reader};

/// What was read, and what could not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Records of a type, or with a value of a version, that is not known: skipped.
    pub unknown: u64,
    /// Batches and records that are not what they say they are: skipped.
    pub malformed: u64,
    /// Records that there was no room to keep.
    pub left_out: u64,
}

/// Which part of a partition is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) partition: i32,
    /// The first offset wanted.
    pub(super) from: i64,
    /// Where to end.
    pub(super) until: i64,
    /// For the tail.
    pub(super) heard: Option<Heard>,
}

/// What is read, and what was news in it.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) book: Book,
    pub(super) counts: Counts,
    pub(super) news: Vec<News>,
    reader: Reader,
    /// What the first record of the last read of each partition's end tells of its coordinator's clock: it showed that time later
    /// than that moment of ours.
    clocks: BTreeMap<i32, (UnixMs, Timestamp)>,
}

impl Desk {
    /// How long ago it was at most, at `now`, that the coordinator of a partition wrote what it wrote at `at` by its clock; none
    /// while nothing that it wrote was read as it came.
    pub(super) fn ago(&self, now: Timestamp, partition: i32, at: UnixMs) -> Option<Millis> {
        let (written, since) = self.clocks.get(&partition)?;
        let later = now.micros_since(*since).div_ceil(1_000);
        Some(Millis(written.since(at).0.saturating_add(later)))
    }

    /// Reads what came for a part; the next offset to ask for.
    pub(super) fn read(&mut self, part: Part, bytes: &[u8]) -> i64 {
        let Self {
            book,
            counts,
            news,
            reader,
            clocks,
        } = self;
        let mut first = None;
        let tally = reader.read(bytes, part.from, |batch, entry| {
            // Marks of transactions say nothing of groups. What is in a transaction tells that its process ran, be it
            // committed or not.
            if let Entry::Data(record) = entry
                && record.offset < part.until
            {
                let place = place(part, batch, record.offset, record.timestamp);
                first = first.or(Some(place.written_at));
                take(&place, record.key, record.value, book, counts, news);
            }
        });
        if let Some((written, heard)) = first.zip(part.heard) {
            clocks.insert(part.partition, (written, heard.since));
        }
        counts.malformed = counts.malformed.saturating_add(tally.unreadable);
        counts.left_out = book.left_out();
        if tally.next_offset == part.from && tally.unreadable > 0 {
            // It would be there again for ever.
            return part.from.saturating_add(1);
        }
        tally.next_offset
    }
}

fn place(part: Part, batch: &Batch<'_>, position: i64, timestamp: i64) -> Place {
    Place {
        partition: part.partition,
        position,
        written_at: UnixMs(u64::try_from(timestamp).unwrap_or(0)),
        heard: part.heard,
        in_transaction: batch.is_transactional(),
    }
}

fn take(
    place: &Place,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    book: &mut Book,
    counts: &mut Counts,
    news: &mut Vec<News>,
) {
    counts.records = counts.records.saturating_add(1);
    let read = LogRecord::read(key.unwrap_or_default(), value);
    if !matches!(
        read,
        Ok(LogRecord::OffsetCommit(..) | LogRecord::GroupMetadata(..))
    ) {
        book.count_newer();
    }
    let count = match read {
        Ok(LogRecord::OffsetCommit(key, value)) => return book.commit(place, &key, value.as_ref()),
        Ok(LogRecord::GroupMetadata(key, value)) => {
            if let Some(value) = &value {
                goes_on(news, place, key.group, value.generation);
            }
            return news.extend(book.group(place, &key, value.as_ref()));
        }
        Ok(LogRecord::UnknownType(_)) => &mut counts.unknown,
        Ok(LogRecord::UnknownVersion { group, .. }) => {
            book.cannot_be_read(group);
            &mut counts.unknown
        }
        Ok(record) => {
            if let Some((group, fact)) = Fact::of(&record) {
                if let Some(epoch) = fact.epoch() {
                    goes_on(news, place, group, epoch);
                }
                news.extend(book.fact(place, group, fact));
            }
            return;
        }
        Err(error) => {
            if let Some(group) = &error.group {
                book.cannot_be_read(group);
            }
            &mut counts.malformed
        }
    };
    *count = count.saturating_add(1);
}

/// A group that this batch has ended goes on in it as one of another type (KIP-848's upgrade and downgrade), and keeps its count. One
/// that counts anew is another group: an empty one makes way for that.
fn goes_on(news: &mut Vec<News>, place: &Place, group: &str, number: i32) {
    news.retain(|news| match news {
        News::Ended(ended) => {
            let same = ended.group.as_str() == group && ended.at == place.written_at;
            !(same && ended.number.is_none_or(|before| before <= number))
        }
        News::Turned(_) | News::Replaced { .. } | News::Stepped { .. } => true,
    });
}
