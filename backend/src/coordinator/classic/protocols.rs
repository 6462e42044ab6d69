//! What members can speak (assignors, for consumers) and which of it a group chooses.

use std::collections::BTreeMap;

use shared::event::RebalanceCause;
use shared::protocol::consumer::{ConsumerProtocol, ConsumerProtocolSubscription};

/// The protocols of one member, in its order of preference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Protocols {
    list: Vec<Protocol>,
    bytes: usize,
}

/// A protocol by name, with what the member wants its leader to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protocol {
    pub(crate) name: String,
    pub(crate) metadata: Vec<u8>,
}

/// What one entry costs beside its bytes.
const ENTRY: usize = std::mem::size_of::<Protocol>();

impl Protocols {
    /// Of a name that comes twice the first counts.
    pub(crate) fn new(list: impl IntoIterator<Item = Protocol>) -> Self {
        let mut protocols = Self::default();
        for protocol in list {
            if protocols.metadata(&protocol.name).is_none() {
                let size = ENTRY + protocol.name.len() + protocol.metadata.len();
                protocols.bytes = protocols.bytes.saturating_add(size);
                protocols.list.push(protocol);
            }
        }
        protocols
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|protocol| protocol.name.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn metadata(&self, name: &str) -> Option<&[u8]> {
        self.list
            .iter()
            .find(|protocol| protocol.name == name)
            .map(|protocol| protocol.metadata.as_slice())
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// What `new` changes about these, if anything; `chosen` is the protocol the group speaks.
    pub(crate) fn difference(&self, new: &Self, chosen: Option<&str>) -> Option<RebalanceCause> {
        if self.list == new.list {
            return None;
        }
        if !self.names().eq(new.names()) {
            return Some(RebalanceCause::ProtocolChanged);
        }
        let topics = |protocols: &Self| {
            let (_version, subscription) =
                ConsumerProtocolSubscription::try_read(protocols.metadata(chosen?)?).ok()?;
            Some(subscription.topics)
        };
        match (topics(self), topics(new)) {
            (Some(before), Some(after)) if before != after => Some(RebalanceCause::SubscriptionChanged),
            _ => Some(RebalanceCause::MetadataChanged),
        }
    }
}

/// How many members speak each protocol.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Support {
    by_name: BTreeMap<String, usize>,
}

impl Support {
    pub(crate) fn add(&mut self, protocols: &Protocols) {
        for name in protocols.names() {
            if let Some(count) = self.by_name.get_mut(name) {
                *count += 1;
            } else {
                self.by_name.insert(name.to_owned(), 1);
            }
        }
    }

    pub(crate) fn remove(&mut self, protocols: &Protocols) {
        for name in protocols.names() {
            if let Some(count) = self.by_name.get_mut(name) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    self.by_name.remove(name);
                }
            }
        }
    }

    /// Whether all `members` speak it; nobody speaks everything.
    pub(crate) fn by_all(&self, name: &str, members: usize) -> bool {
        self.by_name.get(name).copied().unwrap_or(0) == members
    }
}

/// The group's protocol: each member votes for the first of its list that all speak; most votes win. Among equals
/// Kafka takes any; we take the first by name, so that the same inputs choose the same.
pub(crate) fn elect<'a>(
    members: impl Iterator<Item = &'a Protocols> + Clone,
    support: &Support,
) -> Option<&'a str> {
    let count = members.clone().count();
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for protocols in members {
        if let Some(vote) = protocols.names().find(|name| support.by_all(name, count)) {
            *votes.entry(vote).or_insert(0) += 1;
        }
    }
    let most = votes.values().copied().max()?;
    votes.into_iter().find(|(_, n)| *n == most).map(|(name, _)| name)
}
