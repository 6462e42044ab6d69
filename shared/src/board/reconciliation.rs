//! How far a member is on its way to the assignment it was given.

use serde::Serialize;

use super::owned::bounded;
use crate::event::{Reconciling, TopicPartitions};
use crate::health::words::{escaped, listed};
use crate::time::UnixMs;
use crate::tree::FromNode;

/// How many partitions the sentence names of each list.
const NAMED: usize = 4;

/// A member on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Reconciliation {
    /// Since when.
    pub since: UnixMs,
    /// How far it is.
    pub what: Reconciling,
}

impl Reconciliation {
    /// What is known after newer news; none once it has arrived.
    pub(super) fn after(old: Option<Self>, news: &Reconciling, at: UnixMs) -> Option<Self> {
        if news.is_over() {
            return None;
        }
        let mut room = TopicPartitions::NAMED;
        let what = Reconciling {
            epoch: news.epoch,
            target_epoch: news.target_epoch,
            gives_up: bounded(&news.gives_up, &mut room),
            awaits: bounded(&news.awaits, &mut room),
            unnamed: news.unnamed,
        };
        Some(Self {
            since: old.map_or(at, |old| old.since),
            what,
        })
    }
}

impl Reconciling {
    /// "epoch 5 of 7; must give up orders-3; waits for orders-4".
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = if self.epoch == self.target_epoch {
            format!("epoch {}", self.epoch)
        } else {
            format!("epoch {} of {}", self.epoch, self.target_epoch)
        };
        for (verb, topics) in [("must give up", &self.gives_up), ("waits for", &self.awaits)] {
            if !topics.is_empty() {
                words = format!("{words}; {verb} {}", names(topics));
            }
        }
        if self.unnamed > 0 {
            words = format!("{words}; and {} more", self.unnamed);
        }
        words
    }
}

/// "orders-3, orders-4 and 2 more".
fn names(topics: &[TopicPartitions]) -> String {
    let mut all = Vec::new();
    for topic in topics {
        let name = escaped(&topic.topic);
        // Tasks, whose names have a blank, which no topic has: Kafka Streams writes them so.
        let sign = if name.contains(' ') { '_' } else { '-' };
        all.extend(
            topic
                .partitions
                .iter()
                .map(|partition| format!("{name}{sign}{partition}")),
        );
    }
    listed(all.into_iter(), NAMED)
}
