//! `heartline serve --data-dir` on its embedded coordinator, killed and started again: the page has the groups as they were.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use shared::board::Board;
use shared::event::Event;
use shared::ids::{Generation, MemberId};
use shared::time::{Millis, UnixMs};
use tests::cast::{Cast, PARTITIONS, TOPIC, beating, patient};
use tests::folder::TempFolder;
use tests::heartline::{Heartline, binary};
use tests::port;
use tests::wait::wait_until;

/// Members of ours, which are clients of another process to it.
const MEMBERS: usize = 2;

/// What the page has of the group `lives`, without what goes on: since when it is there, in which generation, after which rebalances,
/// and since when who is in it.
#[derive(Debug, PartialEq)]
struct Picture {
    since: UnixMs,
    generation: Option<Generation>,
    rebalances: Vec<Option<Generation>>,
    total: u64,
    members: BTreeMap<MemberId, UnixMs>,
}

async fn picture(heartline: &Heartline) -> (Board, Picture) {
    let (_, mut answer) = heartline.get("/api/board").await;
    let board: Board = serde_json::from_value(answer["board"].take()).expect("a board");
    let mut groups = board.groups();
    let group = groups.find(|group| group.key.group.as_str() == "lives");
    let group = group.expect("it is there as soon as the page is served");
    let picture = Picture {
        since: group.since,
        generation: group.generation.get().copied(),
        rebalances: group.rebalances.iter().map(|row| row.generation).collect(),
        total: group.rebalances_total.iter().map(|(_, total)| total).sum(),
        members: group
            .members
            .values()
            .map(|member| (member.id.clone(), member.since))
            .collect(),
    };
    drop(groups);
    (board, picture)
}

/// The last event of the group, once nothing but heartbeats was told of it for so long that all else is on disk.
async fn at_rest(heartline: &Heartline) -> u64 {
    wait_until("the group to be at rest", async || {
        let events = heartline.events_after(0, "&group=lives").await;
        let is_turn = |event: &&Event| {
            let change = &event.what.change;
            !change.is_single_beat() && change.kind() != "heartbeats_summarised"
        };
        let turn = events.iter().rfind(is_turn).map(|event| event.seen);
        let last = events.last().map(|event| (event.seq, event.seen));
        match (turn, last) {
            (Some(turn), Some((seq, seen))) if seen.since(turn) > Millis(4_000) => Ok(seq),
            other => Err(other),
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn its_groups_are_as_they_were_nobody_came_anew_and_the_time_between_is_a_gap() {
    if binary().is_none() {
        return;
    }
    let folder = TempFolder::new("restart-page");
    let topics = format!("{TOPIC}:{PARTITIONS}");
    let listen = SocketAddr::from(([127, 0, 0, 1], port::free()));
    let arguments = [
        "--members",
        "0",
        "--topics",
        &topics,
        "--coordinator-listen",
        &listen.to_string(),
        "--data-dir",
        folder.path().to_str().expect("a path of ours is text"),
    ];
    let mut heartline = Heartline::start(&arguments).await;
    let mut members = Cast::start(patient(&listen.into(), "lives", MEMBERS));
    let all = |seen: &[_]| beating(seen, MEMBERS);
    members.until("all beat in one generation", all).await;
    let last = members.while_going_on(at_rest(&heartline)).await;
    let (_, before) = picture(&heartline).await;
    assert_eq!(before.members.len(), MEMBERS);

    heartline.process().kill();
    members.while_going_on(heartline.process().ended()).await;
    members.while_going_on(heartline.start_again()).await;
    let (board, after) = picture(&heartline).await;
    assert_eq!(after, before);
    let gap = board.gaps.first().expect("it was not running");
    assert!(gap.is_stop() && gap.from < gap.to, "{gap:?}");
    members.forget();
    members.until("all beat again", all).await;
    let told = heartline.events_after(last, "&group=lives").await;
    let news = [
        "member_joined",
        "member_gone",
        "member_expired",
        "group_found",
        "rebalance_started",
    ];
    let again: Vec<&Event> = told
        .iter()
        .filter(|event| news.contains(&event.what.change.kind()))
        .collect();
    assert!(again.is_empty(), "{again:#?}");
    assert_eq!(picture(&heartline).await.1, before);
}
