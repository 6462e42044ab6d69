//! Clocks that do not go on as they should: a browser whose time of day is wrong, a machine that slept, a tab nobody looks at.

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::{nothing_to_complain_of, on_time, ready};

/// The page anew, with something done to its clocks before it starts.
async fn opened_with(heartline: &Heartline, script: &str) -> Page {
    let page = Page::open(heartline.address()).await;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": script}))
        .await;
    page.devtools("Page.reload", json!({})).await;
    page
}

/// Waits until the link is live.
async fn live(page: &Page) {
    page.wait_for("a live link", "link", |rows| {
        (rows.first()?.data("state") == "live").then_some(())
    })
    .await;
}

/// How far the clock on the page is from the server's, in seconds.
async fn off(page: &Page) -> i64 {
    let script = "const [shown] = document.querySelector('header time').innerText.split('.');
        const told = await (await fetch('/api/board')).json();
        const at = new Date(told.now);
        const [h, m, s] = shown.split(':').map(Number);
        const seconds = (at.getUTCHours() * 60 + at.getUTCMinutes()) * 60 + at.getUTCSeconds();
        return ((h * 60 + m) * 60 + s) - seconds;";
    let script = format!("return (async () => {{ {script} }})()");
    let off = page.script(&script).await.as_i64().expect("seconds");
    // Midnight may lie between the two.
    (off + 43_200).rem_euclid(86_400) - 43_200
}

#[tokio::test]
async fn a_browser_whose_time_of_day_is_hours_off_shows_the_servers_and_calls_nobody_late() {
    const WRONG: &str = "const right = Date.now; const wrong = () => right() + 5 * 3600e3 + 1234; Date.now = wrong;
        window.Date = new Proxy(Date, {construct: (real, given) => given.length ? new real(...given) : new real(wrong())});
        localStorage.setItem('heartline.utc', 'utc');";
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = opened_with(&heartline, WRONG).await;
    live(&page).await;
    on_time(&page, 3).await;
    // Asked of a loaded machine the server's answer comes late, never hours.
    let off = off(&page).await;
    assert!((-60..=60).contains(&off), "{off} s");
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn after_a_sleep_of_an_hour_the_page_is_live_again_without_a_reload() {
    const CLOCK: &str = "window.slept = 0; const runs = performance.now.bind(performance);
        performance.now = () => runs() + window.slept;";
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = opened_with(&heartline, CLOCK).await;
    live(&page).await;
    let members = on_time(&page, 3).await;
    page.script("window.sameDocument = true; window.slept = 3600e3")
        .await;
    heartline
        .play(&json!({"fault": "leave", "member": members[0]}))
        .await;
    page.wait_for("the member that left meanwhile", "member-row", |rows| {
        let left = rows.iter().find(|row| row.data("member") == members[0])?;
        (left.data("state") == "left").then_some(())
    })
    .await;
    live(&page).await;
    on_time(&page, 2).await;
    assert_eq!(page.script("return window.sameDocument").await, json!(true));
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn a_tab_that_was_frozen_shows_what_happened_meanwhile_each_event_once() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    page.devtools("Page.setWebLifecycleState", json!({"state": "frozen"}))
        .await;
    heartline.play(&json!({"fault": "add", "count": 1})).await;
    heartline
        .play(&json!({"fault": "kill", "member": members[0]}))
        .await;
    heartline
        .event_after(0, "its expiry", |event| {
            let it = event.what.member.as_ref()?.as_str() == members[0];
            (it && event.what.change.kind() == "member_expired").then_some(())
        })
        .await;
    page.devtools("Page.setWebLifecycleState", json!({"state": "active"}))
        .await;
    live(&page).await;
    page.wait_for("the member that expired meanwhile", "member-row", |rows| {
        let gone = rows.iter().find(|row| row.data("member") == members[0])?;
        (gone.data("state") == "expired").then_some(())
    })
    .await;
    on_time(&page, 3).await;
    let mut seqs: Vec<u64> = page.rows("event-row").await.iter().map(crate::seq).collect();
    let all = seqs.len();
    seqs.sort_unstable();
    seqs.dedup();
    assert_eq!(seqs.len(), all, "each once");
    nothing_to_complain_of(&page).await;
}
