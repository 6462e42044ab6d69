//! Reading a message: every length is compared with the bytes at hand before anything is made of it.

use super::error::{DecodeError, DecodeFault};
use super::lend::{Lend, Lent};
use super::schema::{Field, VersionRange};
use super::value::Value;

/// Null where a structure could stand.
const IN_PLACE: i8 = -1;
/// The same in a tagged field: Kafka's generator writes 0 there (protocol.md 4.7).
const TAGGED: i8 = 0;

/// A cursor over the bytes of one message, which knows what it is reading for its errors.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    left: &'a [u8],
    message: &'static str,
    version: i16,
    flexible: bool,
    field: &'static str,
    /// What stands before a structure that may be null where it is null: -1, or 0 in a tagged field.
    null: i8,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(
        bytes: &'a [u8],
        message: &'static str,
        version: i16,
        flexible: VersionRange,
    ) -> Self {
        Self {
            left: bytes,
            message,
            version,
            flexible: flexible.contains(version),
            field: "start",
            null: IN_PLACE,
        }
    }

    pub(crate) const fn version(&self) -> i16 {
        self.version
    }

    pub(crate) const fn is_flexible(&self) -> bool {
        self.flexible
    }

    /// The bytes not read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.left
    }

    pub(crate) const fn error(&self, fault: DecodeFault) -> DecodeError {
        DecodeError {
            message: self.message,
            version: self.version,
            field: self.field,
            fault,
        }
    }

    /// Refuses bytes after the end.
    pub(crate) const fn finish(&self) -> Result<(), DecodeError> {
        match self.left.len() {
            0 => Ok(()),
            left => Err(self.error(DecodeFault::LeftOver { left })),
        }
    }

    /// Names the part that is read next, for errors.
    pub(crate) const fn at(&mut self, part: &'static str) {
        self.field = part;
    }

    /// Reads `field` as this version carries it.
    pub(crate) fn field<T: Value>(&mut self, field: &Field) -> Result<T, DecodeError> {
        let nullable = self.begin(field, IN_PLACE);
        T::read(self, nullable)
    }

    /// Reads `field`, which is all there is behind a tag.
    pub(crate) fn tagged_field<T: Value>(&mut self, field: &Field) -> Result<T, DecodeError> {
        let nullable = self.begin(field, TAGGED);
        T::read(self, nullable)
    }

    /// As [`Self::field`], without a copy.
    pub(crate) fn lend<T: Lend>(&mut self, field: &Field) -> Result<<T as Lent>::View<'a>, DecodeError> {
        let nullable = self.begin(field, IN_PLACE);
        T::lend(self, nullable)
    }

    /// As [`Self::tagged_field`], without a copy.
    pub(crate) fn lend_tagged<T: Lend>(
        &mut self,
        field: &Field,
    ) -> Result<<T as Lent>::View<'a>, DecodeError> {
        let nullable = self.begin(field, TAGGED);
        T::lend(self, nullable)
    }

    /// Names the field that is read next, and tells whether it may be null.
    const fn begin(&mut self, field: &Field, null: i8) -> bool {
        self.field = field.name;
        self.null = null;
        field.nullable.contains(self.version)
    }

    /// Whether a structure that may be null stands here.
    pub(crate) fn is_present(&mut self) -> Result<bool, DecodeError> {
        let null = self.null;
        match i8::from_be_bytes(self.array()?) {
            1 => Ok(true),
            marker if marker == null => Ok(false),
            marker => Err(self.error(DecodeFault::NotAMarker { marker, null })),
        }
    }

    /// Whether the message ends before `field`, in a version in which a vendor leaves it out.
    pub(crate) const fn omits(&self, field: &Field) -> bool {
        self.left.is_empty() && field.omissible.contains(self.version)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return Err(self.error(DecodeFault::EndOfMessage {
                needed: count,
                left: self.left.len(),
            }));
        };
        self.left = left;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((taken, left)) = self.left.split_first_chunk::<N>() else {
            return Err(self.error(DecodeFault::EndOfMessage {
                needed: N,
                left: self.left.len(),
            }));
        };
        self.left = left;
        Ok(*taken)
    }

    /// An unsigned number of seven bits a byte, the lowest first, the high bit set on all but the last.
    pub(crate) fn varint(&mut self) -> Result<u32, DecodeError> {
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.error(DecodeFault::VarintTooLong))
    }

    /// The length of text, `None` for null.
    pub(crate) fn text_length(&mut self) -> Result<Option<usize>, DecodeError> {
        if self.flexible {
            return self.compact_length();
        }
        let length = i16::from_be_bytes(self.array()?);
        self.length(i32::from(length))
    }

    /// The length of bytes or the count of an array, `None` for null.
    pub(crate) fn long_length(&mut self) -> Result<Option<usize>, DecodeError> {
        if self.flexible {
            return self.compact_length();
        }
        let length = i32::from_be_bytes(self.array()?);
        self.length(length)
    }

    fn compact_length(&mut self) -> Result<Option<usize>, DecodeError> {
        // On a target whose usize is narrower than 32 bits the message could not be at hand in the first
        // place.
        let length_and_one = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        Ok(length_and_one.checked_sub(1))
    }

    fn length(&self, length: i32) -> Result<Option<usize>, DecodeError> {
        match usize::try_from(length) {
            Ok(length) => Ok(Some(length)),
            Err(_) if length == -1 => Ok(None),
            Err(_) => Err(self.error(DecodeFault::NegativeLength { length })),
        }
    }

    /// Reads the items of an array. No more memory is reserved ahead than there are bytes left, each item
    /// taking one byte at least, so a message cannot make this reserve more than its own size.
    pub(crate) fn items<T: Value>(&mut self, count: usize) -> Result<Vec<T>, DecodeError> {
        self.items_by(count, T::LEAST_BYTES, |reader| T::read(reader, false))
    }

    /// Reads the items of an array by `read`, each of which takes `least` bytes at least.
    pub(crate) fn items_by<T>(
        &mut self,
        count: usize,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let left = self.left.len();
        if count.saturating_mul(least) > left {
            return Err(self.error(DecodeFault::ArrayTooLong { count, left }));
        }
        let mut items = Vec::with_capacity(count.min(left / size_of::<T>().max(1)));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// UTF-8 of so many bytes.
    pub(crate) fn text(&mut self, length: usize) -> Result<&'a str, DecodeError> {
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|error| {
            self.error(DecodeFault::NotUtf8 {
                valid_up_to: error.valid_up_to(),
                length,
            })
        })
    }

    /// The number of tagged fields that follow. Each takes two bytes at least.
    pub(crate) fn tag_count(&mut self) -> Result<u32, DecodeError> {
        self.field = "tagged fields";
        let count = self.varint()?;
        let left = self.left.len();
        if u64::from(count) * 2 > left as u64 {
            return Err(self.error(DecodeFault::TooManyTags { count, left }));
        }
        Ok(count)
    }

    /// The tag of the next tagged field and a reader of its bytes alone.
    pub(crate) fn tagged(&mut self) -> Result<(u32, Self), DecodeError> {
        self.field = "tagged fields";
        let tag = self.varint()?;
        let size = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        let left = self.take(size)?;
        Ok((tag, Self { left, ..*self }))
    }

    /// Skips tagged fields, none of which is known: a later version's, which Kafka asks readers to skip.
    pub(crate) fn skip_tags(&mut self) -> Result<(), DecodeError> {
        for _ in 0..self.tag_count()? {
            self.tagged()?;
        }
        Ok(())
    }
}
