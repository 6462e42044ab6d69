//! Why a cluster could not be asked.

use std::fmt;

use shared::error_code;
use shared::event::LinkFault;
use shared::protocol::NoCommonVersion;
use thiserror::Error;

use crate::kafka::address::Address;
use crate::kafka::link_end::LinkEnd;

/// No broker of the cluster could be reached.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct NoBroker {
    /// Each one tried, and how that failed.
    pub tried: Vec<(Address, LinkEnd)>,
}

impl NoBroker {
    /// How many failures the sentence tells.
    pub const TOLD: usize = 3;

    /// The short word for events: the gravest of what happened.
    #[must_use]
    pub fn fault(&self) -> LinkFault {
        let faults = || self.tried.iter().map(|(_, end)| end.fault());
        if faults().any(|fault| fault == LinkFault::Authentication) {
            LinkFault::Authentication
        } else if faults().any(|fault| fault == LinkFault::Garbled) {
            LinkFault::Garbled
        } else if faults().all(|fault| fault == LinkFault::Timeout) {
            LinkFault::Timeout
        } else {
            LinkFault::Disconnect
        }
    }
}

impl fmt::Display for NoBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tried.as_slice() {
            [] => f.write_str("no address of the cluster is known"),
            [(address, end)] => write!(f, "{address}: {end}"),
            tried => {
                write!(f, "none of {} brokers can be used: ", tried.len())?;
                for (n, (address, end)) in tried.iter().take(Self::TOLD).enumerate() {
                    let divider = if n == 0 { "" } else { "; " };
                    write!(f, "{divider}{address}: {end}")?;
                }
                match tried.len().saturating_sub(Self::TOLD) {
                    0 => Ok(()),
                    more => write!(f, "; and {more} more"),
                }
            }
        }
    }
}

/// Why a question to the cluster has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// Nobody to ask.
    #[error(transparent)]
    NoBroker(#[from] NoBroker),
    /// The connection ended before the answer.
    #[error("{address}: {end}")]
    Link {
        /// Whom we asked.
        address: Address,
        /// How it ended.
        end: LinkEnd,
    },
    /// The broker and Heartline have no version in common.
    #[error(transparent)]
    Version(#[from] NoCommonVersion),
    /// The broker answers with an error.
    #[error("the broker refuses to describe the cluster: {}", error_code::label(*.0))]
    Refused(i16),
}

impl ClusterError {
    /// The code in the broker's answer, where there was one.
    #[must_use]
    pub const fn code(&self) -> Option<i16> {
        match self {
            Self::Refused(code) => Some(*code),
            Self::NoBroker(_) | Self::Link { .. } | Self::Version(_) => None,
        }
    }

    /// The short word for events, where a connection failed.
    #[must_use]
    pub fn fault(&self) -> Option<LinkFault> {
        match self {
            Self::NoBroker(error) => Some(error.fault()),
            Self::Link { end, .. } => Some(end.fault()),
            Self::Version(_) | Self::Refused(_) => None,
        }
    }
}
