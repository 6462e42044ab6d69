//! The page recovers by itself: from a server that dies, and from a network that goes mute, cuts and comes back.

use std::collections::BTreeMap;

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;
use tests::proxy::{Mode, Proxy};
use tests::wait::wait_until;

use crate::{newest_seq, nothing_to_complain_of, on_time, ready, seq};

/// The kinds that come at every heartbeat or commit, one by one or by the second; of these the log shows those that carry news.
const BEATS: [&str; 4] = [
    "group_progress",
    "heartbeat_answered",
    "heartbeat_received",
    "heartbeats_summarised",
];

#[tokio::test]
async fn the_page_recovers_without_a_reload_when_the_server_was_killed_and_started_again() {
    if !ready() {
        return;
    }
    let mut heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let before = on_time(&page, 3).await;
    page.script("window.sameDocument = true").await;

    heartline.process().kill();
    link(&page, &["stale", "reconnecting"]).await;
    heartline.start_again().await;
    link(&page, &["live"]).await;

    let after = on_time(&page, 3).await;
    assert!(
        after.iter().all(|member| !before.contains(member)),
        "a new server has new members: {after:?}"
    );
    assert_eq!(
        page.script("return window.sameDocument").await,
        json!(true),
        "the page was reloaded"
    );
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn after_a_mute_and_a_cut_network_the_log_has_every_event_once() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let proxy = Proxy::to(heartline.address()).await;
    let page = Page::open(&proxy.address().to_string()).await;
    let members = on_time(&page, 3).await;
    let before = newest_seq(&page).await;

    proxy.set(Mode::Mute);
    link(&page, &["stale"]).await;
    heartline
        .play(&json!({"fault": "kill", "member": members[0]}))
        .await;
    proxy.set(Mode::Cut);
    link(&page, &["reconnecting"]).await;
    heartline.play(&json!({"fault": "add", "count": 2})).await;
    proxy.set(Mode::Forward);
    link(&page, &["live"]).await;

    wait_until(
        "the page's log to equal /api/events, each event once",
        async || {
            let shown: Vec<(u64, String)> = page
                .rows("event-row")
                .await
                .iter()
                .map(|row| (seq(row), row.data("kind").to_owned()))
                .filter(|(_, kind)| !BEATS.contains(&kind.as_str()))
                .collect();
            let once: BTreeMap<u64, String> = shown.iter().cloned().collect();
            assert_eq!(once.len(), shown.len(), "an event is shown twice: {shown:?}");
            let query = page
                .script("return document.querySelector('[data-testid=event-log]').dataset.query")
                .await;
            let query = query
                .as_str()
                .expect("the log says what it asks for")
                .replacen('?', "&", 1);
            let kept = heartline.events_after(0, &query).await.into_iter();
            let kept: BTreeMap<u64, String> = kept
                .map(|event| (event.seq, event.what.change.kind().to_owned()))
                .filter(|(_, kind)| !BEATS.contains(&kind.as_str()))
                .collect();
            let differing = |one: &BTreeMap<u64, String>, other: &BTreeMap<u64, String>| {
                let only = one.iter().filter(|(seq, kind)| other.get(seq) != Some(kind));
                only.map(|(seq, kind)| format!("{seq} {kind}"))
                    .collect::<Vec<_>>()
            };
            let (missing, surplus) = (differing(&kept, &once), differing(&once, &kept));
            let missed_ones = kept.range(before + 1..).any(|(_, kind)| kind == "member_joined");
            if missed_ones && missing.is_empty() && surplus.is_empty() {
                Ok(())
            } else {
                Err((query, missing, surplus))
            }
        },
    )
    .await;
    nothing_to_complain_of(&page).await;
}

/// Waits until the link's state is one of these.
async fn link(page: &Page, states: &[&str]) {
    page.wait_for(
        &format!("a link that is {}", states.join(" or ")),
        "link",
        |rows| states.contains(&rows.first()?.data("state")).then_some(()),
    )
    .await;
}
