//! Idempotent producers: no batch twice, none left out (KIP-98, Kafka's `ProducerStateManager`).

use std::collections::{BTreeMap, VecDeque};

use shared::error_code as code;

use super::batch::{Header, Refused};

/// Batches of a producer that are recognised when they come again: as many as a producer may have on their way.
const REMEMBERED: usize = 5;

/// The producers of one partition.
#[derive(Debug, Default)]
pub(super) struct Producers {
    by_id: BTreeMap<i64, Producer>,
}

#[derive(Debug)]
struct Producer {
    epoch: i16,
    /// Its last batches, the newest last.
    last: VecDeque<Remembered>,
}

#[derive(Clone, Copy, Debug)]
struct Remembered {
    base_sequence: i32,
    last_sequence: i32,
    base_offset: i64,
}

/// How a batch stands in its producer's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequenced {
    /// It follows, or it is of no idempotent producer.
    Next,
    /// Its producer has not written here before, or is forgotten.
    New,
    /// It was appended already.
    Duplicate { base_offset: i64 },
}

impl Producers {
    /// Whether a batch may be appended now.
    pub(super) fn check(&self, header: &Header) -> Result<Sequenced, Refused> {
        if header.producer_id < 0 {
            return Ok(Sequenced::Next);
        }
        let Some(producer) = self.by_id.get(&header.producer_id) else {
            // Kafka takes any number from a producer it knows nothing of: its batches may have gone by retention.
            return Ok(Sequenced::New);
        };
        if header.producer_epoch < producer.epoch {
            return Err(Refused {
                code: code::INVALID_PRODUCER_EPOCH,
                why: format!(
                    "producer {} has the epoch {} and wrote with {}",
                    header.producer_id, producer.epoch, header.producer_epoch
                ),
            });
        }
        let again = producer.last.iter().find(|batch| {
            header.producer_epoch == producer.epoch
                && batch.base_sequence == header.base_sequence
                && batch.last_sequence == header.last_sequence()
        });
        if let Some(batch) = again {
            return Ok(Sequenced::Duplicate {
                base_offset: batch.base_offset,
            });
        }
        let expected = match producer.last.back() {
            // Numbers begin again with each epoch.
            _ if header.producer_epoch > producer.epoch => 0,
            Some(last) => last.last_sequence.wrapping_add(1) & i32::MAX,
            None => header.base_sequence,
        };
        if header.base_sequence == expected {
            Ok(Sequenced::Next)
        } else {
            Err(Refused {
                code: code::OUT_OF_ORDER_SEQUENCE_NUMBER,
                why: format!(
                    "producer {} sent the sequence number {} where {expected} follows",
                    header.producer_id, header.base_sequence
                ),
            })
        }
    }

    /// A checked batch stands at this offset.
    pub(super) fn appended(&mut self, header: &Header, base_offset: i64) {
        if header.producer_id < 0 {
            return;
        }
        let producer = self.by_id.entry(header.producer_id).or_insert_with(|| Producer {
            epoch: header.producer_epoch,
            last: VecDeque::new(),
        });
        if header.producer_epoch > producer.epoch {
            producer.epoch = header.producer_epoch;
            producer.last.clear();
        }
        if producer.last.len() >= REMEMBERED {
            producer.last.pop_front();
        }
        producer.last.push_back(Remembered {
            base_sequence: header.base_sequence,
            last_sequence: header.last_sequence(),
            base_offset,
        });
    }

    pub(super) fn forget(&mut self, producer_id: i64) {
        self.by_id.remove(&producer_id);
    }
}
