//! The records inside an uncompressed batch of magic 2.

use shared::protocol::batches::{RawRecord, raw_record};

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
pub(super) fn iter(bytes: &[u8]) -> impl Iterator<Item = Result<RawRecord<'_>, String>> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest.take().filter(|bytes| !bytes.is_empty())?;
        match raw_record(bytes) {
            Some((record, behind)) => {
                rest = Some(behind);
                Some(Ok(record))
            }
            None => Some(Err("a record that is cut off or malformed".to_owned())),
        }
    })
}
