//! The log in memory: of each key the newest value.

use std::collections::BTreeMap;

use shared::protocol::EncodeError;
use shared::protocol::offsets_log::OffsetsRecord;

use crate::coordinator::offsets_log::partition_of;

/// One record's bytes, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) partition: i32,
    pub(super) key: Box<[u8]>,
    /// None takes the key's row back.
    pub(super) value: Option<Box<[u8]>>,
    /// It is about a group, not about an offset.
    pub(super) of_group: bool,
}

impl Row {
    pub(super) fn of(record: &OffsetsRecord) -> Result<Self, EncodeError> {
        let (key, value) = record.to_bytes()?;
        Ok(Self {
            partition: partition_of(record.group()),
            key: key.into(),
            value: value.map(Into::into),
            of_group: matches!(record, OffsetsRecord::Group(..)),
        })
    }
}

/// A record's value, and the one before it where that may be asked for.
#[derive(Debug)]
struct Value {
    newest: Box<[u8]>,
    /// Of groups only: what a coordinator reads that lost the newest record.
    before: Option<Box<[u8]>>,
}

/// All partitions.
#[derive(Debug, Default)]
pub(super) struct Compacted {
    partitions: BTreeMap<i32, BTreeMap<Box<[u8]>, Value>>,
}

impl Compacted {
    pub(super) fn apply(&mut self, row: Row) {
        let partition = self.partitions.entry(row.partition).or_default();
        let before = partition.remove(&row.key).filter(|_| row.of_group);
        if let Some(newest) = row.value {
            let before = before.map(|value| value.newest);
            partition.insert(row.key, Value { newest, before });
        } else if partition.is_empty() {
            self.partitions.remove(&row.partition);
        }
    }

    pub(super) fn partitions(&self) -> Vec<i32> {
        self.partitions.keys().copied().collect()
    }

    pub(super) fn records(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.read(partition, |value| &value.newest)
    }

    pub(super) fn records_before(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.read(partition, |value| value.before.as_ref().unwrap_or(&value.newest))
    }

    /// Every row was written by us or has been read once when the file was opened: none is left out here.
    fn read(&self, partition: i32, value: impl Fn(&Value) -> &[u8]) -> Vec<OffsetsRecord> {
        let rows = self.partitions.get(&partition).into_iter().flatten();
        rows.filter_map(|(key, kept)| OffsetsRecord::read(key, Some(value(kept))).ok().flatten())
            .collect()
    }
}
