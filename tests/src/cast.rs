//! Members of ours and what they have reported.

use backend::clock::Clock;
use backend::hub::Reporter;
use backend::kafka::address::Address;
use backend::probe::{ProbeConfig, Probes};
use shared::event::{Change, Observation};
use shared::ids::{Generation, GroupId, MemberId};
use shared::member::Config;
use shared::rules::Rules;
use shared::time::Millis;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::wait::PATIENCE;

/// What the members share. Whoever coordinates them must have it, with [`PARTITIONS`] partitions.
pub const TOPIC: &str = "member-life";
/// Enough for two and three members alike.
pub const PARTITIONS: usize = 6;

/// Short enough to wait for its end; long enough that a machine that stands still for some seconds throws nobody out.
pub const SESSION: Millis = Millis(8_000);
/// Often enough that a few beats fit into a session.
const INTERVAL: Millis = Millis(100);

/// `members` members of `group`, which is also what their client ids begin with.
#[must_use]
pub fn config(coordinator: &Address, group: &str, members: u32) -> ProbeConfig {
    let mut member = Config::new(GroupId::from(group), group, Rules::MODERN);
    member.topics = vec![TOPIC.to_owned()];
    member.session_timeout = SESSION;
    member.heartbeat_interval = INTERVAL;
    member.rebalance_timeout = Millis(20_000);
    ProbeConfig {
        bootstrap: vec![coordinator.clone()],
        member,
        members,
        connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
        host: None,
        security: backend::kafka::security::Security::default(),
    }
}

/// Members of ours and what they have reported.
#[derive(Debug)]
pub struct Cast {
    pub probes: Probes,
    pub reports: mpsc::Receiver<Observation>,
    /// Since the start, or since [`Self::forget`].
    pub seen: Vec<Observation>,
}

/// A heartbeat that was answered 0.
#[derive(Debug)]
pub struct Beat {
    pub member: MemberId,
    pub generation: Generation,
    pub latency_us: u64,
}

/// The heartbeat in a report, if it is one that was answered 0.
#[must_use]
pub fn good_beat(report: &Observation) -> Option<Beat> {
    match report.change {
        Change::HeartbeatAnswered {
            generation,
            latency_us,
            error: 0,
            ..
        } => Some(Beat {
            member: report.member.clone()?,
            generation,
            latency_us,
        }),
        _ => None,
    }
}

impl Cast {
    /// Starts them.
    ///
    /// # Panics
    ///
    /// Where the configuration makes no sense.
    #[must_use]
    pub fn start(config: ProbeConfig) -> Self {
        let (reporter, reports) = Reporter::channel(1_024);
        let probes = Probes::start(config, Clock::start(), reporter).expect("a good configuration");
        Self {
            probes,
            reports,
            seen: Vec::new(),
        }
    }

    /// Takes reports until `found` finds something in all that was seen.
    ///
    /// # Panics
    ///
    /// After [`PATIENCE`], with what was seen.
    pub async fn until<T>(&mut self, what: &str, found: impl Fn(&[Observation]) -> Option<T>) -> T {
        let search = async {
            loop {
                if let Some(found) = found(&self.seen) {
                    return found;
                }
                let report = self.reports.recv().await.expect("the members run");
                self.seen.push(report);
            }
        };
        match timeout(PATIENCE, search).await {
            Ok(found) => found,
            Err(_) => panic!(
                "waited {PATIENCE:?} until {what}; seen: {:#?}",
                self.transitions()
            ),
        }
    }

    /// Takes reports while something else goes on.
    pub async fn while_going_on<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            tokio::select! {
                done = &mut other => return done,
                Some(report) = self.reports.recv() => self.seen.push(report),
            }
        }
    }

    /// Looks no longer at what was seen so far.
    pub fn forget(&mut self) {
        while let Ok(report) = self.reports.try_recv() {
            drop(report);
        }
        self.seen.clear();
    }

    /// The generation of the next heartbeat that is answered 0.
    pub async fn generation(&mut self) -> Generation {
        self.forget();
        self.until("a heartbeat is answered 0", |seen| {
            seen.iter().find_map(good_beat).map(|beat| beat.generation)
        })
        .await
    }

    fn transitions(&self) -> Vec<&Change> {
        let changes = self.seen.iter().map(|report| &report.change);
        changes
            .filter(|change| !matches!(change, Change::HeartbeatAnswered { .. }))
            .collect()
    }
}
