//! `POST /api/ping`: what is asked of the coordinator, what it answers, and what is refused before anything is asked.

use std::time::Duration;

use shared::event::GroupType;
use tokio::time::advance;

use super::*;
use crate::ping::peer::{self, Answers, Heartbeats};
use crate::world::World;

/// A server beside a coordinator that answers so, and the groups there are on it.
struct Stage {
    server: Server,
    heartbeats: Heartbeats,
    _pinger: Arc<Pinger>,
}

impl Stage {
    async fn set(answers: Answers) -> Self {
        let world = World::in_memory(Clock::starting_at(START), 7);
        let at = "127.0.0.1:9092".parse().unwrap();
        let heartbeats = peer::listen(&world, at, answers);
        let pinger = peer::pinger(&world, at);
        let server = Server::with(|site| site.pinger = Arc::downgrade(&pinger));
        for (group, group_type) in [
            ("orders", GroupType::Classic),
            ("bills", GroupType::Consumer),
            ("shared", GroupType::Share),
            ("", GroupType::Classic),
        ] {
            let mut found = observation(
                Source::Survey,
                group,
                "",
                Change::GroupFound {
                    group_type,
                    protocol_type: None,
                },
            );
            found.member = None;
            server.reporter.report(found).await;
        }
        join(&server, "untold", "a").await;
        Self {
            server,
            heartbeats,
            _pinger: pinger,
        }
    }

    async fn ping(&self, query: &str) -> Answer {
        let request = Request::post(format!("/api/ping{query}")).header("host", "localhost");
        let answer = self.server.send(request.body(Body::empty()).unwrap()).await;
        // The next one is not too soon.
        advance(Duration::from_millis(200)).await;
        answer
    }

    fn came(&self) -> Vec<(String, String, Option<i32>)> {
        self.heartbeats.lock().unwrap().clone()
    }
}

fn answered_with(heartbeat: i16) -> Answers {
    Answers {
        heartbeat,
        ..Answers::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_classic_group_s_coordinator_is_pinged_by_a_member_id_made_up_for_it() {
    let stage = Stage::set(answered_with(25)).await;
    let body = stage.ping("?group=orders").await.json();
    assert_eq!(body["group"], "orders");
    assert_eq!(body["node"], 7);
    assert_eq!(body["api"], "Heartbeat");
    assert_eq!(body["error"], 25);
    assert_eq!(body["answered"], true);
    assert!(body["right"].is_null() && body["latency_us"].is_u64(), "{body}");
    let beside: Vec<_> = body["beside"].as_object().unwrap().keys().collect();
    assert_eq!(beside, ["ApiVersions", "DescribeGroups"]);
    let again = stage.ping("?group=orders&cluster=c").await;
    assert_eq!(again.status, StatusCode::OK);
    let came = stage.came();
    assert_eq!(came.len(), 2);
    assert_ne!(came[0].1, came[1].1, "each by an id of its own");
    for (group, member, epoch) in came {
        assert_eq!((&*group, epoch), ("orders", None));
        let id = member.strip_prefix("heartline-ping-").expect("ours by its name");
        assert!(uuid::Uuid::parse_str(id).is_ok(), "{member}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_consumer_group_s_coordinator_is_pinged_with_an_epoch_that_neither_joins_nor_leaves() {
    let stage = Stage::set(answered_with(25)).await;
    let body = stage.ping("?group=bills").await.json();
    assert_eq!(body["api"], "ConsumerGroupHeartbeat");
    assert_eq!(body["answered"], true);
    let beside: Vec<_> = body["beside"].as_object().unwrap().keys().collect();
    assert_eq!(beside, ["ApiVersions", "ConsumerGroupDescribe"]);
    let came = stage.came();
    let [(group, member, Some(epoch))] = came.as_slice() else {
        panic!("{came:?}");
    };
    assert_eq!(group, "bills");
    assert!(member.starts_with("heartline-ping-"), "{member}");
    assert!(*epoch > 0, "{epoch}");
}

#[tokio::test(start_paused = true)]
async fn what_nobody_is_answered_is_told_from_a_missing_right_and_other_answers() {
    for (error, answered, right) in [
        (25, true, Value::Null),
        (69, true, Value::Null),
        (30, false, "READ on group orders".into()),
        (16, false, Value::Null),
        (0, false, Value::Null),
    ] {
        let stage = Stage::set(answered_with(error)).await;
        let body = stage.ping("?group=orders").await.json();
        assert_eq!(body["error"], error);
        assert_eq!(body["answered"], answered, "{error}");
        assert_eq!(body["right"], right, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_is_not_told_or_not_reached_is_no_answer() {
    let stage = Stage::set(Answers {
        find_coordinator: 30,
        heartbeat: 25,
    })
    .await;
    let (status, code, message) = stage.ping("?group=orders").await.refusal();
    assert_eq!((status, &*code), (502, "no_answer"));
    assert!(message.contains("30 GROUP_AUTHORIZATION_FAILED"), "{message}");
    assert!(message.contains("READ on group orders"), "{message}");
    assert!(stage.came().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_makes_no_sense_or_might_do_harm_is_refused_before_anything_is_asked() {
    let stage = Stage::set(answered_with(25)).await;
    for (query, wanted, words) in [
        ("", (400, "bad_request"), "group=ID is needed"),
        ("?group=orders&grup=x", (400, "bad_request"), "grup"),
        ("?group=orders&group=bills", (400, "bad_request"), "group"),
        ("?group=nobody", (404, "no_such_group"), "\"nobody\""),
        ("?group=orders&cluster=d", (404, "no_such_group"), "\"d\""),
        (
            "?group=untold",
            (409, "no_heartbeat"),
            "\"untold\" is not visible",
        ),
        ("?group=shared", (409, "no_heartbeat"), "of the type share"),
    ] {
        let (status, code, message) = stage.ping(query).await.refusal();
        assert_eq!((status, &*code), wanted, "{query}: {message}");
        assert!(message.contains(words), "{query}: {message}");
    }
    assert!(stage.came().is_empty());
    assert_eq!(
        stage.ping("?group=").await.status,
        StatusCode::OK,
        "the empty id is one"
    );
    assert_eq!(
        stage.server.get("/api/ping?group=orders").await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
}

#[tokio::test(start_paused = true)]
async fn two_right_after_each_other_are_one_too_many() {
    let stage = Stage::set(answered_with(25)).await;
    let post = || {
        let request = Request::post("/api/ping?group=orders").header("host", "localhost");
        stage.server.send(request.body(Body::empty()).unwrap())
    };
    assert_eq!(post().await.status, StatusCode::OK);
    let (status, code, message) = post().await.refusal();
    assert_eq!((status, &*code), (429, "too_soon"));
    assert!(message.contains("200 ms"), "{message}");
    assert_eq!(stage.came().len(), 1);
    advance(Duration::from_millis(200)).await;
    assert_eq!(post().await.status, StatusCode::OK);
}
