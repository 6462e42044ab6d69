//! The table against itself and against the crate `kafka-protocol`'s list.

use std::collections::BTreeSet;

use super::*;

#[test]
fn numbers_rise_and_names_are_unique() {
    assert!(ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
    let names: BTreeSet<_> = ALL.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ALL.len());
}

#[test]
fn every_code_the_group_requests_need_is_there() {
    // protocol.md 2.9, in its order.
    let needed = [
        -1, 3, 7, 14, 15, 16, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 34, 35, 42, 58, 68, 69, 79, 81, 82,
        88, 100, 110, 111, 112, 113, 117, 118, 128, 129, 130, 131, 132,
    ];
    for number in needed {
        assert!(find(number).is_some(), "{number} is missing");
    }
}

#[test]
fn names_are_those_of_the_kafka_protocol_crate() {
    let mut compared = 0;
    for row in ALL {
        let Some(theirs) = kafka_protocol::ResponseError::try_from_code(row.number) else {
            continue;
        };
        let theirs = format!("{theirs:?}").to_lowercase();
        if theirs.starts_with("unknown(") {
            continue;
        }
        let ours = row.name.replace('_', "").to_lowercase();
        // Kafka's own name ends in "Exception" for one code only; the crate leaves it out or keeps it.
        assert_eq!(
            theirs.trim_end_matches("exception"),
            ours.trim_end_matches("exception"),
            "{}",
            row.number
        );
        compared += 1;
    }
    assert!(compared > 60, "only {compared} codes are known to both");
}

#[test]
fn an_unknown_number_is_shown_as_the_number() {
    assert_eq!(label(999), "999");
    assert!(sentence(999).contains("999"));
    assert_eq!(severity(999), Severity::Serious);
}

#[test]
fn a_known_number_carries_its_name() {
    assert_eq!(label(UNKNOWN_MEMBER_ID), "25 UNKNOWN_MEMBER_ID");
    assert_eq!(severity(REBALANCE_IN_PROGRESS), Severity::Normal);
    assert_eq!(severity(FENCED_INSTANCE_ID), Severity::Serious);
}

#[test]
fn every_sentence_is_one() {
    for row in ALL {
        assert!(row.sentence.ends_with('.'), "{}", row.name);
        assert!(row.sentence.starts_with(char::is_uppercase), "{}", row.name);
    }
}
