//! The page on 10,000 groups of a real broker: until it is there, scrolled, sorted and filtered.

use std::time::Duration;

use serde_json::json;

use super::frames;
use crate::bench::report;
use crate::bench::survey::crowd::{self, Crowd};
use crate::bench::survey::{pass, picture};
use crate::chrome::Page;
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

/// Groups of the full run.
pub const GROUPS: usize = 10_000;

const OPEN_MS: f64 = 1_500.0;
const BYTES: f64 = 1_500_000.0;
const STEP_MS: f64 = 100.0;

/// From the lag of all groups until the page is opened: what one start brings is told then.
const SETTLE: Duration = Duration::from_secs(10);

/// Each is done so often; the median counts.
const TURNS: usize = 5;

/// Notes when the table is drawn and live, and what came until then: frames of the WebSocket, and all else as it was sent.
const WATCH: &str = r"
    window.received = 0;
    const Socket = window.WebSocket;
    window.WebSocket = class extends Socket {
        constructor(...given) {
            super(...given);
            this.addEventListener('message', (event) => window.received += event.data.length);
        }
    };
    const frame = () => {
        const link = document.querySelector('[data-testid=link]');
        const drawn = document.querySelector('[data-testid=group-row]');
        if (!drawn || link?.dataset.state !== 'live') return requestAnimationFrame(frame);
        // What this frame finds is on the screen with the next.
        requestAnimationFrame(() => {
            const sent = ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind));
            const bytes = sent.reduce((sum, entry) => sum + entry.transferSize, window.received);
            window.opened = [performance.now(), bytes, window.received];
        });
    };
    requestAnimationFrame(frame);
";

/// From an act of the user to the frame that shows what follows from it.
const STEP: &str = r"
    return new Promise((done) => {
        const rows = () => [...document.querySelectorAll('[data-testid=group-row]')].map((row) => row.dataset.group).join();
        const before = rows(), start = performance.now();
        ACT
        const frame = () => rows() === before ? requestAnimationFrame(frame)
            : requestAnimationFrame(() => done(performance.now() - start));
        requestAnimationFrame(frame);
    });
";

/// Runs the benchmark with so many groups and prints its figures.
///
/// # Errors
///
/// A sentence where a broker or the page does not do what it should.
pub async fn run(groups: usize) -> Result<(), String> {
    report::title(
        "crowded",
        &format!(
            "the page on {groups} groups of {} members on a real broker",
            crowd::MEMBERS
        ),
    );
    let broker = Broker::start_with(&[crowd::SETTING]).await;
    let crowd = Crowd::of(groups);
    broker.create_topic(&crowd.topic, crowd::COMMITTED as usize).await;
    crowd.join(&broker.address()).await?;
    let server = Heartline::start(&["--bootstrap-servers", &broker.address(), "--members", "0"]).await;
    picture::lag(&server, 0, groups).await?;
    pass(SETTLE).await;
    wait_until("the members of all groups", async || {
        let rows = picture::rows(&server).await;
        let whole = rows.iter().filter(|group| group["members"] == crowd::MEMBERS);
        let whole = whole.count();
        (whole >= groups).then_some(()).ok_or(whole)
    })
    .await;
    // Loads nothing of the page.
    let page = Page::open(&format!("{}/healthz", server.address())).await;
    page.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}))
        .await;
    opened(&page, &server).await?;
    scrolled(&page).await?;
    Ok(())
}

/// How long it takes to open, and how much is sent for it.
async fn opened(page: &Page, server: &Heartline) -> Result<(), String> {
    let (mut took, mut bytes, mut pushed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        page.devtools("Network.clearBrowserCache", json!({})).await;
        let there = page
            .session()
            .goto(&format!("http://{}/", server.address()))
            .await;
        there.map_err(|error| error.to_string())?;
        let opened = wait_until("the table, drawn and live", async || {
            let opened = page.script("return window.opened").await;
            serde_json::from_value::<(f64, f64, f64)>(opened).map_err(|error| error.to_string())
        })
        .await;
        took.push(opened.0);
        bytes.push(opened.1);
        pushed.push(opened.2);
    }
    let (took, bytes) = (report::median(took), report::median(bytes));
    report::reach(
        "table drawn and live",
        format!("{took:.0} ms, median of {TURNS}"),
        "under 1.5 s",
        took < OPEN_MS,
    );
    report::reach(
        "sent until then",
        format!("{bytes:.0} bytes, {pushed:.0?} of them by the WebSocket in each turn"),
        "under 1.5 MB",
        bytes < BYTES,
    );
    Ok(())
}

/// Scrolls by the wheel, sorts and filters.
async fn scrolled(page: &Page) -> Result<(), String> {
    let scroll = frames::during(page, async || {
        let wheel =
            json!({"x": 640, "y": 450, "yDistance": -40_000, "speed": 4_000, "gestureSourceType": "mouse"});
        page.devtools("Input.synthesizeScrollGesture", wheel).await;
    })
    .await;
    page.script("window.scrollTo(0, 0)").await;
    let (mut sorts, mut filters) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        sorts.push(step(page, "document.querySelector('[data-sort=group]').click();").await?);
        let typed = format!(
            "const field = document.querySelector('[data-testid=group-search]');
             field.value = '{}';
             field.dispatchEvent(new Event('input', {{bubbles: true}}));",
            100 + turn
        );
        filters.push(step(page, &typed).await?);
    }
    let empty = frames::of_an_empty_page(page).await?;
    frames::print("scrolled", &scroll, &empty)?;
    for (what, took) in [("sorted", sorts), ("filtered", filters)] {
        let took = report::median(took);
        report::reach(
            what,
            format!("{took:.0} ms until it is drawn, median of {TURNS}"),
            "under 100 ms",
            took < STEP_MS,
        );
    }
    Ok(())
}

/// Milliseconds from an act to the frame that shows other groups.
async fn step(page: &Page, act: &str) -> Result<f64, String> {
    let took = page.script(&STEP.replace("ACT", act)).await;
    took.as_f64().ok_or_else(|| format!("{act}: no time but {took}"))
}
