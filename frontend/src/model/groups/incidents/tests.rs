//! Which groups are one incident, and that what is told keeps its place while somebody reads.

use serde_json::{Value, json};
use shared::board::Board;
use shared::time::UnixMs;

use super::*;
use crate::model::groups::{GroupList, Ranked};

fn tell(board: &mut Board, at: u64, group: Option<&str>, change: &Value) {
    let event = json!({
        "seq": board.seq + 1, "seen": at, "at": at, "at_earliest": null, "source": "survey", "evidence": "observed",
        "cluster": "c", "group": group, "member": null, "change": change,
    });
    board.apply(&serde_json::from_value(event).unwrap());
}

/// Groups at rest, each with its broker.
fn at_rest(groups: &[(&str, i32)]) -> Board {
    let mut board = Board::default();
    for node in [1, 2] {
        let answers = json!({"kind": "broker_answers", "node": node, "host": "b", "port": 9092});
        tell(&mut board, 1_000, None, &answers);
    }
    for (group, node) in groups {
        let found = json!({"kind": "coordinator_found", "node": node, "host": "b", "port": 9092});
        tell(&mut board, 1_000, Some(group), &found);
        let state = json!({"kind": "group_state", "from": "Unknown", "to": "Stable"});
        tell(&mut board, 1_000, Some(group), &state);
    }
    board
}

fn dies(board: &mut Board, node: i32) {
    let silent = json!({"kind": "broker_silent", "node": node, "cause": "disconnect", "detail": null});
    tell(board, 2_000, None, &silent);
}

fn ranked(board: &Board, before: &Ranked, ms: u64, reading: bool) -> Ranked {
    before.after(board, &GroupList::default(), UnixMs(ms), reading)
}

fn told(ranked: &Ranked) -> Vec<(Verdict, Vec<&str>)> {
    let shown = &ranked.told.as_ref().unwrap().shown;
    shown
        .iter()
        .map(|incident| {
            let names = incident.groups.iter().map(|key| key.group.as_str());
            (incident.finding.verdict, names.collect())
        })
        .collect()
}

#[test]
fn the_groups_of_a_dead_broker_are_one_incident() {
    let mut board = at_rest(&[("a", 1), ("b", 2), ("c", 1), ("d", 1)]);
    dies(&mut board, 1);
    let ranked = ranked(&board, &Ranked::default(), 30_000, false);
    assert_eq!(ranked.troubled, 3);
    assert_eq!(told(&ranked), [(Verdict::CoordinatorGone, vec!["a", "c", "d"])]);
    assert_eq!(ranked.told.unwrap().all, 1);
}

#[test]
fn two_dead_brokers_are_two() {
    let mut board = at_rest(&[("a", 1), ("b", 2), ("c", 1)]);
    dies(&mut board, 1);
    dies(&mut board, 2);
    let ranked = ranked(&board, &Ranked::default(), 30_000, false);
    let gone = Verdict::CoordinatorGone;
    assert_eq!(told(&ranked), [(gone, vec!["a", "c"]), (gone, vec!["b"])]);
}

#[test]
fn what_comes_while_somebody_reads_is_counted_and_told_once_nobody_does() {
    let mut board = at_rest(&[("a", 1), ("b", 2)]);
    let calm = ranked(&board, &Ranked::default(), 1_000, false);
    assert!(told(&calm).is_empty());
    dies(&mut board, 1);
    let held = ranked(&board, &calm, 30_000, true);
    assert!(told(&held).is_empty());
    assert_eq!(held.told.as_ref().unwrap().new, 1);
    let after = ranked(&board, &held, 31_000, false);
    assert_eq!(told(&after), [(Verdict::CoordinatorGone, vec!["a"])]);
    assert_eq!(after.told.unwrap().new, 0);
}

#[test]
fn what_is_over_says_so_where_it_stood_while_somebody_reads() {
    let mut board = at_rest(&[("a", 1), ("b", 2)]);
    dies(&mut board, 1);
    let before = ranked(&board, &Ranked::default(), 30_000, false);
    let answers = json!({"kind": "broker_answers", "node": 1, "host": "b", "port": 9092});
    tell(&mut board, 31_000, None, &answers);
    let held = ranked(&board, &before, 32_000, true);
    assert_eq!(told(&held), [(Verdict::Stable, vec!["a"])]);
    assert!(told(&ranked(&board, &held, 33_000, false)).is_empty());
}
