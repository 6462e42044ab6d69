//! A group's state and type, in Kafka's words.

use serde::Serialize;

use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// A group's state in Kafka's words; unknown ones verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum GroupState {
    /// No members; offsets may still be kept.
    Empty,
    /// Classic: members must join.
    PreparingRebalance,
    /// Classic: the generation is formed, the leader's assignment is awaited.
    CompletingRebalance,
    /// Every member has its assignment.
    Stable,
    /// The coordinator has no such group any more.
    Dead,
    /// KIP-848: a new target assignment is computed.
    Assigning,
    /// KIP-848: members move to the target assignment.
    Reconciling,
    /// KIP-1071: a Streams group without a usable topology.
    NotReady,
    /// A state this version does not know.
    #[serde(untagged)]
    Other(String),
}

impl GroupState {
    /// Kafka's word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Empty => "Empty",
            Self::PreparingRebalance => "PreparingRebalance",
            Self::CompletingRebalance => "CompletingRebalance",
            Self::Stable => "Stable",
            Self::Dead => "Dead",
            Self::Assigning => "Assigning",
            Self::Reconciling => "Reconciling",
            Self::NotReady => "NotReady",
            Self::Other(word) => word,
        }
    }

    /// Whether the group is on its way to a new assignment.
    #[must_use]
    pub const fn is_rebalancing(&self) -> bool {
        matches!(
            self,
            Self::PreparingRebalance | Self::CompletingRebalance | Self::Assigning | Self::Reconciling
        )
    }
}

impl From<&str> for GroupState {
    fn from(word: &str) -> Self {
        match word {
            "Empty" => Self::Empty,
            "PreparingRebalance" => Self::PreparingRebalance,
            "CompletingRebalance" => Self::CompletingRebalance,
            "Stable" => Self::Stable,
            "Dead" => Self::Dead,
            "Assigning" => Self::Assigning,
            "Reconciling" => Self::Reconciling,
            "NotReady" => Self::NotReady,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// A group's type in Kafka's words (KIP-848); unknown ones verbatim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupType {
    /// JoinGroup, SyncGroup, Heartbeat.
    Classic,
    /// KIP-848.
    Consumer,
    /// KIP-932.
    Share,
    /// KIP-1071.
    Streams,
    /// A type this version does not know.
    #[serde(untagged)]
    Other(String),
}

impl GroupType {
    /// Kafka's word, in small letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
            Self::Share => "share",
            Self::Streams => "streams",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for GroupType {
    fn from(word: &str) -> Self {
        match word {
            "classic" => Self::Classic,
            "consumer" => Self::Consumer,
            "share" => Self::Share,
            "streams" => Self::Streams,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl FromNode for GroupState {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        node.text().map(Self::from)
    }
}

impl FromNode for GroupType {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        node.text().map(Self::from)
    }
}

deserialize_from_node!(GroupState, GroupType);
