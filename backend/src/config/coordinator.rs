//! What the embedded coordinator is told: where to listen, Kafka's own settings, its topics.

use std::collections::BTreeMap;

use crate::cli::{CoordinatorSettings, HostPort, Refusal};
use crate::limits;

/// The embedded coordinator's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorConfig {
    pub listen: HostPort,
    /// By Kafka's name; only names of [`SETTINGS`], only values it allows.
    pub settings: BTreeMap<&'static str, i32>,
    pub topics: Vec<Topic>,
}

/// A topic, in memory only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    pub name: String,
    pub partitions: i32,
}

/// Kafka's name and least value of each setting the embedded coordinator knows (protocol.md 3.1).
const SETTINGS: [(&str, i32); 4] = [
    ("group.initial.rebalance.delay.ms", 0),
    ("group.max.session.timeout.ms", 1),
    ("group.max.size", 1),
    ("group.min.session.timeout.ms", 1),
];

/// Kafka's longest topic name.
const TOPIC_NAME_MAX: usize = 249;

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
        Ok(Self {
            listen,
            settings: settings(&given.config)?,
            topics: topics(&given.topics)?,
        })
    }
}

fn settings(given: &[String]) -> Result<BTreeMap<&'static str, i32>, Refusal> {
    let mut settings = BTreeMap::new();
    for text in given {
        let refuse = |why: String| Refusal::usage(format!("--coordinator-config {text:?}: {why}"));
        let Some((name, value)) = text.split_once('=') else {
            return Err(refuse("NAME=VALUE is needed".to_owned()));
        };
        let Some(&(name, least)) = SETTINGS.iter().find(|(known, _)| *known == name.trim()) else {
            let known = SETTINGS.map(|(known, _)| known).join(", ");
            return Err(refuse(format!("not a setting it knows; these are: {known}")));
        };
        let value = match value.trim().parse::<i32>() {
            Ok(value) if value >= least => value,
            _ => {
                return Err(refuse(format!(
                    "a whole number from {least} to {} is needed",
                    i32::MAX
                )));
            }
        };
        settings.insert(name, value);
    }
    Ok(settings)
}

fn topics(given: &[String]) -> Result<Vec<Topic>, Refusal> {
    if given.is_empty() {
        return Ok(vec![Topic {
            name: "demo".to_owned(),
            partitions: 6,
        }]);
    }
    if given.len() > limits::TOPICS {
        return Err(Refusal::usage(format!(
            "--topics: {} topics; at most {} are allowed",
            given.len(),
            limits::TOPICS
        )));
    }
    let mut topics: Vec<Topic> = Vec::new();
    for text in given {
        let refuse = |why: String| Refusal::usage(format!("--topics {text:?}: {why}"));
        let (name, partitions) = text
            .trim()
            .rsplit_once(':')
            .ok_or_else(|| refuse("NAME:PARTITIONS is needed, as in demo:6".to_owned()))?;
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty()
            || name == "."
            || name == ".."
            || name.len() > TOPIC_NAME_MAX
            || !name.chars().all(is_legal)
        {
            return Err(refuse(format!(
                "a topic's name is 1 to {TOPIC_NAME_MAX} of the letters a-z, A-Z, 0-9, '.', '_' and '-'"
            )));
        }
        let partitions = match partitions.parse::<i32>() {
            Ok(count) if (1..=limits::PARTITIONS).contains(&count) => count,
            _ => return Err(refuse(format!("partitions are from 1 to {}", limits::PARTITIONS))),
        };
        if topics.iter().any(|topic| topic.name == name) {
            return Err(refuse("the topic is named twice".to_owned()));
        }
        topics.push(Topic {
            name: name.to_owned(),
            partitions,
        });
    }
    Ok(topics)
}
