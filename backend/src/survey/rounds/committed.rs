//! What groups have committed: OffsetFetch, for all topics of a group, many groups in a request where the broker takes that.

use std::sync::Arc;

use shared::error_code;
use shared::event::{Lag, PartitionProgress, TopicPartitions};
use shared::ids::GroupId;
use shared::protocol::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchResponse, OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
};
use shared::time::Timestamp;

use super::ends::Ends;
use crate::progress::progressed;
use crate::survey::ledger::Ledger;
use crate::survey::port::{Output, Report};

/// The first version that tells all topics of a group.
const ALL_TOPICS: i16 = 2;
/// The first version that takes many groups (KIP-709).
const MANY_GROUPS: i16 = 8;
/// The last version that names topics by their names (KIP-848).
const BY_NAME: i16 = 9;

/// Where a group is in a partition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) partition: i32,
    /// None where nothing was ever committed.
    pub(super) committed: Option<i64>,
    /// How many records are left, where the coordinator counts them itself.
    pub(super) left: Option<u64>,
}

/// Where a group is, by topic.
pub(super) type Committed = Vec<(Arc<str>, Vec<Place>)>;

/// How a group stands.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// A print of what was told last.
    told: Option<u64>,
    /// How many partitions it had at last.
    pub(super) size: usize,
    /// Whether it is a share group, which commits nothing.
    pub(super) shares: bool,
    /// What it has committed, as answered in this round.
    committed: Option<Committed>,
}

impl Standing {
    /// Takes in what its coordinator answered, unless that is more than `room` partitions; how many they are.
    pub(super) fn take(&mut self, committed: Committed, room: usize) -> usize {
        self.size = committed.iter().map(|(_, partitions)| partitions.len()).sum();
        if self.size > room {
            return 0;
        }
        self.committed = Some(committed);
        self.size
    }

    /// The partitions that it has committed or that its members own, in this round, by topic.
    pub(super) fn partitions(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = i32>)> {
        self.committed.iter().flatten().map(|(topic, partitions)| {
            let numbers = partitions.iter().map(|place| place.partition);
            (&**topic, numbers)
        })
    }

    /// Its news, where there are any.
    pub(super) fn report(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        ends: &Ends,
        ledger: &Ledger,
    ) -> Option<Output> {
        let mut rows = Vec::new();
        for (topic, places) in self.committed.take()? {
            for Place {
                partition,
                committed,
                left,
            } in places
            {
                // A coordinator leaves out what it may not show of a topic: that nothing was committed is so only where the topic
                // may be seen.
                if committed.is_none() && !ends.shows(&topic) {
                    continue;
                }
                rows.push(PartitionProgress {
                    topic: Arc::clone(&topic),
                    partition,
                    committed,
                    end: ends.of(&topic, partition),
                    committed_at: committed.and_then(|_| ledger.committed_at(id, &topic, partition)),
                    lag: left,
                    gone: ends.lacks(&topic, partition),
                });
            }
        }
        rows.sort_unstable_by(|one, other| (&one.topic, one.partition).cmp(&(&other.topic, other.partition)));
        let lag = if self.shares { Lag::of_share } else { Lag::of };
        let change = progressed(&mut self.told, rows, lag)?;
        Some(Output::Report(Report::seen(now, id, change)))
    }
}

/// The version to ask in, of those up to `highest`; none where no version tells all topics.
pub(super) fn version(highest: i16) -> Option<i16> {
    (highest >= ALL_TOPICS).then(|| highest.min(BY_NAME))
}

/// Whether many groups go into one request.
pub(super) const fn takes_many(version: i16) -> bool {
    version >= MANY_GROUPS
}

/// The request for these groups; in versions that take but one, for the first.
pub(super) fn request(version: i16, groups: &[GroupId]) -> OffsetFetchRequest {
    let ids = groups.iter().map(|group| group.as_str().to_owned());
    if takes_many(version) {
        let groups = ids.map(|group_id| OffsetFetchRequestGroup {
            group_id,
            topics: None,
            ..Default::default()
        });
        return OffsetFetchRequest {
            groups: groups.collect(),
            ..Default::default()
        };
    }
    OffsetFetchRequest {
        group_id: ids.take(1).collect(),
        topics: None,
        ..Default::default()
    }
}

/// What an answer says of the groups asked about; those answered with an error are left out: looks at them say why.
pub(super) fn read(asked: Vec<GroupId>, answer: OffsetFetchResponse) -> Vec<(GroupId, Committed)> {
    if answer.groups.is_empty() {
        let mut asked = asked.into_iter();
        let (Some(id), None, error_code::NONE) = (asked.next(), asked.next(), answer.error_code) else {
            return Vec::new();
        };
        let topics = answer.topics.into_iter().map(|topic| {
            let partitions = topic.partitions.into_iter();
            let row = |row: OffsetFetchResponsePartition| {
                offset(row.partition_index, row.committed_offset, row.error_code)
            };
            (topic.name.into(), partitions.filter_map(row).collect())
        });
        return vec![(id, topics.collect())];
    }
    let told = answer.groups.into_iter();
    let told = told.filter(|group| group.error_code == error_code::NONE);
    told.map(|group| {
        let topics = group.topics.into_iter().map(|topic| {
            let partitions = topic.partitions.into_iter();
            let row = |row: OffsetFetchResponsePartitions| {
                offset(row.partition_index, row.committed_offset, row.error_code)
            };
            (topic.name.into(), partitions.filter_map(row).collect())
        });
        (GroupId::from(group.group_id), topics.collect())
    })
    .collect()
}

/// -1 is no offset. One that is refused is not known.
fn offset(partition: i32, offset: i64, error: i16) -> Option<Place> {
    (error == error_code::NONE).then(|| Place {
        partition,
        committed: (offset >= 0).then_some(offset),
        left: None,
    })
}

/// Commits and, without one, the other partitions that the group's members own.
pub(super) fn with_owned<'a>(
    mut committed: Committed,
    owned: impl Iterator<Item = &'a TopicPartitions>,
) -> Committed {
    committed.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    for (_, places) in &mut committed {
        places.sort_unstable_by_key(|place| place.partition);
    }
    let known = committed.len();
    for topic in owned {
        let rows = committed.get(..known).unwrap_or_default();
        let place = rows.binary_search_by(|(name, _)| (**name).cmp(&topic.topic));
        let rows = place.ok().and_then(|place| committed.get(place));
        let missing = topic.partitions.iter().filter(|number| {
            let among = |(_, places): &(Arc<str>, Vec<Place>)| {
                places
                    .binary_search_by_key(*number, |place| place.partition)
                    .is_ok()
            };
            !rows.is_some_and(among)
        });
        let missing = missing.map(|number| Place {
            partition: *number,
            committed: None,
            left: None,
        });
        let missing: Vec<Place> = missing.collect();
        if !missing.is_empty() {
            committed.push((topic.topic.as_str().into(), missing));
        }
    }
    committed
}
