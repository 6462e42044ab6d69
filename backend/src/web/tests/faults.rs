//! `/api/faults`: what is taken, what is refused and why.

use futures_util::StreamExt as _;
use serde_json::json;
use shared::fault::{Fault, SHAPES};

use super::*;
use crate::faults::Refused;

/// A server whose faults are played by `player`.
fn server(player: impl Fn(Fault) -> Result<String, Refused> + Send + 'static) -> Server {
    let (desk, mut orders) = FaultDesk::open();
    tokio::spawn(async move {
        while let Some(order) = orders.recv().await {
            let played = player(order.fault);
            order.done.send(played).unwrap();
        }
    });
    Server::with(|site| site.faults = Some(desk))
}

async fn post(server: &Server, content_type: &str, body: &str) -> Answer {
    let request = Request::post("/api/faults")
        .header("host", "localhost")
        .header("content-type", content_type);
    server
        .send(request.body(Body::from(body.to_owned())).unwrap())
        .await
}

#[tokio::test]
async fn what_can_be_played_is_listed_with_its_fields_and_nothing_on_a_real_cluster() {
    let listed = server(|_| Ok(String::new())).json("/api/faults").await;
    let faults = listed["faults"].as_array().unwrap();
    assert_eq!(faults.len(), SHAPES.len());
    assert_eq!(faults[0]["name"], "silence");
    assert_eq!(faults[0]["fields"][0]["name"], "member");
    assert_eq!(Server::new().json("/api/faults").await, json!({"faults": []}));
}

#[tokio::test]
async fn a_parameter_is_refused_by_name() {
    let (status, _, message) = Server::new().refused("/api/faults?fault=stop").await;
    assert_eq!(status, 400);
    assert!(message.contains("\"fault\""), "{message}");
}

#[tokio::test]
async fn a_fault_is_played_and_answered_with_what_it_does() {
    let server = server(|fault| {
        assert_eq!(fault, Fault::Add { count: 2 });
        Ok("two more".into())
    });
    let answer = post(
        &server,
        "application/json; charset=utf-8",
        r#"{"fault":"add","count":2}"#,
    )
    .await;
    assert_eq!(answer.status, StatusCode::OK);
    let played = json!({"played": {"fault": "add", "count": 2}, "message": "two more"});
    assert_eq!(answer.json(), played);
}

#[tokio::test]
async fn a_fault_that_is_refused_says_why() {
    let server = server(|fault| {
        Err(match fault {
            Fault::Stop => Refused::Now("stopped already".into()),
            Fault::Restart => Refused::Ended,
            _ => Refused::Value("no such member".into()),
        })
    });
    for (fault, refusal) in [
        (r#"{"fault":"stop"}"#, (409, "not_now", "stopped already")),
        (
            r#"{"fault":"restart"}"#,
            (503, "shutting_down", "the server is ending"),
        ),
        (
            r#"{"fault":"kill","member":"x"}"#,
            (400, "bad_request", "no such member"),
        ),
    ] {
        let (status, code, message) = post(&server, "application/json", fault).await.refusal();
        assert_eq!((status, code.as_str(), message.as_str()), refusal);
    }
}

#[tokio::test]
async fn what_is_no_fault_is_refused_with_the_value_and_what_is_allowed() {
    let server = server(|fault| panic!("{fault:?} was played"));
    for (body, named) in [
        (r#"{"fault":"explode"}"#, "explode"),
        (r#"{"fault":"silence"}"#, "member"),
        (r#"{"fault":"stop","member":"x"}"#, "member"),
        (r#"{"fault":"add","count":-1}"#, "-1"),
        (
            r#"{"fault":"answer","api":"Heartbeat","error":"no"}"#,
            "disconnect",
        ),
        (r#"{}"#, "fault"),
        ("silence", "not JSON"),
        ("", "empty"),
    ] {
        let (status, _, message) = post(&server, "application/json", body).await.refusal();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(named), "{message} does not say {named}");
    }
    let (status, code, _) = post(&server, "text/plain", r#"{"fault":"stop"}"#).await.refusal();
    assert_eq!((status, code.as_str()), (415, "not_json"));
    let large = format!(
        r#"{{"fault":"kill","member":"{}"}}"#,
        "x".repeat(limits::HTTP_BODY)
    );
    let (status, code, message) = post(&server, "application/json", &large).await.refusal();
    assert_eq!((status, code.as_str()), (413, "too_large"));
    assert!(message.contains("65536"), "{message}");
}

/// A body of which this is all that ever comes.
fn unfinished(start: &'static str) -> Body {
    let start = futures_util::stream::iter([Ok::<_, std::io::Error>(start)]);
    Body::from_stream(start.chain(futures_util::stream::pending()))
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_not_waited_for_beyond_10_s() {
    let server = server(|fault| panic!("{fault:?} was played"));
    let request = Request::post("/api/faults")
        .header("host", "localhost")
        .header("content-type", "application/json");
    let refusal = server
        .send(request.body(unfinished("{")).unwrap())
        .await
        .refusal();
    assert_eq!((refusal.0, refusal.1.as_str()), (408, "timeout"));
    assert!(
        refusal.2.contains("body") && refusal.2.contains("10 s"),
        "{refusal:?}"
    );
}

#[tokio::test]
async fn a_real_cluster_has_no_faults_to_play() {
    let (status, code, message) = post(&Server::new(), "application/json", r#"{"fault":"stop"}"#)
        .await
        .refusal();
    assert_eq!((status, code.as_str()), (404, "no_faults_here"));
    assert!(message.contains("embedded coordinator"), "{message}");
}
