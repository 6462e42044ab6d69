//! 500 viewers of one server: each is sent 200 heartbeats a second of 1,000 groups, whose members are another process's.

use std::time::{Duration, Instant};

use serde::Deserialize;
use shared::ids::GroupId;
use shared::time::Millis;
use shared::wire::Watch;
use tokio::task::JoinSet;

use crate::bench::process::usage;
use crate::bench::report;
use crate::bench::swarm::{Shape, Swarm};
use crate::heartline::Heartline;
use crate::viewer::Viewer;

/// Viewers of the full run.
pub const VIEWERS: usize = 500;

const GROUPS: usize = 1_000;
/// Of each group's only member: 200 heartbeats a second in all.
const INTERVAL: Millis = Millis(5_000);
const LENGTH: Duration = Duration::from_secs(30);

const CORE: f64 = 1.0;
const MEMORY: u64 = 250_000_000;

/// What a message is, without its events.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Head {
    Events {
        from: u64,
        to: u64,
    },
    Lagged,
    #[serde(other)]
    Other,
}

/// What one viewer was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    events: u64,
    /// How often it was told that it fell behind.
    lagged: u64,
}

/// Runs the benchmark with so many viewers and prints its figures.
///
/// # Errors
///
/// A sentence where the members do not join or a viewer is dropped.
pub async fn run(viewers: usize) -> Result<(), String> {
    report::title(
        "viewers",
        &format!("{viewers} viewers of {GROUPS} groups with 200 heartbeats a second from another process"),
    );
    let mut server = Heartline::start(&["--members", "0"]).await;
    let coordinator = server.coordinator().ok_or("no embedded coordinator")?.to_owned();
    let shape = Shape {
        groups: GROUPS,
        members_per_group: 1,
        interval: INTERVAL,
        session: Millis(30_000),
    };
    let swarm = Swarm::join(&coordinator, shape).await?;
    let groups: Vec<GroupId> = (0..GROUPS)
        .map(|group| format!("bench-{group}").as_str().into())
        .collect();
    let watch = Watch::Groups(groups);
    let deaf = Viewer::hello(server.address(), None, watch.clone()).await;
    let mut reading = JoinSet::new();
    for _ in 0..viewers {
        let mut viewer = Viewer::hello(server.address(), None, watch.clone()).await;
        viewer.next().await;
        reading.spawn(read(viewer));
    }
    let pid = server.process().pid();
    let before = usage(pid)?;
    let life = swarm.look(LENGTH).await;
    let after = usage(pid)?;
    drop(deaf);
    let mut sent = Vec::new();
    while let Some(of) = reading.join_next().await {
        sent.push(of.map_err(|error| error.to_string())??);
    }
    let events: Vec<u64> = sent.iter().map(|of| of.events).collect();
    let lagged: u64 = sent.iter().map(|of| of.lagged).sum();
    report::figure(
        "heartbeats meanwhile, late ones",
        format!("{}, {}", life.beats, life.late),
    );
    report::figure(
        "events sent to a viewer",
        format!("{:?} to {:?}", events.iter().min(), events.iter().max()),
    );
    report::reach("viewers that fell behind", lagged, "none", lagged == 0);
    let share = after.cpu.saturating_sub(before.cpu).as_secs_f64() / LENGTH.as_secs_f64();
    report::reach(
        "the server",
        format!(
            "{share:.2} of a core, at most {} MB",
            after.peak_memory / 1_000_000
        ),
        "under 1 core and 250 MB",
        share < CORE && after.peak_memory < MEMORY,
    );
    Ok(())
}

/// Reads what comes for as long as is measured, and somewhat longer.
///
/// # Errors
///
/// The server dropped it.
async fn read(mut viewer: Viewer) -> Result<Sent, String> {
    let end = Instant::now() + LENGTH;
    let mut sent = Sent::default();
    while Instant::now() < end {
        let text = viewer.text().await.ok_or("a viewer was dropped")?;
        // Five hundred that read all of it would be measured, not the server.
        match serde_json::from_str(&text).map_err(|error| error.to_string())? {
            Head::Events { from, to } => sent.events += to + 1 - from,
            Head::Lagged => sent.lagged += 1,
            Head::Other => {}
        }
    }
    Ok(sent)
}
