//! Heartline is killed while a group lives on a real cluster, and started again: what was before is there, and what happened meanwhile is
//! told once, as the offsets log has it.

use shared::event::{Change, Event};
use tests::folder::TempFolder;
use tests::heartline::Heartline;
use tests::kafka;
use tests::peers::client::Client;
use tests::peers::{Peer, Role};
use tests::survey::{rebalances_are_those_of_the_log, stable, watching};
use tests::wait::wait_until;

/// Events of the group that are on disk, as soon as the last of them is.
async fn kept(heartline: &Heartline, group: &str) -> Vec<Event> {
    const WRITTEN: &str = "heartline_history_written_timestamp_seconds ";
    let events = heartline.events_after(0, &format!("&group={group}")).await;
    let last = events.last().map_or(0, |event| event.seen.0);
    wait_until("what was seen of the group to be on disk", async || {
        let text = heartline.text("/metrics").await;
        let written = text.lines().find_map(|line| line.strip_prefix(WRITTEN));
        let written = written.and_then(|seconds| seconds.replace('.', "").parse::<u64>().ok());
        if written >= Some(last) {
            Ok(())
        } else {
            Err((written, last))
        }
    })
    .await;
    events
}

/// Waits until a member was assigned partitions that it has not said before.
async fn assigned(peer: &mut Peer, mark: usize, partitions: usize) {
    peer.until(mark, "an assignment", |said| {
        (tests::peers::said::owned(said).len() == partitions).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_happened_while_it_was_not_running_is_told_once_and_what_was_before_is_there() {
    if !crate::ready() || !Client::Java.is_installed() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "kept";
    broker.create_topic(group, 6).await;
    let folder = TempFolder::new("kafka-history");
    let path = folder.path().to_str().expect("a path of ours is text");
    let mut heartline = watching(&broker.address(), &["--data-dir", path]).await;
    let start = |client_id: &str| Peer::start(Client::Java, Role::new(&broker.address(), group, client_id));
    let (mut a, b) = (start("a"), start("b"));
    stable(&heartline, group, 2).await;
    let gone = b.member();
    let before = kept(&heartline, group).await;
    heartline.process().kill();
    heartline.process().ended().await;

    let mark = a.mark();
    b.leave().await;
    assigned(&mut a, mark, 6).await;
    let mut c = start("c");
    assigned(&mut c, 0, 3).await;

    heartline.start_again().await;
    stable(&heartline, group, 2).await;
    rebalances_are_those_of_the_log(&heartline, &[broker], group, 3).await;
    let again = heartline.events_after(0, "").await;
    let new = again
        .iter()
        .position(|event| matches!(event.what.change, Change::Gap { .. }))
        .expect("a run that goes on begins with a gap");
    let numbers: Vec<u64> = again.iter().map(|event| event.seq).collect();
    assert!(
        numbers.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "seq goes on"
    );
    for event in &before {
        assert!(again[..new].contains(event), "it was on disk: {event:?}");
    }
    told_once(&again[new..], &gone, &c.member());
    a.leave().await;
    c.leave().await;
}

/// Of the run that begins with these events: who went and who came meanwhile, each once, in the time in which it can have been.
fn told_once(events: &[Event], gone: &str, came: &str) {
    let Change::Gap { from, why, .. } = &events[0].what.change else {
        unreachable!("it begins with a gap");
    };
    assert!(
        why.contains("what it saw in its last second may be lost"),
        "{why}"
    );
    let of = |kind: &str, id: &str| -> Vec<&Event> {
        let events = events.iter().filter(|event| event.what.change.kind() == kind);
        let is_it = |event: &&Event| {
            event
                .what
                .member
                .as_ref()
                .is_some_and(|member| member.as_str() == id)
        };
        events.filter(is_it).collect()
    };
    let [went] = of("member_gone", gone)[..] else {
        panic!("it went once: {events:?}");
    };
    assert!(
        went.what.at_earliest.is_some_and(|earliest| earliest <= *from),
        "{went:?}"
    );
    let arrived: Vec<&Event> = (of("member_joined", came).into_iter())
        .filter(|event| event.what.at_earliest.is_some())
        .collect();
    assert_eq!(arrived.len(), 1, "it came once: {events:?}");
}
