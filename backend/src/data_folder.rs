//! What outlives the process: folders that only their owner may enter, and redb files in them, each of a format that it says.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{
    Builder, Database, DatabaseError, ReadableDatabase as _, TableDefinition, TableError, WriteTransaction,
};
use thiserror::Error;

/// What a file is.
const ABOUT: TableDefinition<'_, &str, u64> = TableDefinition::new("about");
/// The row of [`ABOUT`] that says the format.
const FORMAT_ROW: &str = "format";

/// Why a folder or a file of ours cannot be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file system's own words.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// Somebody else has it.
    #[error("{} is in use: another Heartline runs on this data directory", path.display())]
    InUse { path: PathBuf },
    /// Written by a later Heartline.
    #[error(
        "{} has format {format}, written by a newer Heartline; this one knows format {known}",
        path.display()
    )]
    Newer { path: PathBuf, format: u64, known: u64 },
    /// Not what was written.
    #[error("{} is damaged: {why}; to start empty move the file away", path.display())]
    Damaged { path: PathBuf, why: String },
}

impl FileError {
    /// The file system's own words about a path.
    pub fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io {
            path: path.into(),
            error,
        }
    }

    /// What is there is not what was written.
    pub fn damaged(path: &Path, why: &dyn Display) -> Self {
        Self::Damaged {
            path: path.into(),
            why: why.to_string(),
        }
    }

    /// Why a file did not open.
    pub fn of_database(path: &Path, error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
                Self::InUse { path: path.into() }
            }
            DatabaseError::Storage(redb::StorageError::Io(error))
                if error.kind() != io::ErrorKind::InvalidData =>
            {
                Self::io(path)(error)
            }
            other => Self::damaged(path, &other),
        }
    }

    /// Why a file that did open cannot be read or written.
    pub fn of_transaction(path: &Path, error: redb::Error) -> Self {
        match error {
            redb::Error::Io(error) if error.kind() != io::ErrorKind::InvalidData => Self::io(path)(error),
            other => Self::damaged(path, &other),
        }
    }
}

/// Makes a folder that only its owner may enter; one that is there stays as it is.
///
/// # Errors
///
/// It cannot be made.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(FileError::io(path))
}

/// A file that only its owner may read.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Opens a file, or makes it; what was damaged is told here, not stumbled over later. `cache` is what redb may hold of it in memory, in bytes.
///
/// # Errors
///
/// redb's own, see [`FileError::of_database`].
pub fn open_database(path: &Path, cache: usize) -> Result<Database, DatabaseError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = private(&mut options).open(path)?;
    Builder::new()
        .set_cache_size(cache)
        .set_check_integrity_on_open(true)
        .create_with_backend(FileBackend::new(file)?)
}

/// What brings a file of one format to the next one.
pub type Migration = fn(&WriteTransaction) -> Result<(), redb::Error>;

/// Sees that a file has a format that is known: the last of `migrations`, counted from 1. One that says none is new, and `make`
/// gives it its tables; an older one goes through the migrations after its own, in one transaction.
///
/// # Errors
///
/// It is of a later format, or cannot be read or written.
pub fn check_format(
    path: &Path,
    database: &Database,
    migrations: &[Migration],
    make: impl FnOnce(&WriteTransaction) -> Result<(), redb::Error>,
) -> Result<(), FileError> {
    let failed = |error: redb::Error| FileError::of_transaction(path, error);
    let known = migrations.len() as u64 + 1;
    let format = read_format(database).map_err(failed)?;
    if let Some(format) = format.filter(|format| *format > known) {
        let path = path.into();
        return Err(FileError::Newer { path, format, known });
    }
    if format == Some(known) {
        return Ok(());
    }
    let bring_on = || -> Result<(), redb::Error> {
        let writing = database.begin_write()?;
        match format {
            None => make(&writing)?,
            Some(format) => {
                let older = usize::try_from(format.saturating_sub(1)).unwrap_or(usize::MAX);
                let mut later = migrations.iter().skip(older);
                later.try_for_each(|migration| migration(&writing))?;
            }
        }
        writing.open_table(ABOUT)?.insert(FORMAT_ROW, known)?;
        writing.commit()?;
        Ok(())
    };
    bring_on().map_err(failed)
}

/// The format that a file says it has.
fn read_format(database: &Database) -> Result<Option<u64>, redb::Error> {
    let table = match database.begin_read()?.open_table(ABOUT) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        table => table?,
    };
    Ok(table.get(FORMAT_ROW)?.map(|row| row.value()))
}
