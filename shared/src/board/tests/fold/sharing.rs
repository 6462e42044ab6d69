//! Boards share the rows that events left as they were.

use std::sync::Arc;

use super::super::story::*;
use crate::board::{Board, GroupKey};
use crate::event::Source;

#[test]
fn what_does_not_change_stays_shared() {
    let mut story = Story::default();
    story.probe("a-7", joined("a", 1)).probe("b-7", joined("b", 1));
    story.tell(Source::Probe, Some("other"), Some("o-7"), joined("o", 1));
    let before = story.board.clone();
    story.at(1000).probe("a-7", answered(1, 0));
    let same = |key: &GroupKey| Arc::ptr_eq(before.group(key).unwrap(), story.board.group(key).unwrap());
    assert!(same(&key("other")) && !same(&key("demo")));
    let members = |board: &Board, id: &str| Arc::clone(&board.group(&key("demo")).unwrap().members[id]);
    assert!(Arc::ptr_eq(
        &members(&before, "b-7"),
        &members(&story.board, "b-7")
    ));
    assert!(!Arc::ptr_eq(
        &members(&before, "a-7"),
        &members(&story.board, "a-7")
    ));
}
