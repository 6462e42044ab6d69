//! The embedded coordinator over real loopback TCP. Nothing here waits for a length of time: each test waits for bytes,
//! for the end of a connection or for an event.

mod cases;
mod client;
mod cluster;
mod data;
mod faults;
mod groups;
mod hostile;
mod joining;
mod kept;
mod reported;

use std::time::Duration;

use shared::event::Observation;
use tokio::sync::mpsc;

use super::*;
use crate::clock::Clock;

/// What a test works with: a coordinator of its own.
struct World {
    embedded: EmbeddedHandle,
    reports: mpsc::Receiver<Observation>,
}

impl World {
    /// A coordinator that forms groups at once and takes sessions of any length.
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(settings: &[&str]) -> Self {
        let quick = [
            "group.initial.rebalance.delay.ms=0",
            "group.min.session.timeout.ms=1",
        ];
        let given: Vec<&str> = quick.iter().chain(settings).copied().collect();
        let config = EmbeddedConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            topics: Topics::parse("demo:6,other:1").unwrap(),
            coordinator: Config::from_settings(given).unwrap(),
        };
        let (reporter, reports) = Reporter::channel(1_000);
        Self {
            embedded: Embedded::start(config, Clock::start(), reporter).unwrap(),
            reports,
        }
    }

    async fn client(&self) -> client::Client {
        client::Client::connect(self.embedded.local_addr(), "client").await
    }

    /// The next event that is one of these.
    async fn event<T>(&mut self, wanted: impl Fn(&Observation) -> Option<T>) -> T {
        soon(async {
            loop {
                let event = self
                    .reports
                    .recv()
                    .await
                    .expect("the coordinator reports as long as it lives");
                if let Some(found) = wanted(&event) {
                    return found;
                }
            }
        })
        .await
    }
}

/// A test that waits in vain fails rather than hangs.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what)
        .await
        .expect("nothing came")
}
