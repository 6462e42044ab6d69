//! The timeline of a group: what is drawn is told in sentences, to the mouse, the keyboard and in a table.

use serde_json::json;
use tests::chrome::{Page, Theme};
use tests::heartline::Heartline;
use tests::wait::wait_until;

use crate::looks::{WIDTHS, fits};
use crate::{nothing_to_complain_of, on_time, ready};

/// The stretch of time on show: its edges.
async fn span(page: &Page) -> (u64, u64) {
    let rows = page.rows("timeline").await;
    let edge = |name: &str| rows[0].data(name).parse().expect("milliseconds");
    (edge("from"), edge("until"))
}

/// What is explained below the drawing.
async fn said(page: &Page) -> String {
    page.rows("timeline-said").await.remove(0).text
}

async fn press(page: &Page, key: &str, shift: bool) {
    let body = format!(
        "document.querySelector('.timeline').dispatchEvent(new KeyboardEvent('keydown', {}))",
        json!({"key": key, "shiftKey": shift, "bubbles": true, "cancelable": true})
    );
    page.script(&body).await;
    page.is_drawn().await;
}

/// Moves the mouse along the first lane from now into the past until something is explained so; what was.
async fn pointed_at(page: &Page, words: &str) -> String {
    // The axis and the host's line stand above the first lane.
    const LANE: i64 = 36 + 20 + 11;
    wait_until(words, async || {
        let mut seen = Vec::new();
        for step in 1..30 {
            page.point(".timeline canvas", 1.0 - f64::from(step) / 300.0, LANE)
                .await;
            let said = said(page).await;
            if said.contains(words) {
                return Ok(said);
            }
            seen.push(said);
        }
        Err(seen)
    })
    .await
}

#[tokio::test]
async fn an_expiry_is_stepped_to_pointed_at_and_read_in_the_table() {
    if !ready() {
        return;
    }
    let server = Heartline::start(&[]).await;
    let page = Page::open(server.address()).await;
    on_time(&page, 3).await;
    page.click("[data-testid=fault][data-fault=silence]").await;
    page.wait_for("a member that expired", "member-row", |rows| {
        rows.iter()
            .any(|row| row.data("state") == "expired")
            .then_some(())
    })
    .await;
    on_time(&page, 3).await;

    page.click("[data-testid=timeline-table-button]").await;
    let table = page
        .wait_for("the expiry in the table", "timeline-table", |rows| {
            let text = &rows.first()?.text;
            text.contains("expired:").then(|| text.clone())
        })
        .await;
    assert!(table.contains("rebalance"), "{table}");
    for (width, height) in WIDTHS.into_iter().rev() {
        page.emulate(width, height, Theme::Light).await;
        // What the mouse happens to be over by now would unfold its hint.
        page.point("#timeline-title", 0.5, 5).await;
        fits(&page, &format!("{width}, with the table")).await;
    }

    // Back in time mark by mark, until it is there.
    let mut told = Vec::new();
    while !told.last().is_some_and(|said: &String| said.contains("expired:")) {
        press(&page, "ArrowLeft", false).await;
        told.push(said(&page).await);
        assert!(told.len() < 500, "{told:#?}");
    }
    // It holds still while it is explained.
    let (from, until) = span(&page).await;
    press(&page, "ArrowRight", false).await;
    press(&page, "ArrowLeft", false).await;
    assert_eq!(span(&page).await, (from, until));
    assert_eq!(Some(&said(&page).await), told.last());

    press(&page, "+", false).await;
    let (nearer_from, nearer_until) = span(&page).await;
    assert!(nearer_until - nearer_from < until - from);
    press(&page, "ArrowLeft", true).await;
    let (earlier_from, _) = span(&page).await;
    assert!(earlier_from < nearer_from);
    press(&page, "End", false).await;
    let (_, now) = span(&page).await;
    assert!(now >= until, "back at the present");

    let found = pointed_at(&page, "heartbeat answered in").await;
    assert!(found.contains(" on /127.0.0.1: "), "{found}");
    nothing_to_complain_of(&page).await;
}

#[tokio::test]
async fn heartbeats_that_are_no_longer_on_the_page_are_said_to_be_so() {
    if !ready() {
        return;
    }
    let server = Heartline::start(&["--heartbeat-interval", "100"]).await;
    let page = Page::open(server.address()).await;
    on_time(&page, 3).await;
    page.click("[data-testid=timeline] .button:first-child").await;
    let said = pointed_at(&page, "not on this page").await;
    assert!(said.contains("of each member the last 40 are"), "{said}");
    page.click("[data-testid=timeline-table-button]").await;
    page.wait_for("the same beside the table", "timeline", |rows| {
        rows.first()?
            .text
            .contains("Not all heartbeats are on this page")
            .then_some(())
    })
    .await;
    nothing_to_complain_of(&page).await;
}
