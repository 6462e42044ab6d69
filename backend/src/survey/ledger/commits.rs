//! The last commit of each partition, of one group.

use shared::event::TopicPartitions;
use shared::sorted::SortedMap;
use shared::time::{Timestamp, UnixMs};

use super::classic::Life;

/// What one partition of a topic was committed last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    /// Where in the log it stands.
    pub(super) position: i64,
    /// When, by its coordinator's clock.
    pub(super) at: UnixMs,
    /// It was made after this; none where it is of before our start.
    pub(super) since: Option<Timestamp>,
    /// Whether it is part of a transaction.
    pub(super) in_transaction: bool,
    /// Whether it takes back what was committed before: kept only until what stands before it is read.
    pub(super) taken_back: bool,
    /// Which partition: below [`crate::limits::LEDGER_PARTITION`].
    pub(super) partition: i32,
}

/// By topic and partition. Most groups read one topic, or few: a list of them takes a third of a tree.
#[derive(Debug, Default)]
pub(super) struct Commits(SortedMap<Box<str>, Partitions>);

/// The partitions of a topic in the order of their numbers: as a list they take a third of what a tree of them would.
#[derive(Debug, Default)]
struct Partitions(Vec<Commit>);

impl Partitions {
    fn place(&self, partition: i32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&partition, |commit| commit.partition)
    }

    fn get(&self, partition: i32) -> Option<&Commit> {
        self.0.get(self.place(partition).ok()?)
    }

    /// Takes one in, unless a later one is known; what it weighs, none where that is more than `room`.
    fn put(&mut self, commit: Commit, room: usize) -> Option<usize> {
        match self.place(commit.partition) {
            Ok(place) => {
                if let Some(known) = self.0.get_mut(place)
                    && known.position < commit.position
                {
                    *known = commit;
                }
                Some(0)
            }
            Err(place) if WEIGHT <= room => {
                self.0.insert(place, commit);
                Some(WEIGHT)
            }
            Err(_) => None,
        }
    }

    fn take(&mut self, partition: i32) {
        if let Ok(place) = self.place(partition) {
            self.0.remove(place);
        }
    }

    /// Forgets what was taken back; all is read now, so that there are hardly more to come.
    fn sweep(&mut self) {
        self.0.retain(|commit| !commit.taken_back);
        self.0.shrink_to_fit();
    }
}

/// What keeping one takes, about, in bytes: a list that grows is partly empty.
const WEIGHT: usize = 56;
/// The same of a topic, beside its name.
const TOPIC_WEIGHT: usize = 128;

impl Commits {
    pub(super) const fn new() -> Self {
        Self(SortedMap::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many partitions there are.
    pub(super) fn len(&self) -> usize {
        self.0.values().map(|partitions| partitions.0.len()).sum()
    }

    /// Bytes that all take, about.
    pub(super) fn weight(&self) -> usize {
        let topics = self.0.iter();
        topics
            .map(|(topic, partitions)| TOPIC_WEIGHT + topic.len() + WEIGHT * partitions.0.len())
            .sum()
    }

    /// Takes one in, unless a later one is known. The bytes that it takes, about; none where those are more than `room`.
    pub(super) fn put(&mut self, topic: &str, commit: Commit, room: usize) -> Option<usize> {
        if let Some(partitions) = self.0.get_mut(topic) {
            return partitions.put(commit, room);
        }
        let own = TOPIC_WEIGHT + topic.len();
        let mut partitions = Partitions::default();
        let weight = partitions.put(commit, room.checked_sub(own)?)?;
        self.0.insert(Box::from(topic), partitions);
        Some(own + weight)
    }

    /// Forgets one.
    pub(super) fn take(&mut self, topic: &str, partition: i32) {
        if let Some(partitions) = self.0.get_mut(topic) {
            partitions.take(partition);
            if partitions.0.is_empty() {
                self.0.remove(topic);
            }
        }
    }

    /// Forgets what was taken back.
    pub(super) fn sweep(&mut self) {
        self.0.retain(|_, partitions| {
            partitions.sweep();
            !partitions.0.is_empty()
        });
    }

    /// When a partition was committed last.
    pub(super) fn at(&self, topic: &str, partition: i32) -> Option<UnixMs> {
        let commit = self.0.get(topic)?.get(partition)?;
        (!commit.taken_back).then_some(commit.at)
    }

    /// The signs of life in the commits of these partitions that stand behind `position`.
    pub(super) fn life(&self, owned: &[TopicPartitions], position: i64) -> Life {
        let mut life = Life::default();
        for topic in owned {
            let Some(partitions) = self.0.get(&*topic.topic) else {
                continue;
            };
            for commit in topic
                .partitions
                .iter()
                .filter_map(|number| partitions.get(*number))
            {
                if commit.position > position && !commit.taken_back {
                    life = life.and(Life {
                        plain: commit.since.filter(|_| !commit.in_transaction),
                        plain_at: (!commit.in_transaction).then_some(commit.at),
                        in_transaction: commit.in_transaction,
                    });
                }
            }
        }
        life
    }
}
