//! Kafka's jars, fetched by Maven, and the schema files in them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The releases whose versions Heartline speaks.
pub(crate) const RELEASES: [&str; 4] = ["3.9.2", "4.0.2", "4.3.0", "4.4.0"];

/// The schema files in a jar, by the message's name.
pub(crate) fn schemas(jar: &Path) -> BTreeMap<String, Value> {
    let mut archive = zip::ZipArchive::new(File::open(jar).unwrap()).unwrap();
    let mut schemas = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        if !(name.starts_with("common/message/") && name.ends_with(".json")) {
            continue;
        }
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        // The files have comments, each a line of its own.
        let json: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let schema: Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        schemas.insert(schema["name"].as_str().unwrap().to_owned(), schema);
    }
    schemas
}

/// The jars of this name of [`RELEASES`], fetched by Maven at the first run; `None` where there is no Maven and that is no
/// failure.
pub(crate) fn jars(artifact: &str) -> Option<Vec<PathBuf>> {
    /// The tests of this file run at the same time, and the jars are fetched once.
    static FETCHING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = FETCHING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jars");
    let mut jars = Vec::new();
    for release in RELEASES {
        let jar = folder.join(format!("{artifact}-{release}.jar"));
        if !jar.exists() && !fetch(artifact, release, &folder, &jar) {
            tests::skip::skip_or_fail("no `mvn` on PATH to fetch Kafka's jars with");
            return None;
        }
        jars.push(jar);
    }
    Some(jars)
}

/// Fetches one jar; false where there is no Maven.
fn fetch(artifact: &str, release: &str, folder: &Path, jar: &Path) -> bool {
    // Beside its place and then moved: a fetch that is cut off leaves nothing that looks whole.
    let part = folder.join(format!("part-{artifact}-{release}"));
    let mut maven = Command::new("mvn");
    maven.args([
        "--quiet",
        "--batch-mode",
        "-Dstyle.color=never",
        "dependency:copy",
    ]);
    maven.arg(format!("-Dartifact=org.apache.kafka:{artifact}:{release}"));
    maven.arg(format!("-DoutputDirectory={}", part.display()));
    let status = match maven.status() {
        Ok(status) => status,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
        Err(error) => panic!("mvn: {error}"),
    };
    assert!(
        status.success(),
        "mvn could not fetch {artifact} {release}: {status}"
    );
    fs::rename(part.join(jar.file_name().unwrap()), jar).unwrap();
    fs::remove_dir_all(&part).unwrap();
    true
}
