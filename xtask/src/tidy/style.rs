//! Rules about every file: its length, its first line, words that must not stay.

use super::{Repository, code_lines, words};

const LINES_MAX: usize = 400;

/// No file is longer than a reader can hold in mind; snapshots are drawn by a program.
pub(super) fn files_are_short(repository: &Repository, complaints: &mut Vec<String>) {
    for (path, text) in repository.ending(&[".rs", ".js", ".css", ".html"]) {
        let lines = text.lines().count();
        if lines > LINES_MAX && !path.contains("/snapshots/") {
            complaints.push(format!("{path}: {lines} lines; at most {LINES_MAX} are allowed"));
        }
    }
}

/// Every Rust file opens with a `//!` sentence.
pub(super) fn files_say_what_they_are(repository: &Repository, complaints: &mut Vec<String>) {
    for (path, text) in repository.ending(&[".rs"]) {
        let sentence = text.lines().next().and_then(|line| line.strip_prefix("//! "));
        if sentence.is_none_or(|sentence| sentence.len() < 10) {
            complaints.push(format!(
                "{path}:1: must open with `//!` and a sentence that says what the file is"
            ));
        }
    }
}

/// What is missing is written in an issue, not in the code; a test that is there runs.
pub(super) fn nothing_is_left_to_do(repository: &Repository, complaints: &mut Vec<String>) {
    // Put together here so that this file does not contain them.
    let marks = [["TO", "DO"], ["FIX", "ME"], ["XX", "X"]].map(|halves| halves.concat());
    let code = [["#[ign", "ore"], ["tod", "o!("], ["unimplem", "ented!("]].map(|halves| halves.concat());
    for (path, text) in repository.ending(&[".rs", ".js", ".css", ".html", ".md", ".toml", ".py", "/run"]) {
        for (index, line) in text.lines().enumerate() {
            let mark = marks.iter().find(|mark| words(line).any(|word| word == *mark));
            if let Some(found) = mark.or_else(|| code.iter().find(|code| line.contains(*code))) {
                complaints.push(format!("{path}:{}: `{found}` must not stay", index + 1));
            }
        }
    }
}

/// A module is named by its file: `member.rs` beside `member/`.
pub(super) fn no_mod_rs(repository: &Repository, complaints: &mut Vec<String>) {
    for (path, _) in repository.ending(&["/mod.rs"]) {
        complaints.push(format!("{path}: name the file after its module"));
    }
}

/// A test waits for a named condition, never for a length of time.
pub(super) fn tests_do_not_sleep(repository: &Repository, complaints: &mut Vec<String>) {
    for (path, text) in repository.ending(&[".rs"]) {
        let mut in_tests =
            path.starts_with("tests/") || path.starts_with("shared/") || path.contains("/tests");
        let itself = path.starts_with("xtask/src/tidy");
        for (number, line) in code_lines(text) {
            in_tests |= line.trim() == "#[cfg(test)]";
            if in_tests && !itself && ["sleep(", "sleep_until("].iter().any(|call| line.contains(call)) {
                complaints.push(format!(
                    "{path}:{number}: a test must not sleep; wait for a condition"
                ));
            }
        }
    }
}

/// Registries are reached by their ordinary clients; which host serves them is the machine's business.
pub(super) fn no_registry_is_named(repository: &Repository, complaints: &mut Vec<String>) {
    let hosts = [
        ["crates", ".io"],
        ["pypi", ".org"],
        ["pythonhosted", ".org"],
        ["npmjs", ".org"],
        ["npmjs", ".com"],
        ["maven", ".org"],
        ["golang", ".org"],
        ["deb.debian", ".org"],
    ]
    .map(|halves| halves.concat());
    for (path, text) in repository.files.iter().filter(|(path, _)| *path != "Cargo.lock") {
        for (index, line) in text.lines().enumerate() {
            if let Some(host) = hosts.iter().find(|host| line.contains(*host)) {
                complaints.push(format!("{path}:{}: names the registry host {host}", index + 1));
            }
        }
    }
}
