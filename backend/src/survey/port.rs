//! What the survey's machine is told, and what it wants done: values only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::event::{Change, Evidence, LinkFault};
use shared::ids::{ClusterId, GroupId, MemberId, NodeId};
use shared::protocol::offsets_log;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey, BrokerVersions};
use shared::time::{Millis, Timestamp, UnixMs};

use crate::kafka::address::Address;
use crate::kafka::cluster::Broker;

/// What a connection is for. Brokers answer in order (protocol.md 2.1), so that what may be held back has one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Short questions: lists, descriptions.
    Look,
    /// Reading the offsets log: a broker holds the answer back until there is something to read.
    Log,
    /// What is asked in rounds: offsets, settings.
    Rounds,
}

/// A connection: to whom, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The broker.
    pub node: NodeId,
    /// What for.
    pub lane: Lane,
}

/// Who coordinates groups, and who could.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coordinators {
    /// How many partitions the offsets log has; 0 while that is not known.
    pub partitions: i32,
    /// Who leads each of them, where somebody does.
    pub leaders: BTreeMap<i32, NodeId>,
    /// Brokers that coordinate at least one group of others.
    pub busy: BTreeSet<NodeId>,
    /// Brokers that answer.
    pub answering: BTreeSet<NodeId>,
    /// Who coordinates groups of some names: asked where it is not told who leads those partitions.
    pub named: Arc<BTreeMap<GroupId, NodeId>>,
}

impl Coordinators {
    /// Who coordinates a group, as far as that is known.
    #[must_use]
    pub fn of(&self, group: &GroupId) -> Option<NodeId> {
        if self.leaders.is_empty() {
            return self.named.get(group).copied();
        }
        let partition = offsets_log::partition_of(group.as_str(), self.partitions);
        self.leaders.get(&partition).copied()
    }

    /// A group that `node` coordinates, named `base` and a counter and none of `used`; none where no such name is known.
    #[must_use]
    pub fn name_at(&self, base: &str, node: NodeId, used: &BTreeSet<GroupId>) -> Option<GroupId> {
        if self.leaders.is_empty() {
            let mut named = self.named.iter();
            let named = named.find(|(group, at)| **at == node && !used.contains(*group));
            return named.map(|(group, _)| group.clone());
        }
        // Names are many: whether there is one to be found is looked up first.
        if !self.leaders.values().any(|leader| *leader == node) {
            return None;
        }
        let leads = |partition| self.leaders.get(&partition) == Some(&node);
        let mut first = 1;
        loop {
            let (name, counter) = offsets_log::name_in(base, first, self.partitions, leads)?;
            let group = GroupId::from(name);
            if !used.contains(&group) {
                return Some(group);
            }
            first = counter.checked_add(1)?;
        }
    }
}

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// A broker of the bootstrap list told who else is there.
    Found {
        /// The cluster's id; brokers before 0.10.1 have none.
        cluster: Option<ClusterId>,
        /// The brokers that are up.
        brokers: Vec<Broker>,
    },
    /// None of the bootstrap list did.
    NotFound {
        /// How it failed.
        fault: LinkFault,
        /// For the operator.
        detail: String,
    },
    /// A connection stands.
    Opened {
        /// Which.
        link: Link,
        /// What its broker understands.
        versions: BrokerVersions,
    },
    /// A connection could not be made, or is no more; whatever was asked on it is unanswered.
    Ended {
        /// Which.
        link: Link,
        /// How.
        fault: LinkFault,
        /// For the operator.
        detail: String,
    },
    /// An answer.
    Answered {
        /// On which connection.
        link: Link,
        /// What was asked: the token of its [`Output::Ask`].
        token: u64,
        /// When it was sent.
        sent: Timestamp,
        /// What was answered.
        response: AnyResponse,
        /// The digest of its bytes, where the question said to compare it, else 0.
        digest: u64,
    },
    /// An answer that is the same, byte for byte, as the one whose digest the question had with it.
    Same {
        /// On which connection.
        link: Link,
        /// What was asked: the token of its [`Output::Ask`].
        token: u64,
        /// With which call.
        api: ApiKey,
        /// When it was sent.
        sent: Timestamp,
    },
    /// A deadline is over.
    Time,
}

