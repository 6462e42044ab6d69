//! The brokers side by side: how long they take, and which groups are in trouble there.

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::looks::{WIDTHS, fits};
use crate::{nothing_to_complain_of, on_time, ready};

#[tokio::test]
async fn a_broker_shows_how_it_answers_and_names_the_groups_that_are_hit() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    page.click("nav a[href='/coordinators']").await;
    page.wait_for("its percentiles, and no group hit", "coordinator-row", |rows| {
        let row = rows.first()?;
        (row.text.contains(" / ") && row.text.contains("none")).then_some(())
    })
    .await;
    heartline
        .play(&json!({"fault": "silence", "member": members[1]}))
        .await;
    page.wait_for("the group that is hit", "coordinator-row", |rows| {
        rows.first()?.text.contains("demo").then_some(())
    })
    .await;
    for (width, height) in WIDTHS {
        page.emulate(width, height, tests::chrome::Theme::Light).await;
        fits(&page, &width.to_string()).await;
    }
    page.click("[data-testid=coordinator-row] a").await;
    on_time(&page, 2).await;
    nothing_to_complain_of(&page).await;
}
