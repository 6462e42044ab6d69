//! Rules about who may know whom (ARCHITECTURE.md, Invariants).

use super::{Repository, code_lines, words};

/// All that `shared` may depend on: nothing that does IO.
const SHARED_MAY_USE: [&str; 4] = ["derive", "serde", "thiserror", "zeroize"];

/// What a sans-IO machine must not name: clocks, sockets, threads, the runtime.
const IMPURE: [&str; 9] = [
    "tokio",
    "Instant",
    "SystemTime",
    "clock",
    "net",
    "thread",
    "fs",
    "HashMap",
    "HashSet",
];

/// Pairs of modules: the first must not name the second.
const STRANGERS: [(&str, &str, &str); 4] = [
    (
        "backend/src/kafka",
        "web",
        "backend::kafka and backend::web know the hub, not each other",
    ),
    (
        "backend/src/web",
        "kafka",
        "backend::kafka and backend::web know the hub, not each other",
    ),
    (
        "backend/src/coordinator",
        "embedded",
        "the pure coordinator does not know its server",
    ),
    ("frontend/src/views", "feed", "views are functions of the model"),
];

/// The page is whole in itself: it works without any other host, and tells none who looks at it.
pub(super) fn the_page_loads_nothing_from_elsewhere(repository: &Repository, complaints: &mut Vec<String>) {
    const ALLOWED: [&str; 3] = ["127.0.0.1", "localhost", "www.w3.org/"];
    for (path, text) in repository
        .files
        .iter()
        .filter(|(path, _)| path.starts_with("frontend/"))
    {
        for (index, line) in text.lines().enumerate() {
            for (at, _) in line.match_indices("://") {
                let scheme = line[..at]
                    .rsplit(|character: char| !character.is_ascii_alphabetic())
                    .next();
                let host = &line[at + 3..];
                let loads = scheme.is_some_and(|scheme| ["http", "https", "ws", "wss"].contains(&scheme));
                // `ws://{host}`: the address the page came from.
                if loads && !host.starts_with('{') && !ALLOWED.iter().any(|allowed| host.starts_with(allowed))
                {
                    complaints.push(format!("{path}:{}: names another host", index + 1));
                }
            }
        }
    }
}

/// `shared` depends on an allow-list.
pub(super) fn shared_depends_on_little(repository: &Repository, complaints: &mut Vec<String>) {
    let manifest = repository
        .files
        .get("shared/Cargo.toml")
        .map_or("", String::as_str);
    let mut section = "";
    for line in manifest.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            if let Some(name) = section.strip_prefix("dependencies.") {
                shared_uses(name, complaints);
            } else if section.starts_with("target.") {
                complaints.push("shared/Cargo.toml: must be the same on every target".to_owned());
            }
        } else if section == "dependencies" {
            words(line.split(['.', '=']).next().unwrap_or_default())
                .for_each(|name| shared_uses(name, complaints));
        }
    }
}

fn shared_uses(name: &str, complaints: &mut Vec<String>) {
    if !SHARED_MAY_USE.contains(&name) {
        complaints.push(format!(
            "shared/Cargo.toml: depends on {name}; allowed are {}",
            SHARED_MAY_USE.join(", ")
        ));
    }
}

/// The coordinator's machines take time and bytes as arguments.
pub(super) fn the_coordinator_is_pure(repository: &Repository, complaints: &mut Vec<String>) {
    for (path, text) in repository.module("backend/src/coordinator") {
        for (number, line) in code_lines(text) {
            if let Some(word) = words(line).find(|word| IMPURE.contains(word)) {
                complaints.push(format!(
                    "{path}:{number}: names `{word}`; the coordinator is sans-IO"
                ));
            }
        }
    }
}

/// Modules that must not know each other do not.
pub(super) fn modules_do_not_know_each_other(repository: &Repository, complaints: &mut Vec<String>) {
    for (module, stranger, why) in STRANGERS {
        let paths = [
            format!("crate::{stranger}"),
            format!("super::{stranger}"),
            format!("{stranger}::"),
        ];
        for (path, text) in repository.module(module) {
            for (number, line) in code_lines(text) {
                if paths.iter().any(|path| names_path(line, path)) {
                    complaints.push(format!("{path}:{number}: names `{stranger}`: {why}"));
                }
            }
        }
    }
}

/// Whether the line has this path, not merely a longer word that ends or begins with it.
fn names_path(line: &str, path: &str) -> bool {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        !before.is_some_and(part_of_word) && (path.ends_with("::") || !after.is_some_and(part_of_word))
    })
}
