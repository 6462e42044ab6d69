//! The survey of every group of a cluster: three brokers, 10,000 classic groups of three members without live clients.
//!
//! - `crowd`: makes the groups
//! - `bare`: the same questions without decoding, the peer of most figures
//! - `picture`: the first complete picture
//! - `fresh`: the same on brokers just started
//! - `steady`: the program as it is run, looking at all of them; one rebalance
//! - `outages`: a broker that is frozen, and one that is killed
//! - `looks`: on the wire, how long each group waits for the next look

pub(super) mod bare;
pub mod crowd;
mod fresh;
mod looks;
mod outages;
pub(super) mod picture;
mod steady;

use std::time::{Duration, Instant, SystemTime};

use tokio::time::{interval, interval_at};

use self::bare::Bare;
use self::crowd::{Coordinators, Crowd};
use super::report;
use crate::kafka::{Broker, java};
use crate::peers::tool::TOOL;
use crate::process::Process;

/// Groups of the full run.
pub const GROUPS: usize = 10_000;

/// Turns of the bare frames and of the first picture; the median counts.
const TURNS: usize = 5;

/// What the first complete picture may take on brokers that are warm, at [`GROUPS`].
const PICTURE: Duration = Duration::from_millis(150);

/// The same on brokers just started.
const FRESH: Duration = Duration::from_millis(500);

/// The same with the lag of all groups.
const LAG: Duration = Duration::from_secs(1);

/// How long Kafka's own tool may take: it asks about one group after the other. And how often it is looked whether it has ended.
const TOOL_MAX: Duration = Duration::from_secs(300);
const TOOL_PACE: Duration = Duration::from_millis(50);

/// Brokers as operators run them, but for the hour that the crowd's sessions need, and that a broker which was away leads again
/// after half a minute, not five.
const SETTINGS: [&str; 6] = [
    crowd::SETTING,
    "offsets.topic.replication.factor=3",
    "offsets.topic.num.partitions=50",
    "num.network.threads=3",
    "num.io.threads=8",
    "leader.imbalance.check.interval.seconds=30",
];

/// Runs the benchmark with so many groups and prints its figures.
///
/// # Errors
///
/// A sentence where a broker or one of ours does not do what it should.
pub async fn run(groups: usize) -> Result<(), String> {
    report::title(
        "survey",
        &format!(
            "{groups} classic groups of {} members on three brokers of 512 MB",
            crowd::MEMBERS
        ),
    );
    let first = Broker::start_with(&SETTINGS).await;
    let (second, third) = tokio::join!(first.start_further(2), first.start_further(3));
    let mut brokers = [first, second, third];
    let crowd = Crowd::of(groups);
    brokers[0]
        .create_topic(&crowd.topic, crowd::COMMITTED as usize)
        .await;
    let start = Instant::now();
    let coordinators = crowd.join(&brokers[0].address()).await?;
    report::figure(
        "the crowd joined",
        format!("in {:.1} s", start.elapsed().as_secs_f64()),
    );
    if coordinators.len() != brokers.len() {
        return Err(format!("{} of the brokers coordinate groups", coordinators.len()));
    }
    let mut bare = Bare::connect(&coordinators).await?;
    pictures(&brokers, &coordinators, &mut bare, groups).await?;
    command(&brokers[0], groups, &["--members"]).await?;
    command(&brokers[0], groups, &["--offsets"]).await?;
    drop(bare);
    fresh::run(&mut brokers, &crowd).await?;
    let coordinators = crowd.spread(&brokers[0].address(), brokers.len()).await;
    let mut bare = Bare::connect(&coordinators).await?;
    steady::run(&mut brokers, &mut bare, &crowd).await
}

/// The first complete picture beside bare frames, taking turns, on brokers that are warm.
async fn pictures(
    brokers: &[Broker],
    coordinators: &Coordinators,
    bare: &mut Bare,
    groups: usize,
) -> Result<(), String> {
    let (mut ours, mut connected, mut lags, mut cpu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut theirs, mut events, mut bytes) = (Vec::new(), 0, 0);
    for _ in 0..TURNS {
        let (took, answered) = bare.look().await?;
        theirs.push(took.as_secs_f64());
        bytes = answered;
        let start = unix_ms();
        let picture = picture::take(&brokers[0], groups).await?;
        lags.push(picture::lag(&picture.heartline, start, groups).await?);
        ours.push(picture.seconds);
        connected.push(picture.connected);
        cpu.push(picture.cpu);
        events = picture.events;
    }
    let asked: usize = coordinators.values().map(|of| of.groups.len()).sum();
    let list = |seconds: &[f64]| {
        let seconds: Vec<String> = seconds.iter().map(|second| format!("{second:.3}")).collect();
        seconds.join(", ")
    };
    report::figure(
        "bare frames, list and describe",
        format!("{} s; {asked} groups, {bytes} bytes", list(&theirs)),
    );
    report::figure(
        "our first pictures, with the program's start",
        format!("{} s; {events} events", list(&ours)),
    );
    report::figure(
        "from the first event, and CPU until 3 s, the log included",
        format!("{} s; {} s", list(&connected), list(&cpu)),
    );
    report::figure("with the lag of all groups", format!("{} s", list(&lags)));
    let (ours, lags, theirs) = (
        report::median(connected),
        report::median(lags),
        report::median(theirs),
    );
    report::reach(
        "first complete picture, warm brokers",
        format!(
            "{ours:.3} s, bare frames {theirs:.3} s: {:.1} times",
            ours / theirs
        ),
        "under 0.15 s",
        ours < PICTURE.as_secs_f64(),
    );
    report::reach(
        &format!(
            "with the lag of {} partitions",
            groups * crowd::COMMITTED as usize
        ),
        format!("{lags:.3} s"),
        "under 1 s",
        lags < LAG.as_secs_f64(),
    );
    Ok(())
}

/// Kafka's own tool, once: its JVM's start is part of it.
async fn command(broker: &Broker, groups: usize, what: &[&str]) -> Result<(), String> {
    let start = Instant::now();
    let address = broker.address();
    let asked = ["--bootstrap-server", &address, "--describe", "--all-groups"];
    let mut command = java::small(None, TOOL);
    let mut tool = Process::spawn(TOOL, command.args(asked).args(what));
    let mut ticks = interval(TOOL_PACE);
    while tool.has_ended().is_none() && start.elapsed() < TOOL_MAX {
        ticks.tick().await;
    }
    let took = start.elapsed().as_secs_f64();
    let said = tool.output().last(usize::MAX);
    let lines = said.lines().filter(|line| line.starts_with("crowd-")).count();
    let told = match tool.has_ended() {
        Some(status) if status.success() && lines >= groups * crowd::MEMBERS => {
            format!("{took:.1} s with its JVM's start; {lines} lines")
        }
        Some(status) => return Err(format!("{TOOL} {what:?}: {status}, {lines} lines")),
        None => format!("not at its end after {took:.0} s; {lines} lines"),
    };
    report::figure(&format!("ConsumerGroupCommand {}", what.join(" ")), told);
    Ok(())
}

/// Lets time pass, in which something is measured.
pub(super) async fn pass(length: Duration) {
    let end = Instant::now() + length;
    interval_at(end.into(), length).tick().await;
}

/// Now, in Unix milliseconds, as events name times.
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0))
}
