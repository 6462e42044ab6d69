//! Ids and texts come from strangers: what a board keeps of them is bounded.

use std::borrow::Borrow;

use super::limits::{DETAIL, TEXT};

/// The id or text itself where it is short enough, else its beginning and a hash of the whole.
pub fn clipped<T: Borrow<str> + From<String> + Clone>(text: &T) -> T {
    let whole: &str = text.borrow();
    if whole.len() <= TEXT {
        return text.clone();
    }
    let hash = format!("…#{:016x}", fnv1a(whole.as_bytes()));
    let mut end = TEXT - hash.len();
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    let mut kept = whole.get(..end).unwrap_or_default().to_owned();
    kept.push_str(&hash);
    T::from(kept)
}

/// A sentence for people: whole where it fits, else its beginning. Two that are cut may become one, which an id may not.
pub(super) fn shortened(sentence: &str) -> String {
    const CUT: &str = " …";
    if sentence.len() <= DETAIL {
        return sentence.to_owned();
    }
    let mut end = DETAIL - CUT.len();
    while !sentence.is_char_boundary(end) {
        end -= 1;
    }
    let kept = sentence.get(..end).unwrap_or_default();
    format!("{kept}{CUT}")
}

/// FNV-1a, 64 bits: the same on every machine, which std's hashers do not promise.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;

    #[test]
    fn a_short_id_is_kept_whole() {
        let id = GroupId::from("a".repeat(TEXT));
        assert_eq!(clipped(&id), id);
    }

    #[test]
    fn two_long_ids_with_one_beginning_stay_two() {
        let one = clipped(&GroupId::from("a".repeat(10_000)));
        let two = clipped(&GroupId::from("a".repeat(10_001)));
        assert_ne!(one, two);
        assert!(one.as_str().len() <= TEXT);
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        for pad in 0..4 {
            let id = format!("{}{}", "x".repeat(pad), "€".repeat(500));
            assert!(clipped(&id).len() <= TEXT);
        }
    }

    #[test]
    fn a_sentence_of_some_length_stays_whole_and_a_longer_one_ends_in_no_hash() {
        let whole = "x".repeat(DETAIL);
        assert_eq!(shortened(&whole), whole);
        let cut = shortened(&"€".repeat(DETAIL));
        assert!(cut.len() <= DETAIL && cut.ends_with("€ …"), "{cut}");
    }

    #[test]
    fn clipping_twice_is_clipping_once() {
        let once = clipped(&"ß".repeat(999));
        assert_eq!(clipped(&once), once);
    }
}
