//! `__consumer_offsets`: what the coordinator keeps of its groups, compacted to the newest value of each key.

use std::collections::BTreeMap;

use shared::error_code as code;
use shared::protocol::EncodeError;
use shared::protocol::offsets_log::OffsetsRecord;
use shared::time::UnixMs;

use crate::coordinator::offsets_log::partition_of;

/// A record's value, and the one before it where that may be asked for.
#[derive(Debug, Default)]
struct Value {
    newest: Option<Box<[u8]>>,
    /// Of groups only, not of offsets: what a coordinator reads that lost the newest record.
    before: Option<Box<[u8]>>,
}

/// The log.
#[derive(Debug, Default)]
pub(super) struct Store {
    partitions: BTreeMap<i32, BTreeMap<Box<[u8]>, Value>>,
}

impl Store {
    /// Takes records in, all or none.
    ///
    /// # Errors
    ///
    /// Kafka's code for what the log cannot take.
    pub(super) fn append(&mut self, mut records: Vec<OffsetsRecord>, now: UnixMs) -> Result<(), i16> {
        stamp(&mut records, now);
        let rows: Result<Vec<_>, EncodeError> = records.iter().map(row).collect();
        for (record, (key, newest)) in records
            .iter()
            .zip(rows.map_err(|_too_long| code::MESSAGE_TOO_LARGE)?)
        {
            let partition = self.partitions.entry(partition_of(record.group())).or_default();
            match (newest, record) {
                (None, _) => {
                    partition.remove(&key);
                }
                (Some(newest), OffsetsRecord::Commit(..)) => {
                    partition.entry(key).or_default().newest = Some(newest);
                }
                (Some(newest), OffsetsRecord::Group(..)) => {
                    let value = partition.entry(key).or_default();
                    value.before = value.newest.replace(newest);
                }
            }
        }
        Ok(())
    }

    /// What a partition holds.
    #[cfg_attr(not(test), expect(dead_code, reason = "for coordinator moves"))]
    pub(super) fn records(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.read(partition, |value| value.newest.as_deref())
    }

    #[cfg_attr(not(test), expect(dead_code, reason = "for coordinator moves"))]
    /// What it held before the newest record of each group: what a coordinator reads that lost those.
    pub(super) fn records_before(&self, partition: i32) -> Vec<OffsetsRecord> {
        self.read(partition, |value| {
            value.before.as_deref().or(value.newest.as_deref())
        })
    }

    fn read(&self, partition: i32, value: impl Fn(&Value) -> Option<&[u8]>) -> Vec<OffsetsRecord> {
        let rows = self.partitions.get(&partition).into_iter().flatten();
        let read = |(key, kept): (&Box<[u8]>, &Value)| OffsetsRecord::read(key, value(kept)).ok().flatten();
        rows.filter_map(read).collect()
    }
}

type Row = (Box<[u8]>, Option<Box<[u8]>>);

fn row(record: &OffsetsRecord) -> Result<Row, EncodeError> {
    let (key, value) = record.to_bytes()?;
    Ok((key.into(), value.map(Into::into)))
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
