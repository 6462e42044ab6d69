//! What a record of a group of one of the newer protocols says, in words that all three have in common.

use std::hash::{DefaultHasher, Hash, Hasher};

use shared::protocol::offsets_log::LogRecord;
use shared::protocol::offsets_log::consumer::ConsumerGroupMemberMetadataValueView;
use shared::protocol::offsets_log::share::ShareGroupMemberMetadataValueView;
use shared::protocol::offsets_log::streams::StreamsGroupMemberMetadataValueView;
use shared::time::Millis;

use crate::survey::look::Timeouts;

/// The state of a member that has arrived, as the records of consumer and share groups tell it (Kafka's `MemberState`).
const STABLE: i8 = 0;
/// The same in those of streams groups, whose numbers begin one higher.
const STREAMS_STABLE: i8 = 1;

/// What one record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey::ledger) enum Fact<'a> {
    /// Which epoch the group is in; none, that there is no such group any more.
    Epoch(Option<Numbered>),
    /// What its topics were when it was assigned last: on brokers before 4.1, which write no hash (KIP-1101).
    Topics,
    /// For which epoch an assignment was made; none, that there is none.
    Target(Option<i32>),
    /// Who a member is and what it wants; none, that it is gone.
    Member(&'a str, Option<Wants<'a>>),
    /// Where a member stands; none, that it stands nowhere.
    Stands(&'a str, Option<Stands>),
}

/// A group's epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey::ledger) struct Numbered {
    pub(super) epoch: i32,
    /// A hash of its topics; 0 where there are none, or the broker writes none.
    pub(super) topics: i64,
}

/// A member as it described itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey::ledger) struct Wants<'a> {
    pub(super) instance: Option<&'a str>,
    pub(super) timeouts: Timeouts,
    /// A hash of what it subscribes to: names and pattern, or its topology.
    pub(super) topics: u64,
    /// A hash of the assignor it asks for, which consumers do.
    pub(super) assignor: u64,
}

/// How far a member has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey::ledger) struct Stands {
    /// The epoch it has taken over; -2 is a static member that has gone for a while (KIP-848).
    pub(super) epoch: i32,
    /// Whether it has nothing to give up and waits for nothing.
    pub(super) arrived: bool,
}

impl<'a> Fact<'a> {
    /// The epoch that the group is in by it.
    pub(in crate::survey::ledger) const fn epoch(&self) -> Option<i32> {
        match self {
            Self::Epoch(Some(numbered)) => Some(numbered.epoch),
            _ => None,
        }
    }

    /// The group a record is of, and what it says; none where that is not of a group of the newer protocols, or says
    /// nothing that is asked for.
    pub(in crate::survey::ledger) fn of(record: &LogRecord<'a>) -> Option<(&'a str, Self)> {
        let numbered = |epoch, topics| Numbered { epoch, topics };
        let stands = |epoch, arrived| Stands { epoch, arrived };
        Some(match record {
            LogRecord::ConsumerGroupMetadata(key, value) => {
                let value = value.as_ref();
                (
                    key.group_id,
                    Self::Epoch(value.map(|value| numbered(value.epoch, value.metadata_hash))),
                )
            }
            LogRecord::ShareGroupMetadata(key, value) => {
                let value = value.as_ref();
                (
                    key.group_id,
                    Self::Epoch(value.map(|value| numbered(value.epoch, value.metadata_hash))),
                )
            }
            LogRecord::StreamsGroupMetadata(key, value) => {
                let value = value.as_ref();
                (
                    key.group_id,
                    Self::Epoch(value.map(|value| numbered(value.epoch, value.metadata_hash))),
                )
            }
            LogRecord::ConsumerGroupPartitionMetadata(key, Some(_)) => (key.group_id, Self::Topics),
            LogRecord::ConsumerGroupTargetAssignmentMetadata(key, value) => (
                key.group_id,
                Self::Target(value.as_ref().map(|value| value.assignment_epoch)),
            ),
            LogRecord::ShareGroupTargetAssignmentMetadata(key, value) => (
                key.group_id,
                Self::Target(value.as_ref().map(|value| value.assignment_epoch)),
            ),
            LogRecord::StreamsGroupTargetAssignmentMetadata(key, value) => (
                key.group_id,
                Self::Target(value.as_ref().map(|value| value.assignment_epoch)),
            ),
            LogRecord::ConsumerGroupMemberMetadata(key, value) => (
                key.group_id,
                Self::Member(key.member_id, value.as_ref().map(Wants::of_consumer)),
            ),
            LogRecord::ShareGroupMemberMetadata(key, value) => (
                key.group_id,
                Self::Member(key.member_id, value.as_ref().map(Wants::of_share)),
            ),
            LogRecord::StreamsGroupMemberMetadata(key, value) => (
                key.group_id,
                Self::Member(key.member_id, value.as_ref().map(Wants::of_streams)),
            ),
            LogRecord::ConsumerGroupCurrentMemberAssignment(key, value) => {
                let value = value
                    .as_ref()
                    .map(|value| stands(value.member_epoch, value.state == STABLE));
                (key.group_id, Self::Stands(key.member_id, value))
            }
            LogRecord::ShareGroupCurrentMemberAssignment(key, value) => {
                let value = value
                    .as_ref()
                    .map(|value| stands(value.member_epoch, value.state == STABLE));
                (key.group_id, Self::Stands(key.member_id, value))
            }
            LogRecord::StreamsGroupCurrentMemberAssignment(key, value) => {
                let value = value.as_ref();
                let value = value.map(|value| stands(value.member_epoch, value.state == STREAMS_STABLE));
                (key.group_id, Self::Stands(key.member_id, value))
            }
            _ => return None,
        })
    }

    /// The member it is about.
    pub(in crate::survey::ledger) const fn member(&self) -> Option<&'a str> {
        match self {
            Self::Member(member, _) | Self::Stands(member, _) => Some(member),
            Self::Epoch(_) | Self::Topics | Self::Target(_) => None,
        }
    }
}

impl<'a> Wants<'a> {
    fn of_consumer(value: &ConsumerGroupMemberMetadataValueView<'a>) -> Self {
        let classic = value.classic_member_metadata.as_ref();
        let mut topics = value.subscribed_topic_names.clone();
        topics.sort_unstable();
        Self {
            instance: value.instance_id,
            timeouts: Timeouts {
                session: classic.and_then(|classic| millis(classic.session_timeout_ms)),
                rebalance: millis(value.rebalance_timeout_ms),
            },
            topics: hash(&(topics, value.subscribed_topic_regex.unwrap_or_default())),
            assignor: hash(&value.server_assignor),
        }
    }

    fn of_share(value: &ShareGroupMemberMetadataValueView<'a>) -> Self {
        let mut topics = value.subscribed_topic_names.clone();
        topics.sort_unstable();
        Self {
            instance: None,
            timeouts: Timeouts::default(),
            topics: hash(&topics),
            assignor: 0,
        }
    }

    fn of_streams(value: &StreamsGroupMemberMetadataValueView<'a>) -> Self {
        Self {
            instance: value.instance_id,
            timeouts: Timeouts {
                session: None,
                rebalance: millis(value.rebalance_timeout_ms),
            },
            topics: hash(&value.topology_epoch),
            assignor: 0,
        }
    }
}

/// A timeout in a record; -1 and less say that none is set.
fn millis(ms: i32) -> Option<Millis> {
    u64::try_from(ms).ok().map(Millis)
}

/// What is compared and never shown is kept as its hash: a pattern or hundreds of names weigh more.
fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
