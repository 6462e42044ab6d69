//! The program as operators run it, looking at all groups: what it and the brokers use, what it sees.

use std::time::{Duration, Instant};

use shared::event::{Change, Event};

use super::bare::Bare;
use super::crowd::Crowd;
use super::{crowd, outages, pass, picture};
use crate::bench::process::usage;
use crate::bench::report;
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

const LENGTH: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(10);
/// From the first picture to the measurement: until then the offsets log is read.
const SETTLE: Duration = Duration::from_secs(10);
/// As old as a survey lets groups get, so that bare frames ask as often.
const PACE: Duration = Duration::from_millis(1_500);

const CPU_SHARE: f64 = 0.15;
const MEMORY: u64 = 120_000_000;

/// The group that rebalances, of one member.
const QUICK: &str = "crowd-quick";

/// Measures and prints.
///
/// # Errors
///
/// A sentence where a process does not do what it should.
pub(super) async fn run(brokers: &mut [Broker], bare: &mut Bare, crowd: &Crowd) -> Result<(), String> {
    let idle = shares(brokers, IDLE, async || {
        pass(IDLE).await;
        Ok(())
    })
    .await?;
    let theirs = shares(brokers, LENGTH, async || bare.keep_looking(PACE, LENGTH).await).await?;
    let mut heartline = picture::begin(&brokers[0], crowd.groups).await?;
    let first = usage(heartline.process().pid())?.memory;
    pass(SETTLE).await;

    let pid = heartline.process().pid();
    let before = usage(pid)?;
    let ours = shares(brokers, LENGTH, async || {
        pass(LENGTH).await;
        Ok(())
    })
    .await?;
    let after = usage(pid)?;
    let share = after.cpu.saturating_sub(before.cpu).as_secs_f64() / LENGTH.as_secs_f64();
    let megabytes = |bytes: u64| bytes / 1_000_000;
    report::reach(
        "steady state, 30 s",
        format!(
            "{:.1} % of a core, {} MB; {} MB with the first picture, {} MB at most",
            share * 100.0,
            megabytes(after.memory),
            megabytes(first),
            megabytes(after.peak_memory)
        ),
        "15 %, 120 MB",
        share < CPU_SHARE && after.memory < MEMORY,
    );
    report::reach(
        "the brokers' CPU, of a core",
        format!(
            "{:.1} %; with bare frames {:.1} %, idle {:.1} %",
            ours * 100.0,
            theirs * 100.0,
            idle * 100.0
        ),
        "at most twice bare frames'",
        ours <= 2.0 * theirs,
    );
    rebalance(&heartline, brokers).await?;
    outages::run(&heartline, brokers, crowd).await
}

/// What all brokers together use of one core while `meanwhile` lasts.
async fn shares(
    brokers: &[Broker],
    length: Duration,
    meanwhile: impl AsyncFnOnce() -> Result<(), String>,
) -> Result<f64, String> {
    let all = || -> Result<Duration, String> {
        let used = brokers.iter().map(|broker| Ok(usage(broker.pid())?.cpu));
        used.sum::<Result<Duration, String>>()
    };
    let before = all()?;
    meanwhile().await?;
    Ok(all()?.saturating_sub(before).as_secs_f64() / length.as_secs_f64())
}

/// One group among all rebalances; whether and when that is told.
async fn rebalance(heartline: &Heartline, brokers: &[Broker]) -> Result<(), String> {
    let coordinator = crowd::coordinator(&brokers[0].address(), QUICK).await?;
    let mut socket = crowd::connect(&coordinator).await?;
    let crowd = Crowd::of(1);
    let joined = crowd.enter(&mut socket, QUICK, "", 1).await?;
    told(heartline, joined.generation).await;
    let start = Instant::now();
    let again = crowd.enter(&mut socket, QUICK, &joined.member, 1).await?;
    let took = start.elapsed();
    let event = told(heartline, again.generation).await;
    report::reach(
        "a rebalance of one group among all",
        format!(
            "of {:.1} ms: generation {} told {} ms after its record's time",
            took.as_secs_f64() * 1e3,
            again.generation,
            event.seen.0.saturating_sub(event.what.at.0)
        ),
        "seen, with its generation",
        again.generation > joined.generation,
    );
    Ok(())
}

async fn told(heartline: &Heartline, generation: i32) -> Event {
    wait_until("the end of a rebalance", async || {
        let events = heartline
            .events_after(0, &format!("&kind=rebalance_finished&group={QUICK}"))
            .await;
        let told = events.iter().rev().find(|event| {
            matches!(&event.what.change, Change::RebalanceFinished(what) if what.generation.0 == generation)
        });
        told.cloned().ok_or(events)
    })
    .await
}
