//! What a dashboard keeps on disk: where it is, and what is said where it cannot be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use shared::ids::ClusterId;
use shared::time::UnixMs;

use crate::clock::Clock;
use crate::config::{Config, CoordinatorConfig, Target};
use crate::data_folder::{FileError, make_folder};
use crate::embedded::DataDir;
use crate::journal::{Journal, Keeping, Writing};
use crate::kafka::address::Address;
use crate::limits;

/// The file's name.
const FILE: &str = "history";

/// What was kept, open.
pub(super) struct Kept {
    /// Of the embedded coordinator, where it keeps something.
    pub(super) coordinator: Option<DataDir>,
    pub(super) history: Keeping,
    /// Who writes the history, where it is kept.
    pub(super) writing: Option<Writing>,
}

impl Kept {
    /// # Errors
    ///
    /// The embedded coordinator cannot use its data directory.
    pub(super) async fn open(config: &Config, clock: Clock) -> io::Result<Self> {
        let (coordinator, folder) = match &config.target {
            Target::Embedded(told) => {
                let kept = open_coordinator(told).await?;
                let folder = kept.as_ref().map(DataDir::folder);
                (kept, folder)
            }
            Target::Cluster(servers) => {
                let folder = |folder: &PathBuf| folder.join(folder_name(servers));
                (None, config.data_dir.as_ref().map(folder))
            }
        };
        let (history, writing) = open(folder, clock).await?;
        Ok(Self {
            coordinator,
            history,
            writing,
        })
    }
}

/// What the embedded coordinator has kept, where it keeps something.
///
/// # Errors
///
/// Its data directory cannot be used.
pub(super) async fn open_coordinator(told: &CoordinatorConfig) -> io::Result<Option<DataDir>> {
    let Some(path) = told.data_dir.clone() else {
        return Ok(None);
    };
    // Reading it blocks, and so does waiting for a disk.
    let fresh = ClusterId::from(shared::protocol::Uuid(uuid::Uuid::new_v4().into_bytes()).to_string());
    let opened = tokio::task::spawn_blocking(move || DataDir::open(&path, &fresh)).await?;
    let opened = opened.map_err(|error| io::Error::other(format!("--data-dir: {error}")))?;
    Ok(Some(opened))
}

/// Opens the history in a folder, if one is given. What cannot be used is said, and all goes on in memory.
///
/// # Errors
///
/// Opening it panicked.
async fn open(folder: Option<PathBuf>, clock: Clock) -> io::Result<(Keeping, Option<Writing>)> {
    let Some(folder) = folder else {
        return Ok((Keeping::Nothing, None));
    };
    // Reading it blocks, and so does waiting for a disk.
    let opened = tokio::task::spawn_blocking(move || open_or_move(&folder, clock)).await?;
    Ok(match opened {
        Ok((keeping, writing)) => (keeping, Some(writing)),
        Err(error) => {
            tracing::error!("--data-dir: history: {error}; the history of this run is kept in memory only");
            (Keeping::Refused, None)
        }
    })
}

/// Opens it; one that is damaged, or that ends in the future, is moved aside, so that a new one can begin.
fn open_or_move(folder: &Path, clock: Clock) -> Result<(Keeping, Writing), FileError> {
    make_folder(folder)?;
    let path = folder.join(FILE);
    let why = match Journal::open(&path, clock) {
        Ok((keeping, writing)) => match future(keeping.seen(), clock) {
            None => return Ok((keeping, writing)),
            Some(why) => {
                drop(keeping);
                writing.wait();
                why
            }
        },
        Err(FileError::Damaged { why, .. }) => format!("is damaged: {why}"),
        Err(error) => return Err(error),
    };
    let aside = folder.join(format!("{FILE}.aside"));
    fs::rename(&path, &aside).map_err(FileError::io(&path))?;
    tracing::error!(
        "--data-dir: history: {} {why}; it is moved to {}, and a new one begins",
        path.display(),
        aside.display()
    );
    Journal::open(&path, clock)
}

/// What is wrong with a history whose end was seen then.
fn future(seen: UnixMs, clock: Clock) -> Option<String> {
    let ahead = seen.0.saturating_sub(clock.now_unix().0);
    (ahead > limits::JOURNAL_AHEAD_MS)
        .then(|| format!("ends {} s in the future by this machine's clock", ahead / 1_000))
}

/// The folder of a real cluster's history: by the servers it is asked over, since its id is not known while none answers.
fn folder_name(servers: &[Address]) -> String {
    /// What every file system takes, and people can read.
    const MOST: usize = 120;
    let mut names: Vec<String> = servers.iter().map(Address::to_string).collect();
    names.sort_unstable();
    names.dedup();
    let all = names.join("+").to_ascii_lowercase();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "+.-".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = all.chars().map(plain).take(MOST).collect();
    if all.len() <= MOST {
        return format!("at-{name}");
    }
    // Two long lists with one beginning are two.
    let hash = ring::digest::digest(&ring::digest::SHA256, all.as_bytes());
    let hash: String = hash
        .as_ref()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("at-{name}-{hash}")
}

#[cfg(test)]
mod tests;
