//! How each type of a table is read and written.

use super::error::{DecodeError, DecodeFault, EncodeError};
use super::reader::Reader;
use super::schema::Kind;
use super::uuid::Uuid;
use super::writer::Writer;

/// A type that a table can name.
pub(crate) trait Value: Sized {
    /// What the table says of it.
    const KIND: Kind;
    /// A lower bound of its size on the wire, in any version.
    const LEAST_BYTES: usize;

    /// Kafka's default where a table names none: 0, false, "", empty.
    fn zero() -> Self;

    /// Whether it is null.
    fn is_null(&self) -> bool {
        false
    }

    /// Reads one; `nullable` says whether this version allows null here.
    fn read(reader: &mut Reader<'_>, nullable: bool) -> Result<Self, DecodeError>;

    /// Writes one; `nullable` says whether this version allows null here.
    fn write(&self, writer: &mut Writer<'_>, nullable: bool) -> Result<(), EncodeError>;
}

/// A type that can be null on the wire.
pub(crate) trait Nullable: Value {
    /// Reads one, or null.
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError>;

    /// Writes null, or what stands before a value that could have been null, and the value.
    fn write_nullable(value: Option<&Self>, writer: &mut Writer<'_>) -> Result<(), EncodeError>;
}

impl<T: Nullable> Value for Option<T> {
    const KIND: Kind = T::KIND;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Some(T::zero())
    }

    fn is_null(&self) -> bool {
        self.is_none()
    }

    fn read(reader: &mut Reader<'_>, nullable: bool) -> Result<Self, DecodeError> {
        if nullable {
            T::read_nullable(reader)
        } else {
            T::read(reader, false).map(Some)
        }
    }

    fn write(&self, writer: &mut Writer<'_>, nullable: bool) -> Result<(), EncodeError> {
        match self {
            Some(value) if !nullable => value.write(writer, false),
            value => T::write_nullable(value.as_ref(), writer),
        }
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Bool;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        false
    }

    fn read(reader: &mut Reader<'_>, _nullable: bool) -> Result<Self, DecodeError> {
        Ok(reader.array::<1>()? != [0])
    }

    fn write(&self, writer: &mut Writer<'_>, _nullable: bool) -> Result<(), EncodeError> {
        writer.bytes(&[u8::from(*self)]);
        Ok(())
    }
}

macro_rules! number {
    ($type:ty, $kind:ident) => {
        impl Value for $type {
            const KIND: Kind = Kind::$kind;
            const LEAST_BYTES: usize = size_of::<Self>();

            fn zero() -> Self {
                0
            }

            fn read(reader: &mut Reader<'_>, _nullable: bool) -> Result<Self, DecodeError> {
                Ok(Self::from_be_bytes(reader.array()?))
            }

            fn write(&self, writer: &mut Writer<'_>, _nullable: bool) -> Result<(), EncodeError> {
                writer.bytes(&self.to_be_bytes());
                Ok(())
            }
        }
    };
}

number!(i8, Int8);
number!(i16, Int16);
number!(u16, Uint16);
number!(i32, Int32);
number!(i64, Int64);

impl Value for Uuid {
    const KIND: Kind = Kind::Uuid;
    const LEAST_BYTES: usize = 16;

    fn zero() -> Self {
        Self::ZERO
    }

    fn read(reader: &mut Reader<'_>, _nullable: bool) -> Result<Self, DecodeError> {
        Ok(Self(reader.array()?))
    }

    fn write(&self, writer: &mut Writer<'_>, _nullable: bool) -> Result<(), EncodeError> {
        writer.bytes(&self.0);
        Ok(())
    }
}

/// A type whose null is a length, so that a value looks the same whether it could have been null or not.
macro_rules! measured {
    () => {
        fn read(reader: &mut Reader<'_>, _nullable: bool) -> Result<Self, DecodeError> {
            let value = Self::read_nullable(reader)?;
            value.ok_or_else(|| reader.error(DecodeFault::Null))
        }

        fn write(&self, writer: &mut Writer<'_>, _nullable: bool) -> Result<(), EncodeError> {
            Self::write_nullable(Some(self), writer)
        }
    };
}

impl Value for String {
    const KIND: Kind = Kind::String;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Self::new()
    }

    measured!();
}

impl Nullable for String {
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        match reader.text_length()? {
            None => Ok(None),
            Some(length) => reader.text(length).map(|text| Some(text.to_owned())),
        }
    }

    fn write_nullable(value: Option<&Self>, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        writer.text_length(value.map(Self::len))?;
        writer.bytes(value.map_or(&[], |text| text.as_bytes()));
        Ok(())
    }
}

impl Value for Vec<u8> {
    const KIND: Kind = Kind::Bytes;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Self::new()
    }

    measured!();
}

impl Nullable for Vec<u8> {
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        match reader.long_length()? {
            None => Ok(None),
            Some(length) => Ok(Some(reader.take(length)?.to_vec())),
        }
    }

    fn write_nullable(value: Option<&Self>, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        writer.long_length(value.map(Self::len))?;
        writer.bytes(value.map_or(&[], Self::as_slice));
        Ok(())
    }
}

impl<T: Value> Value for Vec<T> {
    const KIND: Kind = Kind::Array(&T::KIND);
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Self::new()
    }

    measured!();
}

impl<T: Value> Nullable for Vec<T> {
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        match reader.long_length()? {
            None => Ok(None),
            Some(count) => reader.items(count).map(Some),
        }
    }

    fn write_nullable(value: Option<&Self>, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        writer.long_length(value.map(Self::len))?;
        for item in value.into_iter().flatten() {
            item.write(writer, false)?;
        }
        Ok(())
    }
}
