//! Apache Kafka for the tests: Maven resolves its jars into one folder, which is a whole broker on one class path.

use std::fs;
use std::path::PathBuf;

use crate::debian;
use crate::process::{Outcome, program, root, run, unless_done};

/// What to resolve: Maven projects without code.
const PROJECT: &str = "tests/kafka/pom.xml";

/// The release before 4.0, for the group `long`.
const OLDER: &str = "tests/kafka/3.9/pom.xml";

/// Where the jars are.
pub(crate) fn folder() -> PathBuf {
    root().join("target/kafka/lib")
}

/// Resolves the jars, once per version of the project file.
pub(crate) fn resolve() -> Outcome {
    resolve_into(PROJECT, "lib")
}

/// The same for the older release, beside them.
pub(crate) fn resolve_older() -> Outcome {
    resolve_into(OLDER, "lib-3.9")
}

fn resolve_into(project: &str, name: &str) -> Outcome {
    debian::need_programs(
        &[("java", "default-jre-headless"), ("mvn", "maven")],
        "run Apache Kafka",
    )?;
    let file = root().join(project);
    let wanted = fs::read(&file).map_err(|error| format!("{project}: {error}"))?;
    let folder = folder().with_file_name(name);
    unless_done(&folder.with_file_name(format!("{name}.xml")), &wanted, || {
        let _absent_is_fine = fs::remove_dir_all(&folder);
        run(program("mvn")
            .args([
                "--quiet",
                "--batch-mode",
                "-Dstyle.color=never",
                "--file",
                project,
                "dependency:copy-dependencies",
            ])
            .arg(format!("-DoutputDirectory={}", folder.display())))
    })
}
