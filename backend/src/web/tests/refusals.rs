//! What a refusal says: the cause, and of a client's own words no more than a bound.

use shared::event::LinkFault;

use super::*;

#[tokio::test]
async fn not_ready_yet_names_what_failed_last() {
    let server = Server::new();
    let mut failed = observation(
        Source::Probe,
        "g",
        "a",
        Change::CoordinatorNotFound {
            error: None,
            cause: Some(LinkFault::Disconnect),
            detail: Some("broker:9092: cannot be reached: connection refused".into()),
        },
    );
    failed.group = None;
    failed.member = None;
    server.reporter.report(failed).await;
    let (status, code, message) = server.refused("/readyz").await;
    assert_eq!((status, code.as_str()), (503, "no_answer_yet"));
    assert!(message.contains("broker:9092: cannot be reached"), "{message}");
}

#[tokio::test]
async fn what_a_client_says_is_repeated_to_a_bound() {
    let server = Server::new();
    let long = "é".repeat(1_000);
    let long = long.replace('é', "%C3%A9");
    for path in [
        format!("/api/group?group={long}"),
        format!("/api/group?cluster={long}&group={long}"),
        format!("/api/groups?{long}=1"),
        format!("/api/groups?limit={long}"),
        format!("/api/groups?after={long}"),
        format!("/api/{long}"),
    ] {
        let (_, _, message) = server.refused(&path).await;
        assert!(message.chars().count() < 400, "{message}");
    }
}
