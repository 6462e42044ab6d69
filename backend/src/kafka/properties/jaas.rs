//! The value of `sasl.jaas.config`: one login module with its options, as Kafka's `JaasConfig` reads it.
//!
//! `MODULE required KEY="VALUE" ...;` A value may be a bare word or stand in quotes of either kind, with the escapes of
//! Java's `StreamTokenizer`; `//`, `/* */` and, outside quotes, white space are skipped.

use std::iter::Peekable;
use std::str::Chars;

use thiserror::Error;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// A login module and what it is told.
#[derive(Clone, Debug)]
pub struct LoginModule {
    /// The class with its package.
    pub class: String,
    /// In the order they are written; any value may be a secret.
    pub options: Vec<(String, Secret)>,
}

/// What is wrong with the value. Names keys, never values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JaasFault {
    /// Nothing there.
    #[error(
        "it is empty; a login module is needed, as in ...PlainLoginModule required username=\"...\" password=\"...\";"
    )]
    Empty,
    /// The second word.
    #[error("behind the login module one of required, requisite, sufficient and optional is needed")]
    NoFlag,
    /// An option is not KEY=VALUE.
    #[error("behind {behind} an option KEY=\"VALUE\" or the ; at the end is needed")]
    NoOption {
        /// The last thing that was understood.
        behind: String,
    },
    /// A key without a value.
    #[error(
        "the option {key} has no value; KEY=\"VALUE\" is needed, in quotes where it is more than letters and digits"
    )]
    NoValue {
        /// The option.
        key: String,
    },
    /// An option twice.
    #[error("the option {key} is given twice")]
    Twice {
        /// The option.
        key: String,
    },
    /// A quote that nothing ends.
    #[error("the quotes around the value of {key} are not closed")]
    Unclosed {
        /// The option.
        key: String,
    },
    /// No semicolon.
    #[error("the ; at its end is missing")]
    NoEnd,
    /// A second module.
    #[error("something stands behind its ;, and one login module is all it may hold")]
    More,
}

