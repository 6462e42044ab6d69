//! One look at a group: what the describe call of its type answered, in words that all types share.

mod classic;
mod new;
mod words;

pub(super) use classic::owned;
pub use words::{Described, Words};

use shared::event::{GroupState, GroupType, Reconciling, TopicPartitions};
use shared::ids::{Generation, GroupId, InstanceId, MemberId};
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ConsumerGroupDescribeRequest, DescribeGroupsRequest,
    ShareGroupDescribeRequest, StreamsGroupDescribeRequest,
};
use shared::time::Millis;

/// The type of a group as a list spells it. Brokers before 3.8 tell none; before KIP-848 there was but one.
#[must_use]
pub fn listed_type(word: &str) -> GroupType {
    match word {
        // The second as brokers spell the one type of which there are many.
        "" | "Classic" => GroupType::Classic,
        word => GroupType::from(word.to_ascii_lowercase().as_str()),
    }
}

/// The call that tells of a group, by the group's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Describe {
    /// DescribeGroups.
    Classic,
    /// ConsumerGroupDescribe (KIP-848).
    Consumer,
    /// ShareGroupDescribe (KIP-932).
    Share,
    /// StreamsGroupDescribe (KIP-1071).
    Streams,
}

impl Describe {
    /// The call for a type; none for a type this version does not know.
    #[must_use]
    pub const fn of(group_type: &GroupType) -> Option<Self> {
        match group_type {
            GroupType::Classic => Some(Self::Classic),
            GroupType::Consumer => Some(Self::Consumer),
            GroupType::Share => Some(Self::Share),
            GroupType::Streams => Some(Self::Streams),
            GroupType::Other(_) => None,
        }
    }

    /// Its API.
    #[must_use]
    pub const fn api(self) -> ApiKey {
        match self {
            Self::Classic => ApiKey::DescribeGroups,
            Self::Consumer => ApiKey::ConsumerGroupDescribe,
            Self::Share => ApiKey::ShareGroupDescribe,
            Self::Streams => ApiKey::StreamsGroupDescribe,
        }
    }

    /// The request for these groups.
    #[must_use]
    pub fn request(self, groups: &[GroupId]) -> AnyRequest {
        let ids: Vec<String> = groups.iter().map(|group| group.as_str().to_owned()).collect();
        match self {
            Self::Classic => DescribeGroupsRequest {
                groups: ids,
                ..Default::default()
            }
            .into(),
            Self::Consumer => ConsumerGroupDescribeRequest {
                group_ids: ids,
                ..Default::default()
            }
            .into(),
            Self::Share => ShareGroupDescribeRequest {
                group_ids: ids,
                ..Default::default()
            }
            .into(),
            Self::Streams => StreamsGroupDescribeRequest {
                group_ids: ids,
                ..Default::default()
            }
            .into(),
        }
    }
}

/// What was answered about one group. What the call does not tell is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The group.
    pub group: GroupId,
    /// What was told, or the code that came instead and the broker's own words.
    pub told: Result<Told, (i16, Option<String>)>,
}

/// A group as its coordinator described it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its state.
    pub state: GroupState,
    /// The group's epoch; a classic group's generation is in no description.
    pub epoch: Option<Generation>,
    /// The assignor of its assignment, where that is told; of a classic group the offsets log tells it.
    pub assignor: Option<String>,
    /// Its members.
    pub members: Vec<Seen>,
}

/// How long a member is waited for; none where that is not told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// While it is silent.
    pub session: Option<Millis>,
    /// In a rebalance.
    pub rebalance: Option<Millis>,
}

impl Timeouts {
    /// These, and what they do not tell as `others` tell it.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            session: self.session.or(others.session),
            rebalance: self.rebalance.or(others.rebalance),
        }
    }
}

/// A member as it was described.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its id.
    pub id: MemberId,
    /// A static member's own name.
    pub instance: Option<InstanceId>,
    /// Who it says it is, which stays as it is; not kept where it is told but once.
    pub client: Option<Box<Client>>,
    /// The epoch it has taken over; classic members have none that is told.
    pub epoch: Option<Generation>,
    /// What it owns; none where that is not told, or not readable.
    pub owned: Option<Vec<TopicPartitions>>,
    /// Its timeouts, which no description tells: from the offsets log.
    pub timeouts: Timeouts,
    /// What it is to own; none in groups whose assignments have no targets.
    pub target: Option<Box<Target>>,
    /// What is told of it beside that, not read yet: most looks say what the last one said.
    pub words: Option<Box<Words>>,
    /// What of that was told last.
    pub described: Described,
    /// `client.rack`, where it is told.
    pub rack: Option<String>,
    /// Whether it is a member of the classic protocol in a group of a newer one; none where that is not told.
    pub classic: Option<bool>,
    /// How far it was on its way to its target, as told last.
    pub reconciling: Option<Box<Reconciling>>,
}

/// The client that a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// `client.id`.
    pub id: String,
    /// Where it comes from.
    pub host: String,
}

impl Client {
    fn told(id: String, host: String) -> Option<Box<Self>> {
        Some(Box::new(Self { id, host }))
    }
}

/// The assignment a member is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The group epoch it was made for.
    pub epoch: Generation,
    /// What it is to have: partitions, or tasks.
    pub wants: Vec<TopicPartitions>,
    /// What it has, where that is no partitions.
    pub has: Option<Vec<TopicPartitions>>,
}

/// The groups in an answer to a describe call; none where the answer is to something else.
#[must_use]
pub fn looks(answer: AnyResponse) -> Option<Vec<Look>> {
    Some(match answer {
        AnyResponse::DescribeGroups(answer) => answer.groups.into_iter().map(classic::look).collect(),
        AnyResponse::ConsumerGroupDescribe(answer) => answer.groups.into_iter().map(new::consumer).collect(),
        AnyResponse::ShareGroupDescribe(answer) => answer.groups.into_iter().map(new::share).collect(),
        AnyResponse::StreamsGroupDescribe(answer) => answer.groups.into_iter().map(new::streams).collect(),
        _ => return None,
    })
}

/// The order in which events name partitions, so that equal parts compare equal.
fn sort(topics: &mut [TopicPartitions]) {
    for topic in &mut *topics {
        topic.partitions.sort_unstable();
    }
    topics.sort_unstable_by(|one, other| one.topic.cmp(&other.topic));
}
