//! The page as sent, compressed, its first paint on loopback, and when it is live.

use std::fs;

use serde_json::json;

use super::report;
use crate::chrome::Page;
use crate::folder::root;
use crate::heartline::Heartline;
use crate::wait::wait_until;

/// What the first view may weigh, compressed.
const BYTES: u64 = 300_000;
/// When something must be on the screen, in milliseconds after navigation, and when the page must be live.
const PAINT_MS: f64 = 500.0;
const LIVE_MS: f64 = 1000.0;
/// Loads in a browser with an empty cache; the median counts.
const LOADS: usize = 5;

/// Notes when a member is drawn and the link is live.
const WATCH: &str = r"
    const frame = () => {
        const link = document.querySelector('[data-testid=link]');
        const drawn = document.querySelector('[data-testid=member-row]');
        if (!drawn || link?.dataset.state !== 'live') return requestAnimationFrame(frame);
        // What this frame finds is on the screen with the next.
        requestAnimationFrame(() => window.live = performance.now());
    };
    requestAnimationFrame(frame);
";

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where the page is not built.
pub async fn run() -> Result<(), String> {
    report::title(
        "page",
        "bytes as sent, compressed, first paint and live on loopback",
    );
    let folder = root().join("target/page");
    let files =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}: cargo xtask build", folder.display()))?;
    let mut total = 0;
    for file in files.filter_map(Result::ok) {
        let name = file.file_name().to_string_lossy().into_owned();
        if let Some(original) = name.strip_suffix(".br") {
            let bytes = file.metadata().map_err(|error| error.to_string())?.len();
            report::figure(original, format!("{bytes} bytes (brotli)"));
            total += bytes;
        }
    }
    report::reach(
        "the page",
        format!("{total} bytes"),
        "under 300 kB",
        total < BYTES,
    );
    let server = Heartline::start(&[]).await;
    // Loads nothing of the page.
    let page = Page::open(&format!("{}/healthz", server.address())).await;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}))
        .await;
    let (mut paints, mut lives) = (Vec::new(), Vec::new());
    for _ in 0..LOADS {
        page.devtools("Network.clearBrowserCache", json!({})).await;
        let there = page
            .session()
            .goto(&format!("http://{}/", server.address()))
            .await;
        there.map_err(|error| error.to_string())?;
        let live = wait_until("a member, drawn and live", async || {
            let live = page.script("return window.live").await;
            live.as_f64().ok_or(live)
        })
        .await;
        let paint = page
            .script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
            .await;
        paints.push(paint.as_f64().ok_or("the browser gives no first paint")?);
        lives.push(live);
    }
    for (what, times, goal, reach) in [
        ("first paint", paints, "under 0.5 s", PAINT_MS),
        ("drawn and live", lives, "under 1 s", LIVE_MS),
    ] {
        let median = report::median(times);
        report::reach(
            what,
            format!("{median:.0} ms, median of {LOADS}"),
            goal,
            median < reach,
        );
    }
    Ok(())
}
