//! A classic group as its last record says it is, and what became of it since the record before.

use std::collections::BTreeMap;

use shared::event::{RebalanceCause, Rebalanced, TopicPartitions};
use shared::ids::{Generation, InstanceId, MemberId};
use shared::protocol::offsets_log::{GroupMetadataValueView, MemberMetadataView};
use shared::protocol::{ConsumerProtocol, ConsumerProtocolSubscription};
use shared::time::{Millis, Timestamp, UnixMs};

use crate::survey::comings::Comings;
use crate::survey::look;

/// A classic group, as it was when it last became Stable or Empty.
#[derive(Debug)]
pub(super) struct Classic {
    pub(super) generation: i32,
    pub(super) protocol: Option<String>,
    pub(super) leader: Option<MemberId>,
    /// The end of the join phase (protocol.md 4.7); records of before Kafka 2.1 have none.
    pub(super) formed_at: Option<UnixMs>,
    /// When the record was written: the end of the sync phase.
    pub(super) written_at: UnixMs,
    /// Each in a box: a node of the map has room for eleven, and most groups have fewer.
    pub(super) members: BTreeMap<MemberId, Box<Sitting>>,
}

/// A member of it.
#[derive(Debug)]
pub(super) struct Sitting {
    pub(super) instance: Option<InstanceId>,
    pub(super) session: Millis,
    pub(super) rebalance: Millis,
    /// What it subscribes to, in order; none where that is not readable.
    topics: Option<Box<[String]>>,
    /// What it got; nothing where that is not readable.
    pub(super) owned: Vec<TopicPartitions>,
    pub(super) life: Life,
}

/// The signs of life that a member gave: commits of what it owned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Life {
    /// The last plain commit was made after this.
    pub(super) plain: Option<Timestamp>,
    /// Whether it committed in transactions, which renews nothing.
    pub(super) in_transaction: bool,
}

impl Life {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            plain: self.plain.max(other.plain),
            in_transaction: self.in_transaction || other.in_transaction,
        }
    }
}

impl Classic {
    pub(super) fn new(value: &GroupMetadataValueView<'_>, written_at: UnixMs) -> Self {
        let members = value.members.iter();
        Self {
            generation: value.generation,
            protocol: value.protocol.map(str::to_owned),
            leader: value.leader.map(MemberId::from),
            formed_at: u64::try_from(value.current_state_timestamp).ok().map(UnixMs),
            written_at,
            members: members
                .map(|member| (MemberId::from(member.member_id), Box::new(Sitting::new(member))))
                .collect(),
        }
    }

    /// Whether it never had a generation: the first JoinGroup to a new group writes such a record.
    pub(super) const fn is_new(&self) -> bool {
        self.generation <= 0 && self.protocol.is_none()
    }

    /// Bytes that keeping it takes, about.
    pub(super) fn weight(&self) -> usize {
        let members = self.members.iter();
        256 + members
            .map(|(id, member)| id.as_str().len() + member.weight())
            .sum::<usize>()
    }

    /// What a record says that follows `before`'s; that is none where nothing is known of before, be it that there was no
    /// such group, which `first` says, or that it is not read yet.
    pub(super) fn since(&self, before: Option<&Self>, first: bool) -> Since {
        if self.is_new() {
            return Since::Nothing;
        }
        let Some(before) = before else {
            let rebalanced = if first {
                self.anew(None)
            } else {
                self.finished(None, None)
            };
            return Since::Rebalanced(rebalanced);
        };
        if before.generation > self.generation {
            // The group was deleted and made anew.
            return Since::Rebalanced(self.anew(Some(Generation(before.generation))));
        }
        let comings = self.comings(before);
        if before.generation == self.generation {
            let heirs = comings.left.iter().filter_map(|gone| {
                let heir = self.heir(before.members.get(gone)?)?;
                Some((gone.clone(), heir.clone()))
            });
            return Since::Replaced(heirs.collect());
        }
        let (cause, member) = self.cause(before, &comings);
        let mut rebalanced = self.finished(Some(before.generation), Some(comings));
        (rebalanced.cause, rebalanced.member) = (cause, member);
        Since::Rebalanced(rebalanced)
    }

    /// The first rebalance of a group.
    fn anew(&self, from: Option<Generation>) -> Rebalanced {
        let comings = Comings {
            joined: self.members.keys().cloned().collect(),
            left: Vec::new(),
        };
        let (cause, member) = comings.cause();
        let finished = self.finished(None, Some(comings));
        Rebalanced {
            from_generation: from,
            cause,
            member,
            ..finished
        }
    }

