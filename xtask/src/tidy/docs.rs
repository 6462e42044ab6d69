//! Rules about documents: what they name is there.

use super::{Repository, code_lines, words};

/// Documents whose paths must exist.
const NAMING_PATHS: [&str; 2] = ["ARCHITECTURE.md", "README.md"];

/// Every path in these documents exists: a word in backticks, a link's target or the first word of an indented line that
/// has a slash inside or a known ending.
pub(super) fn paths_exist(repository: &Repository, complaints: &mut Vec<String>) {
    for document in NAMING_PATHS {
        let Some(text) = repository.files.get(document) else {
            complaints.push(format!("{document}: is missing"));
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            let quoted = line.split('`').skip(1).step_by(2);
            let linked = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let mapped = line
                .strip_prefix("    ")
                .and_then(|line| line.split_whitespace().next());
            for path in quoted
                .chain(linked)
                .chain(mapped)
                .filter(|word| looks_like_path(word))
            {
                if !repository.has(path) {
                    complaints.push(format!(
                        "{document}:{}: names {path}, which does not exist",
                        index + 1
                    ));
                }
            }
        }
    }
}

/// A path inside the repository: `shared/src/member.rs`, `tests/`, `README.md`; not `target/…`, which is made, not `/api/board`.
fn looks_like_path(word: &str) -> bool {
    const ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".html", ".js", ".css", ".png"];
    let plain = word
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || "._-/".contains(character));
    let inside =
        word.find('/').is_some_and(|at| at > 0) || ENDINGS.iter().any(|ending| word.ends_with(ending));
    plain && inside && !word.starts_with(['-', '/']) && !word.starts_with("target/") && !word.contains("--")
}

/// Tables that say which test proves what, in documents and in the comments of tests, name tests that exist: a backticked
/// word of four or more parts joined by underscores is one.
pub(super) fn tests_in_tables_exist(repository: &Repository, complaints: &mut Vec<String>) {
    let functions: std::collections::BTreeSet<&str> = repository
        .ending(&[".rs"])
        .flat_map(|(_, text)| code_lines(text))
        .flat_map(|(_, line)| words(line))
        .collect();
    for (path, text) in repository.ending(&[".md", ".rs"]) {
        for (index, line) in text.lines().enumerate() {
            let row = line
                .trim_start()
                .trim_start_matches("//!")
                .trim_start_matches("///")
                .trim_start();
            let commented = path.ends_with(".md") || line.trim_start().starts_with("//");
            if !row.starts_with('|') || !commented {
                continue;
            }
            for name in row
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|name| looks_like_test(name))
            {
                if !functions.contains(name) {
                    complaints.push(format!(
                        "{path}:{}: names the test {name}, which does not exist",
                        index + 1
                    ));
                }
            }
        }
    }
}

fn looks_like_test(name: &str) -> bool {
    let snake = name
        .chars()
        .all(|character| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_');
    snake && name.matches('_').count() >= 3
}
