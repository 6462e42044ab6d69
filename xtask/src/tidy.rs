//! The tidy test: what the compiler cannot see, but a reader of the repository counts on.
//!
//! Each rule is a function from the repository's text files to complaints, and each has a test that makes it complain.

mod docs;
mod layers;
mod style;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::process::{Outcome, output, program};

/// The repository's files, by their path from the root.
#[derive(Default)]
struct Repository {
    /// Those of text, with their content.
    files: BTreeMap<String, String>,
    /// The others: pictures.
    binary: BTreeSet<String>,
}

/// A rule appends one line per offence: the place and what is wrong.
type Rule = fn(&Repository, &mut Vec<String>);

const RULES: [Rule; 12] = [
    style::files_are_short,
    style::files_say_what_they_are,
    style::nothing_is_left_to_do,
    style::no_mod_rs,
    style::tests_do_not_sleep,
    style::no_registry_is_named,
    layers::the_page_loads_nothing_from_elsewhere,
    layers::shared_depends_on_little,
    layers::the_coordinator_is_pure,
    layers::modules_do_not_know_each_other,
    docs::paths_exist,
    docs::tests_in_tables_exist,
];

/// Fails with every complaint about the repository at `root`.
pub(crate) fn check(root: &Path) -> Outcome {
    let repository = Repository::read(root)?;
    let complaints = repository.complaints();
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(format!("the tidy test:\n  {}", complaints.join("\n  ")))
    }
}

impl Repository {
    /// Every file that git knows or would take.
    fn read(root: &Path) -> Outcome<Self> {
        let mut git = program("git");
        git.current_dir(root)
            .args(["ls-files", "--cached", "--others", "--exclude-standard"]);
        let listed = output(&mut git).ok_or("`git ls-files` failed: the tidy test reads what git knows")?;
        let mut repository = Self::default();
        for path in listed.lines() {
            match fs::read_to_string(root.join(path)) {
                Ok(text) => {
                    repository.files.insert(path.to_owned(), text);
                }
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    repository.binary.insert(path.to_owned());
                }
                // Deleted, and git has not been told yet.
                Err(_) => {}
            }
        }
        Ok(repository)
    }

    fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for rule in RULES {
            rule(self, &mut complaints);
        }
        complaints
    }

    /// Files whose path ends in one of these.
    fn ending<'a>(&'a self, endings: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files of a module: `folder/name.rs` and all in `folder/name/`.
    fn module<'a>(&'a self, module: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.ending(&[".rs"]).filter(move |(path, _)| {
            path.strip_prefix(module)
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    }

    /// Whether this file or folder is there.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path)
            || self.binary.contains(path)
            || self
                .files
                .keys()
                .any(|file| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }
}

/// A Rust file's lines without their comments, numbered from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| {
        let code = line.trim_start();
        let end = if code.starts_with("//") {
            0
        } else {
            line.find(" // ").unwrap_or(line.len())
        };
        (index + 1, &line[..end])
    })
}

/// The words of a line: runs of letters, digits and underscores.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}
