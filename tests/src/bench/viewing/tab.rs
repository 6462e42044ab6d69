//! A million events through one tab: what its process holds, after warm-up and at the end.

use std::fs;

use crate::bench::process::usage;
use crate::bench::{draw, report};
use crate::chrome::{Page, Row};
use crate::heartline::Heartline;
use crate::wait::wait_until;

/// Events of the full run.
pub const EVENTS: usize = 1_000_000;

/// Of a member: a thousand members send two thousand heartbeats a second.
const INTERVAL: &str = "500";

/// Readings of memory over the run; the first of them is the warm-up.
const READINGS: u64 = 10;

/// Flat: the end holds no more than so much of what the warm-up held.
const FLAT: f64 = 1.1;

/// Runs the benchmark with so many events and prints its figures.
///
/// # Errors
///
/// A sentence where the page does not follow.
pub async fn run(events: usize) -> Result<(), String> {
    report::title("tab", &format!("{events} events through one tab"));
    let server = Heartline::start(&["--members", "0"]).await;
    let _load = draw::load_on(&server, INTERVAL).await?;
    let page = Page::open(server.address()).await;
    let some = |rows: &[Row]| (!rows.is_empty()).then_some(());
    page.wait_for("the members", "member-row", some).await;
    let first = seq(&page).await;
    let mut held = Vec::new();
    for reading in 1..=READINGS {
        let until = first + events as u64 * reading / READINGS;
        while seq(&page).await < until {
            // A call that is not answered in time fails; this one takes a part of that.
            page.script("return new Promise(done => setTimeout(() => done(true), 1000))")
                .await;
        }
        held.push(memory(page.pid())?);
    }
    let megabytes: Vec<u64> = held.iter().map(|bytes| bytes / 1_000_000).collect();
    let (Some(warm), Some(last)) = (held.first(), held.last()) else {
        return Err("no reading".to_owned());
    };
    #[expect(clippy::cast_precision_loss, reason = "bytes of a process")]
    let ratio = *last as f64 / *warm as f64;
    report::reach(
        "memory of the tab's process",
        format!("{megabytes:?} MB: the end {ratio:.2} times the warm-up"),
        "flat after warm-up",
        ratio <= FLAT,
    );
    Ok(())
}

/// The seq that the page shows.
async fn seq(page: &Page) -> u64 {
    wait_until("the page's seq", async || {
        let rows = page.rows("link").await;
        let seq = rows.first().and_then(|link| link.data("seq").parse().ok());
        seq.ok_or(rows)
    })
    .await
}

/// What the browser's processes that draw pages hold resident: the one with the page, and one or none in reserve.
///
/// # Errors
///
/// There is none.
fn memory(browser: u32) -> Result<u64, String> {
    let mut held = 0;
    for pid in descendants(browser) {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        // Chromium writes its own in one piece.
        if line.split(['\0', ' ']).any(|word| word == "--type=renderer") {
            held += usage(pid)?.memory;
        }
    }
    (held > 0)
        .then_some(held)
        .ok_or_else(|| format!("process {browser} has none that draws pages"))
}

/// All processes that `pid` has started, and they.
fn descendants(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let children = tasks
        .filter_map(Result::ok)
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|text| {
            text.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect();
    children
        .into_iter()
        .flat_map(|child| [vec![child], descendants(child)].concat())
        .collect()
}
