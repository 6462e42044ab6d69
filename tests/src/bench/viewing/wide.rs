//! A group of 1,000 members that send 333 heartbeats a second, its timeline on show.

use super::frames;
use crate::bench::{draw, report};
use crate::chrome::{Page, Row};
use crate::heartline::Heartline;

const INTERVAL: &str = "3000";

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where the page does not follow.
pub async fn run() -> Result<(), String> {
    report::title(
        "wide",
        "a group of 1,000 members at 333 heartbeats a second from another process, its timeline on show",
    );
    let server = Heartline::start(&["--members", "0"]).await;
    let _load = draw::load_on(&server, INTERVAL).await?;
    // Its only group is what it opens on.
    let page = Page::open(server.address()).await;
    let some = |rows: &[Row]| (!rows.is_empty()).then_some(());
    page.wait_for("the timeline", "timeline", some).await;
    page.wait_for("the members", "member-row", some).await;
    let frames = frames::during(&page, async || frames::pass(&page).await).await;
    let empty = frames::of_an_empty_page(&page).await?;
    frames::print("timeline and members", &frames, &empty)?;
    report::reach(
        "dropped frames",
        format!("{}, an empty page's {}", frames.dropped, empty.dropped),
        "at most twice an empty page's",
        frames.dropped <= 2 * empty.dropped,
    );
    Ok(())
}
