//! Bytes as people write them.

/// The bytes that `text` spells, blanks left out.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|char| *char != ' ')
        .map(|char| char.to_digit(16).unwrap())
        .collect();
    assert!(digits.len().is_multiple_of(2), "{text}");
    digits
        .chunks(2)
        .map(|pair| (pair[0] * 16 + pair[1]) as u8)
        .collect()
}

/// How `bytes` are spelt.
pub(super) fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
