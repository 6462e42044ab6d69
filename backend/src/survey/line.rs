//! The state of one connection of the survey's.

use shared::protocol::{ApiKey, BrokerVersions};
use shared::time::Timestamp;

/// A connection to a broker.
#[derive(Debug)]
pub(super) enum Line {
    /// None, and when to try again.
    Down {
        /// That.
        retry: Timestamp,
    },
    /// It is being made.
    Opening,
    /// It stands, to a broker that understands this.
    Up(BrokerVersions),
}

impl Default for Line {
    fn default() -> Self {
        Self::Down {
            retry: Timestamp::default(),
        }
    }
}

impl Line {
    /// Whether it stands.
    pub(super) const fn is_up(&self) -> bool {
        matches!(self, Self::Up(_))
    }

    /// Whether it stands, or is being made.
    pub(super) const fn is_linked(&self) -> bool {
        !matches!(self, Self::Down { .. })
    }

    /// Whether it may be made now.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        matches!(self, Self::Down { retry } if *retry <= now)
    }

    /// The version of a request that the broker and we understand.
    pub(super) fn version(&self, api: ApiKey) -> Option<i16> {
        match self {
            Self::Up(versions) => versions.highest_common(api).ok(),
            _ => None,
        }
    }
}
