//! What Fetch brings of a partition, read: checksums checked, payloads decompressed, records handed over one by one.
//!
//! # Layout
//!
//! - [`compression`]: a payload as it was before it was compressed
//! - [`aborted`]: which records never counted, because their transaction was aborted

pub mod aborted;
pub mod compression;

use shared::protocol::batches::{self, Batch, BatchFault, BatchRecord, MalformedRecord};
use thiserror::Error;

use compression::DecompressError;

/// The version (INT16) and the kind (INT16) of a transaction's mark, which is the key of a control record.
const MARK_KEY: usize = 4;

/// One record, or the end of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A record.
    Data(BatchRecord<'a>),
    /// The end of its producer's transaction (KIP-98).
    Mark(Mark),
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Its records do not count.
    Abort,
    /// They count from now on.
    Commit,
    /// A kind of mark that is none of these.
    Other(i16),
}

/// A batch that could not be read, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnreadableBatch {
    /// It is none, or of another format.
    #[error(transparent)]
    Fault(#[from] BatchFault),
    /// It is not as it was written.
    #[error("the batch at offset {base_offset} has the checksum {is:#010x} and says {told:#010x}")]
    Checksum {
        /// Where it stands.
        base_offset: i64,
        /// What it says.
        told: u32,
        /// What it has.
        is: u32,
    },
    /// Its records cannot be decompressed.
    #[error("the batch at offset {base_offset}: {error}")]
    Decompress {
        /// Where it stands.
        base_offset: i64,
        /// Why not.
        error: DecompressError,
    },
    /// A record of it is none; those before it were handed over.
    #[error(transparent)]
    Record(#[from] MalformedRecord),
    /// A control record whose key is none.
    #[error(
        "a control record at offset {offset} with a key of {length} bytes (allowed: {MARK_KEY} and above)"
    )]
    Mark {
        /// Where it stands.
        offset: i64,
        /// How long its key is.
        length: usize,
    },
}

/// What reading came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Where to ask on: behind the last batch that was read. It stays where it was if none could be read.
    pub next_offset: i64,
    /// Records handed over, marks of transactions not counted.
    pub records: u64,
    /// Batches that could not be read, or not to their end.
    pub unreadable: u64,
    /// What was wrong with the first of them.
    pub first: Option<UnreadableBatch>,
}

impl Tally {
    fn fault(&mut self, fault: impl Into<UnreadableBatch>) {
        self.unreadable += 1;
        self.first.get_or_insert(fault.into());
    }
}

/// Reads batches, and keeps the memory that it decompresses them into.
#[derive(Debug, Default)]
pub struct Reader {
    decompressed: Vec<u8>,
}

impl Reader {
    /// Hands every record of `bytes` from the offset `from` on to `visit`, with its batch. Records before it are left
    /// out: brokers send whole batches.
    ///
    /// A batch that cannot be read is counted and left out; reading goes on with the next one. Of a batch that is cut
    /// off at the end nothing is told: it comes whole when asked for from [`Tally::next_offset`] on.
    pub fn read<'b>(
        &mut self,
        bytes: &'b [u8],
        from: i64,
        mut visit: impl FnMut(&Batch<'b>, Entry<'_>),
    ) -> Tally {
        let mut tally = Tally {
            next_offset: from,
            ..Tally::default()
        };
        for batch in batches::batches(bytes) {
            match batch {
                Ok(batch) if batch.last_offset() < from => {}
                Ok(batch) => {
                    if let Err(fault) = self.batch(&batch, from, &mut tally, &mut visit) {
                        tally.fault(fault);
                    }
                }
                Err(fault) => {
                    if let BatchFault::OldMagic { base_offset, .. }
                    | BatchFault::NewMagic { base_offset, .. } = fault
                    {
                        tally.next_offset = tally.next_offset.max(base_offset.saturating_add(1));
                    }
                    tally.fault(fault);
                }
            }
        }
        tally
    }

    fn batch<'b>(
        &mut self,
        batch: &Batch<'b>,
        from: i64,
        tally: &mut Tally,
        visit: &mut impl FnMut(&Batch<'b>, Entry<'_>),
    ) -> Result<(), UnreadableBatch> {
        let base_offset = batch.base_offset;
        let (told, is) = (batch.crc, crc32c::crc32c(batch.checked));
        if told != is {
            // Where it ends may be wrong too, so the next one has to say where it begins.
            return Err(UnreadableBatch::Checksum {
                base_offset,
                told,
                is,
            });
        }
        tally.next_offset = tally.next_offset.max(batch.last_offset().saturating_add(1));
        let payload = compression::payload(batch, &mut self.decompressed)
            .map_err(|error| UnreadableBatch::Decompress { base_offset, error })?;
        for record in batch.records(payload) {
            let record = record?;
            if record.offset < from {
                continue;
            }
            if batch.is_control() {
                visit(batch, Entry::Mark(mark(&record)?));
            } else {
                tally.records += 1;
                visit(batch, Entry::Data(record));
            }
        }
        Ok(())
    }
}

/// What a control record says.
fn mark(record: &BatchRecord<'_>) -> Result<Mark, UnreadableBatch> {
    let key = record.key.unwrap_or_default();
    let Some([_, _, kind @ ..]) = key.first_chunk::<MARK_KEY>() else {
        return Err(UnreadableBatch::Mark {
            offset: record.offset,
            length: key.len(),
        });
    };
    Ok(match i16::from_be_bytes(*kind) {
        0 => Mark::Abort,
        1 => Mark::Commit,
        other => Mark::Other(other),
    })
}

#[cfg(test)]
mod tests;
