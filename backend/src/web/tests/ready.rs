//! `/readyz`: ready, or why not.

use std::time::Duration;

use shared::event::{DeathCause, LinkFault};
use shared::fault::Fault;
use tokio::time::advance;

use super::*;

/// The status and the code of `/readyz`.
async fn ready(server: &Server) -> (u16, Option<String>) {
    let answer = server.get("/readyz").await;
    let code = (answer.status != StatusCode::OK).then(|| answer.refusal().1);
    (answer.status.as_u16(), code)
}

#[tokio::test(start_paused = true)]
async fn ready_is_a_coordinator_that_answered_a_member_of_ours_of_late() {
    let server = Server::new();
    let not = |code: &str| (503, Some(code.to_owned()));
    assert_eq!(ready(&server).await, not("no_answer_yet"));
    join(&server, "g", "a").await;
    assert_eq!(ready(&server).await, (200, None));
    advance(Duration::from_millis(6_001)).await;
    assert_eq!(ready(&server).await, not("no_recent_answer"));

    let mut beat = answered("g", "a", 100, 27);
    beat.at = server.clock.now_unix();
    server.reporter.report(beat).await;
    assert_eq!(ready(&server).await, (200, None), "an answer is an answer");

    let dead = Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    let mut dead = observation(Source::Probe, "g", "a", dead);
    dead.at = server.clock.now_unix();
    server.reporter.report(dead).await;
    assert_eq!(ready(&server).await, not("coordinator_gone"));
}

#[tokio::test(start_paused = true)]
async fn a_missing_right_is_why_it_is_not_ready() {
    let server = Server::new();
    let right = "READ on group g".to_owned();
    let refused = observation(
        Source::Probe,
        "g",
        "a",
        Change::NotAuthorized { error: 30, right },
    );
    server.reporter.report(refused).await;
    let (status, code, message) = server.refused("/readyz").await;
    assert_eq!((status, code.as_str()), (503, "not_authorized"));
    assert!(message.contains("READ on group g"), "{message}");
    assert!(
        message.ends_with("try again by themselves, within 5 min of the last time"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn without_members_a_cluster_is_ready_while_a_broker_of_it_answers_and_our_own_coordinator_unless_stopped()
 {
    let cluster = Server::with(|site| site.readiness = Readiness::Survey);
    assert_eq!(ready(&cluster).await, (503, Some("no_answer_yet".to_owned())));
    let not_found = Change::CoordinatorNotFound {
        error: None,
        cause: Some(LinkFault::Disconnect),
        detail: Some("broker-1:9092: cannot be reached".to_owned()),
    };
    let unbelieved = Change::CoordinatorNotFound {
        error: None,
        cause: Some(LinkFault::Authentication),
        detail: Some("broker-1:9093: authentication by SCRAM-SHA-512".to_owned()),
    };
    let silent = Change::BrokerSilent {
        node: NodeId(1),
        cause: LinkFault::Timeout,
        detail: None,
    };
    for (change, wanted, named) in [
        (not_found.clone(), Some("no_answer_yet"), true),
        (
            Change::BrokerAnswers {
                node: NodeId(1),
                host: None,
                port: None,
            },
            None,
            false,
        ),
        (silent, Some("no_recent_answer"), false),
        (
            Change::BrokerAnswers {
                node: NodeId(1),
                host: None,
                port: None,
            },
            None,
            false,
        ),
        (not_found, Some("no_recent_answer"), true),
        (unbelieved, Some("not_authenticated"), false),
    ] {
        let mut what = observation(Source::Survey, "", "", change);
        (what.group, what.member) = (None, None);
        cluster.reporter.report(what).await;
        let Some(wanted) = wanted else {
            assert_eq!(ready(&cluster).await, (200, None));
            continue;
        };
        let (status, code, message) = cluster.refused("/readyz").await;
        assert_eq!((status, code.as_str()), (503, wanted));
        let says = message.contains("broker-1:9092: cannot be reached");
        assert_eq!(says, named, "{message}");
    }
    let embedded = Server::with(|site| site.readiness = Readiness::Embedded);
    assert_eq!(ready(&embedded).await, (200, None));
    for (fault, wanted) in [
        (Fault::Stop, (503, Some("coordinator_stopped".to_owned()))),
        (Fault::Restart, (200, None)),
    ] {
        let mut what = observation(Source::Embedded, "", "", Change::FaultPlayed { fault });
        (what.group, what.member) = (None, None);
        embedded.reporter.report(what).await;
        assert_eq!(ready(&embedded).await, wanted);
    }
}
