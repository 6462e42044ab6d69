//! How far groups have read: told on change, beside where the logs end, which somebody else knows.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use shared::event::{Lag, PartitionProgress};
use shared::ids::GroupId;
use shared::time::Timestamp;

use super::classic::Group;
use super::{Coordinator, Observed, Output};
use crate::limits;
use crate::progress::progressed;

impl Coordinator {
    /// Tells of each group whose standing differs from what was told last; `end` is the offset after a partition's last
    /// record, none where there is no such partition. Asked again and again it goes through all groups, a bounded number of
    /// partitions at a time.
    pub fn measure(&mut self, now: Timestamp, end: impl Fn(&str, i32) -> Option<i64>) {
        if self.frozen_since.is_some() {
            return;
        }
        self.desk.now = self.desk.now.max(now);
        let from = self.measured.take().map_or(Bound::Unbounded, Bound::Excluded);
        let mut room = limits::PROGRESS_ROWS;
        for (id, group) in self.groups.range_mut::<GroupId, _>((from, Bound::Unbounded)) {
            if room == 0 {
                return;
            }
            let rows = rows(group, &end);
            room = room.saturating_sub(rows.len());
            self.measured = Some(id.clone());
            if let Some(change) = progressed(&mut group.progress_told, rows, Lag::of) {
                self.desk.out.push_back(Output::Observed(Observed {
                    group: id.clone(),
                    member: None,
                    change,
                }));
            }
        }
        // All of them: the next time from the first.
        self.measured = None;
    }
}

/// Every partition the group has committed or owns.
fn rows(group: &Group, end: impl Fn(&str, i32) -> Option<i64>) -> Vec<PartitionProgress> {
    let mut rows: BTreeMap<(Arc<str>, i32), Option<i64>> = BTreeMap::new();
    for (topic, partitions) in group.all_owned() {
        let topic: Arc<str> = topic.into();
        let row = |partition| ((Arc::clone(&topic), partition), None);
        rows.extend(partitions.into_iter().map(row));
    }
    for (topic, partitions) in group.committed_by_topic() {
        let topic: Arc<str> = topic.into();
        let row = |(partition, committed): (i32, &super::classic::Committed)| {
            ((Arc::clone(&topic), partition), Some(committed.offset))
        };
        rows.extend(partitions.into_iter().map(row));
    }
    let row = |((topic, partition), committed): ((Arc<str>, i32), Option<i64>)| PartitionProgress {
        end: end(&topic, partition),
        topic,
        partition,
        committed,
        committed_at: None,
        lag: None,
        gone: false,
    };
    rows.into_iter().map(row).collect()
}
