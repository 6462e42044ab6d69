//! The repository is tidy, and every rule complains about what it forbids.

use super::{Repository, check, docs, layers, style};
use crate::process::root;

#[test]
fn the_repository_is_tidy() {
    if let Err(complaints) = check(&root()) {
        panic!("{complaints}");
    }
}

fn repository(files: &[(&str, &str)]) -> Repository {
    Repository {
        files: files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect(),
        ..Repository::default()
    }
}

/// What one rule says about these files.
fn complaints(rule: super::Rule, files: &[(&str, &str)]) -> Vec<String> {
    let mut complaints = Vec::new();
    rule(&repository(files), &mut complaints);
    complaints
}

#[test]
fn a_file_of_401_lines_is_too_long() {
    let text = "a\n".repeat(401);
    assert_eq!(complaints(style::files_are_short, &[("a.rs", &text)]).len(), 1);
    assert!(complaints(style::files_are_short, &[("a.rs", &text[2..])]).is_empty());
}

#[test]
fn a_file_must_open_with_what_it_is() {
    assert_eq!(
        complaints(
            style::files_say_what_they_are,
            &[("a.rs", "use std::fs;\n//! Too late to say.")]
        )
        .len(),
        1
    );
    assert!(
        complaints(
            style::files_say_what_they_are,
            &[("a.rs", "//! The one place that reads files.")]
        )
        .is_empty()
    );
}

#[test]
fn words_of_unfinished_work_are_found_in_code_and_comments() {
    let unfinished = ["TO", "DO"].concat();
    let ignored = ["#[ign", "ore]"].concat();
    let text = format!("// {unfinished}: later\n{ignored}\nlet PASTODOS = 1;\n");
    assert_eq!(
        complaints(style::nothing_is_left_to_do, &[("a.rs", &text)]).len(),
        2
    );
}

#[test]
fn a_mod_rs_is_refused() {
    assert_eq!(
        complaints(style::no_mod_rs, &[("shared/src/member/mod.rs", "")]).len(),
        1
    );
}

#[test]
fn sleeping_is_refused_in_tests_and_allowed_in_the_program() {
    let text = "//! A file\nfn wait() { sleep(1) }\n";
    let inline = "//! A file\nfn wait() {}\n#[cfg(test)]\nmod tests { fn f() { sleep(1) } }\n";
    assert_eq!(
        complaints(style::tests_do_not_sleep, &[("tests/tests/kafka_a.rs", text)]).len(),
        1
    );
    assert_eq!(
        complaints(
            style::tests_do_not_sleep,
            &[("backend/src/probe/tests/late.rs", text)]
        )
        .len(),
        1
    );
    assert_eq!(
        complaints(style::tests_do_not_sleep, &[("backend/src/probe.rs", inline)]).len(),
        1
    );
    assert!(complaints(style::tests_do_not_sleep, &[("backend/src/probe.rs", text)]).is_empty());
}

#[test]
fn a_registry_host_is_found_anywhere_but_in_the_lock_file() {
    let host = ["https://index.crates", ".io/"].concat();
    assert_eq!(
        complaints(style::no_registry_is_named, &[("Cargo.toml", &host)]).len(),
        1
    );
    assert!(complaints(style::no_registry_is_named, &[("Cargo.lock", &host)]).is_empty());
}

#[test]
fn the_page_may_name_itself_and_no_other_host() {
    let rule = layers::the_page_loads_nothing_from_elsewhere;
    assert_eq!(
        complaints(
            rule,
            &[(
                "frontend/static/index.html",
                "<script src=\"https://cdn.example/a.js\">"
            )]
        )
        .len(),
        1
    );
    let own =
        "let ws = format!(\"ws://{host}/ws\"); xmlns=\"http://www.w3.org/2000/svg\" http://127.0.0.1:8080/";
    assert!(complaints(rule, &[("frontend/src/feed.rs", own)]).is_empty());
}

#[test]
fn shared_may_not_depend_on_a_runtime() {
    let rule = layers::shared_depends_on_little;
    let allowed = "[dependencies]\nderive.workspace = true\nserde.workspace = true\n\n[dev-dependencies]\nproptest.workspace = true\n";
    assert!(complaints(rule, &[("shared/Cargo.toml", allowed)]).is_empty());
    let refused = "[dependencies]\ntokio.workspace = true\nrand = \"1\"\n[dependencies.js-sys]\n[target.x.dependencies]\n";
    assert_eq!(complaints(rule, &[("shared/Cargo.toml", refused)]).len(), 4);
}

#[test]
fn the_coordinator_may_not_read_a_clock() {
    let rule = layers::the_coordinator_is_pure;
    let text = "//! No clock, no tokio.\nuse std::time::Instant;\nlet x = 1; // unlike tokio\n";
    assert_eq!(
        complaints(rule, &[("backend/src/coordinator/classic.rs", text)]).len(),
        1
    );
    assert_eq!(complaints(rule, &[("backend/src/coordinator.rs", text)]).len(), 1);
    assert!(complaints(rule, &[("backend/src/embedded.rs", text)]).is_empty());
}

#[test]
fn strangers_do_not_import_each_other() {
    let rule = layers::modules_do_not_know_each_other;
    assert_eq!(
        complaints(
            rule,
            &[("backend/src/kafka/connection.rs", "use crate::web::api;")]
        )
        .len(),
        1
    );
    assert_eq!(
        complaints(rule, &[("frontend/src/views/groups.rs", "use crate::feed;")]).len(),
        1
    );
    assert_eq!(
        complaints(
            rule,
            &[("frontend/src/views/groups.rs", "crate::{feed::Feed, model}")]
        )
        .len(),
        1
    );
    let harmless = "use crate::websocket; // crate::web\nuse kafka_protocol::X; cobweb::spin()";
    assert!(complaints(rule, &[("backend/src/kafka/connection.rs", harmless)]).is_empty());
}

#[test]
fn a_document_may_not_name_a_path_that_is_not_there() {
    let rule = docs::paths_exist;
    let readme = (
        "README.md",
        "see `shared/src/lib.rs`, `/api/board`, `--flag`, `target/page/` and [it](ARCHITECTURE.md)",
    );
    let map = "the map\n\n    shared/    the protocol\n    gone/      not there\n`shared/src/gone.rs`";
    let files = [readme, ("ARCHITECTURE.md", map), ("shared/src/lib.rs", "")];
    let found = complaints(rule, &files);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_table_may_not_name_a_test_that_is_not_there() {
    let rule = docs::tests_in_tables_exist;
    let table = "//! | A01 | `a_beat_is_due` |\n//! | A02 | `a_beat_is_not_due` |\nfn a_beat_is_due() {}\n";
    assert_eq!(
        complaints(rule, &[("shared/src/member/tests.rs", table)]).len(),
        1
    );
}
