//! Many members of ours in one process: the probe's own machinery without the hub, its observations counted here.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use backend::clock::Clock;
use backend::hub::Reporter;
use backend::kafka::address::Address;
use backend::probe::{ProbeConfig, Probes};
use serde::{Deserialize, Serialize};
use shared::event::{Change, Observation};
use shared::ids::MemberId;
use shared::member::Config;
use shared::rules::Rules;
use shared::time::Millis;
use tokio::sync::mpsc;

/// How long all of them may take to join.
const PATIENCE: Duration = Duration::from_secs(600);

/// How many members, in how many groups.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub groups: usize,
    pub members_per_group: u32,
    pub interval: Millis,
    pub session: Millis,
}

/// What the members lived through.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Life {
    /// Members that were answered at least once.
    pub members: usize,
    pub beats: u64,
    /// Answers that came later than 1.5 intervals after the one before: the member was late meanwhile.
    pub late: u64,
    /// Everything that is not a beat, by kind, after all had been answered.
    pub troubles: BTreeMap<String, u64>,
    /// Of each beat, by member id: when it was answered (Unix milliseconds) and its latency in microseconds.
    #[serde(skip)]
    pub latencies: BTreeMap<String, Vec<(u64, u64)>>,
    /// Sorted latencies of all beats: median and 99th percentile, in microseconds.
    pub p50_us: Option<u64>,
    pub p99_us: Option<u64>,
}

/// Members that have joined and beat.
pub struct Swarm {
    reports: mpsc::Receiver<Observation>,
    watch: Watch,
    // Dropping them cuts all their sockets.
    _probes: Vec<Probes>,
}

impl Swarm {
    /// Joins the members at `address` (`host:port`); returns once each has been answered.
    ///
    /// # Errors
    ///
    /// A sentence where they cannot be started, or do not all join in ten minutes.
    pub async fn join(address: &str, shape: Shape) -> Result<Self, String> {
        let clock = Clock::start();
        let (reporter, mut reports) = Reporter::channel(backend::limits::REPORTS);
        let mut probes = Vec::with_capacity(shape.groups);
        for group in 0..shape.groups {
            let config = probe_config(address, &format!("bench-{group}"), shape)?;
            let started = Probes::start(config, clock, reporter.clone());
            probes.push(started.map_err(|error| error.to_string())?);
        }
        let wanted = shape.groups * shape.members_per_group as usize;
        let mut watch = Watch::new(shape.interval);
        let patience = Instant::now() + PATIENCE;
        while watch.last.len() < wanted {
            let Some(seen) = next(&mut reports, patience).await else {
                return Err(format!(
                    "{} of {wanted} members were answered in {PATIENCE:?}",
                    watch.last.len()
                ));
            };
            watch.take(&seen);
        }
        Ok(Self {
            reports,
            watch,
            _probes: probes,
        })
    }

    /// Looks at them for `length`.
    pub async fn look(mut self, length: Duration) -> Life {
        self.watch.life = Life::default();
        self.watch.all.clear();
        let end = Instant::now() + length;
        while let Some(seen) = next(&mut self.reports, end).await {
            self.watch.take(&seen);
        }
        self.watch.finish()
    }
}

fn probe_config(address: &str, group: &str, shape: Shape) -> Result<ProbeConfig, String> {
    let (host, port) = address
        .rsplit_once(':')
        .ok_or_else(|| format!("{address} is not host:port"))?;
    let port = port.parse().map_err(|error| format!("{address}: {error}"))?;
    let bootstrap = Address::new(host, port).map_err(|error| error.to_string())?;
    let mut member = Config::new(group.into(), group, Rules::MODERN);
    member.heartbeat_interval = shape.interval;
    member.session_timeout = shape.session;
    member.rebalance_timeout = Millis(60_000);
    Ok(ProbeConfig {
        bootstrap: vec![bootstrap],
        member,
        members: shape.members_per_group,
        connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
        host: None,
        security: backend::kafka::security::Security::default(),
    })
}

/// The next observation before `deadline`.
async fn next(reports: &mut mpsc::Receiver<Observation>, deadline: Instant) -> Option<Observation> {
    tokio::time::timeout_at(deadline.into(), reports.recv())
        .await
        .ok()
        .flatten()
}

/// What is remembered of each member while it lives.
struct Watch {
    late_after_ms: u64,
    last: BTreeMap<MemberId, u64>,
    all: Vec<u64>,
    life: Life,
}

impl Watch {
    fn new(interval: Millis) -> Self {
        Self {
            late_after_ms: interval.0 * 3 / 2,
            last: BTreeMap::new(),
            all: Vec::new(),
            life: Life::default(),
        }
    }

    fn take(&mut self, seen: &Observation) {
        let (
            Change::HeartbeatAnswered {
                latency_us, error: 0, ..
            },
            Some(member),
        ) = (&seen.change, &seen.member)
        else {
            let kind = seen.change.kind();
            *self.life.troubles.entry(kind.to_owned()).or_default() += 1;
            return;
        };
        self.life.beats += 1;
        self.all.push(*latency_us);
        if let Some(before) = self.last.insert(member.clone(), seen.at.0) {
            self.life.late += u64::from(seen.at.0.saturating_sub(before) > self.late_after_ms);
        }
        self.life
            .latencies
            .entry(member.as_str().to_owned())
            .or_default()
            .push((seen.at.0, *latency_us));
    }

    fn finish(mut self) -> Life {
        self.life.members = self.last.len();
        self.all.sort_unstable();
        self.life.p50_us = super::report::quantile(&self.all, 0.5);
        self.life.p99_us = super::report::quantile(&self.all, 0.99);
        self.life
    }
}
