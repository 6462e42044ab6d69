//! Which partitions of `__consumer_offsets` this coordinator has, and what their comings and goings do to groups
//! (protocol.md 3.8; Kafka's `GroupCoordinatorShard.onLoaded` and `GroupMetadataManager.onUnloaded`).
//!
//! A group lives in one partition ([`partition_of`]); the partition's leader coordinates it. Where the partition lies is
//! the server's business: the machine is told when it goes ([`super::Input::Unload`]), when it begins to be read
//! ([`super::Input::LoadBegins`]) and what was in it ([`super::Input::Loaded`]).

use std::collections::{BTreeMap, BTreeSet};

use shared::error_code as code;
use shared::event::{Change, Departure};
use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::offsets_log::{
    self, GroupMetadataValue, OffsetCommitKey, OffsetCommitValue, OffsetsRecord,
};
use shared::time::Timestamp;

use super::classic::Group;
use super::{Coordinator, Desk};

/// How many partitions `__consumer_offsets` has here: Kafka's default.
pub const PARTITIONS: i32 = offsets_log::DEFAULT_PARTITIONS;

/// The partition that holds a group.
#[must_use]
pub fn partition_of(group: &str) -> i32 {
    offsets_log::partition_of(group, PARTITIONS)
}

/// Where a partition is that is not here.
#[derive(Debug)]
pub(super) enum Away {
    /// It is being read.
    Loading { since: Timestamp, left: Left },
    /// Another broker has it.
    Elsewhere { left: Left },
}

/// The groups that went with a partition, and who was in them: of what comes back unchanged nothing need be told.
type Left = BTreeMap<GroupId, BTreeSet<MemberId>>;

/// The partitions that are not here. At first all are.
#[derive(Debug, Default)]
pub(super) struct Partitions {
    away: BTreeMap<i32, Away>,
}

impl Partitions {
    /// The code that refuses a request about this group; none where its partition is here.
    pub(super) fn refusal(&self, group: &str) -> Option<i16> {
        if self.away.is_empty() {
            return None;
        }
        self.away.get(&partition_of(group)).map(|away| match away {
            Away::Loading { .. } => code::COORDINATOR_LOAD_IN_PROGRESS,
            Away::Elsewhere { .. } => code::NOT_COORDINATOR,
        })
    }

    /// Whether the group was here when its partition went.
    pub(super) fn left(&self, group: &str) -> bool {
        !self.away.is_empty()
            && self
                .away
                .get(&partition_of(group))
                .is_some_and(|away| match away {
                    Away::Loading { left, .. } | Away::Elsewhere { left } => left.contains_key(group),
                })
    }

    /// Whether any is being read.
    pub(super) fn any_loads(&self) -> bool {
        self.away
            .values()
            .any(|away| matches!(away, Away::Loading { .. }))
    }
}

impl Coordinator {
    /// The groups whose partition this is.
    fn groups_in(&self, partition: i32) -> Vec<GroupId> {
        let ids = self.groups.keys();
        ids.filter(|id| partition_of(id.as_str()) == partition)
            .cloned()
            .collect()
    }

    /// The partition is another broker's from now on. What waits in its groups is answered 16, their timers are dropped.
    pub(super) fn unload(&mut self, node: NodeId, partition: i32) {
        let mut left = match self.partitions.away.remove(&partition) {
            None => Left::new(),
            Some(Away::Loading { left, .. } | Away::Elsewhere { left }) => left,
        };
        for id in self.groups_in(partition) {
            if let Some(group) = self.groups.get_mut(&id) {
                if group.is_listed() {
                    left.insert(
                        id.clone(),
                        group.members().map(|member| member.id.clone()).collect(),
                    );
                }
                group.unload(&mut self.desk, node, partition);
            }
            self.forget(id.as_str());
        }
        self.partitions.away.insert(partition, Away::Elsewhere { left });
    }

    /// This broker has the partition from now on and reads it; until that is done it does not know its groups.
    pub(super) fn load_begins(&mut self, node: NodeId, partition: i32) {
        if !matches!(self.partitions.away.get(&partition), Some(Away::Elsewhere { .. })) {
            self.unload(node, partition);
        }
        let Some(Away::Elsewhere { left }) = self.partitions.away.remove(&partition) else {
            return;
        };
        for group in left.keys() {
            self.desk
                .observe(group, None, Change::GroupLoading { node, partition });
        }
        let since = self.desk.now;
        self.partitions
            .away
            .insert(partition, Away::Loading { since, left });
    }

    /// The partition is read: its groups are as its records say, and every member has a full session from now.
    pub(super) fn loaded(&mut self, node: NodeId, partition: i32, records: Vec<OffsetsRecord>) {
        if !matches!(self.partitions.away.get(&partition), Some(Away::Loading { .. })) {
            self.load_begins(node, partition);
        }
        let Some(Away::Loading { since, left }) = self.partitions.away.remove(&partition) else {
            return;
        };
        let loading = Loading {
            node,
            partition,
            since,
        };
        for (id, kept) in compacted(partition, records) {
            let before = left.get(&id);
            self.desk.load.bytes += id.as_str().len();
            let group = Group::loaded(&mut self.desk, id.clone(), kept, loading, before);
            self.groups.insert(id, group);
        }
        for id in left.into_keys().filter(|id| !self.groups.contains_key(id)) {
            let group_type = shared::event::GroupType::Classic;
            self.desk.observe(&id, None, Change::GroupGone { group_type });
        }
    }
}

/// Which partition was read by whom, and since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loading {
    pub(crate) node: NodeId,
    pub(crate) partition: i32,
    pub(crate) since: Timestamp,
}

/// What a partition's records say of one group.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) group: Option<GroupMetadataValue>,
    pub(crate) offsets: Vec<(OffsetCommitKey, OffsetCommitValue)>,
}

/// The newest record of each key counts; a tombstone takes the key's record back. Records of groups that belong into
/// another partition are left out: they would never be asked for here.
fn compacted(partition: i32, records: Vec<OffsetsRecord>) -> BTreeMap<GroupId, Kept> {
    let mut groups: BTreeMap<GroupId, Kept> = BTreeMap::new();
    let mut offsets: BTreeMap<(GroupId, String, i32), (OffsetCommitKey, Option<OffsetCommitValue>)> =
        BTreeMap::new();
    for record in records {
        let id = GroupId::from(record.group());
        if partition_of(id.as_str()) != partition {
            continue;
        }
        match record {
            OffsetsRecord::Group(_, value) => groups.entry(id).or_default().group = value,
            OffsetsRecord::Commit(key, value) => {
                offsets.insert((id, key.topic.clone(), key.partition), (key, value));
            }
        }
    }
    for ((id, _, _), (key, value)) in offsets {
        if let Some(value) = value {
            groups.entry(id).or_default().offsets.push((key, value));
        }
    }
    groups.retain(|_, kept| kept.group.is_some() || !kept.offsets.is_empty());
    groups
}

/// Of the members a group had, those its records do not have.
pub(crate) fn tell_missing(desk: &mut Desk, group: &Group, before: &BTreeSet<MemberId>, id: &GroupId) {
    let here: BTreeSet<&MemberId> = group.members().map(|member| &member.id).collect();
    for member in before.iter().filter(|member| !here.contains(member)) {
        let change = Change::MemberGone {
            possible: vec![
                Departure::Left,
                Departure::TimedOut,
                Departure::Evicted,
                Departure::Replaced,
            ],
            why: "the coordinator has read the group from its log, and this member is not in it".to_owned(),
        };
        desk.observe(id, Some(member), change);
    }
}
