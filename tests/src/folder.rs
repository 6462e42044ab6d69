//! Temporary folders below `target/tmp`, removed when dropped or when the test's process ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::process::Leash;

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ is one below the root")
        .to_path_buf()
}

/// A folder of the test's own.
#[derive(Debug)]
pub struct TempFolder {
    path: PathBuf,
    _leash: Leash,
}

impl TempFolder {
    /// Makes an empty folder; `name` is for whoever looks at it while the test runs.
    #[must_use]
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = root()
            .join("target/tmp")
            .join(format!("{name}-{}-{number}", process::id()));
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // Twice: what lives in the folder is being killed at the same moment.
        let leash = Leash::new("rm -rf \"$0\" || rm -rf \"$0\"", &path.display().to_string());
        Self { path, _leash: leash }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _already_gone = fs::remove_dir_all(&self.path);
    }
}
