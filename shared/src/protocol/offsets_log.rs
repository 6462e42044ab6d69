//! The records of `__consumer_offsets`, the log in which a group coordinator keeps what must outlive it (protocol.md 4.2).
//!
//! A key is a record type (INT16, historically the version of the key) and the key's fields; a value is a version (INT16)
//! and the value's fields, or nothing at all: a tombstone. The topic is compacted: of each key the newest value counts.
//! Which partition holds a group is a matter of the group's name alone: [`partition_of`].

use thiserror::Error;

use super::error::{DecodeError, DecodeFault, EncodeError};
use super::message::Message;
use super::reader::Reader;
use super::schema::VersionRange;
use super::table::{default_of, field, message, structure, versions};
use super::uuid::Uuid;
use super::value::Value;

/// How many partitions it has unless a broker is told otherwise (`offsets.topic.num.partitions`).
pub const DEFAULT_PARTITIONS: i32 = 50;

/// The type of a committed offset's record in its oldest form; the same key as [`COMMIT`].
const LEGACY_COMMIT: i16 = 0;
/// The type of a committed offset's record.
const COMMIT: i16 = 1;
/// The type of a classic group's record.
const GROUP: i16 = 2;
/// The version Kafka's brokers write values in (`CoordinatorRecordHelpers`): the newest that is not flexible.
const WRITTEN_VERSION: i16 = 3;

message! {
    /// Whose offset it is.
    OffsetCommitKey [0-0, flexible none] {
        /// The group.
        group: String [0+],
        /// The topic.
        topic: String [0+],
        /// The partition.
        partition: i32 [0+],
    }
}

message! {
    /// What was committed.
    OffsetCommitValue [0-4, flexible 4+] {
        /// The offset of the next record to read.
        offset: i64 [0+],
        /// The leader epoch of the last record read, -1 unknown. Added in version 3 (KIP-320).
        leader_epoch: i32 [3+, default -1, ignorable],
        /// A note of the client's.
        metadata: String [0+],
        /// When it was committed, Unix milliseconds.
        commit_timestamp: i64 [0+],
        /// When it is to be forgotten, Unix milliseconds; -1 for the broker's own retention. In version 1 only.
        expire_timestamp: i64 [1-1, default -1, ignorable],
        /// The topic's id. Added in version 4 (KIP-848).
        topic_id: Uuid [4+, tag 0 4+, ignorable],
    }
}

message! {
    /// Which group it is.
    GroupMetadataKey [0-0, flexible none] {
        /// The group.
        group: String [0+],
    }
}

message! {
    /// A classic group as it was when it last became Stable or Empty.
    GroupMetadataValue [0-4, flexible 4+] {
        /// `consumer` for consumers, empty for a group that never had a member.
        protocol_type: String [0+],
        /// Its generation.
        generation: i32 [0+],
        /// The assignor that was chosen; null while it is empty.
        protocol: Option<String> [0+, nullable 0+],
        /// The leader's member id; null while it is empty.
        leader: Option<String> [0+, nullable 0+],
        /// When it entered its state, Unix milliseconds, -1 unknown. Added in version 2.
        current_state_timestamp: i64 [2+, default -1, ignorable],
        /// Its members, by order of arrival.
        members: Vec<MemberMetadata> [0+],
    }
}

structure! {
    /// A member of the group.
    MemberMetadata {
        /// The id the coordinator gave it.
        member_id: String [0+],
        /// The static member's own name. Added in version 3 (KIP-345).
        group_instance_id: Option<String> [3+, nullable 3+, default null, ignorable],
        /// From its JoinGroup's header.
        client_id: String [0+],
        /// Its address after a slash.
        client_host: String [0+],
        /// How long it is waited for in a rebalance, in milliseconds; -1 means its session timeout. Added in version 1.
        rebalance_timeout: i32 [1+, default -1, ignorable],
        /// How long it may be silent, in milliseconds.
        session_timeout: i32 [0+],
        /// What it told under the chosen protocol.
        subscription: Vec<u8> [0+],
        /// Its part of the assignment.
        assignment: Vec<u8> [0+],
    }
}

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

/// The partition of `__consumer_offsets` that holds a group, of `partitions` there are: `Utils.abs(hashCode) %
/// partitions`, Java's hash of the name's UTF-16 units, with the one number that has no absolute value taken for 0. What is
/// coordinated is coordinated by that partition's leader. 0 where there are no partitions.
#[must_use]
pub fn partition_of(group: &str, partitions: i32) -> i32 {
    let hash = group.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    hash.checked_abs()
        .unwrap_or(0)
        .checked_rem(partitions)
        .unwrap_or(0)
}
