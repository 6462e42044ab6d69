//! An incident as an operator meets it: from the overview to the member that caused it, and the page held still to read.

use serde_json::json;
use tests::chrome::{Page, Row};
use tests::heartline::Heartline;
use tests::wait::wait_until;

use crate::groups::crowd;
use crate::{nothing_to_complain_of, on_time, ready};

/// The demo with another group beside it, so that there is an overview; and one of its members.
async fn overview(arguments: &[&str]) -> (Heartline, Page, String) {
    let heartline = Heartline::start(arguments).await;
    let page = Page::open(&format!("{}/group?group=demo", heartline.address())).await;
    let member = on_time(&page, 3).await.remove(1);
    crowd(heartline.coordinator().expect("it is embedded"), 1).await;
    page.click("nav a[href='/']").await;
    (heartline, page, member)
}

#[tokio::test]
async fn from_the_overview_to_the_member_that_caused_it_are_at_most_three_clicks() {
    if !ready() {
        return;
    }
    // A session longer than the test: the member stays late until somebody looks.
    let (heartline, page, member) = overview(&["--session-timeout", "600000"]).await;
    heartline
        .play(&json!({"fault": "silence", "member": member}))
        .await;
    page.wait_for("a late member among what needs attention", "incident", |cards| {
        let late = |card: &Row| card.data("verdict") == "member-late";
        cards.iter().any(late).then_some(())
    })
    .await;
    let way = ["[data-testid=incident][data-verdict=member-late] h3 a", ".say a"];
    assert!(way.len() <= 3);
    for click in way {
        page.click(click).await;
    }
    page.wait_for("what happened to it", "event-row", |rows| {
        rows.iter()
            .any(|row| row.data("kind") == "member_joined")
            .then_some(())
    })
    .await;
    let chosen = "return document.querySelector('[data-testid=log-member]').value";
    assert_eq!(page.script(chosen).await, json!(member));
    let group = "return document.querySelector('[data-testid=log-group]').value";
    assert_eq!(page.script(group).await, json!("demo"));
    nothing_to_complain_of(&page).await;
}

/// All that is written in the page, but what says how old it is.
const WRITTEN: &str = "const main = document.querySelector('main').cloneNode(true);
    main.querySelectorAll('canvas').forEach((it) => it.remove());
    const log = [...main.querySelectorAll('[data-testid=event-row]')].map((row) => row.dataset.seq);
    main.querySelectorAll('[data-testid=event-log] header').forEach((it) => it.remove());
    return [main.innerText, log, document.querySelector('header time').innerText]";

#[tokio::test]
async fn the_whole_page_is_held_still_by_a_key_counts_what_comes_and_goes_on() {
    if !ready() {
        return;
    }
    let (heartline, page, member) = overview(&[]).await;
    let again = json!({"fault": "rejoin", "member": member, "times": 1_000, "every_ms": 500});
    heartline.play(&again).await;
    page.press("p").await;
    page.wait_for("a paused page", "missed", |rows| rows.first().map(|_| ()))
        .await;
    page.is_drawn().await;
    let stood = page.script(WRITTEN).await;
    page.wait_for("events that came meanwhile", "missed", |rows| {
        let new: usize = rows.first()?.data("new").parse().ok()?;
        (new >= 5).then_some(())
    })
    .await;
    assert_eq!(page.script(WRITTEN).await, stood, "it moved");
    // The views are of that moment too.
    page.click("nav a[href='/events']").await;
    let newest = crate::newest_seq(&page).await;
    page.click("nav a[href='/']").await;
    page.click("[data-testid=pause]").await;
    wait_until("the present", async || {
        let now = crate::newest_seq(&page).await;
        let paused = page.rows("missed").await.len();
        if now > newest && paused == 0 {
            Ok(())
        } else {
            Err((now, newest, paused))
        }
    })
    .await;
    nothing_to_complain_of(&page).await;
}
