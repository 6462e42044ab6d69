//! What groups have committed: OffsetFetch, for all topics of a group, many groups in a request where the broker takes that.

use shared::error_code;
use shared::event::PartitionProgress;
use shared::ids::GroupId;
use shared::protocol::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchResponse, OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
};
use shared::time::Timestamp;

use super::ends::Ends;
use crate::progress::progressed;
use crate::survey::port::{Output, Report};

/// The first version that tells all topics of a group.
const ALL_TOPICS: i16 = 2;
/// The first version that takes many groups (KIP-709).
const MANY_GROUPS: i16 = 8;
/// The last version that names topics by their names (KIP-848).
const BY_NAME: i16 = 9;

/// A group's commits: by topic, each partition's offset; none where the partition's was refused.
pub(super) type Committed = Vec<(String, Vec<(i32, Option<i64>)>)>;

/// How a group stands.
#[derive(Debug, Default)]
pub(super) struct Standing {
    /// A print of what was told last.
    told: Option<u64>,
    /// How many partitions it had at last.
    pub(super) size: usize,
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

    /// The partitions of which there is a commit in this round, by topic.
    pub(super) fn partitions(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = i32>)> {
        self.committed.iter().flatten().map(|(topic, partitions)| {
            let committed = partitions.iter().filter(|(_, offset)| offset.is_some());
            (topic.as_str(), committed.map(|(partition, _)| *partition))
        })
    }

    /// Its news, where there are any.
    pub(super) fn report(&mut self, now: Timestamp, id: &GroupId, ends: &Ends) -> Option<Output> {
        let mut rows = Vec::new();
        for (topic, partitions) in self.committed.take()? {
            for (partition, committed) in partitions {
                rows.push(PartitionProgress {
                    topic: topic.clone(),
                    partition,
                    committed,
                    // Without the one the other says nothing about what is left to read.
                    end: committed.and_then(|_| ends.of(&topic, partition)),
                });
            }
        }
        rows.sort_unstable_by(|one, other| (&one.topic, one.partition).cmp(&(&other.topic, other.partition)));
        let change = progressed(&mut self.told, rows)?;
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
            (topic.name, partitions.map(row).collect())
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
            (topic.name, partitions.map(row).collect())
        });
        (GroupId::from(group.group_id), topics.collect())
    })
    .collect()
}

/// -1 is no offset.
fn offset(partition: i32, offset: i64, error: i16) -> (i32, Option<i64>) {
    (
        partition,
        (error == error_code::NONE && offset >= 0).then_some(offset),
    )
}
