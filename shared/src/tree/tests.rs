//! What is read from a tree is what serde's own derive reads, from the same notes; complaints name the place besides.

use serde_json::{Value, json};

use super::*;

/// Declares the same types twice: one lot read by serde's own visitors, one through a tree.
macro_rules! twins {
    (@ $($(#[$note:meta])* $kind:ident $name:ident $body:tt)+) => {$(
        #[derive(Debug, Read)]
        #[allow(dead_code, reason = "compared as text")]
        $(#[$note])*
        pub(super) $kind $name $body
    )+};
    ($($types:tt)+) => {
        mod by_serde {
            use super::seven;
            use serde::Deserialize as Read;
            twins!(@ $($types)+);
        }
        mod by_tree {
            use super::seven;
            use crate::tree::FromNode as Read;
            twins!(@ $($types)+);
        }
    };
}

const fn seven() -> u32 {
    7
}

twins! {
    struct Row {
        id: u16,
        #[serde(rename = "type")]
        of_type: Option<String>,
        #[serde(default)]
        times: i32,
        #[serde(default = "seven")]
        weight: u32,
        cells: Vec<Cell>,
        what: Option<What>,
        #[serde(flatten)]
        rest: Held,
    }
    #[serde(rename_all = "snake_case")]
    enum Cell {
        NotSeen,
        Beat(u8),
        FailedAt { at: u64 },
    }
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum What {
        Nothing,
        SomethingElse { seats: (u8, bool) },
        Whole(Held),
        #[serde(rename = "odd")]
        Even {},
    }
    struct Held {
        held: Option<i64>,
    }
    #[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
    enum Strict {
        Wait { ms: u64, #[serde(default)] times: u32 },
        Stop {},
    }
    #[serde(transparent)]
    struct Bare {
        inner: Option<bool>,
    }
}

/// Reads one value in both ways; the complaint or the value, as text.
macro_rules! both_ways {
    ($name:ident, $value:expr) => {{
        let value: &Value = $value;
        let serde = serde_json::from_value::<by_serde::$name>(value.clone());
        let tree = serde_json::from_value::<by_tree::$name>(value.clone());
        (
            serde
                .map(|it| format!("{it:?}"))
                .map_err(|error| error.to_string()),
            tree.map(|it| format!("{it:?}"))
                .map_err(|error| error.to_string()),
        )
    }};
}

/// How the two differ, if they do. A complaint must name the same value; what is expected in its place is said of types
/// by serde ("struct Row") and of JSON by the tree ("a map").
fn difference(
    value: &Value,
    (serde, tree): (Result<String, String>, Result<String, String>),
) -> Option<String> {
    let named = |error: &str| {
        let what = error.split(", expected").next().unwrap_or_default();
        // The tree does not tell a float's figures.
        let float = what.split_once("floating point `").map(|(before, _)| before);
        float.map_or_else(|| what.to_owned(), |before| format!("{before}floating point"))
    };
    let same = match (&serde, &tree) {
        (Err(serde), Err(tree)) => tree.ends_with(serde) || named(tree).ends_with(&named(serde)),
        (serde, tree) => serde == tree,
    };
    (!same).then(|| format!("{value}: {tree:?}, where serde says {serde:?}"))
}

/// The row, and the row with each part replaced by each of many values.
fn rows() -> Vec<Value> {
    let row = json!({"id": 3, "type": "t", "times": -2, "weight": 1, "cells": ["not_seen", {"beat": 4}, {"failed_at": {"at": 5}}],
        "what": {"kind": "something_else", "seats": [1, true]}, "held": -9, "unknown": [{}]});
    let mut rows = vec![json!({}), json!([]), json!("row"), row.clone()];
    let others = [
        json!(null),
        json!(0),
        json!(-1),
        json!(70_000),
        json!(5_000_000_000_u64),
        json!(u64::MAX),
        json!(1.5),
        json!(true),
        json!("not_seen"),
        json!("nothing"),
        json!([]),
        json!(["no_such_cell"]),
        json!([{"beat": 256}]),
        json!([{"failed_at": {}}]),
        json!({}),
        json!({"kind": "nothing", "more": 1}),
        json!({"kind": "no_such_kind"}),
        json!({"kind": 3}),
        json!({"kind": "whole"}),
        json!({"kind": "odd"}),
        json!({"kind": "something_else", "seats": [1]}),
        json!({"kind": "something_else", "seats": [1, 2]}),
    ];
    for name in ["id", "type", "times", "weight", "cells", "what", "held"] {
        let mut without = row.clone();
        without.as_object_mut().unwrap().remove(name);
        rows.push(without);
        // A list is a variant with a tag to serde; to the tree it is none.
        for other in others.iter().filter(|other| name != "what" || !other.is_array()) {
            let mut with = row.clone();
            with[name] = other.clone();
            rows.push(with);
        }
    }
    rows
}

#[test]
fn a_tree_reads_what_serde_reads_and_complains_in_its_words() {
    let rows = rows();
    let different = rows
        .iter()
        .filter_map(|row| difference(row, both_ways!(Row, row)));
    assert_eq!(different.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn what_may_hold_nothing_else_is_as_strict_as_by_serde() {
    let values = [
        json!({"do": "wait", "ms": 3}),
        json!({"ms": 3, "times": 2, "do": "wait"}),
        json!({"do": "wait"}),
        json!({"do": "wait", "ms": 3, "moment": 1}),
        json!({"do": "stop"}),
        json!({"do": "stop", "ms": 3}),
        json!({"do": "go"}),
        json!({"ms": 3}),
        json!("wait"),
    ];
    let different = values
        .iter()
        .filter_map(|value| difference(value, both_ways!(Strict, value)));
    assert_eq!(different.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn what_is_transparent_is_the_value_it_holds() {
    for value in [json!(true), json!(null), json!(1)] {
        assert_eq!(difference(&value, both_ways!(Bare, &value)), None);
    }
    let absent = <by_tree::Bare as FromNode>::absent();
    assert_eq!(format!("{absent:?}"), "Some(Bare { inner: None })");
}

#[test]
fn a_field_that_comes_twice_is_refused_where_unknown_ones_are() {
    for text in [
        r#"{"do": "wait", "ms": 3, "ms": 4}"#,
        r#"{"do": "stop", "do": "wait", "ms": 4}"#,
    ] {
        let error = serde_json::from_str::<by_tree::Strict>(text)
            .unwrap_err()
            .to_string();
        assert!(error.contains("duplicate field"), "{text}: {error}");
    }
}

#[test]
fn a_complaint_names_the_place() {
    let value = json!({"id": 3, "cells": ["not_seen", {"beat": 1}, {"failed_at": {"at": "noon"}}]});
    let error = serde_json::from_value::<by_tree::Row>(value)
        .unwrap_err()
        .to_string();
    assert_eq!(error, "cells.2.at: invalid type: string \"noon\", expected u64");
}

#[test]
fn fields_are_found_in_any_order_and_escapes_are_undone() {
    let text = r#"{"held": 1, "cells": [], "type": "a\"b", "\u0069d": 9}"#;
    let row = serde_json::from_str::<by_tree::Row>(text).unwrap();
    assert_eq!(
        format!("{row:?}"),
        "Row { id: 9, of_type: Some(\"a\\\"b\"), times: 0, weight: 7, cells: [], what: None, rest: Held { held: Some(1) } }"
    );
}

#[test]
fn a_tree_is_no_deeper_than_the_text_may_be() {
    let deep = "[".repeat(100_000);
    let error = serde_json::from_str::<Node<'_>>(&deep).unwrap_err().to_string();
    assert!(error.contains("recursion limit"), "{error}");
}
