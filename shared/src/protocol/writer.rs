//! Writing a message.

use super::error::EncodeError;
use super::schema::{Field, VersionRange};
use super::value::Value;

/// Appends one message to a buffer, and knows what it is writing for its errors.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    message: &'static str,
    version: i16,
    flexible: bool,
    field: &'static str,
    /// Whether it is a tagged field, in which the null of a structure is another.
    tagged: bool,
}

impl<'a> Writer<'a> {
    pub(crate) const fn new(
        out: &'a mut Vec<u8>,
        message: &'static str,
        version: i16,
        flexible: VersionRange,
    ) -> Self {
        Self {
            out,
            message,
            version,
            flexible: flexible.contains(version),
            field: "start",
            tagged: false,
        }
    }

    pub(crate) const fn version(&self) -> i16 {
        self.version
    }

    pub(crate) const fn is_flexible(&self) -> bool {
        self.flexible
    }

    /// Writes `field` as this version carries it.
    pub(crate) fn field<T: Value>(&mut self, field: &Field, value: &T) -> Result<(), EncodeError> {
        self.tagged = false;
        self.value(field, value)
    }

    fn value<T: Value>(&mut self, field: &Field, value: &T) -> Result<(), EncodeError> {
        self.field = field.name;
        if !field.nullable.contains(self.version) && value.is_null() {
            return Err(EncodeError::Null {
                message: self.message,
                version: self.version,
                field: field.name,
                nullable: field.nullable,
            });
        }
        value.write(self, field.nullable.contains(self.version))
    }

    /// What stands where a structure could stand and is null: -1, or 0 in a tagged field (protocol.md 4.7).
    pub(crate) const fn null(&self) -> i8 {
        if self.tagged { 0 } else { -1 }
    }

    /// What to do with a value that is not its default and that this version does not carry.
    pub(crate) const fn dropped(&self, field: &Field) -> Result<(), EncodeError> {
        if field.ignorable {
            return Ok(());
        }
        Err(EncodeError::NotInVersion {
            message: self.message,
            version: self.version,
            field: field.name,
            versions: field.versions,
        })
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub(crate) fn varint(&mut self, mut value: u32) {
        while value >= 0x80 {
            // The mask keeps seven bits, so the cast loses nothing.
            self.out.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    /// The length of text, `None` for null.
    pub(crate) fn text_length(&mut self, length: Option<usize>) -> Result<(), EncodeError> {
        if self.flexible {
            return self.compact_length(length);
        }
        let length = match length {
            None => -1,
            Some(length) => {
                i16::try_from(length).map_err(|_| self.too_long(length, i16::MAX.unsigned_abs().into()))?
            }
        };
        self.bytes(&length.to_be_bytes());
        Ok(())
    }

    /// The length of bytes or the count of an array, `None` for null.
    pub(crate) fn long_length(&mut self, length: Option<usize>) -> Result<(), EncodeError> {
        if self.flexible {
            return self.compact_length(length);
        }
        let length = match length {
            None => -1,
            Some(length) => i32::try_from(length).map_err(|_| self.too_long(length, i32::MAX as usize))?,
        };
        self.bytes(&length.to_be_bytes());
        Ok(())
    }

    fn compact_length(&mut self, length: Option<usize>) -> Result<(), EncodeError> {
        let length_and_one = match length {
            None => 0,
            Some(length) if length < i32::MAX as usize => length as u32 + 1,
            Some(length) => return Err(self.too_long(length, i32::MAX as usize - 1)),
        };
        self.varint(length_and_one);
        Ok(())
    }

    const fn too_long(&self, length: usize, max: usize) -> EncodeError {
        EncodeError::TooLong {
            message: self.message,
            version: self.version,
            field: self.field,
            length,
            max,
        }
    }

    /// Adds `field` to `tags`.
    pub(crate) fn tagged<T: Value>(
        &self,
        tags: &mut Vec<(u32, Vec<u8>)>,
        tag: u32,
        field: &Field,
        value: &T,
    ) -> Result<(), EncodeError> {
        let mut bytes = Vec::new();
        Writer {
            out: &mut bytes,
            tagged: true,
            ..*self
        }
        .value(field, value)?;
        tags.push((tag, bytes));
        Ok(())
    }

    /// Writes tagged fields, in the order of their tags as KIP-482 asks.
    pub(crate) fn tags(&mut self, mut tags: Vec<(u32, Vec<u8>)>) -> Result<(), EncodeError> {
        tags.sort_unstable_by_key(|(tag, _)| *tag);
        self.varint(tags.len() as u32);
        for (tag, bytes) in tags {
            self.varint(tag);
            let size =
                u32::try_from(bytes.len()).map_err(|_| self.too_long(bytes.len(), u32::MAX as usize))?;
            self.varint(size);
            self.bytes(&bytes);
        }
        Ok(())
    }
}
