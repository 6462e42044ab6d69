//! Members over loopback: against a coordinator that behaves until it is told not to.

mod hostile;
mod orders;
mod scripted_coordinator;

use std::time::Duration;

use shared::event::{Change, Observation};
use shared::ids::GroupId;
use shared::member::Config;
use shared::rules::Rules;
use shared::time::Millis;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{ProbeConfig, Probes};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::address::Address;

/// How long a test waits for what it expects: far longer than it ever takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Members, and what they report.
struct Cast {
    probes: Probes,
    reports: mpsc::Receiver<Observation>,
}

/// A member that beats every 20 ms; a request to it is overdue after 500 ms.
fn config(bootstrap: Vec<Address>) -> ProbeConfig {
    let mut member = Config::new(GroupId::from("demo"), "demo", Rules::MODERN);
    member.heartbeat_interval = Millis(20);
    member.request_timeout = Millis(500);
    member.session_timeout = Millis(6_000);
    member.retry_backoff = Millis(5);
    member.retry_backoff_max = Millis(20);
    ProbeConfig {
        bootstrap,
        member,
        members: 1,
        connect_timeout: Millis(500),
        host: None,
        security: crate::kafka::security::Security::default(),
    }
}

impl Cast {
    fn start(config: ProbeConfig) -> Self {
        let (reporter, reports) = Reporter::channel(1_024);
        let probes = Probes::start(config, Clock::start(), reporter).expect("a good configuration");
        Self { probes, reports }
    }

    /// The next report for which `wanted` gives something; the ones before it are passed over.
    async fn report<T>(&mut self, what: &str, wanted: impl Fn(&Observation) -> Option<T>) -> T {
        let mut passed = Vec::new();
        let search = async {
            loop {
                let report = self.reports.recv().await.expect("the members run");
                if let Some(found) = wanted(&report) {
                    return found;
                }
                if !matches!(report.change, Change::HeartbeatAnswered { .. }) {
                    passed.push(report.change);
                }
            }
        };
        let found = timeout(PATIENCE, search).await;
        found.unwrap_or_else(|_| panic!("waited {PATIENCE:?} for {what}; passed: {passed:#?}"))
    }

    /// The next heartbeat that was answered 0.
    async fn beat(&mut self) -> Observation {
        let good = |report: &Observation| match report.change {
            Change::HeartbeatAnswered { error: 0, .. } => Some(report.clone()),
            _ => None,
        };
        self.report("a heartbeat answered 0", good).await
    }
}
