//! What a member's part of the assignment says, as it is told.

use std::collections::BTreeMap;

use shared::event::{Change, TopicPartitions};
use shared::ids::Generation;
use shared::protocol::consumer::{ConsumerProtocol, ConsumerProtocolAssignment};

use super::{Desk, Group, Member};

/// The protocol type whose assignments are partitions.
const CONSUMER: &str = "consumer";
/// Bytes of a topic's name in Kafka; a longer one is none.
const TOPIC_BYTES: usize = 249;

impl Group {
    /// Tells what a member owns from now on.
    pub(super) fn tell_assigned(&self, desk: &mut Desk, member: &Member) {
        let (partitions, unnamed) = match self.owned(member) {
            Some(owned) => {
                let (named, unnamed) = named(&owned);
                (Some(named), unnamed)
            }
            None => (None, 0),
        };
        let change = Change::MemberAssigned {
            generation: Some(Generation(self.generation)),
            partitions,
            unnamed,
        };
        desk.observe(&self.id, Some(&member.id), change);
    }

    /// A member's partitions by topic, in order; none where its assignment is not a consumer's. Whom the leader left out
    /// has no bytes at all, and owns nothing.
    fn owned(&self, member: &Member) -> Option<BTreeMap<String, Vec<i32>>> {
        if self.protocol_type.as_deref() != Some(CONSUMER) {
            return None;
        }
        let mut owned: BTreeMap<String, Vec<i32>> = BTreeMap::new();
        if member.assignment.is_empty() {
            return Some(owned);
        }
        let (_version, assignment) = ConsumerProtocolAssignment::try_read(&member.assignment).ok()?;
        for topic in assignment.assigned_partitions {
            if topic.topic.len() > TOPIC_BYTES {
                return None;
            }
            owned.entry(topic.topic).or_default().extend(topic.partitions);
        }
        for partitions in owned.values_mut() {
            partitions.sort_unstable();
            partitions.dedup();
        }
        Some(owned)
    }

    /// All partitions its members own, as far as their assignments can be read.
    pub(crate) fn all_owned(&self) -> BTreeMap<String, Vec<i32>> {
        let mut all: BTreeMap<String, Vec<i32>> = BTreeMap::new();
        for owned in self.members.values().filter_map(|member| self.owned(member)) {
            for (topic, partitions) in owned {
                all.entry(topic).or_default().extend(partitions);
            }
        }
        all
    }
}

/// As many as an event names, and how many more there are.
fn named(owned: &BTreeMap<String, Vec<i32>>) -> (Vec<TopicPartitions>, u32) {
    let mut room = TopicPartitions::NAMED;
    let mut named = Vec::new();
    let mut unnamed = 0_usize;
    for (topic, partitions) in owned {
        let taken = partitions.len().min(room);
        room -= taken;
        unnamed += partitions.len() - taken;
        if taken > 0 {
            named.push(TopicPartitions {
                topic: topic.clone(),
                partitions: partitions.iter().copied().take(taken).collect(),
            });
        }
    }
    (named, u32::try_from(unnamed).unwrap_or(u32::MAX))
}
