//! How far groups have read, as an event: told on change, those with most left to read first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shared::event::{Change, PartitionProgress};

/// The event of these rows, unless they are what was told last, of which `told` holds a print. Of a group that never had any
/// nothing is told.
pub(crate) fn progressed(told: &mut Option<u64>, mut rows: Vec<PartitionProgress>) -> Option<Change> {
    let mut hasher = DefaultHasher::new();
    for row in &rows {
        (&row.topic, row.partition, row.committed, row.end).hash(&mut hasher);
    }
    let print = (!rows.is_empty()).then(|| hasher.finish());
    if std::mem::replace(told, print) == print {
        return None;
    }
    // Where it is not known how much is left, last.
    let left = |row: &PartitionProgress| row.end.map(|end| end.saturating_sub(row.committed.unwrap_or(0)));
    rows.sort_by_key(|row| std::cmp::Reverse(left(row)));
    let unnamed = rows.len().saturating_sub(PartitionProgress::NAMED);
    rows.truncate(PartitionProgress::NAMED);
    Some(Change::GroupProgress {
        partitions: rows,
        unnamed: u32::try_from(unnamed).unwrap_or(u32::MAX),
    })
}
