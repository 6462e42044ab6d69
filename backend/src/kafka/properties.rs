//! Java's `.properties` files, as Kafka's own tools take them with `--command-config`.
//!
//! # Layout
//!
//! - this file: the format of `java.util.Properties`, with every fault named by its line
//! - [`keys`]: which keys Kafka's clients know, and what each means here
//! - [`jaas`]: the value of `sasl.jaas.config`
//! - [`client`]: all of it read into what connections are made by

pub mod client;
mod credentials;
mod encryption;
mod escapes;
pub mod jaas;
pub mod keys;
mod lines;
mod settings;

use thiserror::Error;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// One key with its value. Any value may be a secret, so all are kept as one.
#[derive(Clone, Debug)]
pub struct Property {
    /// The key, escapes undone.
    pub key: String,
    /// The value, escapes undone, without the white space around it, which Kafka takes away too.
    pub value: Secret,
    /// Where it begins in the file, from 1.
    pub line: usize,
}

/// A file that cannot be read: the line, and what is wrong with it. Never its content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct Fault {
    /// From 1.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

/// Reads a whole file: UTF-8 where it is that, else ISO-8859-1 (which is all that Java itself takes).
///
/// # Errors
/// The first line that is none: a `\u` without four hexadecimal digits, half a surrogate pair, a value without a key, a key
/// that was given before with another value.
pub fn parse(bytes: &[u8]) -> Result<Vec<Property>, Fault> {
    let text = decoded(bytes);
    let mut properties: Vec<Property> = Vec::new();
    for line in lines::logical(&text) {
        let (raw_key, raw_value) = line.split();
        let unescape = |raw| {
            escapes::undone(raw).map_err(|problem| Fault {
                line: line.number,
                problem: problem.to_owned(),
            })
        };
        let key = unescape(raw_key)?;
        let value = unescape(raw_value)?;
        if key.is_empty() {
            return Err(Fault {
                line: line.number,
                problem: "it begins with = or :, so its key is missing".to_owned(),
            });
        }
        // As Java's `String.trim`.
        let value = Secret::new(value.trim_matches(|c| c <= ' ').to_owned());
        match properties.iter().find(|known| known.key == *key) {
            Some(known) if known.value.expose() == value.expose() => {}
            Some(known) => {
                return Err(Fault {
                    line: line.number,
                    problem: format!("{} has another value in line {}", printable(&key), known.line),
                });
            }
            None => properties.push(Property {
                key: key.to_string(),
                value,
                line: line.number,
            }),
        }
    }
    Ok(properties)
}

fn decoded(bytes: &[u8]) -> Zeroizing<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Zeroizing::new(text.to_owned());
    }
    // Room for all at once: a string that grows leaves its beginning behind where it was.
    let mut text = Zeroizing::new(String::with_capacity(2 * bytes.len()));
    text.extend(bytes.iter().copied().map(char::from));
    text
}

/// A key as it may be shown: cut, and without control characters.
pub(super) fn printable(key: &str) -> String {
    /// Longer than any of Kafka's.
    const SHOWN: usize = 100;
    let mut shown: String = key
        .chars()
        .take(SHOWN)
        .collect::<String>()
        .escape_debug()
        .collect();
    if key.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
