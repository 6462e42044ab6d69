//! What members of others' groups asked for, and what they work on where that is more than a list of partitions.

use serde::Serialize;

use super::TopicPartitions;
use super::facts::is_zero;
use crate::tree::FromNode;

/// What a description says of a member beyond its partitions; on change, and whole each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Described {
    /// What it asked for on joining; none where that is not told, or is just the topics it owns partitions of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscription: Option<Subscription>,
    /// What it works on, where that is no list of partitions; none where it is, or is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// What a member asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Subscription {
    /// Topics, at most [`Self::NAMED`], in order.
    pub topics: Vec<String>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed: u32,
    /// Topics by a regular expression (KIP-848).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// What only its assignor understands; of a protocol that is not known here all that it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_data: Option<RawBytes>,
}

impl Subscription {
    /// How many topics an event names at most.
    pub const NAMED: usize = 64;
}

/// What a member works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Work {
    /// A worker of Connect.
    Connect {
        /// Its REST address; none where that is not readable.
        url: Option<String>,
        /// The leader's.
        leader_url: String,
        /// Its connectors and tasks, -1 the connector itself; with `stops` at most [`TopicPartitions::NAMED`] tasks.
        runs: Vec<Tasks>,
        /// What it must stop.
        stops: Vec<Tasks>,
        /// How many more there are of both.
        #[serde(default, skip_serializing_if = "is_zero")]
        unnamed: u32,
        /// For how long tasks of a lost worker are kept from the others (KIP-415).
        delay_ms: u64,
    },
    /// A member of a streams group (KIP-1071): tasks by subtopology, at most [`TopicPartitions::NAMED`] in all.
    Streams {
        /// The process it is in, which may have several members.
        process: String,
        /// The epoch of the topology it computes.
        topology_epoch: i32,
        /// What it computes.
        active: Vec<Tasks>,
        /// What it follows, to take over at once.
        standby: Vec<Tasks>,
        /// What it reads in, to take over later.
        warmup: Vec<Tasks>,
        /// How many more there are of all.
        #[serde(default, skip_serializing_if = "is_zero")]
        unnamed: u32,
    },
    /// Not understood here.
    Opaque {
        /// The protocol type of its group.
        protocol_type: String,
        /// Its assignment as it is.
        assignment: RawBytes,
    },
}

/// Tasks of one connector, or of one subtopology.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Tasks {
    /// Whose.
    pub name: String,
    /// Their numbers, in order.
    pub tasks: Vec<i32>,
}

/// Bytes that are not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct RawBytes {
    /// The first [`Self::SHOWN`] of them, in hexadecimal digits.
    pub hex: String,
    /// How many there are.
    pub length: u64,
}

impl RawBytes {
    /// How many bytes an event shows at most: enough to recognize them by.
    pub const SHOWN: usize = 128;

    /// These.
    #[must_use]
    pub fn of(start: &[u8], length: usize) -> Self {
        let shown = start.get(..Self::SHOWN).unwrap_or(start);
        Self {
            hex: shown.iter().map(|byte| format!("{byte:02x}")).collect(),
            length: length as u64,
        }
    }
}

impl Described {
    /// Whether it says nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.subscription.is_none() && self.work.is_none()
    }
}

/// At most [`TopicPartitions::NAMED`] tasks of several lists; counts the others.
#[derive(Debug)]
pub struct TaskRoom {
    left: usize,
    /// Those that there was no room for.
    pub unnamed: u32,
}

impl Default for TaskRoom {
    fn default() -> Self {
        Self {
            left: TopicPartitions::NAMED,
            unnamed: 0,
        }
    }
}

impl TaskRoom {
    /// As many of these as there is room for, in order, those without a task left out.
    pub fn take(&mut self, all: impl IntoIterator<Item = Tasks>) -> Vec<Tasks> {
        let mut taken = Vec::new();
        for mut of_one in all {
            of_one.tasks.sort_unstable();
            let over = of_one.tasks.len().saturating_sub(self.left);
            self.unnamed = self
                .unnamed
                .saturating_add(u32::try_from(over).unwrap_or(u32::MAX));
            of_one.tasks.truncate(self.left);
            self.left -= of_one.tasks.len();
            if !of_one.tasks.is_empty() {
                taken.push(of_one);
            }
        }
        taken.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        taken
    }
}