    fn finished(&self, from: Option<i32>, comings: Option<Comings>) -> Rebalanced {
        let steps = from.map_or(1, |from| self.generation.saturating_sub(from));
        let unnamed = comings.as_ref().map_or(0, Comings::unnamed);
        let (joined, left) = comings.map(Comings::named).unzip();
        Rebalanced {
            generation: Generation(self.generation),
            from_generation: from.map(Generation),
            cause: RebalanceCause::NotVisible,
            member: None,
            took_ms: None,
            took_between_ms: None,
            join_ms: None,
            sync_ms: self.sync().map(|sync| sync.0),
            joined,
            left,
            unnamed,
            abandoned: 0,
            missed: u32::try_from(steps.saturating_sub(1)).unwrap_or(0),
        }
    }

    /// How long its sync phase took; a group that became empty has none.
    fn sync(&self) -> Option<Millis> {
        let formed = self.formed_at.filter(|_| !self.members.is_empty())?;
        (self.written_at >= formed).then(|| self.written_at.since(formed))
    }

    fn comings(&self, before: &Self) -> Comings {
        let only = |these: &Self, others: &Self| {
            let ids = these.members.keys();
            ids.filter(|id| !others.members.contains_key(*id))
                .cloned()
                .collect()
        };
        Comings {
            joined: only(self, before),
            left: only(before, self),
        }
    }

    /// Who has the instance id of a member that is gone.
    fn heir(&self, gone: &Sitting) -> Option<&MemberId> {
        let instance = gone.instance.as_ref()?;
        let mut members = self.members.iter();
        members
            .find(|(_, member)| member.instance.as_ref() == Some(instance))
            .map(|(id, _)| id)
    }

    fn cause(&self, before: &Self, comings: &Comings) -> (RebalanceCause, Option<MemberId>) {
        if let ([heir], [gone]) = (&*comings.joined, &*comings.left)
            && let Some(gone) = before.members.get(gone)
            && self.heir(gone) == Some(heir)
        {
            return (RebalanceCause::MemberReplaced, Some(heir.clone()));
        }
        if comings.joined.is_empty() && comings.left.is_empty() {
            let other = self.members.iter().find(|(id, member)| {
                let topics = before.members.get(*id).map(|known| &known.topics);
                member.topics.is_some()
                    && topics.is_some_and(|known| known.is_some() && *known != member.topics)
            });
            if let Some((id, _)) = other {
                return (RebalanceCause::SubscriptionChanged, Some(id.clone()));
            }
            if before.protocol.is_some() && before.protocol != self.protocol {
                return (RebalanceCause::ProtocolChanged, None);
            }
        }
        comings.cause()
    }
}

/// What became of a group between two of its records.
#[derive(Debug)]
pub(super) enum Since {
    /// Nothing.
    Nothing,
    /// The same generation again: these static members came back, each under another id.
    Replaced(Vec<(MemberId, MemberId)>),
    /// A rebalance.
    Rebalanced(Rebalanced),
}

impl Sitting {
    fn new(member: &MemberMetadataView<'_>) -> Self {
        let millis = |ms: i32| Millis(u64::try_from(ms).unwrap_or(0));
        Self {
            instance: member.group_instance_id.map(InstanceId::from),
            session: millis(member.session_timeout),
            rebalance: millis(member.rebalance_timeout_ms()),
            topics: topics(member.subscription),
            owned: look::owned(member.assignment).unwrap_or_default(),
            life: Life::default(),
        }
    }

    fn weight(&self) -> usize {
        let topics = self.topics.iter().flatten().map(|topic| 24 + topic.len());
        let owned = self.owned.iter().map(|topic| {
            let TopicPartitions { topic, partitions } = topic;
            48 + topic.len() + 4 * partitions.len()
        });
        let instance = self.instance.as_ref().map_or(0, |id| id.as_str().len());
        192 + instance + topics.sum::<usize>() + owned.sum::<usize>()
    }
}

/// The topics of a consumer's subscription. What else stands in it changes with every generation.
fn topics(subscription: &[u8]) -> Option<Box<[String]>> {
    let (_version, subscription) = ConsumerProtocolSubscription::try_read(subscription).ok()?;
    let mut topics = subscription.topics;
    topics.sort_unstable();
    Some(topics.into_boxed_slice())
}
