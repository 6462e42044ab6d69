//! Record batches as the wire carries them.

use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use super::schema::Kind;
use super::value::{Nullable, Value};
use super::writer::Writer;

/// Kafka's type `records`: whole record batches, one behind the other.
///
/// On the wire it is bytes; what is inside is not looked at here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(serde::Serialize))]
pub struct Records(pub Vec<u8>);

impl Value for Records {
    const KIND: Kind = Kind::Records;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Self::default()
    }

    fn read(reader: &mut Reader<'_>, nullable: bool) -> Result<Self, DecodeError> {
        Vec::<u8>::read(reader, nullable).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>, nullable: bool) -> Result<(), EncodeError> {
        self.0.write(writer, nullable)
    }
}

impl Nullable for Records {
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        let bytes = Vec::<u8>::read_nullable(reader)?;
        Ok(bytes.map(Self))
    }

    fn write_nullable(value: Option<&Self>, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        Vec::<u8>::write_nullable(value.map(|records| &records.0), writer)
    }
}
