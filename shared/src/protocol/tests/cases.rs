//! The cases of Kafka's tests of messages and headers (protocol.md 5.G): which tests here state each. Those that ask a
//! coordinator over TCP stand in `backend/src/embedded/tests/cases.rs`.

/// Id, the file beside this one, the tests in it.
const CASES: [(&str, &str, &[&str]); 6] = [
    (
        "G11",
        "rules",
        &["an_instance_id_is_refused_by_a_heartbeat_below_version_3"],
    ),
    (
        "G12",
        "rules",
        &["a_join_in_version_0_takes_its_session_timeout_for_the_rebalance_timeout"],
    ),
    (
        "G13",
        "refusals",
        &["a_client_throttles_itself_from_the_version_on_in_which_brokers_answer_first"],
    ),
    (
        "G14",
        "framing",
        &[
            "a_header_with_an_empty_client_id_is_10_bytes_and_11_where_flexible",
            "a_null_client_id_is_an_empty_one",
        ],
    ),
    (
        "G15",
        "framing",
        &[
            "heartbeat_frames_are_bit_exact",
            "join_group_bodies_are_bit_exact",
            "leave_group_and_sync_group_bodies_are_bit_exact",
            "find_coordinator_and_the_refusal_of_an_unknown_version_are_bit_exact",
            "consumer_group_heartbeat_frames_are_bit_exact",
        ],
    ),
    // The vector of a record's key.
    ("G15", "offsets_log", &["a_group_is_written_as_kafka_writes_it"]),
];

const SOURCES: [(&str, &str); 4] = [
    ("framing", include_str!("framing.rs")),
    ("offsets_log", include_str!("offsets_log.rs")),
    ("refusals", include_str!("refusals.rs")),
    ("rules", include_str!("rules.rs")),
];

#[test]
fn every_case_of_messages_and_headers_has_its_tests() {
    let mut ids = CASES.map(|(id, ..)| id).to_vec();
    ids.dedup();
    assert_eq!(ids, ["G11", "G12", "G13", "G14", "G15"]);
    for (id, file, tests) in CASES {
        let (_, source) = SOURCES.iter().find(|(name, _)| *name == file).expect(file);
        for test in tests {
            let head = format!("#[test]\nfn {test}() {{");
            assert!(source.contains(&head), "{id}: {file}::{test} does not exist");
        }
    }
}
