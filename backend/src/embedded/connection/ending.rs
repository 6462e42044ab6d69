//! Why a connection ends.

use std::io;

use shared::protocol::frame::FrameError;
use shared::protocol::{ApiKey, DecodeError, EncodeError, UnknownApiKey};
use thiserror::Error;

use crate::limits;

/// What ended a connection; it ends no other.
#[derive(Debug, Error)]
pub(super) enum Ending {
    /// The client closed it.
    #[error("the client closed it")]
    Gone,
    /// Nothing was said for too long (`connections.max.idle.ms`).
    #[error("it said nothing for too long")]
    Idle,
    /// A request came too slowly.
    #[error("a request was not all there in time")]
    SlowRequest,
    /// Answers were not taken.
    #[error("it did not take its answers in time")]
    SlowReader,
    /// What all connections hold takes too much room.
    #[error("there is no room for a request that is not all there, or for its answers")]
    NoRoom,
    /// A fault closes it.
    #[error("a fault closes it")]
    Fault,
    /// As a broker does where a producer asks for no answer (acks 0) and its records are refused.
    #[error("records were refused, and their producer asked for no answer")]
    RefusedUnasked,
    /// As a broker does (protocol.md 2.5).
    #[error("{key} version {version} is not served")]
    Unserved { key: ApiKey, version: i16 },
    /// Longer than such a request has any reason to be.
    #[error(
        "a {key} of {bytes} bytes (at most {} are accepted)",
        limits::COORDINATOR_REQUEST
    )]
    TooLong { key: ApiKey, bytes: usize },
    /// About more than one request may be.
    #[error(
        "a {key} about {asked} things (at most {} are accepted)",
        limits::COORDINATOR_ASKED
    )]
    TooMany { key: ApiKey, asked: usize },
    #[error(transparent)]
    UnknownApi(#[from] UnknownApiKey),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error(transparent)]
    Request(#[from] DecodeError),
    #[error("an answer cannot be written: {0}")]
    Answer(#[from] EncodeError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Ending {
    /// Whether the client did what no client should.
    pub(super) const fn is_violation(&self) -> bool {
        match self {
            Self::Gone | Self::Idle | Self::Fault | Self::Io(_) => false,
            Self::SlowRequest
            | Self::SlowReader
            | Self::NoRoom
            | Self::RefusedUnasked
            | Self::Unserved { .. }
            | Self::TooLong { .. }
            | Self::TooMany { .. }
            | Self::UnknownApi(_)
            | Self::Frame(_)
            | Self::Request(_)
            | Self::Answer(_) => true,
        }
    }
}

/// How many bytes a socket took or gave; none where it has nothing to do now. Nothing at all is its end.
pub(super) fn none_yet(moved: io::Result<usize>) -> Result<Option<usize>, Ending> {
    match moved {
        Ok(0) => Err(Ending::Gone),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error.into()),
    }
}
