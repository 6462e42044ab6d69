//! Kafka's own classes, run from the jars that xtask resolved.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::folder::root;
use crate::process::Process;
use crate::skip::skip_or_fail;

/// A broker writes this when it takes clients.
const READY: &str = "Kafka Server started";

/// Lines of a tool's output shown when it fails.
const LINES_SHOWN: usize = 40;

/// Whether Kafka can be run here; where not, it says why, or fails in CI.
#[must_use]
pub fn is_resolved() -> bool {
    let resolved = folder().is_dir();
    if !resolved {
        skip_or_fail("Kafka's jars are not resolved: cargo xtask test kafka");
    }
    resolved
}

/// Starts a broker and waits until it takes clients.
pub(super) async fn start_broker(properties: &str) -> Process {
    let mut command = java(&["-Xmx512m", "-XX:+UseSerialGC", "-Dlevel=INFO"], "kafka.Kafka");
    let mut process = Process::spawn("kafka", command.arg(properties));
    process
        .line("\"Kafka Server started\"", |line| {
            line.contains(READY).then_some(())
        })
        .await;
    process
}

/// Runs one of Kafka's tools to its end.
pub(super) async fn run(class: &str, arguments: &[&str]) {
    let mut command = java(
        &[
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dlevel=WARN",
        ],
        class,
    );
    let mut process = Process::spawn(class, command.args(arguments));
    let status = process.ended().await;
    assert!(
        status.success(),
        "{class} {arguments:?} ended with {status}:\n{}",
        process.output().last(LINES_SHOWN)
    );
}

fn java(options: &[&str], class: &str) -> Command {
    let logging = root().join("tests/kafka/log4j2.xml");
    let mut command = Command::new("java");
    command
        .args(options)
        .arg(format!("-Dlog4j2.configurationFile={}", logging.display()))
        .arg("-cp")
        .arg(folder().join("*"))
        .arg(class);
    command
}

fn folder() -> PathBuf {
    env::var_os("HEARTLINE_KAFKA_LIB").map_or_else(|| root().join("target/kafka/lib"), PathBuf::from)
}
