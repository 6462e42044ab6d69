//! What the embedded coordinator is told: where to listen, Kafka's own settings, its topics.

use crate::cli::{CoordinatorSettings, HostPort, Refusal};
use crate::coordinator::config::Config as Settings;
use crate::coordinator::topics::Topics;

/// The embedded coordinator's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorConfig {
    pub listen: HostPort,
    pub settings: Settings,
    pub topics: Topics,
}

/// The topics where none are named.
const TOPICS: &str = "demo:6";

impl CoordinatorConfig {
    /// Any free port of this machine alone.
    #[must_use]
    pub fn any_port() -> HostPort {
        HostPort {
            host: "127.0.0.1".to_owned(),
            port: 0,
        }
    }

    pub(super) fn new(listen: HostPort, given: &CoordinatorSettings) -> Result<Self, Refusal> {
        let settings = Settings::from_settings(&given.config)
            .map_err(|error| Refusal::usage(format!("--coordinator-config: {error}")))?;
        let topics = Topics::parse(given.topics.as_deref().unwrap_or(TOPICS))
            .map_err(|error| Refusal::usage(format!("--topics: {error}")))?;
        Ok(Self {
            listen,
            settings,
            topics,
        })
    }
}
