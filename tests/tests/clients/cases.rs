//! protocol.md 5.I, the cases that name a stock client: which test here plays each. Those that ask a coordinator only,
//! I12 to I14, stand in `backend/src/coordinator/classic/tests.rs`; of I18 the classic part.

/// Id, file, test.
const CASES: &[(&str, &str, &str)] = &[
    (
        "I01",
        "librdkafka",
        "heartbeats_answered_16_for_a_session_cost_the_partitions_and_a_new_member_gets_them",
    ),
    (
        "I02",
        "librdkafka",
        "a_coordinator_that_is_down_costs_the_partitions_after_the_session_and_a_commit_then_fails",
    ),
    (
        "I09",
        "librdkafka",
        "a_heartbeat_answered_16_is_followed_by_a_lookup_before_the_next_heartbeat",
    ),
    (
        "I10",
        "librdkafka",
        "lookups_answered_15_are_repeated_no_faster_than_twice_a_second",
    ),
    ("I18", "franz_go", "a_leave_answered_16_is_made_again"),
    ("I18", "franz_go", "a_leave_answered_25_is_a_success"),
    (
        "I20",
        "kafka_python",
        "a_heartbeat_answered_22_costs_the_generation_and_25_the_member_id_too",
    ),
    (
        "I21",
        "kafka_python",
        "a_heartbeat_answered_27_asks_for_a_rejoin_and_keeps_the_coordinator",
    ),
    (
        "I23",
        "long_clients",
        "kafka_python_beats_on_at_another_node_without_a_rejoin",
    ),
    (
        "I24",
        "kafka_python",
        "a_join_may_take_as_long_as_a_rebalance_and_a_sync_no_longer_than_any_request",
    ),
];

const SOURCES: [(&str, &str); 4] = [
    ("librdkafka", include_str!("librdkafka.rs")),
    ("kafka_python", include_str!("kafka_python.rs")),
    ("franz_go", include_str!("franz_go.rs")),
    ("long_clients", include_str!("../long_clients.rs")),
];

#[test]
fn every_case_that_names_a_client_has_its_test() {
    let mut ids: Vec<&str> = CASES.iter().map(|(id, ..)| *id).collect();
    ids.dedup();
    assert_eq!(
        ids,
        ["I01", "I02", "I09", "I10", "I18", "I20", "I21", "I23", "I24"]
    );
    for (id, file, test) in CASES {
        let (_, source) = SOURCES.iter().find(|(name, _)| name == file).expect("a file");
        let head = format!("#[tokio::test]\nasync fn {test}() {{");
        assert!(source.contains(&head), "{id}: {file}::{test} does not exist");
    }
}
