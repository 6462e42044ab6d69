//! The cases of Kafka's tests of requests over TCP (protocol.md 5.G): which test here states each. G11 to G15 are about
//! the bytes alone and stand in `shared/src/protocol/tests/cases.rs`.

/// Id, the file beside this one, the test in it.
const CASES: [(&str, &str, &str); 8] = [
    (
        "G01",
        "groups",
        "heartbeats_are_answered_as_kafka_does_in_every_version",
    ),
    (
        "G02",
        "joining",
        "a_first_join_is_answered_or_given_an_id_by_version",
    ),
    (
        "G03",
        "joining",
        "joins_that_cannot_be_are_refused_by_their_reason",
    ),
    (
        "G05",
        "joining",
        "leaving_is_answered_at_the_top_or_by_member_by_version",
    ),
    (
        "G06",
        "groups",
        "groups_are_described_by_their_state_in_every_version",
    ),
    (
        "G07",
        "cluster",
        "a_version_of_api_versions_above_ours_is_answered_in_version_0",
    ),
    (
        "G09",
        "cluster",
        "a_client_that_looks_for_another_node_is_told_to_start_over",
    ),
    ("G10", "cluster", "the_name_of_the_clients_software_is_checked"),
];

const SOURCES: [(&str, &str); 3] = [
    ("cluster", include_str!("cluster.rs")),
    ("groups", include_str!("groups.rs")),
    ("joining", include_str!("joining.rs")),
];

#[test]
fn every_case_of_a_request_over_tcp_has_its_test() {
    let ids = CASES.map(|(id, ..)| id);
    assert_eq!(ids, ["G01", "G02", "G03", "G05", "G06", "G07", "G09", "G10"]);
    for (id, file, test) in CASES {
        let (_, source) = SOURCES.iter().find(|(name, _)| *name == file).expect(file);
        let head = format!("#[tokio::test]\nasync fn {test}() {{");
        assert!(source.contains(&head), "{id}: {file}::{test} does not exist");
    }
}
