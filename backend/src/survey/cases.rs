//! The cases of what can be observed of groups (protocol.md 5.H): which test states each. There is no H05.

/// Id, the file below the repository's root, the test in it.
const CASES: [(&str, &str, &str); 9] = [
    ("H01", LOG, "a_group_s_partition_is_that_of_kafka"),
    (
        "H01",
        BROKERS,
        "a_coordinator_that_has_not_started_answers_15_and_none_of_its_groups_is_gone",
    ),
    ("H02", LOG, "a_group_s_partition_is_that_of_kafka"),
    (
        "H03",
        "backend/src/survey/ledger/tests.rs",
        "a_member_without_a_rebalance_timeout_has_its_session_timeout_for_one",
    ),
    (
        "H04",
        MOVING,
        "a_group_that_comes_back_is_stable_with_a_full_session_for_each_member",
    ),
    (
        "H06",
        "backend/src/survey/roll/tests/epochs.rs",
        "a_group_described_as_what_it_no_longer_is_is_refused_with_69_and_then_described_as_what_it_is",
    ),
    // Kafka's own answer to it: a full session on load.
    (
        "H07",
        MOVING,
        "each_load_gives_a_silent_member_a_full_session_again",
    ),
    (
        "H08",
        GROUPS,
        "groups_are_listed_through_filters_that_know_no_case",
    ),
    ("H08", TYPES, "each_type_is_asked_for_by_its_own_call"),
];

const LOG: &str = "shared/src/protocol/tests/offsets_log.rs";
const MOVING: &str = "backend/src/coordinator/classic/tests/moving.rs";
const GROUPS: &str = "backend/src/embedded/tests/groups.rs";
const BROKERS: &str = "backend/src/survey/roll/tests/brokers.rs";
const TYPES: &str = "backend/src/survey/roll/tests.rs";

const SOURCES: [(&str, &str); 7] = [
    (
        LOG,
        include_str!("../../../shared/src/protocol/tests/offsets_log.rs"),
    ),
    (MOVING, include_str!("../coordinator/classic/tests/moving.rs")),
    (GROUPS, include_str!("../embedded/tests/groups.rs")),
    (TYPES, include_str!("roll/tests.rs")),
    (BROKERS, include_str!("roll/tests/brokers.rs")),
    (
        "backend/src/survey/ledger/tests.rs",
        include_str!("ledger/tests.rs"),
    ),
    (
        "backend/src/survey/roll/tests/epochs.rs",
        include_str!("roll/tests/epochs.rs"),
    ),
];

#[test]
fn every_case_of_observation_has_its_test() {
    let mut ids: Vec<&str> = CASES.iter().map(|(id, ..)| *id).collect();
    ids.dedup();
    assert_eq!(ids, ["H01", "H02", "H03", "H04", "H06", "H07", "H08"]);
    for (id, file, test) in CASES {
        let (_, source) = SOURCES.iter().find(|(path, _)| *path == file).expect(file);
        let heads = [
            format!("#[test]\nfn {test}() {{"),
            format!("#[tokio::test]\nasync fn {test}() {{"),
        ];
        assert!(
            heads.iter().any(|head| source.contains(head)),
            "{id}: {file}::{test} does not exist"
        );
    }
}
