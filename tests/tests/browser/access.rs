//! Nobody is shut out: axe-core finds nothing on any view, light or dark, wide or narrow.

use std::fs;

use serde_json::json;
use tests::chrome::{Page, Theme};
use tests::folder::root;
use tests::heartline::Heartline;
use tests::skip::skip_or_fail;
use tests::wait::wait_until;

use crate::{on_time, ready};

/// What axe-core finds, a line each; of what it cannot judge it says nothing.
const FIND: &str = "return axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.flatMap((one) => \
     one.nodes.map((node) => `${one.id}: ${node.html}: ${node.failureSummary}`)))";

/// The checker's script; where it is not installed, it says so, or fails in CI.
fn axe() -> Option<String> {
    let script = root().join("target/peers/axe/node_modules/axe-core/axe.min.js");
    let script = fs::read_to_string(script).ok();
    if script.is_none() {
        skip_or_fail("target/peers/axe is missing: cargo xtask test browser");
    }
    script
}

async fn settled(page: &Page) {
    wait_until("the end of the colours' transitions", async || {
        let running = page.script("return document.getAnimations().length").await;
        if running == 0 { Ok(()) } else { Err(running) }
    })
    .await;
}

#[tokio::test]
async fn axe_finds_no_violation_on_any_view_in_light_and_dark() {
    if !ready() {
        return;
    }
    let Some(axe) = axe() else { return };
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;
    // Trouble has colours of its own.
    heartline
        .play(&json!({"fault": "silence", "member": members[1]}))
        .await;
    page.wait_for("one member late", "member-row", |rows| {
        rows.iter().any(|row| row.data("state") == "late").then_some(())
    })
    .await;
    heartline
        .play(&json!({"fault": "groups", "count": 2, "members": 1}))
        .await;
    let moment = page.script("return Date.now()").await;
    for view in [
        "/",
        "/group?group=demo",
        "/coordinators",
        "/events",
        &format!("/?at={moment}"),
    ] {
        let page = Page::open(&format!("{}{view}", heartline.address())).await;
        page.wait_for("the view", "link", |rows| {
            (rows.first()?.data("state") == "live").then_some(())
        })
        .await;
        wait_until("what the view shows", async || {
            let panels = page
                .script("return document.querySelectorAll('main .panel').length")
                .await;
            if panels == 0 { Err(panels) } else { Ok(()) }
        })
        .await;
        page.script(&axe).await;
        for (width, height) in [(1280, 900), (400, 860)] {
            for theme in [Theme::Light, Theme::Dark] {
                page.emulate(width, height, theme).await;
                settled(&page).await;
                let found = page.script(FIND).await;
                assert_eq!(found, json!([]), "{view} at {width} px, {theme:?}");
            }
        }
    }
}
