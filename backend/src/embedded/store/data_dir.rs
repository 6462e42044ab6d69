//! The data directory: a cluster id at its top, and for each cluster a folder with what is kept of it (docs/contract.md).
//!
//! ```text
//! DIR/cluster-id                  the embedded coordinator's own, made once
//! DIR/<cluster id>/coordinator    its groups and offsets (redb)
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError, ReadableDatabase as _, ReadableTable as _, TableDefinition, TableError};
use shared::ids::ClusterId;
use shared::protocol::offsets_log::{OffsetsRecord, UnreadableRecord};
use thiserror::Error;

use super::compacted::Row;
use crate::data_folder::{FileError, Migration, check_format, make_folder, open_database, private};
use crate::partitions::End;

/// How what is kept is laid out: format 1. A change that an older Heartline would misread makes it one more, by a migration.
const MIGRATIONS: [Migration; 0] = [];
/// All is in memory anyway, so redb needs no cache of its own: this is its least.
const CACHE: usize = 1 << 20;
/// The records, bytes as Kafka has them: key -> newest value.
pub(super) const OFFSETS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("__consumer_offsets");

/// Topic and partition -> the offset of the next record.
pub(super) const LOG_ENDS: TableDefinition<'_, (&str, i32), i64> = TableDefinition::new("log_ends");

const CLUSTER_ID_FILE: &str = "cluster-id";
const COORDINATOR_FILE: &str = "coordinator";
/// Characters of a cluster id: 16 bytes in base64 without padding, as Kafka makes them.
const CLUSTER_ID_CHARS: usize = 22;

/// Opens the file anew after it failed.
pub(super) type Reopen = Box<dyn Fn() -> Result<Database, DatabaseError> + Send>;

/// A data directory that is ours now: no other process has it until this is dropped.
pub struct DataDir {
    folder: PathBuf,
    pub(in crate::embedded) cluster: ClusterId,
    pub(super) database: Database,
    pub(super) reopen: Reopen,
    pub(super) rows: Vec<Row>,
    pub(super) ends: Vec<End>,
}

impl std::fmt::Debug for DataDir {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = f.debug_struct("DataDir");
        told.field("cluster", &self.cluster)
            .field("rows", &self.rows.len());
        told.finish_non_exhaustive()
    }
}

/// Why a data directory cannot be used.
#[derive(Debug, Error)]
pub enum DataDirError {
    /// One of its files or folders cannot be.
    #[error(transparent)]
    File(#[from] FileError),
    /// No cluster id of ours.
    #[error(
        "{} holds {text:?}, where a cluster id of {CLUSTER_ID_CHARS} letters, digits, '-' and '_' is expected; to start \
         with a new one move the file away",
        path.display()
    )]
    ClusterId { path: PathBuf, text: String },
}

impl DataDir {
    /// Opens a data directory, or makes one whose cluster is `fresh`. Blocks until what is there is read.
    ///
    /// # Errors
    ///
    /// It cannot be made, read or locked, or holds something else.
    pub fn open(path: &Path, fresh: &ClusterId) -> Result<Self, DataDirError> {
        make_folder(path)?;
        let cluster = cluster_id(path, fresh)?;
        let folder = path.join(cluster.as_str());
        make_folder(&folder)?;
        let file = folder.join(COORDINATOR_FILE);
        let database = open_database(&file, CACHE).map_err(|error| FileError::of_database(&file, error))?;
        check_format(&file, &database, &MIGRATIONS, |writing| {
            writing.open_table(OFFSETS)?;
            Ok(())
        })?;
        let rows = read_rows(&file, &database)?;
        let ends = read_ends(&database).map_err(|error| FileError::damaged(&file, &error))?;
        let again = file;
        Ok(Self {
            folder,
            cluster,
            database,
            reopen: Box::new(move || open_database(&again, CACHE)),
            rows,
            ends,
        })
    }

    /// The folder of its cluster, for what else is kept of it.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The cluster it is of.
    #[must_use]
    pub const fn cluster(&self) -> &ClusterId {
        &self.cluster
    }
}

/// The cluster id that is there, or `fresh`, which is there from now on.
fn cluster_id(folder: &Path, fresh: &ClusterId) -> Result<ClusterId, DataDirError> {
    let path = folder.join(CLUSTER_ID_FILE);
    let read = || match fs::read(&path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::io(&path)(error)),
    };
    let text = match read()? {
        Some(text) => text,
        None => {
            // Beside its place and then moved there: a process that dies meanwhile leaves nothing half written.
            let part = folder.join(format!("{CLUSTER_ID_FILE}.{}", std::process::id()));
            write_new(&part, fresh.as_str())
                .and_then(|()| fs::rename(&part, &path))
                .and_then(|()| sync_folder(folder))
                .map_err(FileError::io(&path))?;
            read()?.unwrap_or_default()
        }
    };
    let legal = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    if text.len() == CLUSTER_ID_CHARS && text.bytes().all(legal) {
        Ok(text.into())
    } else {
        let text = text.chars().take(2 * CLUSTER_ID_CHARS).collect();
        Err(DataDirError::ClusterId { path, text })
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = private(&mut options).open(path)?;
    writeln!(file, "{text}")?;
    file.sync_all()
}

/// A new name in a folder is on disk once the folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}

/// All records, each of which can be read.
fn read_rows(path: &Path, database: &Database) -> Result<Vec<Row>, FileError> {
    let read = || -> Result<Vec<Result<Row, UnreadableRecord>>, redb::Error> {
        let table = match database.begin_read()?.open_table(OFFSETS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
            table => table?,
        };
        let mut rows = Vec::new();
        for row in table.iter()? {
            let (key, value) = row?;
            rows.extend(row_of(key.value(), value.value()).transpose());
        }
        Ok(rows)
    };
    let rows = read().map_err(|error| FileError::damaged(path, &error))?;
    let rows: Result<Vec<Row>, UnreadableRecord> = rows.into_iter().collect();
    rows.map_err(|error| FileError::damaged(path, &error))
}

fn read_ends(database: &Database) -> Result<Vec<End>, redb::Error> {
    let table = match database.begin_read()?.open_table(LOG_ENDS) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
        table => table?,
    };
    let mut ends = Vec::new();
    for row in table.iter()? {
        let (at, offset) = row?;
        let (topic, partition) = at.value();
        ends.push(End {
            topic: topic.to_owned(),
            partition,
            offset: offset.value(),
        });
    }
    Ok(ends)
}

/// A record of a type that is not ours stays where it is: whoever wrote it will ask for it.
fn row_of(key: &[u8], value: &[u8]) -> Result<Option<Row>, UnreadableRecord> {
    let record = OffsetsRecord::read(key, Some(value))?;
    Ok(record.map(|record| Row {
        partition: crate::coordinator::offsets_log::partition_of(record.group()),
        key: key.into(),
        value: Some(value.into()),
        of_group: matches!(record, OffsetsRecord::Group(..)),
    }))
}
