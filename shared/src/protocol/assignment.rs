//! What members of classic groups told and got, by the group's protocol type: consumers and Connect's workers are
//! understood, of all others the bytes are kept.

use super::connect::{CONNECT, ConnectAssignment, ConnectWorkerState};
use super::consumer::{ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription};

/// The protocol type of consumers' groups.
pub const CONSUMER: &str = "consumer";

/// How many bytes of something unknown are kept: enough to recognize it by.
const OPAQUE_BYTES: usize = 1_024;

/// Bytes that are not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The first 1,024 of them.
    pub start: Vec<u8>,
    /// How many there are.
    pub length: usize,
}

/// What a member is to work on.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberAssignment {
    /// Partitions.
    Consumer(ConsumerProtocolAssignment),
    /// Connectors and tasks.
    Connect(ConnectAssignment),
    /// Not understood: of another protocol type, or not what its type says.
    Opaque(Opaque),
}

/// What a member told on joining.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberMetadata {
    /// Topics.
    Consumer(ConsumerProtocolSubscription),
    /// Where it is and what it runs.
    Connect(ConnectWorkerState),
    /// Not understood: of another protocol type, or not what its type says.
    Opaque(Opaque),
}

impl Opaque {
    fn of(bytes: &[u8]) -> Self {
        Self {
            start: bytes.get(..OPAQUE_BYTES).unwrap_or(bytes).to_vec(),
            length: bytes.len(),
        }
    }
}

impl MemberAssignment {
    /// Reads one; none where there are no bytes, which is how a coordinator says that it does not tell.
    #[must_use]
    pub fn read(protocol_type: &str, bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        let read = match protocol_type {
            CONSUMER => ConsumerProtocolAssignment::try_read(bytes).map(|(_, read)| Self::Consumer(read)),
            CONNECT => ConnectAssignment::try_read(bytes).map(|(_, read)| Self::Connect(read)),
            _ => return Some(Self::Opaque(Opaque::of(bytes))),
        };
        Some(read.unwrap_or_else(|_| Self::Opaque(Opaque::of(bytes))))
    }
}

impl MemberMetadata {
    /// Reads one; none where there are no bytes, which is how a coordinator says that it does not tell.
    #[must_use]
    pub fn read(protocol_type: &str, bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return None;
        }
        let read = match protocol_type {
            CONSUMER => ConsumerProtocolSubscription::try_read(bytes).map(|(_, read)| Self::Consumer(read)),
            CONNECT => ConnectWorkerState::try_read(bytes).map(|(_, read)| Self::Connect(read)),
            _ => return Some(Self::Opaque(Opaque::of(bytes))),
        };
        Some(read.unwrap_or_else(|_| Self::Opaque(Opaque::of(bytes))))
    }
}
