//! What peers say: one JSON object a line, with `event` as its name.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

/// One line of a peer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// Partitions it has from now on, beside those it has: with an eager assignor it has none then.
    Assigned {
        partitions: Vec<i32>,
        member: String,
        /// Where the client tells.
        generation: Option<i32>,
    },
    /// It was asked to give them up.
    Revoked {
        partitions: Vec<i32>,
    },
    /// They are somebody else's already.
    Lost {
        partitions: Vec<i32>,
    },
    Consumed {
        partition: i32,
        offset: i64,
        value: String,
    },
    Produced {
        partition: i32,
        offset: i64,
        value: String,
    },
    /// Partition and offset.
    Committed {
        offsets: Vec<(i32, i64)>,
    },
    /// A command that failed. The code is Kafka's, null where the client told none.
    Refused {
        code: Option<i16>,
        what: String,
    },
    /// What the client told its application and goes on after.
    Error {
        code: Option<i16>,
        what: String,
    },
    /// What ended the client.
    Fatal {
        code: Option<i16>,
        what: String,
    },
    Left,
}

impl Said {
    /// Reads a line of a peer's output; none where it is the client's log.
    ///
    /// # Panics
    ///
    /// Where it is an event that cannot be read: peer and harness are not of one mind.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        value.get("event")?;
        match serde_json::from_value(value) {
            Ok(said) => Some(said),
            Err(error) => panic!("a peer said {line}: {error}"),
        }
    }

    /// The error code it tells of, in whatever way.
    #[must_use]
    pub fn code(&self) -> Option<i16> {
        match self {
            Self::Refused { code, .. } | Self::Error { code, .. } | Self::Fatal { code, .. } => *code,
            _ => None,
        }
    }

    /// Whether partitions changed hands.
    #[must_use]
    pub fn is_rebalance(&self) -> bool {
        matches!(
            self,
            Self::Assigned { .. } | Self::Revoked { .. } | Self::Lost { .. }
        )
    }
}

/// The partitions that whoever said all this has now.
#[must_use]
pub fn owned(said: &[Said]) -> BTreeSet<i32> {
    let mut owned = BTreeSet::new();
    for said in said {
        match said {
            Said::Assigned { partitions, .. } => owned.extend(partitions),
            Said::Revoked { partitions } | Said::Lost { partitions } => {
                owned.retain(|partition| !partitions.contains(partition));
            }
            _ => {}
        }
    }
    owned
}

/// The values consumed of each partition, in order.
#[must_use]
pub fn consumed(said: &[Said]) -> Vec<(i32, i64, String)> {
    let consumed = said.iter().filter_map(|said| match said {
        Said::Consumed {
            partition,
            offset,
            value,
        } => Some((*partition, *offset, value.clone())),
        _ => None,
    });
    consumed.collect()
}
