//! The leader's part: who wants what, how many partitions there are, who gets them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Member;
use super::assignor::{self, Subscriber};
use super::config::ConfigError;
use super::link::Ask;
use super::port::Output;
use super::state::State;
use crate::event::{RebalanceCause, RejoinCause};
use crate::ids::{InstanceId, MemberId};
use crate::protocol::{
    ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, JoinGroupResponseMember,
    SyncGroupRequestAssignment, TopicPartition,
};
use crate::time::{Millis, Timestamp};

/// A topic said to have more partitions than this has none for us: no cluster of Kafka holds as many in all, and each
/// costs its leader memory.
const PARTITIONS_MAX: u32 = 1_000_000;

/// How many partitions each topic of a group has; none of one that does not exist.
type Partitions = BTreeMap<String, u32>;

/// What a leader knows about topics.
#[derive(Debug, Default)]
pub(super) struct Leading {
    /// The last counts told.
    told: Partitions,
    /// A generation without its assignment.
    pending: Option<Pending>,
    /// The topics of the group, with the counts that the present assignment rests on; none while the member does not lead.
    used: Option<BTreeMap<String, Option<u32>>>,
}

/// A generation that waits for the counts of its topics.
#[derive(Debug)]
struct Pending {
    subscribers: Vec<Subscriber>,
    topics: BTreeSet<String>,
    /// Then it is assigned with the counts there are: the group must not wait for ever.
    until: Timestamp,
    told: bool,
}

impl Member {
    /// The member leads the generation it was just taken into. `skip`: it is a static member that came back, and the
    /// coordinator keeps the assignment there is (KIP-814).
    pub(super) fn lead(&mut self, now: Timestamp, members: Vec<JoinGroupResponseMember>, skip: bool) {
        if skip {
            let assignments = Vec::new();
            return self.ask(now, Ask::SyncGroup { assignments });
        }
        let subscribers: Vec<Subscriber> = members.into_iter().map(subscriber).collect();
        let topics: BTreeSet<String> = subscribers
            .iter()
            .flat_map(|subscriber| &subscriber.topics)
            .cloned()
            .collect();
        let told = topics.is_empty();
        if !told {
            let topics = topics.iter().cloned().collect();
            self.outputs.push_back(Output::FindTopics(topics));
        }
        self.leading.pending = Some(Pending {
            subscribers,
            topics,
            until: now + self.topics_timeout(),
            told,
        });
    }

    /// Half the time after which the coordinator throws out a leader that does not sync: the rebalance timeout, or what stands
    /// for it in JoinGroup version 0.
    fn topics_timeout(&self) -> Millis {
        Millis(self.effective_rebalance_timeout().0 / 2).min(self.config.request_timeout)
    }

    /// Whether the generation's assignment is its work.
    #[must_use]
    pub const fn leads(&self) -> bool {
        self.leading.used.is_some()
    }

    /// When an assignment is made, whatever is known by then; none while there is nobody to send it to.
    pub(super) fn assignment_due(&self) -> Option<Timestamp> {
        let pending = self.leading.pending.as_ref()?;
        self.coordinator.as_ref()?;
        Some(if pending.told {
            Timestamp::default()
        } else {
            pending.until
        })
    }

    /// Sends the assignment where it is due.
    pub(super) fn assign_if_due(&mut self, now: Timestamp) {
        if self.standing.state() != State::CompletingRebalance {
            self.leading.pending = None;
        }
        if self.assignment_due().is_none_or(|due| due > now) {
            return;
        }
        let Some(pending) = self.leading.pending.take() else {
            return;
        };
        let used = self.leading.counts(pending.topics);
        let partitions = used
            .iter()
            .filter_map(|(topic, count)| Some((topic.clone(), (*count)?)))
            .collect();
        let assignments = assignor::range(pending.subscribers, &partitions)
            .into_iter()
            .map(|(member, topics)| SyncGroupRequestAssignment {
                member_id: member.as_str().to_owned(),
                assignment: assignment(topics),
            })
            .collect();
        self.leading.used = Some(used);
        self.ask(now, Ask::SyncGroup { assignments });
    }

    /// The counts of topics, asked for or not.
    pub(super) fn topics_told(&mut self, counts: Partitions) {
        self.leading.told = counts;
        self.leading.told.retain(|_, count| *count <= PARTITIONS_MAX);
        if let Some(pending) = &mut self.leading.pending {
            pending.told = true;
        }
        self.rejoin_if_changed();
    }

    /// Other topics. One whose name the wire cannot carry does not exist and is left out.
    pub(super) fn subscribe(&mut self, mut topics: Vec<String>) {
        topics.retain(|topic| topic.len() <= ConfigError::TEXT_MAX);
        self.topics = subscription(topics);
        self.rejoin_if_changed();
    }

    /// A stable member rejoins where it joined with other topics, or leads with other counts, than there are now.
    pub(super) fn rejoin_if_changed(&mut self) {
        if self.standing.state() != State::Stable || self.must_rejoin {
            return;
        }
        let cause = if self.topics != self.joining.topics {
            RebalanceCause::SubscriptionChanged
        } else if self.leading.outdated() {
            RebalanceCause::MetadataChanged
        } else {
            return;
        };
        self.seen.caused_by_us(cause);
        self.must_rejoin(RejoinCause::SubscriptionChanged, None);
    }
}

impl Leading {
    /// Whoever leads next says so anew.
    pub(super) fn reset(&mut self) {
        self.pending = None;
        self.used = None;
    }

    /// What was told about these topics.
    fn counts(&self, topics: impl IntoIterator<Item = String>) -> BTreeMap<String, Option<u32>> {
        topics
            .into_iter()
            .map(|topic| {
                let count = self.told.get(&topic).copied();
                (topic, count)
            })
            .collect()
    }

    /// Whether the present assignment rests on other counts than were told since.
    fn outdated(&self) -> bool {
        self.used
            .as_ref()
            .is_some_and(|used| *used != self.counts(used.keys().cloned()))
    }
}

/// Topics in order and once each: named in another order they are the same subscription, and no reason to rejoin.
pub(super) fn subscription(mut topics: Vec<String>) -> Arc<[String]> {
    topics.sort_unstable();
    topics.dedup();
    topics.into()
}

/// A member as the leader sees it. Bytes that are no subscription ask for nothing.
fn subscriber(member: JoinGroupResponseMember) -> Subscriber {
    let wanted = ConsumerProtocolSubscription::try_read(&member.metadata);
    Subscriber {
        member: MemberId::from(member.member_id),
        instance: member.group_instance_id.map(InstanceId::from),
        topics: wanted.map_or_else(|_none| Vec::new(), |(_version, wanted)| wanted.topics),
    }
}

/// Every version looks alike, and every reader knows the first.
fn assignment(topics: BTreeMap<String, Vec<i32>>) -> Vec<u8> {
    let assigned_partitions = topics
        .into_iter()
        .map(|(topic, partitions)| TopicPartition { topic, partitions })
        .collect();
    let whole = ConsumerProtocolAssignment {
        assigned_partitions,
        user_data: None,
    };
    // It cannot fail: the names were read from the wire, so they fit it.
    whole.to_bytes(0).unwrap_or_default()
}
