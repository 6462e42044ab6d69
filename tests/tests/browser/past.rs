//! Time travel: the page at an earlier moment, by its address, the scrubber and the keyboard; and back.

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::{nothing_to_complain_of, on_time, ready};

/// How many members the page shows, once it is of the moment.
async fn members_at(page: &Page, at: &str) -> usize {
    page.wait_for(&format!("the page of {at}"), "past-banner", |rows| {
        (rows.first()?.data("at") == at).then_some(())
    })
    .await;
    page.rows("member-row")
        .await
        .iter()
        .filter(|row| row.data("state") == "on-time")
        .count()
}

#[tokio::test]
async fn an_earlier_moment_is_the_same_page_and_live_returns() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    page.click("[data-testid=past]").await;
    let moment = page
        .wait_for("the moment, standing still", "past-banner", |rows| {
            Some(rows.first()?.data("at").to_owned()).filter(|at| !at.is_empty())
        })
        .await;
    heartline.play(&json!({"fault": "add", "count": 1})).await;
    assert_eq!(members_at(&page, &moment).await, 3);
    let address = page.script("return location.search").await;
    assert_eq!(address, format!("?at={moment}"));
    let faults = page.rows("fault").await;
    assert!(faults.is_empty(), "nothing is played in the past: {faults:?}");

    page.click("[data-testid=live]").await;
    on_time(&page, 4).await;
    assert_eq!(page.script("return location.search").await, "");
    assert!(page.rows("past-banner").await.is_empty());

    // By its address, with what had happened up to then.
    let other = Page::open(&format!("{}/?at={moment}", heartline.address())).await;
    assert_eq!(members_at(&other, &moment).await, 3);
    let until = other
        .wait_for("its events", "event-row", |rows| {
            rows.iter().map(|row| row.data("seq").parse::<u64>().ok()).max()?
        })
        .await;
    let added = page.rows("event-row").await;
    let added = added.iter().find(|row| row.data("kind") == "fault_played");
    let added: u64 = added.expect("it is told").data("seq").parse().expect("a seq");
    assert!(until < added, "{until} is before {added}");

    // A key on the scrubber goes a second back.
    other
        .script("document.querySelector('[data-testid=scrubber]').focus()")
        .await;
    other.press("\u{E012}").await;
    let earlier = other
        .wait_for("another moment", "past-banner", |rows| {
            Some(rows.first()?.data("at").to_owned()).filter(|at| *at != moment && !at.is_empty())
        })
        .await;
    let ms = |text: &str| text.parse::<u64>().expect("milliseconds");
    assert!(
        ms(&earlier) < ms(&moment) && ms(&moment) - ms(&earlier) <= 2_000,
        "{earlier}"
    );
    assert_eq!(
        other.script("return location.search").await,
        format!("?at={earlier}")
    );

    for page in [&page, &other] {
        nothing_to_complain_of(page).await;
    }
}

#[tokio::test]
async fn a_moment_that_is_not_kept_or_to_come_is_said_to_be_so() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    // Before all that is kept there is no page, and it says so.
    let early = Page::open(&format!("{}/?at=1000", heartline.address())).await;
    early
        .wait_for("why not", "past-banner", |rows| {
            rows.first()?
                .text
                .contains("older than all that is kept")
                .then_some(())
        })
        .await;
    // The oldest moment is one click away.
    early.click("[data-testid=oldest]").await;
    early
        .wait_for("the oldest page", "past-banner", |rows| {
            rows.first()?.text.contains("This is the past").then_some(())
        })
        .await;
    assert_eq!(
        early.rows("link").await[0]
            .text
            .trim_start_matches(|c: char| !c.is_alphabetic()),
        "past"
    );

    // What is to come is said to be so, and what is no moment leaves the address.
    let late = Page::open(&format!("{}/?at=4102444800000", heartline.address())).await;
    late.wait_for("what it is", "past-banner", |rows| {
        rows.first()?.text.contains("is to come").then_some(())
    })
    .await;
    assert!(late.rows("scrubber").await.is_empty());
    late.click("[data-testid=live]").await;
    on_time(&late, 3).await;
    let none = Page::open(&format!("{}/?at=abc&kind=fault_played", heartline.address())).await;
    on_time(&none, 3).await;
    assert_eq!(none.script("return location.search").await, "?kind=fault_played");
    for page in [&late, &none] {
        nothing_to_complain_of(page).await;
    }
}

#[tokio::test]
async fn times_are_in_utc_one_click_away_and_stay_so() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    on_time(&page, 3).await;
    let pressed = "return document.querySelector('[data-testid=utc]').ariaPressed";
    assert_eq!(page.script(pressed).await, "false");
    page.click("[data-testid=utc]").await;
    page.wait_for("the choice", "utc", |rows| (!rows.is_empty()).then_some(()))
        .await;
    page.script("location.reload()").await;
    on_time(&page, 3).await;
    assert_eq!(page.script(pressed).await, "true");
    let shown = "const text = document.querySelector('.top time').textContent; const now = new Date(); \
         const [h, m] = text.split(':').map(Number); \
         return Math.abs(((now.getUTCHours() - h) * 60 + now.getUTCMinutes() - m + 2160) % 1440 - 720)";
    let apart = page.script(shown).await.as_i64().expect("minutes");
    assert!(apart <= 1, "{apart} minutes from UTC");
    nothing_to_complain_of(&page).await;
}
