//! The names are those of docs/contract.md: kinds, fields, vocabularies.

use crate::board::MemberState;
use crate::event::samples::every_change;
use crate::event::{
    Change, DeathCause, Departure, Event, EvictionCause, LinkFault, LogAccess, RebalanceCause, RejoinCause,
    WithheldReason,
};
use crate::health::Verdict;
use crate::vocabulary::{Vocabulary, words};

const CONTRACT: &str = include_str!("../../../../docs/contract.md");

#[test]
fn the_contracts_own_example_is_an_event() {
    let start = CONTRACT.find("    {\"seq\": 812").unwrap();
    let json = CONTRACT[start..].split("\n\n").next().unwrap();
    let event: Event = serde_json::from_str(json).unwrap();
    assert_eq!(event.seq, 812);
    assert_eq!(event.what.change.kind(), "member_gone");
}

/// The words of a line of the contract's closed vocabularies, without what stands in brackets.
fn vocabulary_of_contract(title: &str) -> Vec<String> {
    let start = CONTRACT.find(&format!("\n- {title}: ")).unwrap() + 1;
    let entry = CONTRACT[start..].split("\n- ").next().unwrap();
    let entry = entry.split("\n\n").next().unwrap();
    let (mut depth, mut flat) = (0_u32, String::new());
    for letter in entry[title.len() + 4..].chars() {
        match letter {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ if depth == 0 => flat.push(letter),
            _ => {}
        }
    }
    let flat = flat.split(';').next().unwrap();
    flat.split(',').map(|word| word.trim().to_owned()).collect()
}

#[test]
fn the_closed_vocabularies_are_the_contracts() {
    let same = |title: &str, words: Vec<&str>| assert_eq!(vocabulary_of_contract(title), words, "{title}");
    same("rebalance cause", words::<RebalanceCause>().collect());
    same("member state", words::<MemberState>().collect());
    same("verdict", words::<Verdict>().collect());
    same(
        "fault",
        crate::fault::SHAPES.iter().map(|shape| shape.name).collect(),
    );
}

/// The cells of the contract's table of kinds: kinds, meaning, what they carry.
fn rows_of_contract() -> Vec<(Vec<String>, String)> {
    let table = CONTRACT.split("| kind | means | carries |\n").nth(1).unwrap();
    table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let kinds = cells[1].split(',').map(|kind| kind.trim().to_owned()).collect();
            (kinds, cells[3].to_owned())
        })
        .collect()
}

#[test]
fn the_kinds_are_the_contracts_in_its_order() {
    let kinds: Vec<String> = rows_of_contract()
        .into_iter()
        .flat_map(|(kinds, _)| kinds)
        .collect();
    assert_eq!(kinds, Change::KINDS);
}

#[test]
fn the_contract_names_every_field_of_every_kind() {
    for change in every_change() {
        let row = rows_of_contract()
            .into_iter()
            .find(|(kinds, _)| kinds.iter().any(|kind| kind == change.kind()));
        let (_, carries) = row.unwrap();
        let json = serde_json::to_value(&change).unwrap();
        for field in json.as_object().unwrap().keys().filter(|field| *field != "kind") {
            assert!(
                carries.contains(field.as_str()),
                "{}: {field} is not in {carries:?}",
                change.kind()
            );
        }
    }
}

#[test]
fn the_contract_lists_the_words_of_the_kinds_that_have_few() {
    fn listed<V: Vocabulary>(kind: &str) {
        let (_, carries) = rows_of_contract()
            .into_iter()
            .find(|(kinds, _)| kinds.iter().any(|found| found == kind))
            .unwrap();
        for word in words::<V>() {
            assert!(carries.contains(word), "{kind}: {word} is not in {carries:?}");
        }
    }
    listed::<WithheldReason>("heartbeat_withheld");
    listed::<EvictionCause>("member_evicted");
    listed::<Departure>("member_gone");
    listed::<DeathCause>("coordinator_dead");
    listed::<LinkFault>("heartbeat_failed");
    listed::<RejoinCause>("rejoin_needed");
    listed::<LogAccess>("offsets_log");
}
