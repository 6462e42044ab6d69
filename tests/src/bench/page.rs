//! The page as sent, compressed, and its first paint on loopback.

use std::fs;

use super::report;
use crate::chrome::Page;
use crate::folder::root;
use crate::heartline::Heartline;

/// What the first view may weigh, compressed.
const BYTES: u64 = 350_000;
/// When something must be on the screen, in milliseconds after navigation.
const PAINT_MS: f64 = 1000.0;
/// Loads in a browser with an empty cache; the median counts.
const LOADS: usize = 5;

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where the page is not built.
pub async fn run() -> Result<(), String> {
    report::title("page", "bytes as sent, compressed, and first paint on loopback");
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
        "under 350 kB",
        total < BYTES,
    );
    let server = Heartline::start(&[]).await;
    let mut paints = Vec::with_capacity(LOADS);
    for _ in 0..LOADS {
        let page = Page::open(server.address()).await;
        page.wait_for("a member on the page", "member-row", |rows| {
            (!rows.is_empty()).then_some(())
        })
        .await;
        let paint = page
            .script("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
            .await;
        paints.push(paint.as_f64().ok_or("the browser gives no first paint")?);
    }
    let median = report::median(paints);
    report::reach(
        "first paint",
        format!("{median:.0} ms, median of {LOADS}"),
        "under 1 s",
        median < PAINT_MS,
    );
    Ok(())
}
