//! `/api/`: the board now and then, groups, one group, events, readiness.

use std::io::Read as _;
use std::time::Duration;

use shared::board::Board;
use shared::event::{GroupState, GroupType};
use tokio::time::advance;

use super::*;

/// The board in an answer of `/api/board`.
fn board(answer: &Value) -> Board {
    serde_json::from_value(answer["board"].clone()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_board_comes_with_its_stream_its_seq_and_the_time() {
    let server = Server::new();
    join(&server, "g", "a").await;
    let answer = server.json("/api/board").await;
    assert_eq!(answer["stream"], server.hub.stream());
    assert_eq!(answer["seq"], 2);
    assert_eq!(answer["now"], START.0);
    assert_eq!(board(&answer), server.hub.board().await.unwrap().board);
}

#[tokio::test(start_paused = true)]
async fn the_board_is_encoded_once_per_seq_and_again_when_its_time_is_old() {
    let server = Server::new();
    join(&server, "g", "a").await;
    let first = server.get("/api/board").await;
    advance(Duration::from_millis(900)).await;
    assert_eq!(server.get("/api/board").await.body, first.body);
    advance(Duration::from_millis(200)).await;
    assert_eq!(server.json("/api/board").await["now"], START.0 + 1_100);
    server.reporter.report(left("g", "a")).await;
    assert_eq!(server.json("/api/board").await["seq"], 3);
}

#[tokio::test(start_paused = true)]
async fn a_large_answer_is_compressed_for_who_takes_it() {
    let server = Server::new();
    for member in 0..50 {
        join(&server, "g", &format!("m{member}")).await;
    }
    let plain = server.get("/api/board").await;
    let gzip = server
        .get_with("/api/board", &[("accept-encoding", "gzip")])
        .await;
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert!(gzip.body.len() * 3 < plain.body.len());
    let mut text = String::new();
    flate2::read::GzDecoder::new(&gzip.body[..])
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, plain.text());
}

/// Two groups that only a survey sees, one of ours.
async fn three_groups(server: &Server) {
    for (group, state) in [("alpha", GroupState::Empty), ("beta", GroupState::Stable)] {
        let group_type = GroupType::Classic;
        for change in [
            Change::GroupFound {
                group_type,
                protocol_type: None,
            },
            Change::GroupState {
                from: None,
                to: state.clone(),
            },
        ] {
            let mut what = observation(Source::Survey, group, "", change);
            what.member = None;
            server.reporter.report(what).await;
        }
    }
    join(server, "g", "a").await;
}

fn names(answer: &Value) -> Vec<&str> {
    let groups = answer["groups"].as_array().unwrap();
    groups
        .iter()
        .map(|group| group["group"].as_str().unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn groups_are_listed_with_what_is_known_of_them_and_null_for_what_is_not() {
    let server = Server::new();
    three_groups(&server).await;
    let answer = server.json("/api/groups").await;
    assert_eq!(names(&answer), ["alpha", "beta", "g"]);
    assert_eq!(answer["next"], Value::Null);
    let [alpha, beta, ours] = &answer["groups"].as_array().unwrap()[..] else {
        panic!("{answer}")
    };
    assert_eq!(
        (&alpha["type"], &alpha["state"]),
        (&"classic".into(), &"Empty".into())
    );
    assert_eq!(
        (&alpha["members"], &alpha["verdict"]),
        (&0.into(), &"empty".into())
    );
    assert_eq!(
        beta["members"],
        Value::Null,
        "a list nobody has seen is not empty"
    );
    assert_eq!(beta["coordinator"], Value::Null);
    assert_eq!(ours["members"], 1);
    assert_eq!((&ours["state"], &ours["generation"]), (&Value::Null, &1.into()));
    assert_eq!(ours["coordinator"]["node"], 1);
}

#[tokio::test(start_paused = true)]
async fn groups_are_filtered_by_state_type_verdict_and_text() {
    let server = Server::new();
    three_groups(&server).await;
    for (query, found) in [
        ("state=stable", &["beta"][..]),
        ("state=Stable&state=Empty", &["alpha", "beta"]),
        ("type=classic", &["alpha", "beta"]),
        ("type=share", &[]),
        ("verdict=empty", &["alpha"]),
        ("q=ET", &["beta"]),
        ("q=a&state=Empty", &["alpha"]),
    ] {
        assert_eq!(
            names(&server.json(&format!("/api/groups?{query}")).await),
            found,
            "{query}"
        );
    }
    for (query, named) in [
        ("verdict=fine", "stable, empty, rebalancing"),
        ("limit=0", "from 1 to 10000"),
        ("limit=10001", "limit=10001"),
        ("limit=few", "few"),
        ("after=g", "after=\"g\""),
        ("states=Empty", "known here: state, type"),
        ("q=a&q=b", "q is given 2 times"),
    ] {
        let (status, code, message) = server.refused(&format!("/api/groups?{query}")).await;
        assert_eq!((status, code.as_str()), (400, "bad_request"), "{query}");
        assert!(message.contains(named), "{message} does not say {named}");
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_groups_hold_each_group_once_even_with_ids_that_look_like_nothing() {
    let server = Server::new();
    let ids = ["", ".", "..", "a/b", "a%2Fb", "ä #?&=", "\u{1F600}"];
    for id in ids {
        join(&server, id, "m").await;
    }
    let mut paged = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let answer = server.json(&format!("/api/groups?{query}")).await;
        paged.extend(names(&answer).into_iter().map(str::to_owned));
        let Some(next) = answer["next"].as_str() else {
            break;
        };
        let next: String = next.bytes().map(|byte| format!("%{byte:02X}")).collect();
        query = format!("limit=2&after={next}");
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    assert_eq!(paged, sorted);
}

#[tokio::test(start_paused = true)]
async fn one_group_comes_with_its_members_their_states_and_why() {
    let server = Server::new();
    join(&server, "g", "a").await;
    server.reporter.report(answered("g", "a", 250, 0)).await;
    advance(Duration::from_millis(3_000)).await;
    let answer = server.json("/api/group?group=g").await;
    assert_eq!(answer["group"]["group"], "g");
    let member = &answer["members"][0];
    assert_eq!(
        (&member["member"], &member["client_id"]),
        (&"a".into(), &"client-a".into())
    );
    assert_eq!(
        (&member["state"], &member["ours"]),
        (&"late".into(), &true.into())
    );
    assert!(member["reason"].as_str().unwrap().contains("6 s"), "{member}");
    assert_eq!(member["session_left_ms"], 3_000);
    assert_eq!(member["host"], Value::Null);
    assert_eq!(answer["verdicts"][0]["verdict"], "member-late");

    let (status, code, message) = server.refused("/api/group?group=none").await;
    assert_eq!((status, code.as_str()), (404, "no_such_group"));
    assert!(message.contains("none"), "{message}");
    assert_eq!(server.refused("/api/group").await.0, 400);
    assert_eq!(server.refused("/api/group?group=g&cluster=other").await.0, 404);
    assert_eq!(
        server.json("/api/group?group=g&cluster=c").await["group"]["cluster"],
        "c"
    );
}

#[tokio::test(start_paused = true)]
async fn a_group_that_two_clusters_have_needs_its_cluster_named() {
    let server = Server::new();
    join(&server, "g", "a").await;
    let mut elsewhere = left("g", "a");
    elsewhere.cluster = "d".into();
    elsewhere.change = Change::GroupFound {
        group_type: GroupType::Classic,
        protocol_type: None,
    };
    server.reporter.report(elsewhere).await;
    let (status, _, message) = server.refused("/api/group?group=g").await;
    assert_eq!(status, 400);
    assert!(
        message.contains("cluster=c") && message.contains("cluster=d"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn events_are_filtered_and_paged_oldest_first() {
    let server = Server::new();
    for (group, member) in [("g", "a"), ("g", "b"), ("h", "a"), ("", "a")] {
        server.reporter.report(left(group, member)).await;
    }
    server.reporter.report(answered("g", "a", 100, 0)).await;
    let ask = async |query: &str| {
        let answer = server.json(&format!("/api/events?{query}")).await;
        let events = answer["events"].as_array().unwrap();
        let seqs: Vec<u64> = events
            .iter()
            .map(|event| event["seq"].as_u64().unwrap())
            .collect();
        (seqs, answer["next"].as_u64())
    };
    assert_eq!(ask("").await, (vec![1, 2, 3, 4, 5], None));
    assert_eq!(ask("after=3").await, (vec![4, 5], None));
    assert_eq!(ask("limit=2").await, (vec![1, 2], Some(2)));
    assert_eq!(ask("limit=2&after=2").await, (vec![3, 4], Some(4)));
    assert_eq!(ask("group=g&group=h").await, (vec![1, 2, 3, 5], None));
    assert_eq!(ask("group=").await, (vec![4], None));
    assert_eq!(ask("member=a&kind=member_left").await, (vec![1, 3, 4], None));
    assert_eq!(ask("kind=heartbeat_answered&kind=gap").await, (vec![5], None));
    assert_eq!(ask("after=5").await, (vec![], None));
    assert_eq!(ask("limit=1&kind=heartbeat_answered").await, (vec![5], None));
    for (query, named) in [
        ("kind=heartbeat", "heartbeat_answered"),
        ("after=-1", "after=\"-1\""),
        ("limit=10001", "from 1 to 10000"),
    ] {
        let (status, _, message) = server.refused(&format!("/api/events?{query}")).await;
        assert_eq!(status, 400);
        assert!(message.contains(named), "{message} does not say {named}");
    }
    let answer = server.json("/api/events").await;
    assert_eq!(answer["stream"], server.hub.stream());
    assert_eq!(
        (&answer["whole_above"], &answer["every_beat_above"]),
        (&0.into(), &0.into())
    );
}

#[tokio::test(start_paused = true)]
async fn events_are_filtered_by_evidence_and_by_the_host_of_their_member() {
    let server = Server::new();
    let joined = Joined {
        generation: Some(Generation(1)),
        host: Some("10.0.3.8".to_owned()),
        ..Joined::default()
    };
    let joined = observation(Source::Probe, "g", "a", Change::MemberJoined(joined));
    server.reporter.report(joined).await;
    server.reporter.report(left("g", "a")).await;
    server.reporter.report(left("g", "b")).await;
    let count = async |query: &str| {
        let answer = server.json(&format!("/api/events?{query}")).await;
        answer["events"].as_array().unwrap().len()
    };
    assert_eq!(count("evidence=observed").await, 3);
    assert_eq!(count("evidence=inferred").await, 0);
    assert_eq!(
        count("host=10.0.3.8").await,
        2,
        "its coming, and its going that does not name it"
    );
    assert_eq!(count("host=10.0.3.8&host=10.9.9.9&kind=member_left").await, 1);
    assert_eq!(count("host=10.9.9.9").await, 0);
    for query in ["evidence=guessed", "format=xml"] {
        let (status, ..) = server.refused(&format!("/api/events?{query}")).await;
        assert_eq!(status, 400, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn events_are_handed_out_as_a_file_of_lines_or_of_cells() {
    let server = Server::new();
    for member in ["=1+1", "b,c", "d"] {
        server.reporter.report(left("g", member)).await;
    }
    let text = async |query: &str| {
        let answer = server.get(&format!("/api/events?{query}")).await;
        let next = answer
            .headers
            .get("link")
            .map(|link| link.to_str().unwrap().to_owned());
        let saved = answer.headers["content-disposition"].to_str().unwrap().to_owned();
        (String::from_utf8(answer.body.to_vec()).unwrap(), saved, next)
    };
    let (lines, saved, next) = text("format=jsonl").await;
    assert_eq!(lines.lines().count(), 3);
    assert!(saved.contains("heartline-events.jsonl"), "{saved}");
    assert_eq!(next, None);
    for line in lines.lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["group"], "g");
    }
    let (cells, _, next) = text("format=csv&limit=2").await;
    let rows: Vec<&str> = cells.split_terminator("\r\n").collect();
    assert_eq!(rows.len(), 3, "{cells}");
    assert!(rows[0].starts_with("seq,"), "{cells}");
    assert!(rows[1].contains(",g,\"'=1+1\",member_left,"), "{cells}");
    assert!(rows[2].contains(",g,\"b,c\",member_left,"), "{cells}");
    assert_eq!(
        next.as_deref(),
        Some("<?format=csv&limit=2&after=2>; rel=\"next\"")
    );
    let (cells, _, next) = text("format=csv&limit=2&after=2").await;
    assert!(cells.ends_with("\r\n") && cells.lines().count() == 2, "{cells}");
    assert_eq!(next, None);
}

#[tokio::test(start_paused = true)]
async fn an_id_too_long_for_the_board_is_found_by_the_one_the_board_shows() {
    let server = Server::new();
    let long = "g".repeat(1_000);
    server.reporter.report(left(&long, &long)).await;
    let groups = server.json("/api/groups").await;
    let shown = names(&groups)[0].replace('#', "%23");
    assert!(shown.len() < 300);
    for query in [
        format!("group={shown}"),
        format!("group={long}"),
        format!("member={long}"),
    ] {
        let events = server.json(&format!("/api/events?{query}")).await;
        assert_eq!(events["events"].as_array().unwrap().len(), 1, "{query}");
    }
    assert_eq!(
        server.get(&format!("/api/group?group={long}")).await.status,
        StatusCode::OK
    );
    assert_eq!(
        server.get(&format!("/api/group?group={shown}")).await.status,
        StatusCode::OK
    );
}
