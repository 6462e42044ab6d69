//! Kafka's own classes, run from the jars that xtask resolved.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::root;
use crate::process::Process;
use crate::skip::skip_or_fail;

/// A broker writes this when it takes clients.
const READY: &str = "Kafka Server started";

/// Lines of a tool's output shown when it fails.
const LINES_SHOWN: usize = 40;

/// Which Kafka a broker is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Release {
    /// The one that all clients and tools here are of, too.
    #[default]
    Current,
    /// The last one before 4.0, with the group coordinator of before KIP-848.
    Older,
}

impl Release {
    /// Whether it can be run here; where not, it says why, or fails in CI.
    #[must_use]
    pub fn is_resolved(self) -> bool {
        let resolved = self.folder().is_dir();
        if !resolved {
            let group = match self {
                Self::Current => "kafka",
                Self::Older => "long",
            };
            skip_or_fail(&format!(
                "Kafka's jars are not resolved: cargo xtask test {group}"
            ));
        }
        resolved
    }

    /// Its jars.
    fn folder(self) -> PathBuf {
        let current =
            env::var_os("HEARTLINE_KAFKA_LIB").map_or_else(|| root().join("target/kafka/lib"), PathBuf::from);
        match self {
            Self::Current => current,
            Self::Older => current.with_file_name("lib-3.9"),
        }
    }
}

/// What makes a JVM start quickly and stay small.
const SMALL: [&str; 4] = [
    "-Xmx128m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dlevel=WARN",
];

/// Whether Kafka can be run here; where not, it says why, or fails in CI.
#[must_use]
pub fn is_resolved() -> bool {
    Release::Current.is_resolved()
}

/// Makes a broker's folder ready.
pub(super) async fn format(release: Release, arguments: &[&str]) {
    const CLASS: &str = "kafka.tools.StorageTool";
    let mut command = java(release, &SMALL, None, CLASS);
    run_to_its_end(CLASS, command.arg("format").args(arguments)).await;
}

/// Starts a broker and waits until it takes clients.
pub(super) async fn start_broker(release: Release, properties: &str) -> Process {
    let mut command = of_its_size(release, "kafka.Kafka");
    let mut process = Process::spawn("kafka", command.arg(properties));
    process
        .line("\"Kafka Server started\"", |line| {
            line.contains(READY).then_some(())
        })
        .await;
    process
}

/// Runs one of Kafka's tools to its end; what it wrote.
pub(crate) async fn run(class: &str, arguments: &[&str]) -> String {
    run_to_its_end(class, small(None, class).args(arguments)).await
}

/// Runs a program to its end; what it wrote.
pub(super) async fn run_to_its_end(name: &str, command: &mut Command) -> String {
    let mut process = Process::spawn(name, command);
    let status = process.ended().await;
    assert!(
        status.success(),
        "{name} ended with {status}:\n{}",
        process.output().last(LINES_SHOWN)
    );
    process.output().last(usize::MAX)
}

/// A JVM that starts quickly and stays small, for what runs briefly or does little; `classes` is a folder of ours beside the
/// jars.
pub(crate) fn small(classes: Option<&Path>, class: &str) -> Command {
    java(Release::Current, &SMALL, classes, class)
}

/// A JVM for what serves, with a log that tells what it does.
pub(super) fn of_its_size(release: Release, class: &str) -> Command {
    java(
        release,
        &["-Xmx512m", "-XX:+UseSerialGC", "-Dlevel=INFO"],
        None,
        class,
    )
}

fn java(release: Release, options: &[&str], classes: Option<&Path>, class: &str) -> Command {
    let logging = root().join("tests/kafka/log4j2.xml");
    let mut path = release.folder().join("*").into_os_string();
    if let Some(classes) = classes {
        path.push(":");
        path.push(classes);
    }
    let mut command = Command::new("java");
    command
        .args(options)
        .arg(format!("-Dlog4j2.configurationFile={}", logging.display()))
        .arg("-cp")
        .arg(path)
        .arg(class);
    command
}
