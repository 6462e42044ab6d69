//! The six stock clients: where `cargo xtask test clients` has put what their programs need, and how each is started.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::folder::root;
use crate::kafka::java;
use crate::skip::skip_or_fail;

/// A client that people use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// `kafka-clients`, Apache Kafka's own.
    Java,
    /// By PyPI's `confluent-kafka`.
    Librdkafka,
    KafkaPython,
    Aiokafka,
    KafkaJs,
    FranzGo,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Java,
        Self::Librdkafka,
        Self::KafkaPython,
        Self::Aiokafka,
        Self::KafkaJs,
        Self::FranzGo,
    ];

    /// Its peer program, without arguments.
    #[must_use]
    pub fn program(self) -> Command {
        match self {
            Self::Java => java::small(Some(&installed("java")), "Peer"),
            Self::Librdkafka => python("peer_librdkafka.py"),
            Self::KafkaPython => python("peer_kafka_python.py"),
            Self::Aiokafka => python("peer_aiokafka.py"),
            Self::KafkaJs => {
                let mut command = Command::new("node");
                command
                    .env("NODE_PATH", installed("kafkajs/node_modules"))
                    .arg(source("kafkajs/peer.js"));
                command
            }
            Self::FranzGo => Command::new(installed("franz-go/peer")),
        }
    }

    /// Whether its program can be run here; where not, it says why, or fails in CI.
    #[must_use]
    pub fn is_installed(self) -> bool {
        let needed = match self {
            Self::Java => return java::is_resolved() && is_there("java/Peer.class"),
            Self::Librdkafka | Self::KafkaPython | Self::Aiokafka => "python/bin/python",
            Self::KafkaJs => "kafkajs/node_modules/kafkajs/package.json",
            Self::FranzGo => "franz-go/peer",
        };
        is_there(needed)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Java => "java",
            Self::Librdkafka => "librdkafka",
            Self::KafkaPython => "kafka-python",
            Self::Aiokafka => "aiokafka",
            Self::KafkaJs => "kafkajs",
            Self::FranzGo => "franz-go",
        })
    }
}

/// The virtual environment's Python, with a program of ours to run.
pub(crate) fn python(program: &str) -> Command {
    let mut command = Command::new(installed("python/bin/python"));
    // Nothing is written beside the sources.
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(source("python").join(program));
    command
}

fn is_there(needed: &str) -> bool {
    let there = installed(needed).is_file();
    if !there {
        skip_or_fail(&format!(
            "target/peers/{needed} is missing: cargo xtask test clients"
        ));
    }
    there
}

/// Where xtask installs and builds.
pub(crate) fn installed(part: &str) -> PathBuf {
    root().join("target/peers").join(part)
}

fn source(part: &str) -> PathBuf {
    root().join("tests/peers").join(part)
}
