//! The little of DER that is needed here: one element after the other.

use zeroize::Zeroizing;

/// INTEGER
pub(super) const INTEGER: u8 = 2;
/// BIT STRING
pub(super) const BITS: u8 = 3;
/// OCTET STRING
pub(super) const OCTETS: u8 = 4;
/// SEQUENCE
pub(super) const SEQUENCE: u8 = 0x30;

/// The content of the element with this tag at the start of `bytes`, and what is behind it.
pub(super) fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = bytes.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        short @ 0..=0x7f => (usize::from(short), rest),
        long @ 0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            let length = length.iter().try_fold(0_usize, |length, byte| {
                length.checked_mul(256)?.checked_add(usize::from(*byte))
            })?;
            (length, rest)
        }
        _ => return None,
    };
    if found == tag {
        rest.split_at_checked(length)
    } else {
        None
    }
}

/// An element with this tag around parts.
pub(super) fn around(tag: u8, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut element = Zeroizing::new(Vec::with_capacity(length + 6));
    element.push(tag);
    match u8::try_from(length) {
        Ok(short @ 0..=0x7f) => element.push(short),
        _ => {
            let bytes = length.to_be_bytes();
            let significant: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
            // At most eight, so that it fits.
            element.push(0x80 | u8::try_from(significant.len()).unwrap_or_default());
            element.extend(significant);
        }
    }
    for part in parts {
        element.extend_from_slice(part);
    }
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_read_as_it_was_written() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; length];
            let mut bytes = around(OCTETS, &[&content]).to_vec();
            bytes.extend([1, 2]);
            assert_eq!(
                element(&bytes, OCTETS),
                Some((&content[..], &[1, 2][..])),
                "{length}"
            );
            assert_eq!(element(&bytes, SEQUENCE), None);
            bytes.truncate(bytes.len() - 3);
            assert_eq!(element(&bytes, OCTETS), None);
        }
        assert_eq!(element(&[OCTETS, 0x80, 0, 0], OCTETS), None);
    }
}
