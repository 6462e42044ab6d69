//! Why a command line ends the program before it starts: one line and an exit code.

use clap::error::ErrorKind;

/// The text to print and the code to end with: 2 for a wrong argument, 0 for `--help` and `--version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub text: String,
    pub code: u8,
}

impl Refusal {
    /// A wrong argument: one line, which and why.
    #[must_use]
    pub fn usage(why: impl Into<String>) -> Self {
        let why: String = why.into();
        Self {
            text: format!("heartline: {}", one_line(&why)),
            code: 2,
        }
    }

    /// What clap says: its help as it is, its errors cut to their first paragraph, on one line.
    pub(super) fn of_clap(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            return Self { text, code: 0 };
        }
        let paragraph = text.split("\n\n").next().unwrap_or_default();
        Self::usage(paragraph.trim_start_matches("error: "))
    }
}

/// Runs of white space become one space each, control characters are escaped.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = String::with_capacity(text.len());
    for c in words.join(" ").chars() {
        if c.is_control() {
            line.extend(c.escape_debug());
        } else {
            line.push(c);
        }
    }
    line
}
