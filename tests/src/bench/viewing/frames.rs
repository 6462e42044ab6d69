//! What script does in each frame, beside an empty page's frames in the same browser.

use crate::bench::report;
use crate::chrome::Page;
use crate::chrome::trace::{Frames, Trace};

/// How long frames are looked at, in milliseconds.
pub(super) const LENGTH_MS: u64 = 10_000;

/// What script may take in all but a twentieth of the frames, in microseconds.
const REACH_US: u64 = 8_000;

/// A page that draws nothing, in each frame.
const EMPTY: &str = "const again = () => requestAnimationFrame(again); again();";

/// What the browser does for `page` meanwhile.
pub(super) async fn during(page: &Page, doing: impl AsyncFnOnce()) -> Frames {
    let trace = Trace::start(page).await;
    doing().await;
    trace.end().await
}

/// Lets the page be.
pub(super) async fn pass(page: &Page) {
    let wait = format!("return new Promise(done => setTimeout(() => done(true), {LENGTH_MS}))");
    page.script(&wait).await;
}

/// The frames of an empty page in the browser of `page`, which leaves the page it has.
///
/// # Errors
///
/// The browser does not go there.
pub(super) async fn of_an_empty_page(page: &Page) -> Result<Frames, String> {
    let gone = page.session().goto("about:blank").await;
    gone.map_err(|error| error.to_string())?;
    page.script(EMPTY).await;
    Ok(during(page, async || pass(page).await).await)
}

/// Prints what was to be reached.
///
/// # Errors
///
/// No frame was recorded.
pub(super) fn print(what: &str, frames: &Frames, empty: &Frames) -> Result<(), String> {
    let p95 = quantile(frames, 0.95)?;
    report::reach(
        what,
        format!(
            "script a frame p50 {} us, p95 {p95} us, at most {} us, {} frames; an empty page's p95 {} us, {}",
            quantile(frames, 0.5)?,
            quantile(frames, 1.0)?,
            frames.script_us.len(),
            quantile(empty, 0.95)?,
            empty.script_us.len(),
        ),
        "p95 under 8 ms",
        p95 < REACH_US,
    );
    Ok(())
}

fn quantile(frames: &Frames, share: f64) -> Result<u64, String> {
    report::quantile(&frames.script_us, share).ok_or_else(|| "no frame was recorded".to_owned())
}
