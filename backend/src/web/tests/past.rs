//! `/api/board?at=`: the board as it was.

use std::time::Duration;

use shared::board::Board;
use tokio::time::advance;

use super::*;

#[tokio::test(start_paused = true)]
async fn an_earlier_board_is_the_one_of_that_moment() {
    let server = Server::new();
    join(&server, "g", "a").await;
    let then = server.hub.board().await.unwrap().board;
    advance(Duration::from_millis(500)).await;
    join(&server, "g", "b").await;
    let answer = server.json(&format!("/api/board?at={}", START.0 + 499)).await;
    assert_eq!(
        (&answer["seq"], &answer["now"]),
        (&2.into(), &(START.0 + 499).into())
    );
    assert_eq!(board_of(&answer), then);
    assert_eq!(answer["oldest"], START.0, "from when on there are such");
    let at = START.0 + 500;
    let (now, later) = (server.json("/api/board").await, at + 1_000_000);
    assert_eq!(
        server.json(&format!("/api/board?at={later}")).await["seq"],
        now["seq"]
    );

    let (status, code, message) = server.refused(&format!("/api/board?at={}", START.0 - 1)).await;
    assert_eq!((status, code.as_str()), (410, "too_old"));
    assert!(message.contains(&START.0.to_string()), "{message}");
    let (status, _, message) = server.refused("/api/board?at=yesterday").await;
    assert_eq!(status, 400);
    assert!(
        message.contains("yesterday") && message.contains("Unix milliseconds"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_time_at_which_heartline_was_not_running_the_board_is_the_last_one_before() {
    let server = Server::new();
    join(&server, "g", "a").await;
    assert!(server.hub.board().await.is_some(), "it has seen that");
    let [ended, started] = [100, 900].map(|ms| UnixMs(START.0 + ms));
    advance(Duration::from_millis(900)).await;
    let change = Change::Gap {
        what: "all".to_owned(),
        from: ended,
        to: started,
        why: "it was stopped".to_owned(),
        not_running: true,
    };
    let mut gap = observation(Source::Survey, "g", "a", change);
    (gap.at, gap.group, gap.member) = (started, None, None);
    server.reporter.report(gap).await;
    for (asked, told) in [(99, 99), (100, 100), (500, 100), (899, 100)] {
        let answer = server.json(&format!("/api/board?at={}", START.0 + asked)).await;
        assert_eq!(answer["now"], START.0 + told, "{asked}");
        assert_eq!(answer["seq"], 2, "{asked}");
    }
}

/// The numbers of the events that `/api/events` answers with, and the answer.
async fn events(server: &Server, query: &str) -> (Vec<u64>, Value) {
    let answer = server.json(&format!("/api/events?{query}")).await;
    let seqs = answer["events"].as_array().unwrap().iter();
    (seqs.map(|event| event["seq"].as_u64().unwrap()).collect(), answer)
}

#[tokio::test(start_paused = true)]
async fn events_are_had_from_a_moment_on_and_up_to_a_number() {
    let server = Server::new();
    join(&server, "g", "a").await;
    assert!(server.hub.board().await.is_some(), "it has seen that");
    advance(Duration::from_millis(1_000)).await;
    join(&server, "g", "b").await;
    let seqs = async |query: String| events(&server, &query).await.0;
    assert_eq!(seqs("until=3".into()).await, [1, 2, 3]);
    assert_eq!(seqs("until=0".into()).await, [0; 0]);
    let half = START.0 + 500;
    assert_eq!(seqs(format!("since={half}")).await, [3, 4]);
    assert_eq!(
        seqs(format!("since={half}&until=3&kind=member_joined")).await,
        [0; 0]
    );
    assert_eq!(seqs(format!("since={half}&kind=member_joined")).await, [4]);

    let (first, answer) = events(&server, &format!("since={half}&limit=1")).await;
    assert_eq!((first, &answer["next"]), (vec![3], &3.into()));
    assert_eq!(answer["whole_since"], half);
    let (rest, answer) = events(&server, &format!("since={half}&limit=1&after=3&until=4")).await;
    assert_eq!((rest, &answer["next"]), (vec![4], &Value::Null));
    let (all, answer) = events(&server, "since=1000").await;
    assert_eq!(all, [1, 2, 3, 4]);
    assert_eq!(answer["whole_since"], START.0, "nothing is known of before");
    let (_, answer) = events(&server, "until=4").await;
    assert_eq!(answer["whole_since"], Value::Null);
    for query in ["since=noon", "until=last"] {
        let (status, _, message) = server.refused(&format!("/api/events?{query}")).await;
        assert_eq!(status, 400);
        assert!(message.contains(&query[6..]), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_had_up_to_a_number_is_of_those_who_were_at_the_host_then() {
    let server = Server::new();
    let joined = |host: &str| Joined {
        generation: Some(Generation(1)),
        host: Some(host.to_owned()),
        ..Joined::default()
    };
    let told = |change: Change| observation(Source::Embedded, "g", "a", change);
    let beat = Change::MemberEvicted {
        cause: shared::event::EvictionCause::Displaced,
    };
    for change in [
        Change::MemberJoined(joined("10.0.0.1")),
        beat,
        Change::MemberJoined(joined("10.0.0.2")),
    ] {
        advance(Duration::from_millis(10)).await;
        server.reporter.report(told(change)).await;
        assert!(server.hub.board().await.is_some(), "it has seen that");
    }
    assert_eq!(events(&server, "host=10.0.0.1&until=2").await.0, [1, 2]);
    assert_eq!(
        events(&server, "host=10.0.0.1").await.0,
        [1],
        "it is elsewhere now"
    );
}

/// The board in an answer of `/api/board`.
fn board_of(answer: &Value) -> Board {
    serde_json::from_value(answer["board"].clone()).unwrap()
}
