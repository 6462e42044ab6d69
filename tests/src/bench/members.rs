//! 10,000 members in 100 groups on 10,000 TCP connections, joined for real, a heartbeat every 3 s, against the embedded
//! coordinator in another process: none late, and what each side uses.

use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::time::Millis;

use super::peers::{Peer, SERVER_CORE, pin, with_open_files};
use super::process::{Usage, usage};
use super::report;
use super::swarm::{Life, Shape, Swarm};

const GROUPS: usize = 100;
const PER_GROUP: u32 = 100;
const LENGTH: Duration = Duration::from_secs(60);
/// Half a core, and 200 MB.
const CPU_SHARE: f64 = 0.5;
const MEMORY: u64 = 200_000_000;
/// The argument with which this program becomes the members' process.
pub const SWARM: &str = "swarm-process";

/// Runs the benchmark and prints its figures.
///
/// # Errors
///
/// A sentence where a process does not start or the members do not join.
pub async fn run() -> Result<(), String> {
    report::title(
        "members",
        "10,000 members in 100 groups on 10,000 connections, a heartbeat every 3 s, 60 s",
    );
    let coordinator = Peer::embedded().await?;
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let swarm = with_open_files(&this)
        .args([SWARM, &coordinator.address, &coordinator.pid.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the members' process: {error}"))?;
    pin(swarm.id(), SERVER_CORE + 1)?;
    let output = tokio::task::spawn_blocking(move || swarm.wait_with_output()).await;
    let output = output
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let report =
        serde_json::from_str(&text).map_err(|error| format!("the members' process: {error}: {text}"))?;
    print(&report);
    Ok(())
}

/// What the members' process does: joins, looks, and says on standard output what it saw.
///
/// # Errors
///
/// As [`run`].
pub async fn swarm(address: &str, coordinator: u32) -> Result<(), String> {
    let shape = Shape {
        groups: GROUPS,
        members_per_group: PER_GROUP,
        interval: Millis(3_000),
        session: Millis(45_000),
    };
    let swarm = Swarm::join(address, shape).await?;
    let pids = [coordinator, std::process::id()];
    let before = [usage(pids[0])?, usage(pids[1])?];
    let life = swarm.look(LENGTH).await;
    let [coordinator, members] = [
        Side::between(before[0], usage(pids[0])?),
        Side::between(before[1], usage(pids[1])?),
    ];
    let report = serde_json::to_string(&Report {
        life,
        coordinator,
        members,
    });
    println!("{}", report.map_err(|error| error.to_string())?);
    Ok(())
}

/// What the members' process says at its end.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    life: Life,
    coordinator: Side,
    members: Side,
}

/// What one process used while the members were looked at.
#[derive(Debug, Serialize, Deserialize)]
struct Side {
    cpu_share: f64,
    peak_memory: u64,
}

impl Side {
    fn between(before: Usage, after: Usage) -> Self {
        Self {
            cpu_share: after.cpu.saturating_sub(before.cpu).as_secs_f64() / LENGTH.as_secs_f64(),
            peak_memory: after.peak_memory,
        }
    }
}

fn print(report: &Report) {
    let Report {
        life,
        coordinator,
        members,
    } = report;
    let us = |value: Option<u64>| value.map_or("none".to_owned(), |us| format!("{us} us"));
    report::figure(
        "members answered, beats",
        format!("{}, {}", life.members, life.beats),
    );
    report::figure(
        "latency p50, p99",
        format!("{}, {}", us(life.p50_us), us(life.p99_us)),
    );
    report::reach("late", life.late, "none", life.late == 0);
    report::reach(
        "what is not a beat",
        format!("{:?}", life.troubles),
        "nothing",
        life.troubles.is_empty(),
    );
    for (name, side) in [
        ("the coordinator's process", coordinator),
        ("the members' process", members),
    ] {
        let figures = format!(
            "{:.2} of a core, at most {} MB",
            side.cpu_share,
            side.peak_memory / 1_000_000
        );
        let reached = side.cpu_share < CPU_SHARE && side.peak_memory < MEMORY;
        report::reach(name, figures, "half a core, 200 MB", reached);
    }
}
