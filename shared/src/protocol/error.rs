//! What can be wrong with bytes, values and versions. Each error names the value and what is allowed.

use thiserror::Error;

use super::schema::VersionRange;

/// Bytes that are not the message they should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} version {version}, {field}: {fault}")]
pub struct DecodeError {
    /// Kafka's name of the message.
    pub message: &'static str,
    /// The version it was read as.
    pub version: i16,
    /// The field that was being read.
    pub field: &'static str,
    /// What is wrong.
    pub fault: DecodeFault,
}

/// What is wrong with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeFault {
    /// The version is not one of the message's.
    #[error("not a known version (known: {known})")]
    UnknownVersion { known: VersionRange },
    /// The message ends inside the field.
    #[error("{needed} bytes needed where {left} are left")]
    EndOfMessage { needed: usize, left: usize },
    /// More items than the bytes at hand can hold.
    #[error("array of {count} items where {left} bytes are left")]
    ArrayTooLong { count: usize, left: usize },
    /// More tagged fields than the bytes at hand can hold.
    #[error("{count} tagged fields where {left} bytes are left")]
    TooManyTags { count: u32, left: usize },
    /// A length below -1, which is null.
    #[error("length {length} (allowed: 0 and above, or -1 for null where the field may be null)")]
    NegativeLength { length: i32 },
    /// Null in a version where the field must not be null.
    #[error("null, which this version does not allow")]
    Null,
    /// The byte before a structure that may be null is neither of its two values.
    #[error("{marker} before a structure that may be null (allowed: {null} null, 1 present)")]
    NotAMarker { marker: i8, null: i8 },
    /// A number of variable length that goes on after its fifth byte or beyond 32 bits.
    #[error("a variable-length number of more than 32 bits")]
    VarintTooLong,
    /// Text that is not UTF-8.
    #[error("not UTF-8 from byte {valid_up_to} of {length} on")]
    NotUtf8 { valid_up_to: usize, length: usize },
    /// Bytes after the end of the message or of a tagged field.
    #[error("{left} bytes left over after the end")]
    LeftOver { left: usize },
}

/// A value that a version of its message cannot carry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The version is not one of the message's.
    #[error("{message} has no version {version} (known: {known})")]
    UnknownVersion {
        message: &'static str,
        version: i16,
        known: VersionRange,
    },
    /// The field is set, must not be dropped silently, and the version does not carry it.
    #[error("{message} version {version} cannot carry {field} (its versions: {versions})")]
    NotInVersion {
        message: &'static str,
        version: i16,
        field: &'static str,
        versions: VersionRange,
    },
    /// Null where the version asks for a value.
    #[error("{message} version {version} cannot carry a null {field} (nullable in: {nullable})")]
    Null {
        message: &'static str,
        version: i16,
        field: &'static str,
        nullable: VersionRange,
    },
    /// Longer than the length before it can say.
    #[error("{message} version {version}, {field}: length {length} (at most {max})")]
    TooLong {
        message: &'static str,
        version: i16,
        field: &'static str,
        length: usize,
        max: usize,
    },
}
