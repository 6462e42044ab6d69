//! Java's escapes: `\t`, `\n`, `\r`, `\f`, `\uXXXX` in UTF-16; any other backslash stands for what follows it.

use zeroize::Zeroizing;

/// What is meant.
pub(super) fn undone(raw: &str) -> Result<Zeroizing<String>, &'static str> {
    // What is meant is never longer than what was written, so the string never moves and leaves nothing behind.
    let mut meant = Zeroizing::new(String::with_capacity(raw.len()));
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            meant.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => meant.push('\t'),
            Some('n') => meant.push('\n'),
            Some('r') => meant.push('\r'),
            Some('f') => meant.push('\u{c}'),
            Some('u') => meant.push(character(&mut chars)?),
            Some(other) => meant.push(other),
            None => {}
        }
    }
    Ok(meant)
}

/// Behind a `\u`: one code unit, or two that make a character together.
fn character(chars: &mut std::str::Chars<'_>) -> Result<char, &'static str> {
    const HALF: &str = "a \\u escape is half of a pair of surrogates, and the other half does not follow";
    let first = unit(chars)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Ok(c);
    }
    if (chars.next(), chars.next()) != (Some('\\'), Some('u')) {
        return Err(HALF);
    }
    let second = unit(chars)?;
    match char::decode_utf16([first, second]).next() {
        Some(Ok(c)) => Ok(c),
        _ => Err(HALF),
    }
}

fn unit(chars: &mut std::str::Chars<'_>) -> Result<u16, &'static str> {
    let mut unit = 0;
    for _ in 0..4 {
        let digit = chars.next().and_then(|c| c.to_digit(16));
        let digit =
            digit.ok_or("a \\u escape needs four hexadecimal digits (a backslash is written \\\\)")?;
        unit = unit << 4 | digit;
    }
    Ok(u16::try_from(unit).unwrap_or_default())
}