impl Input {
    /// What the connection is for on which it happened; none for what happened on none.
    #[must_use]
    pub const fn lane(&self) -> Option<Lane> {
        match self {
            Self::Opened { link, .. }
            | Self::Ended { link, .. }
            | Self::Answered { link, .. }
            | Self::Same { link, .. } => Some(link.lane),
            Self::Found { .. } | Self::NotFound { .. } | Self::Time => None,
        }
    }
}

/// What is to be done.
#[derive(Debug)]
pub enum Output {
    /// Ask the bootstrap list who is there; told as [`Input::Found`] or [`Input::NotFound`].
    Find,
    /// Connect; told as [`Input::Opened`] or [`Input::Ended`].
    Open {
        /// Which connection.
        link: Link,
        /// Where the broker says it is reached.
        address: Address,
    },
    /// Close a connection; nothing is told of it any more.
    Close {
        /// Which.
        link: Link,
    },
    /// Send a request; told as [`Input::Answered`], [`Input::Same`] or [`Input::Ended`].
    Ask {
        /// On which connection, an open one.
        link: Link,
        /// Comes back with the answer.
        token: u64,
        /// In which version.
        version: i16,
        /// The request.
        request: AnyRequest,
        /// How long the answer may take before the connection is given up.
        timeout: Millis,
        /// The digest of an answer that need not be told again, 0 for none; none where it is not to be compared.
        compare: Option<u64>,
    },
    /// Tell the hub.
    Report(Report),
}

/// When something happened: by our clock, or by the cluster's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Seen by us.
    Here(Timestamp),
    /// As a broker noted it.
    There(UnixMs),
}

/// Something learnt, before it is an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// When it happened, at the latest.
    pub at: When,
    /// At the earliest, where that is not exact.
    pub at_earliest: Option<When>,
    /// How it is known.
    pub evidence: Evidence,
    /// In which group; none for what concerns the cluster.
    pub group: Option<GroupId>,
    /// Which member.
    pub member: Option<MemberId>,
    /// What. The times of a [`Change::Gap`] are those of the report: the machine does not know the time of day.
    pub change: Change,
}

impl Report {
    /// Something seen at `now`, of a group.
    #[must_use]
    pub fn seen(now: Timestamp, group: &GroupId, change: Change) -> Self {
        Self {
            group: Some(group.clone()),
            ..Self::of_cluster(now, change)
        }
    }

    /// Something seen at `now`, of the cluster.
    #[must_use]
    pub const fn of_cluster(now: Timestamp, change: Change) -> Self {
        Self {
            at: When::Here(now),
            at_earliest: None,
            evidence: Evidence::Observed,
            group: None,
            member: None,
            change,
        }
    }

    /// The same, of a member.
    #[must_use]
    pub fn of(mut self, member: &MemberId) -> Self {
        self.member = Some(member.clone());
        self
    }

    /// The same, which may have happened at any time since `earliest`.
    #[must_use]
    pub fn since(mut self, earliest: Option<Timestamp>) -> Self {
        self.at_earliest = earliest.map(When::Here);
        self
    }

    /// The same, as a conclusion.
    #[must_use]
    pub const fn inferred(mut self) -> Self {
        self.evidence = Evidence::Inferred;
        self
    }

    /// That a right is missing: of the cluster, so that whoever looks at one group is not refused. `right` names it, and what is
    /// not visible without it.
    #[must_use]
    pub const fn missing(now: Timestamp, error: i16, right: String) -> Self {
        Self::of_cluster(now, Change::NotAuthorized { error, right })
    }

    /// That it is there again.
    #[must_use]
    pub const fn granted(now: Timestamp, right: String) -> Self {
        Self::of_cluster(now, Change::Authorized { right })
    }
}
