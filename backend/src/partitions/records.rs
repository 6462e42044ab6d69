//! The records inside an uncompressed batch of magic 2.

/// One record, as far as a log looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// From the batch's base offset.
    pub(super) offset_delta: i64,
    /// From the batch's base timestamp, milliseconds.
    pub(super) timestamp_delta: i64,
}

/// Whether these bytes are `count` whole records, numbered from 0.
pub(super) fn check(bytes: &[u8], count: i32) -> Result<(), String> {
    let mut seen = 0_i64;
    for record in iter(bytes) {
        let record = record?;
        if record.offset_delta != seen {
            return Err(format!(
                "record {seen} of a batch says it is record {}",
                record.offset_delta
            ));
        }
        seen += 1;
        if seen > i64::from(count) {
            return Err(format!("more records than the {count} that the batch announces"));
        }
    }
    if seen == i64::from(count) {
        Ok(())
    } else {
        Err(format!("{seen} records where the batch announces {count}"))
    }
}

/// The records, until the bytes end or are none.
pub(super) fn iter(bytes: &[u8]) -> impl Iterator<Item = Result<Record, String>> + '_ {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest.take().filter(|bytes| !bytes.is_empty())?;
        match record(bytes) {
            Some((record, behind)) => {
                rest = Some(behind);
                Some(Ok(record))
            }
            None => Some(Err("a record that is cut off or malformed".to_owned())),
        }
    })
}

/// The first record and what is behind it.
fn record(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let (length, rest) = varint(bytes)?;
    let (mut body, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    // Attributes, which no version of Kafka uses.
    body = body.get(1..)?;
    let timestamp_delta;
    let offset_delta;
    (timestamp_delta, body) = varint(body)?;
    (offset_delta, body) = varint(body)?;
    body = field(body)?; // key
    body = field(body)?; // value
    let headers;
    (headers, body) = varint(body)?;
    // Each takes two bytes at least, so a count that is too high ends with the bytes.
    for _ in 0..u64::try_from(headers).ok()? {
        let (length, name) = varint(body)?;
        body = name.get(usize::try_from(length).ok()?..)?;
        body = field(body)?;
    }
    let record = Record {
        offset_delta,
        timestamp_delta,
    };
    body.is_empty().then_some((record, behind))
}

/// Skips bytes behind their length, of which -1 is null.
fn field(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = varint(bytes)?;
    if length == -1 {
        return Some(rest);
    }
    rest.get(usize::try_from(length).ok()?..)
}

/// A signed number of variable length: seven bits a byte, the lowest first, the sign in the lowest bit of all.
fn varint(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(index).ok()?)?;
        if byte & 0x80 == 0 {
            // The lowest bit is the sign.
            let signed = (value >> 1).cast_signed() ^ -((value & 1).cast_signed());
            return Some((signed, bytes.get(index + 1..)?));
        }
    }
    None
}
