//! The embedded coordinator in the test's own process.

use backend::clock::Clock;
use backend::coordinator::config::Config;
use backend::coordinator::topics::Topics;
use backend::embedded::{Embedded, EmbeddedConfig, EmbeddedHandle};
use backend::hub::Reporter;
use backend::kafka::address::Address;

use crate::cast::{PARTITIONS, TOPIC};

/// Kafka's settings for tests: nobody waits for others to join, and sessions are short enough to wait for their end.
const SETTINGS: [&str; 2] = [
    "group.initial.rebalance.delay.ms=0",
    "group.min.session.timeout.ms=1000",
];

/// Starts one on a free port; it ends when the handle is dropped. What it reports is not looked at.
///
/// # Panics
///
/// When there is no free port.
#[must_use]
pub fn start() -> (EmbeddedHandle, Address) {
    start_with(&[])
}

/// The same with further settings, by Kafka's names.
///
/// # Panics
///
/// When there is no free port, or no such setting.
#[must_use]
pub fn start_with(settings: &[&str]) -> (EmbeddedHandle, Address) {
    let config = EmbeddedConfig {
        listen: "127.0.0.1:0".parse().expect("an address"),
        topics: Topics::parse(&format!("{TOPIC}:{PARTITIONS}")).expect("a topic"),
        coordinator: Config::from_settings(SETTINGS.iter().chain(settings)).expect("good settings"),
    };
    let (reporter, mut reports) = Reporter::channel(1_024);
    tokio::spawn(async move { while reports.recv().await.is_some() {} });
    let handle = Embedded::start(config, Clock::start(), reporter).expect("a free port");
    let address = handle.local_addr().into();
    (handle, address)
}