/// Reads the value.
///
/// # Errors
/// The first thing that does not belong there.
pub fn parse(value: &str) -> Result<LoginModule, JaasFault> {
    let mut reader = Reader {
        rest: value.chars().peekable(),
    };
    reader.skip();
    let class = reader.word();
    if class.is_empty() {
        return Err(JaasFault::Empty);
    }
    reader.skip();
    let flag = reader.word().to_lowercase();
    if !["required", "requisite", "sufficient", "optional"].contains(&flag.as_str()) {
        return Err(JaasFault::NoFlag);
    }
    let mut module = LoginModule {
        class: class.to_string(),
        options: Vec::new(),
    };
    loop {
        reader.skip();
        if reader.takes(';') {
            reader.skip();
            return match reader.rest.peek() {
                None => Ok(module),
                Some(_) => Err(JaasFault::More),
            };
        }
        let option = reader.option(&module)?;
        if module.options.iter().any(|(key, _)| *key == option.0) {
            return Err(JaasFault::Twice { key: option.0 });
        }
        module.options.push(option);
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn takes(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// White space and comments.
    fn skip(&mut self) {
        loop {
            while self.rest.next_if(|c| *c <= ' ').is_some() {}
            let mut ahead = self.rest.clone();
            match (ahead.next(), ahead.next()) {
                (Some('/'), Some('/')) => while self.rest.next_if(|c| *c != '\n').is_some() {},
                (Some('/'), Some('*')) => {
                    self.rest = ahead;
                    while let Some(c) = self.rest.next() {
                        if c == '*' && self.takes('/') {
                            break;
                        }
                    }
                }
                _ => return,
            }
        }
    }

    /// A bare word, which may be a value and so a secret.
    fn word(&mut self) -> Zeroizing<String> {
        let belongs = |c: char| c.is_alphanumeric() || "-_$.".contains(c);
        let length = self
            .rest
            .clone()
            .take_while(|c| belongs(*c))
            .map(char::len_utf8)
            .sum();
        let mut word = Zeroizing::new(String::with_capacity(length));
        while let Some(c) = self.rest.next_if(|c| belongs(*c)) {
            word.push(c);
        }
        word
    }

    fn option(&mut self, module: &LoginModule) -> Result<(String, Secret), JaasFault> {
        let key = self.word().to_string();
        self.skip();
        // A word without = may be a value that should have stood in quotes: it is not told.
        if key.is_empty() || self.rest.peek() != Some(&'=') {
            let behind = match module.options.last() {
                Some((key, _)) => format!("the option {key}"),
                None => "the flag".to_owned(),
            };
            return Err(match self.rest.peek() {
                None if key.is_empty() => JaasFault::NoEnd,
                _ => JaasFault::NoOption { behind },
            });
        }
        self.takes('=');
        self.skip();
        let quote = self.rest.next_if(|c| *c == '"' || *c == '\'');
        let value = match quote {
            Some(quote) => match self.quoted(quote) {
                Some(value) => value,
                None => return Err(JaasFault::Unclosed { key }),
            },
            None => self.word(),
        };
        if value.is_empty() && quote.is_none() {
            return Err(JaasFault::NoValue { key });
        }
        Ok((key, Secret::new(value.to_string())))
    }

    /// Up to the closing quote, which must come before the line ends.
    fn quoted(&mut self, quote: char) -> Option<Zeroizing<String>> {
        let room = self.rest.clone().map(char::len_utf8).sum();
        let mut value = Zeroizing::new(String::with_capacity(room));
        loop {
            match self.rest.next()? {
                '\n' | '\r' => return None,
                c if c == quote => return Some(value),
                '\\' => {
                    let escaped = self.escaped()?;
                    value.push(escaped);
                }
                c => value.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            octal @ '0'..='7' => {
                let mut code = octal.to_digit(8)?;
                // Three digits where the first is at most 3, so that it stays one byte.
                let more = if code <= 3 { 2 } else { 1 };
                for _ in 0..more {
                    let digit = self.rest.next_if(|c| c.is_digit(8)).and_then(|c| c.to_digit(8));
                    let Some(digit) = digit else { break };
                    code = code * 8 + digit;
                }
                char::from_u32(code)?
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{JaasFault, parse};

    fn options(text: &str) -> Vec<(String, String)> {
        let options = parse(text).unwrap().options;
        options
            .iter()
            .map(|(key, value)| (key.clone(), value.expose().to_owned()))
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn a_login_module_is_read_with_its_options() {
        let text = "org.apache.kafka.common.security.plain.PlainLoginModule required\n \
                    username=\"alice\" password='open \"sesame\";' ;\n";
        let module = parse(text).unwrap();
        assert_eq!(
            module.class,
            "org.apache.kafka.common.security.plain.PlainLoginModule"
        );
        assert_eq!(
            options(text),
            pairs(&[("username", "alice"), ("password", "open \"sesame\";")])
        );
    }

    #[test]
    fn bare_words_comments_and_escapes_are_as_in_java() {
        let text = r#"a.M Required /* a "comment" */ key=bare-word_1.x // more
            q = "tab\tquote\"backslash\\\101\18" empty="";"#;
        assert_eq!(
            options(text),
            pairs(&[
                ("key", "bare-word_1.x"),
                ("q", "tab\tquote\"backslash\\A\u{1}8"),
                ("empty", "")
            ])
        );
    }

    #[test]
    fn every_fault_is_told_without_a_value() {
        let key = |key: &str| key.to_owned();
        let cases = [
            ("", JaasFault::Empty),
            (" ; ", JaasFault::Empty),
            ("a.M username=\"x\";", JaasFault::NoFlag),
            (
                "a.M required hunter;",
                JaasFault::NoOption {
                    behind: "the flag".to_owned(),
                },
            ),
            ("a.M required p=;", JaasFault::NoValue { key: key("p") }),
            ("a.M required p=\"hunter", JaasFault::Unclosed { key: key("p") }),
            (
                "a.M required p=\"hun\nter\";",
                JaasFault::Unclosed { key: key("p") },
            ),
            ("a.M required p=\"hunter\"", JaasFault::NoEnd),
            ("a.M required", JaasFault::NoEnd),
            (
                "a.M required p=hun+ter;",
                JaasFault::NoOption {
                    behind: "the option p".to_owned(),
                },
            ),
            ("a.M required p=x p=y;", JaasFault::Twice { key: key("p") }),
            ("a.M required; b.M required;", JaasFault::More),
        ];
        for (text, fault) in cases {
            let told = parse(text).unwrap_err();
            assert_eq!(told, fault, "{text}");
            assert_eq!(told.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn any_text_is_a_module_or_a_fault() {
        proptest::proptest!(|(text: String)| {
            let _either = parse(&text);
        });
    }
}
