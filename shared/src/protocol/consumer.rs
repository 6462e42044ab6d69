//! What consumers put into the bytes of JoinGroup and SyncGroup: subscriptions and assignments.
//!
//! A version (INT16) stands before them. Readers accept a version above their own and read it as the highest
//! they know, and leave what follows alone; bytes that are something else altogether (the group's protocol
//! type may be any) stay raw.

use super::error::{DecodeError, DecodeFault, EncodeError};
use super::message::{Message, decode_start};
use super::reader::Reader;
use super::schema::VersionRange;
use super::table::{default_of, field, message, structure, versions};
use super::value::Value;

message! {
    /// What a consumer wants.
    ConsumerProtocolSubscription [0-3, flexible none] {
        /// The topics.
        topics: Vec<String> [0+],
        /// The assignor's own.
        user_data: Option<Vec<u8>> [0+, nullable 0+, default null],
        /// What it holds already. Added in version 1 (KIP-429).
        owned_partitions: Vec<TopicPartition> [1+, ignorable],
        /// The generation in which it got that, -1 none. Added in version 2 (KIP-792).
        generation_id: i32 [2+, default -1, ignorable],
        /// Where it stands. Added in version 3 (KIP-881).
        rack_id: Option<String> [3+, nullable 3+, default null, ignorable],
    }
}

message! {
    /// What a consumer gets. All versions look alike.
    ConsumerProtocolAssignment [0-3, flexible none] {
        /// By topic.
        assigned_partitions: Vec<TopicPartition> [0+],
        /// The assignor's own.
        user_data: Option<Vec<u8>> [0+, nullable 0+, default null],
    }
}

structure! {
    /// Partitions of one topic.
    TopicPartition {
        /// The topic.
        topic: String [0+],
        /// Their numbers.
        partitions: Vec<i32> [0+],
    }
}

/// Bytes as what they should be, or as they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded<T> {
    /// What they say.
    Known(T),
    /// As they came: they are not what they should be.
    Raw(Vec<u8>),
}

impl<T> Decoded<T> {
    /// What they say, where that is known.
    #[must_use]
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Raw(_) => None,
        }
    }
}

/// A subscription or an assignment.
pub trait ConsumerProtocol: Message {
    /// Reads one, and the version it says it is, which may be above ours.
    ///
    /// # Errors
    ///
    /// The bytes are none.
    fn try_read(bytes: &[u8]) -> Result<(i16, Self), DecodeError>;

    /// Reads one; bytes that are none stay as they are.
    #[must_use]
    fn read(bytes: &[u8]) -> Decoded<Self> {
        match Self::try_read(bytes) {
            Ok((_version, value)) => Decoded::Known(value),
            Err(_) => Decoded::Raw(bytes.to_vec()),
        }
    }

    /// One with `version` before it.
    ///
    /// # Errors
    ///
    /// As [`Message::encode`].
    fn to_bytes(&self, version: i16) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = version.to_be_bytes().to_vec();
        self.encode(version, &mut bytes)?;
        Ok(bytes)
    }
}

impl ConsumerProtocol for ConsumerProtocolSubscription {
    fn try_read(bytes: &[u8]) -> Result<(i16, Self), DecodeError> {
        try_read(bytes)
    }
}

impl ConsumerProtocol for ConsumerProtocolAssignment {
    fn try_read(bytes: &[u8]) -> Result<(i16, Self), DecodeError> {
        try_read(bytes)
    }
}

pub(super) fn try_read<T: Message + Value>(bytes: &[u8]) -> Result<(i16, T), DecodeError> {
    let VersionRange { min, max } = T::SCHEMA.versions;
    let mut reader = Reader::new(bytes, T::NAME, max, VersionRange::NONE);
    reader.at("version");
    let version = i16::from_be_bytes(reader.array()?);
    if version < min {
        let known = VersionRange::from(min);
        return Err(DecodeError {
            version,
            ..reader.error(DecodeFault::UnknownVersion { known })
        });
    }
    let (value, _trailing) = decode_start(reader.rest(), version.min(max))?;
    Ok((version, value))
}
