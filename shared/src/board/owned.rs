//! Which partitions a member owns.

use serde::Serialize;

use super::text::clipped;
use crate::event::TopicPartitions;
use crate::ids::Generation;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// What a member owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Owned {
    /// Since which generation; none where that is not visible.
    pub generation: Option<Generation>,
    /// Since when.
    pub at: UnixMs,
    /// Its partitions, at most [`TopicPartitions::NAMED`]; none where the assignment is not readable.
    pub partitions: Option<Vec<TopicPartitions>>,
    /// How many more there are.
    pub unnamed: u32,
}

impl Owned {
    /// How many partitions it owns; none where the assignment is not readable.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        let named: usize = self
            .partitions
            .as_ref()?
            .iter()
            .map(|topic| topic.partitions.len())
            .sum();
        Some(named.saturating_add(self.unnamed as usize))
    }
}

impl Owned {
    /// Whether it names this partition.
    #[must_use]
    pub fn has(&self, topic: &str, partition: i32) -> bool {
        let mut topics = self.partitions.iter().flatten();
        topics.any(|owned| owned.topic == topic && owned.partitions.contains(&partition))
    }
}

/// At most `room` partitions of these topics, whose names come from a stranger; `room` is what is left of it.
pub(super) fn bounded(topics: &[TopicPartitions], room: &mut usize) -> Vec<TopicPartitions> {
    // As long as it is: most rows name one topic, and there are thousands of rows.
    let mut kept = Vec::with_capacity(topics.len().min(TopicPartitions::NAMED));
    for topic in topics.iter().take(TopicPartitions::NAMED) {
        let partitions: Vec<i32> = topic.partitions.iter().copied().take(*room).collect();
        *room = room.saturating_sub(partitions.len());
        kept.push(TopicPartitions {
            topic: clipped(&topic.topic),
            partitions,
        });
    }
    kept
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
pub(super) const fn is_zero(n: &u32) -> bool {
    *n == 0
}
