//! The file: packs of events by how long they are kept, boards, and from where on nothing is missing.

use std::path::Path;
use std::sync::Arc;

use redb::{
    Database, DatabaseError, ReadableDatabase as _, ReadableTable as _, TableDefinition, WriteTransaction,
};
use shared::time::UnixMs;

use super::shelf::{Piece, Shelf};
use crate::data_folder::{FileError, Migration, check_format};
use crate::hub::Tier;
use crate::limits;

/// How it is laid out: format 2. A change that an older Heartline would misread makes it one more, by a migration.
///
/// 1. Boards by their number alone.
/// 2. Boards by time and number: where one run ends and the next begins two have the same number.
const MIGRATIONS: [Migration; 1] = [boards_by_time];

/// (Tier, number of the newest event) -> (when that was seen, how many events, their texts, packed).
pub(super) const PACKS: TableDefinition<'_, (u8, u64), (u64, u64, &[u8])> = TableDefinition::new("packs");
/// (When its newest event was seen, or the run began; number of that event) -> the board after it, packed.
pub(super) const BOARDS: TableDefinition<'_, (u64, u64), &[u8]> = TableDefinition::new("boards_by_time");
/// Format 1: number of the newest event -> (when that was seen, the board after it, packed).
pub(super) const BOARDS_1: TableDefinition<'_, u64, (u64, &[u8])> = TableDefinition::new("boards");
/// Tier -> above this number every event of it is kept.
pub(super) const WHOLE_ABOVE: TableDefinition<'_, u8, u64> = TableDefinition::new("whole_above");
/// How far it reaches: [`SEQ`], [`SEEN`], [`ENDED`].
pub(super) const LAST: TableDefinition<'_, &str, u64> = TableDefinition::new("last");
/// The number of the newest event.
pub(super) const SEQ: &str = "seq";
/// When that was seen.
pub(super) const SEEN: &str = "seen";
/// When it ended in an orderly way; nothing where it did not.
pub(super) const ENDED: &str = "ended";

/// A journal's file that is ours now: no other process has it until this is dropped.
#[derive(Debug)]
pub(super) struct File {
    pub(super) database: Arc<Database>,
    /// By tier.
    pub(super) packs: [Shelf; Tier::ALL.len()],
    pub(super) boards: Shelf,
    /// By tier.
    pub(super) whole_above: [u64; Tier::ALL.len()],
    pub(super) last: Option<Last>,
}

/// The end of what a journal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// The number of its newest event.
    pub seq: u64,
    /// When that was seen.
    pub seen: UnixMs,
    /// When the run that wrote it ended in an orderly way; none where it did not: then its last second may be missing.
    pub ended: Option<UnixMs>,
}

impl File {
    /// What an open file holds; one that is new gets its tables. Blocks.
    pub(super) fn of(path: &Path, database: Result<Database, DatabaseError>) -> Result<Self, FileError> {
        let database = database.map_err(|error| FileError::of_database(path, error))?;
        check_format(path, &database, &MIGRATIONS, |writing| {
            writing.open_table(PACKS)?;
            writing.open_table(BOARDS)?;
            writing.open_table(WHOLE_ABOVE)?;
            writing.open_table(LAST)?;
            Ok(())
        })?;
        let mut file = Self {
            database: Arc::new(database),
            packs: Default::default(),
            boards: Shelf::default(),
            whole_above: Default::default(),
            last: None,
        };
        let read = file.read_index();
        read.map_err(|error| FileError::of_transaction(path, error))?;
        Ok(file)
    }

    /// Above this number every transition and every summary is kept: what a board can be folded from.
    pub(super) fn folds_above(&self) -> u64 {
        folds_above(&self.whole_above)
    }

    fn read_index(&mut self) -> Result<(), redb::Error> {
        let reading = self.database.begin_read()?;
        for row in reading.open_table(PACKS)?.iter()? {
            let (key, value) = row?;
            let ((tier, to), (seen, _, packed)) = (key.value(), value.value());
            if let Some(shelf) = self.packs.get_mut(usize::from(tier)) {
                shelf.put(piece(to, seen, packed));
            }
        }
        for row in reading.open_table(BOARDS)?.iter()? {
            let (key, packed) = row?;
            let (seen, to) = key.value();
            self.boards.put(piece(to, seen, packed.value()));
        }
        let whole_above = reading.open_table(WHOLE_ABOVE)?;
        for tier in Tier::ALL {
            let above = whole_above.get(tier as u8)?;
            self.whole_above[tier as usize] = above.map_or(0, |above| above.value());
        }
        let last = reading.open_table(LAST)?;
        let told = |name| Ok::<_, redb::Error>(last.get(name)?.map(|row| row.value()));
        if let (Some(seq), Some(seen), ended) = (told(SEQ)?, told(SEEN)?, told(ENDED)?) {
            let (seen, ended) = (UnixMs(seen), ended.map(UnixMs));
            self.last = Some(Last { seq, seen, ended });
        }
        Ok(())
    }
}

/// Format 1 to 2.
fn boards_by_time(writing: &WriteTransaction) -> Result<(), redb::Error> {
    {
        let mut boards = writing.open_table(BOARDS)?;
        for row in writing.open_table(BOARDS_1)?.iter()? {
            let (seq, value) = row?;
            let (seen, packed) = value.value();
            boards.insert((seen, seq.value()), packed)?;
        }
    }
    writing.delete_table(BOARDS_1)?;
    Ok(())
}

/// What a row takes.
pub(super) fn piece(to: u64, seen: u64, packed: &[u8]) -> Piece {
    Piece {
        to,
        seen: UnixMs(seen),
        bytes: packed.len() as u64 + limits::JOURNAL_ROW,
    }
}

/// Above this number every transition and every summary is kept, where those numbers are by tier.
pub(super) fn folds_above(whole_above: &[u64; Tier::ALL.len()]) -> u64 {
    whole_above[Tier::Summaries as usize].max(whole_above[Tier::Transitions as usize])
}
