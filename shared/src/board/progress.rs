//! How far a group has read each partition, and since when it stands still while there is more to read.

use std::sync::Arc;

use serde::Serialize;

use super::text::clipped;
use crate::event::{PartitionProgress, between};
use crate::seldom::{Blank, Seldom};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// How far a group has read a partition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Progress {
    /// The topic: one text for all partitions of it.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The committed offset: the next one to be read; none where nothing was committed.
    pub committed: Option<i64>,
    /// The offset after the last record; none where that is not visible.
    pub end: Option<i64>,
    /// When it was committed last, by the coordinator's clock; none where that is not visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed_at: Option<UnixMs>,
    /// How many records are left, as the coordinator itself counts: only of share groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<u64>,
    /// Whether the cluster has no such partition, its topic deleted say, though there are commits of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// That there is something to read, which is so of few partitions at a time.
    #[serde(flatten)]
    pub behind: Seldom<Behind>,
    /// When the end last moved.
    pub arrived: Option<UnixMs>,
}

/// That a group stands still in a partition while there is something to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Behind {
    /// Since when there is something to read and the committed offset has not moved.
    pub behind_since: Option<UnixMs>,
    /// The end at that time.
    pub end_then: Option<i64>,
}

impl Blank for Behind {
    const BLANK: &'static Self = &Self {
        behind_since: None,
        end_then: None,
    };
}

impl Progress {
    /// How many records are left to read; none where nothing was ever committed, the end is not visible or lies before that.
    #[must_use]
    pub fn left(&self) -> Option<u64> {
        self.lag.or_else(|| between(self.committed, self.end))
    }

    /// How far the committed offset lies beyond the end, in records; none where it does not, or that is not visible.
    #[must_use]
    pub fn beyond(&self) -> Option<u64> {
        between(self.end, self.committed).filter(|beyond| *beyond > 0)
    }

    /// How many records came since it stands still.
    #[must_use]
    pub fn came_since(&self) -> Option<u64> {
        u64::try_from(self.end?.saturating_sub(self.behind.end_then?)).ok()
    }

    /// The row after newer news of the same partition.
    fn after(old: Option<&Self>, news: &PartitionProgress, at: UnixMs) -> Self {
        let mut row = Self {
            topic: clipped(&news.topic),
            partition: news.partition,
            committed: news.committed,
            end: news.end,
            committed_at: news.committed_at,
            lag: news.lag,
            gone: news.gone,
            behind: Seldom::default(),
            arrived: old.and_then(|old| old.arrived),
        };
        if old.is_some_and(|old| old.end < news.end) {
            row.arrived = Some(at);
        }
        if row.left().is_none_or(|left| left == 0) {
            return row;
        }
        let standing = old.filter(|old| old.committed == news.committed && old.behind.behind_since.is_some());
        row.behind = standing.map_or_else(
            || {
                let (behind_since, end_then) = (Some(at), news.end);
                Seldom::from(Behind {
                    behind_since,
                    end_then,
                })
            },
            |old| old.behind.clone(),
        );
        row
    }
}

/// The rows after news of a group's progress: those of partitions that are not named stay as they were told last, as
/// long as there is room and the news says that there are more.
pub(super) fn after(
    rows: &[Progress],
    news: &[PartitionProgress],
    unnamed: u32,
    at: UnixMs,
) -> Vec<Progress> {
    let news = news.get(..PartitionProgress::NAMED).unwrap_or(news);
    let mut after: Vec<Progress> = news
        .iter()
        .map(|news| {
            let same = |row: &&Progress| row.partition == news.partition && row.topic == clipped(&news.topic);
            Progress::after(rows.iter().find(same), news, at)
        })
        .collect();
    if unnamed > 0 {
        let named = |row: &Progress, of: &[Progress]| {
            of.iter()
                .any(|new| new.partition == row.partition && new.topic == row.topic)
        };
        let kept: Vec<Progress> = rows
            .iter()
            .filter(|row| !named(row, &after))
            .take(PartitionProgress::NAMED.saturating_sub(after.len()))
            .cloned()
            .collect();
        after.extend(kept);
    }
    after.sort_by(|one, other| (&one.topic, one.partition).cmp(&(&other.topic, other.partition)));
    after
}
