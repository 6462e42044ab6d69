//! `/api/board?at=`: the board as it was.

use std::time::Duration;

use shared::board::Board;
use tokio::time::advance;

use super::*;
use crate::journal;

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
        what: journal::WHATEVER.to_owned(),
        from: ended,
        to: started,
        why: "it was stopped".to_owned(),
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

/// The board in an answer of `/api/board`.
fn board_of(answer: &Value) -> Board {
    serde_json::from_value(answer["board"].clone()).unwrap()
}
