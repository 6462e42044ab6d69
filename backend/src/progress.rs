//! How far groups have read, as an event: told on change, those with most left to read first.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shared::event::{Change, Lag, PartitionProgress};

use crate::limits;

/// The event of these rows, unless they are what was told last, of which `told` holds a print. Of a group that never had any
/// nothing is told. `lag` sums them up.
pub(crate) fn progressed(
    told: &mut Option<u64>,
    mut rows: Vec<PartitionProgress>,
    lag: fn(&[PartitionProgress]) -> Lag,
) -> Option<Change> {
    let mut hasher = DefaultHasher::new();
    for row in &rows {
        let committed_at = row.committed_at.map(|at| at.0 / limits::ROUND_COMMITTED_AT.0);
        (
            &row.topic,
            row.partition,
            row.committed,
            row.end,
            row.lag,
            row.gone,
            committed_at,
        )
            .hash(&mut hasher);
    }
    let print = (!rows.is_empty()).then(|| hasher.finish());
    if std::mem::replace(told, print) == print {
        return None;
    }
    // What cannot be so first; where it is not known how much is left, last.
    rows.sort_by_key(|row| std::cmp::Reverse((row.gone, row.beyond(), row.left())));
    let lag = lag(&rows);
    let unnamed = rows.len().saturating_sub(PartitionProgress::NAMED);
    rows.truncate(PartitionProgress::NAMED);
    Some(Change::GroupProgress {
        partitions: rows,
        unnamed: u32::try_from(unnamed).unwrap_or(u32::MAX),
        lag,
    })
}
