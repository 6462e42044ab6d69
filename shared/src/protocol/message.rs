//! What every message can do.

use super::error::{DecodeError, DecodeFault, EncodeError};
use super::reader::Reader;
use super::schema::Schema;
use super::value::Value;
use super::writer::Writer;

/// The body of a request or an answer, or the bytes a consumer puts into a JoinGroup.
pub trait Message: Default {
    /// Kafka's name, `JoinGroupRequest`.
    const NAME: &'static str;
    /// Its table.
    const SCHEMA: &'static Schema;

    /// Appends the body, as `version` has it, to `out`; on an error `out` is as before.
    ///
    /// # Errors
    ///
    /// The version is unknown or cannot carry a value.
    fn encode(&self, version: i16, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Reads a whole body; bytes left over are refused.
    ///
    /// # Errors
    ///
    /// The version is unknown, or the bytes are not such a body.
    fn decode(body: &[u8], version: i16) -> Result<Self, DecodeError>;
}

/// What [`Message::encode`] does for each table.
pub(crate) fn encode<T: Message + Value>(
    value: &T,
    version: i16,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let Schema {
        name,
        versions,
        flexible,
        ..
    } = *T::SCHEMA;
    if !versions.contains(version) {
        return Err(EncodeError::UnknownVersion {
            message: name,
            version,
            known: versions,
        });
    }
    let before = out.len();
    let written = value.write(&mut Writer::new(out, name, version, flexible), false);
    if written.is_err() {
        out.truncate(before);
    }
    written
}

/// What [`Message::decode`] does for each table.
pub(crate) fn decode<T: Message + Value>(body: &[u8], version: i16) -> Result<T, DecodeError> {
    let (value, reader) = decode_start(body, version)?;
    reader.finish()?;
    Ok(value)
}

/// Reads a body that something may follow, and gives the reader behind it.
pub(crate) fn decode_start<T: Message + Value>(
    body: &[u8],
    version: i16,
) -> Result<(T, Reader<'_>), DecodeError> {
    let Schema {
        name,
        versions,
        flexible,
        ..
    } = *T::SCHEMA;
    let mut reader = Reader::new(body, name, version, flexible);
    if !versions.contains(version) {
        return Err(reader.error(DecodeFault::UnknownVersion { known: versions }));
    }
    Ok((T::read(&mut reader, false)?, reader))
}

/// Reads a structure that may be null: null, or 1 and the structure.
pub(crate) fn read_nullable<T: Value>(reader: &mut Reader<'_>) -> Result<Option<T>, DecodeError> {
    if reader.is_present()? {
        T::read(reader, false).map(Some)
    } else {
        Ok(None)
    }
}

/// Writes a structure that may be null.
pub(crate) fn write_nullable<T: Value>(
    value: Option<&T>,
    writer: &mut Writer<'_>,
) -> Result<(), EncodeError> {
    match value {
        None => writer.null().write(writer, false),
        Some(value) => {
            1_i8.write(writer, false)?;
            value.write(writer, false)
        }
    }
}
