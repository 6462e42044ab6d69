//! Lines as `java.util.Properties` sees them: comments and blanks gone, continued ones joined, split at the separator.

use zeroize::Zeroizing;

/// Java's white space inside a line.
const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

/// A line with all that continues it; escapes are as written.
#[derive(Debug)]
pub(super) struct Logical {
    /// Where it begins, from 1.
    pub(super) number: usize,
    text: Zeroizing<String>,
}

/// The lines that say something.
pub(super) fn logical(text: &str) -> Vec<Logical> {
    let mut lines = Vec::new();
    let mut open: Option<Logical> = None;
    for (at, natural) in natural(text).into_iter().enumerate() {
        let natural = natural.trim_start_matches(BLANKS);
        // Only a line of its own can be a comment or blank: one that continues another is part of it, whatever it begins with.
        if open.is_none() && (natural.is_empty() || natural.starts_with(['#', '!'])) {
            continue;
        }
        let mut line = open.take().unwrap_or_else(|| Logical {
            number: at + 1,
            text: Zeroizing::new(String::with_capacity(text.len())),
        });
        let backslashes = natural.chars().rev().take_while(|c| *c == '\\').count();
        if backslashes % 2 == 1 {
            line.text.extend(natural.strip_suffix('\\'));
            open = Some(line);
        } else {
            line.text.push_str(natural);
            lines.push(line);
        }
    }
    // Java takes a file that ends inside a continued line as if the line ended there.
    lines.extend(open);
    lines.retain(|line| !line.text.is_empty());
    lines
}

/// Lines end at \n, \r or both.
fn natural(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        let (line, behind) = rest.split_at(end);
        lines.push(line);
        rest = behind
            .strip_prefix("\r\n")
            .or_else(|| behind.strip_prefix(['\n', '\r']))
            .unwrap_or_default();
    }
    lines.push(rest);
    lines
}

impl Logical {
    /// Key and value: at the first =, : or blank that is not escaped, with the blanks around it.
    pub(super) fn split(&self) -> (&str, &str) {
        let mut escaped = false;
        let end = self.text.find(|c: char| {
            let ends = !escaped && (c == '=' || c == ':' || BLANKS.contains(&c));
            escaped = c == '\\' && !escaped;
            ends
        });
        let (key, behind) = self.text.split_at(end.unwrap_or(self.text.len()));
        let behind = behind.trim_start_matches(BLANKS);
        let behind = behind.strip_prefix(['=', ':']).unwrap_or(behind);
        (key, behind.trim_start_matches(BLANKS))
    }
}
