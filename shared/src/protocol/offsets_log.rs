//! The records of `__consumer_offsets`, the log in which a group coordinator keeps what must outlive it (protocol.md 4.2).
//!
//! A key is a record type (INT16, historically the version of the key) and the key's fields; a value is a version (INT16)
//! and the value's fields, or nothing at all: a tombstone. The topic is compacted: of each key the newest value counts.
//! Which partition holds a group is a matter of the group's name alone: [`partition_of`].
//!
//! [`OffsetsRecord`] is what our own coordinator writes and reads back: classic groups. [`LogRecord`] is what any
//! coordinator writes, borrowed from the bytes: a survey reads it by the million.

mod classic;
pub mod consumer;
mod keys;
mod partition;
mod record;
pub mod share;
pub mod streams;

use thiserror::Error;

use super::error::{DecodeError, DecodeFault, EncodeError};
use super::message::Message;
use super::reader::Reader;
use super::schema::VersionRange;
use super::value::Value;

pub use classic::*;
pub use keys::*;
pub use partition::{DEFAULT_PARTITIONS, name_in, partition_of};
pub use record::{LogRecord, RecordTable};

/// The type of a committed offset's record in its oldest form; the same key as [`COMMIT`].
const LEGACY_COMMIT: i16 = 0;
/// The type of a committed offset's record.
const COMMIT: i16 = 1;
/// The type of a classic group's record.
const GROUP: i16 = 2;
/// The version Kafka's brokers write values in (`CoordinatorRecordHelpers`): the newest that is not flexible.
const WRITTEN_VERSION: i16 = 3;

/// One record about a classic group; a missing value takes back what the key's records said before.
#[derive(Clone, Debug, PartialEq)]
pub enum OffsetsRecord {
    /// How far a group has read a partition.
    Commit(OffsetCommitKey, Option<OffsetCommitValue>),
    /// Who is in a group.
    Group(GroupMetadataKey, Option<GroupMetadataValue>),
}

/// Bytes that are no record of `__consumer_offsets`, with the group where the key tells it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a record{} cannot be read: {error}", group.as_ref().map(|group| format!(" of group {group:?}")).unwrap_or_default())]
pub struct UnreadableRecord {
    /// Whose record it is.
    pub group: Option<String>,
    /// What is wrong with it.
    pub error: DecodeError,
}

impl UnreadableRecord {
    const fn of_no_group(error: DecodeError) -> Self {
        Self { group: None, error }
    }
}

impl OffsetsRecord {
    /// The group it is about.
    #[must_use]
    pub fn group(&self) -> &str {
        match self {
            Self::Commit(key, _) => &key.group,
            Self::Group(key, _) => &key.group,
        }
    }

    /// Reads a record; none where its type is not one of these, which a reader must skip.
    ///
    /// # Errors
    ///
    /// The type is one of these and the bytes are not what it says.
    pub fn read(key: &[u8], value: Option<&[u8]>) -> Result<Option<Self>, UnreadableRecord> {
        let unreadable = |group: Option<&String>, error| UnreadableRecord {
            group: group.cloned(),
            error,
        };
        let (kind, fields) = number_and_rest(key, "record key").map_err(|error| unreadable(None, error))?;
        Ok(Some(match kind {
            LEGACY_COMMIT | COMMIT => {
                let key = OffsetCommitKey::decode(fields, 0).map_err(|error| unreadable(None, error))?;
                let value = read_value(value).map_err(|error| unreadable(Some(&key.group), error))?;
                Self::Commit(key, value)
            }
            GROUP => {
                let key = GroupMetadataKey::decode(fields, 0).map_err(|error| unreadable(None, error))?;
                let value = read_value(value).map_err(|error| unreadable(Some(&key.group), error))?;
                Self::Group(key, value)
            }
            _ => return Ok(None),
        }))
    }

    /// Key and value as Kafka's brokers write them.
    ///
    /// # Errors
    ///
    /// A name or a note is longer than the format can say.
    pub fn to_bytes(&self) -> Result<(Vec<u8>, Option<Vec<u8>>), EncodeError> {
        match self {
            Self::Commit(key, value) => Ok((key_bytes(COMMIT, key)?, value_bytes(value.as_ref())?)),
            Self::Group(key, value) => Ok((key_bytes(GROUP, key)?, value_bytes(value.as_ref())?)),
        }
    }
}

fn number_and_rest<'a>(bytes: &'a [u8], what: &'static str) -> Result<(i16, &'a [u8]), DecodeError> {
    let mut reader = Reader::new(bytes, what, 0, VersionRange::NONE);
    let number = i16::from_be_bytes(reader.array()?);
    Ok((number, reader.rest()))
}

fn read_value<T: Message + Value>(bytes: Option<&[u8]>) -> Result<Option<T>, DecodeError> {
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let (version, fields) = number_and_rest(bytes, T::NAME)?;
    if !T::SCHEMA.versions.contains(version) {
        let known = T::SCHEMA.versions;
        let reader = Reader::new(fields, T::NAME, version, VersionRange::NONE);
        return Err(reader.error(DecodeFault::UnknownVersion { known }));
    }
    T::decode(fields, version).map(Some)
}

fn key_bytes<T: Message>(kind: i16, key: &T) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = kind.to_be_bytes().to_vec();
    key.encode(0, &mut bytes)?;
    Ok(bytes)
}

fn value_bytes<T: Message>(value: Option<&T>) -> Result<Option<Vec<u8>>, EncodeError> {
    let Some(value) = value else {
        return Ok(None);
    };
    let mut bytes = WRITTEN_VERSION.to_be_bytes().to_vec();
    value.encode(WRITTEN_VERSION, &mut bytes)?;
    Ok(Some(bytes))
}
