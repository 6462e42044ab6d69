//! Which groups are listed, in which order, and for how long an order stands.

use serde_json::json;
use shared::board::Board;
use shared::time::UnixMs;

use super::*;

/// A board of groups that others run, each with what is left to read in it, as far as that is visible.
fn board(groups: &[(&str, &str, Option<u64>)]) -> Board {
    let mut board = Board::default();
    for (name, state, left) in groups {
        lags(&mut board, name, *left);
        tell(
            &mut board,
            name,
            &json!({"kind": "group_state", "from": "Unknown", "to": state}),
        );
    }
    board
}

fn lags(board: &mut Board, name: &str, left: Option<u64>) {
    let lag = json!({"left": left, "partitions": 1, "uncommitted": 0, "endless": 0});
    tell(
        board,
        name,
        &json!({"kind": "group_progress", "partitions": [], "unnamed": 1, "lag": lag}),
    );
}

fn tell(board: &mut Board, name: &str, change: &serde_json::Value) {
    let event = json!({
        "seq": board.seq + 1, "seen": 1_000, "at": 1_000, "at_earliest": null, "source": "survey", "evidence": "observed",
        "cluster": "c", "group": name, "member": null, "change": change,
    });
    board.apply(&serde_json::from_value(event).unwrap());
}

fn names(ranked: &Ranked) -> Vec<&str> {
    ranked.rows.iter().map(|(_, key)| key.group.as_str()).collect()
}

fn fresh(board: &Board, list: &GroupList) -> Ranked {
    Ranked::default().after(board, list, UnixMs(1_000_000), false)
}

fn sorted(column: &str) -> GroupList {
    let mut list = GroupList::default();
    list.order_by(column);
    list
}

#[test]
fn figures_are_sorted_from_the_most_names_from_a_and_the_unknown_is_last_in_any_case() {
    let board = board(&[
        ("a", "Stable", Some(5)),
        ("b", "Empty", None),
        ("c", "Stable", Some(70)),
    ]);
    assert_eq!(names(&fresh(&board, &sorted("lag"))), ["c", "a", "b"]);
    assert_eq!(names(&fresh(&board, &sorted("-lag"))), ["a", "c", "b"]);
    assert_eq!(names(&fresh(&board, &sorted("group"))), ["a", "b", "c"]);
    assert_eq!(names(&fresh(&board, &sorted("-group"))), ["c", "b", "a"]);
    assert_eq!(names(&fresh(&board, &sorted("state"))), ["b", "a", "c"]);
}

#[test]
fn a_search_finds_part_of_an_id_in_whichever_case_and_a_filter_the_whole_word() {
    let board = board(&[
        ("Orders-eu", "Stable", None),
        ("payments", "Empty", None),
        ("reorders", "Empty", None),
    ]);
    let list = GroupList {
        search: "ORDERS".to_owned(),
        ..sorted("group")
    };
    assert_eq!(names(&fresh(&board, &list)), ["Orders-eu", "reorders"]);
    let list = GroupList {
        state: "Empty".to_owned(),
        ..list
    };
    let ranked = fresh(&board, &list);
    assert_eq!(names(&ranked), ["reorders"]);
    assert_eq!(ranked.all, 3);
    assert!(list.is_filtered());
    let states: Vec<&String> = ranked.states.keys().collect();
    assert_eq!(states, ["Empty", "Stable"], "all that there are, to choose from");
}

#[test]
fn rows_keep_their_places_while_somebody_reads_and_newcomers_come_last() {
    let list = sorted("lag");
    let mut board = board(&[("a", "Stable", Some(5)), ("b", "Stable", Some(3))]);
    let before = fresh(&board, &list);
    lags(&mut board, "b", Some(9));
    lags(&mut board, "c", Some(99));
    let later = UnixMs(1_060_000);
    let held = before.after(&board, &list, later, true);
    assert_eq!(names(&held), ["a", "b", "c"]);
    assert!(held.is_held);
    let after = held.after(&board, &list, later, false);
    assert_eq!(names(&after), ["c", "b", "a"]);
    assert!(!after.is_held);
}

#[test]
fn an_order_stands_for_a_while_though_nobody_reads_unless_another_one_is_asked_for() {
    let list = sorted("lag");
    let mut board = board(&[("a", "Stable", Some(5)), ("b", "Stable", Some(3))]);
    let before = fresh(&board, &list);
    lags(&mut board, "b", Some(9));
    let soon = before.after(&board, &list, UnixMs(1_004_000), false);
    assert_eq!(names(&soon), ["a", "b"]);
    let late = soon.after(&board, &list, UnixMs(1_005_000), false);
    assert_eq!(names(&late), ["b", "a"]);
    let other = soon.after(&board, &sorted("-group"), UnixMs(1_004_000), true);
    assert_eq!(names(&other), ["b", "a"]);
}

#[test]
fn a_long_list_is_worked_out_once_a_second_and_a_short_one_at_every_change() {
    let name = |number: usize| format!("group-{number:04}");
    let names: Vec<String> = (0..1_000).map(name).collect();
    let list = GroupList::default();
    for (count, again) in [(1_000, false), (3, true)] {
        let groups: Vec<_> = names[..count]
            .iter()
            .map(|name| (name.as_str(), "Stable", None))
            .collect();
        let mut board = board(&groups);
        let ranked = fresh(&board, &list);
        lags(&mut board, &name(0), Some(9));
        assert_eq!(!ranked.is_of(&board, &list, UnixMs(1_000_500)), again, "{count}");
        assert!(!ranked.is_of(&board, &list, UnixMs(1_001_000)));
        assert!(!ranked.is_of(&board, &sorted("lag"), UnixMs(1_000_000)));
    }
}
