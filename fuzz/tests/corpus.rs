//! Every input of the corpus through the body of its target: what a fuzzer has found once is found at once if it comes back.

#![expect(clippy::panic, clippy::expect_used, reason = "a test's helper fails its test")]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

fn inputs(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    inputs.sort();
    inputs
}

fn replay(target: &str) {
    let (_, body) = fuzz::TARGETS
        .into_iter()
        .find(|(name, _)| *name == target)
        .expect("a target of this name");
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{target} has no corpus");
    for input in inputs {
        let data = fs::read(&input).expect("a file can be read");
        let held = catch_unwind(|| body(&data));
        assert!(held.is_ok(), "{} does not hold", input.display());
    }
}

#[test]
fn the_wire_holds_on_its_corpus() {
    replay("wire");
}

#[test]
fn the_frame_reader_holds_on_its_corpus() {
    replay("frames");
}

#[test]
fn batches_and_records_hold_on_their_corpus() {
    replay("records");
}

#[test]
fn the_request_handlers_hold_on_their_corpus() {
    replay("requests");
}

#[test]
fn the_coordinator_holds_on_its_corpus() {
    replay("coordinator");
}

#[test]
fn the_member_holds_on_its_corpus() {
    replay("member");
}

#[test]
fn the_board_holds_on_its_corpus() {
    replay("board");
}

#[test]
fn every_folder_of_the_corpus_is_a_targets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut folders: Vec<String> = fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| {
            let entry = entry.expect("a folder can be read");
            entry.file_name().to_string_lossy().into_owned()
        })
        .collect();
    folders.sort();
    let mut names = fuzz::TARGETS.map(|(name, _)| name.to_owned());
    names.sort();
    assert_eq!(folders, names);
}
