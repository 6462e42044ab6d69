//! A classic group as its last record says it is, and what became of it since the record before.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

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
    /// In the order of their ids.
    members: Box<[Sitting]>,
}

/// A member of it.
#[derive(Debug)]
pub(super) struct Sitting {
    pub(super) id: MemberId,
    pub(super) instance: Option<InstanceId>,
    pub(super) session: Millis,
    pub(super) rebalance: Millis,
    /// A print of the topics it subscribes to; none where that is not readable.
    topics: Option<u64>,
    /// What it got, as it was told: read when it is asked for, mostly never.
    assignment: Box<[u8]>,
    pub(super) life: Life,
}

/// The signs of life that a member gave: commits of what it owned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Life {
    /// The last plain commit was made after this; none where it is of before our start.
    pub(super) plain: Option<Timestamp>,
    /// When the last plain commit was made, by its coordinator's clock.
    pub(super) plain_at: Option<UnixMs>,
    /// Whether it committed in transactions, which renews nothing.
    pub(super) in_transaction: bool,
}

impl Life {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            plain: self.plain.max(other.plain),
            plain_at: self.plain_at.max(other.plain_at),
            in_transaction: self.in_transaction || other.in_transaction,
        }
    }
}

impl Classic {
    pub(super) fn new(value: &GroupMetadataValueView<'_>, written_at: UnixMs) -> Self {
        let mut members: Vec<Sitting> = value.members.iter().map(Sitting::new).collect();
        members.sort_by(|one, other| one.id.cmp(&other.id));
        members.dedup_by(|one, other| one.id == other.id);
        Self {
            generation: value.generation,
            protocol: value.protocol.map(str::to_owned),
            leader: value.leader.map(MemberId::from),
            formed_at: u64::try_from(value.current_state_timestamp).ok().map(UnixMs),
            written_at,
            members: members.into_boxed_slice(),
        }
    }

    /// Its members in the order of their ids.
    pub(super) const fn members(&self) -> &[Sitting] {
        &self.members
    }

    /// One of them.
    pub(super) fn member(&self, id: &MemberId) -> Option<&Sitting> {
        let place = self.members.binary_search_by(|member| member.id.cmp(id)).ok()?;
        self.members.get(place)
    }

    /// What the members of before leave to those of now; `life` is what is known of one of before. Who is gone.
    pub(super) fn inherit(
        &mut self,
        before: Self,
        life: impl Fn(&Sitting) -> Life,
    ) -> Vec<(MemberId, Millis, Life)> {
        let mut gone = Vec::new();
        for sitting in before.members {
            let life = life(&sitting);
            match self.members.binary_search_by(|member| member.id.cmp(&sitting.id)) {
                Ok(place) => {
                    if let Some(member) = self.members.get_mut(place) {
                        member.life = life;
                    }
                }
                Err(_) => gone.push((sitting.id, sitting.session, life)),
            }
        }
        gone
    }

    /// Whether it never had a generation: the first JoinGroup to a new group writes such a record.
    pub(super) const fn is_new(&self) -> bool {
        self.generation <= 0 && self.protocol.is_none()
    }

    /// Bytes that keeping it takes, about.
    pub(super) fn weight(&self) -> usize {
        let members = self.members.iter();
        256 + members.map(Sitting::weight).sum::<usize>()
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
                let heir = self.heir(before.member(gone)?)?;
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
            joined: self.members.iter().map(|member| member.id.clone()).collect(),
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
            let members = these.members.iter();
            let members = members.filter(|member| others.member(&member.id).is_none());
            members.map(|member| member.id.clone()).collect()
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
            .find(|member| member.instance.as_ref() == Some(instance))
            .map(|member| &member.id)
    }

    fn cause(&self, before: &Self, comings: &Comings) -> (RebalanceCause, Option<MemberId>) {
        if let ([heir], [gone]) = (&*comings.joined, &*comings.left)
            && let Some(gone) = before.member(gone)
            && self.heir(gone) == Some(heir)
        {
            return (RebalanceCause::MemberReplaced, Some(heir.clone()));
        }
        if comings.joined.is_empty() && comings.left.is_empty() {
            let other = self.members.iter().find(|member| {
                let known = before.member(&member.id).and_then(|known| known.topics);
                member.topics.is_some() && known.is_some() && known != member.topics
            });
            if let Some(member) = other {
                return (RebalanceCause::SubscriptionChanged, Some(member.id.clone()));
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
            id: MemberId::from(member.member_id),
            instance: member.group_instance_id.map(InstanceId::from),
            session: millis(member.session_timeout),
            rebalance: millis(member.rebalance_timeout_ms()),
            topics: topics(member.subscription),
            assignment: Box::from(member.assignment),
            life: Life::default(),
        }
    }

    /// What it got; nothing where that is not readable.
    pub(super) fn owned(&self) -> Vec<TopicPartitions> {
        look::owned(&self.assignment).unwrap_or_default()
    }

    fn weight(&self) -> usize {
        let instance = self.instance.as_ref().map_or(0, |id| id.as_str().len());
        192 + self.id.as_str().len() + instance + self.assignment.len()
    }
}

/// A print of the topics of a consumer's subscription. What else stands in it changes with every generation.
fn topics(subscription: &[u8]) -> Option<u64> {
    let (_version, subscription) = ConsumerProtocolSubscription::try_read(subscription).ok()?;
    let mut topics = subscription.topics;
    topics.sort_unstable();
    let mut hasher = DefaultHasher::new();
    topics.hash(&mut hasher);
    Some(hasher.finish())
}
