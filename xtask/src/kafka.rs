//! Apache Kafka for the tests: Maven resolves its jars into one folder, which is a whole broker on one class path.

use std::fs;
use std::path::PathBuf;

use crate::debian;
use crate::process::{Outcome, program, root, run, unless_done};

/// What to resolve: a Maven project without code.
const PROJECT: &str = "tests/kafka/pom.xml";

/// Where the jars are.
pub(crate) fn folder() -> PathBuf {
    root().join("target/kafka/lib")
}

/// Resolves the jars, once per version of the project file.
pub(crate) fn resolve() -> Outcome {
    debian::need_programs(
        &[("java", "default-jre-headless"), ("mvn", "maven")],
        "run Apache Kafka",
    )?;
    let project = root().join(PROJECT);
    let wanted = fs::read(&project).map_err(|error| format!("{PROJECT}: {error}"))?;
    unless_done(&root().join("target/kafka/resolved.xml"), &wanted, || {
        let _absent_is_fine = fs::remove_dir_all(folder());
        run(program("mvn")
            .args([
                "--quiet",
                "--batch-mode",
                "-Dstyle.color=never",
                "--file",
                PROJECT,
                "dependency:copy-dependencies",
            ])
            .arg(format!("-DoutputDirectory={}", folder().display())))
    })
}
