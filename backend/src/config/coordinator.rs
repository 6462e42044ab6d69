//! What the embedded coordinator is told: where to listen, Kafka's own settings, its topics.

use std::path::PathBuf;

use crate::cli::{CoordinatorSettings, HostPort, Refusal};
use crate::coordinator::config::Config as Settings;
use crate::coordinator::topics::Topics;

/// The embedded coordinator's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorConfig {
    pub listen: HostPort,
    pub settings: Settings,
    pub topics: Topics,
    /// Where groups, members and offsets are kept; none keeps nothing.
    pub data_dir: Option<PathBuf>,
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
            data_dir: data_dir(given)?,
        })
    }
}

/// Where something is kept, if it is.
pub(super) fn data_dir(given: &CoordinatorSettings) -> Result<Option<PathBuf>, Refusal> {
    if given
        .data_dir
        .as_ref()
        .is_some_and(|path| path.as_os_str().is_empty())
    {
        return Err(Refusal::usage("--data-dir \"\": a directory is needed"));
    }
    Ok(given.data_dir.clone())
}
