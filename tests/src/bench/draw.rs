//! From the bytes at the server's socket to the screen: 1,000 heartbeats a second from another process, the time until
//! Chromium has drawn the frame that holds each.

use shared::event::Event;

use super::report;
use crate::chrome::{Page, Row};
use crate::heartline::Heartline;
use crate::wait::wait_until;

/// Members of the other process.
const MEMBERS: usize = 1_000;
/// How many changed frames of the page are looked at.
const FRAMES: u64 = 150;
const REACH_MS: u64 = 50;
/// Of a member, in milliseconds.
const INTERVAL: &str = "1000";

/// Notes, in every frame, the seq that the page shows, and when; only where it changed.
const WATCH: &str = r"
    window.drawn = [];
    let last = -1;
    const frame = () => {
        const seq = Number(document.querySelector('[data-testid=link]').dataset.seq);
        // What this frame finds, the frame before it has put on the screen.
        if (seq !== last) window.drawn.push([seq, performance.timeOrigin + performance.now()]);
        last = seq;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
";

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where the page does not follow.
pub async fn run() -> Result<(), String> {
    report::title(
        "draw",
        "bytes at the socket -> drawn in Chromium, 1,000 heartbeats a second from another process",
    );
    let server = Heartline::start(&["--members", "0"]).await;
    let _load = load_on(&server, INTERVAL).await?;
    // Its only group is what it opens on.
    let page = Page::open(server.address()).await;
    let some = |rows: &[Row]| (rows.len() > 10).then_some(());
    page.wait_for("the members on the page", "member-row", some).await;
    let (_, board) = server.get("/api/board").await;
    let first = board["seq"].as_u64().ok_or("no seq in /api/board")?;
    page.script(WATCH).await;
    wait_until("the frames", async || {
        let seen = page
            .script("return window.drawn.length")
            .await
            .as_u64()
            .unwrap_or(0);
        (seen >= FRAMES).then_some(()).ok_or(seen)
    })
    .await;
    let drawn = page.script("return window.drawn").await;
    let drawn: Vec<(u64, f64)> = serde_json::from_value(drawn).map_err(|error| error.to_string())?;
    let events = server
        .events_after(first, "&kind=heartbeat_received&group=load")
        .await;
    print(&drawn, &events)
}

/// The other process: a thousand members that beat in the server's own coordinator, each so many milliseconds.
///
/// # Errors
///
/// The server has no coordinator.
pub(super) async fn load_on(server: &Heartline, interval: &str) -> Result<Heartline, String> {
    let coordinator = server.coordinator().ok_or("no embedded coordinator")?;
    let members = MEMBERS.to_string();
    let group = [
        "--bootstrap-servers",
        coordinator,
        "--probe-group",
        "load",
        "--members",
        &members,
    ];
    let timing = [
        "--heartbeat-interval",
        interval,
        "--session-timeout",
        "30000",
        "--rebalance-timeout",
        "30000",
    ];
    let load = Heartline::start(&[&group[..], &timing[..]].concat()).await;
    wait_until("all members to have joined", async || {
        let (_, groups) = server.get("/api/groups").await;
        let group = groups["groups"]
            .as_array()
            .and_then(|groups| groups.iter().find(|group| group["group"] == "load"));
        let whole = group.is_some_and(|group| group["members"] == MEMBERS && group["state"] == "Stable");
        whole.then_some(()).ok_or(groups)
    })
    .await;
    Ok(load)
}

/// For each event, from its arrival to the first frame whose seq has reached it, in milliseconds, sorted; what came
/// before the watch began is left out.
fn delays(drawn: &[(u64, f64)], events: &[Event]) -> Vec<u64> {
    let delay = |event: &Event| {
        let frame = drawn.partition_point(|(seq, _)| *seq < event.seq);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds since 1970"
        )]
        let at = drawn.get(frame).filter(|_| frame > 0).map(|(_, at)| *at as u64)?;
        Some(at.saturating_sub(event.what.at.0))
    };
    let mut delays: Vec<u64> = events.iter().filter_map(delay).collect();
    delays.sort_unstable();
    delays
}

fn print(drawn: &[(u64, f64)], events: &[Event]) -> Result<(), String> {
    let delays = delays(drawn, events);
    let span = events
        .last()
        .zip(events.first())
        .map_or(0, |(last, first)| last.what.at.since(first.what.at).0);
    let rate = events.len() as u64 * 1000 / span.max(1);
    let figures = format!("{} at {rate} a second, in {} frames", delays.len(), drawn.len());
    report::figure("heartbeats drawn", figures);
    let quantile = |share| report::quantile(&delays, share).ok_or("no heartbeat was drawn");
    let (p50, p99) = (quantile(0.5)?, quantile(0.99)?);
    report::reach(
        "socket -> drawn",
        format!("p50 {p50} ms, p99 {p99} ms"),
        "p99 under 50 ms",
        p99 < REACH_MS,
    );
    Ok(())
}
