//! Events and boards of the past, read back from the file.

use std::sync::Arc;

use redb::{Database, ReadableDatabase as _, ReadableTable as _};
use shared::time::UnixMs;

use super::file::{BOARDS, LAST, PACKS, SEQ, WHOLE_ABOVE, folds_above};
use super::{Failed, State};
use crate::hub::{Keyframe, Numbered, Pack, Snapshot, Tier};
use crate::limits;

/// Reads what the writer has written; each question is answered from one moment's state of the file.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) state: Arc<State>,
}

/// Events of the file.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) events: Vec<Arc<Numbered>>,
    /// The newest event of all.
    pub(crate) to: u64,
    /// Above this number every transition and summary is kept.
    pub(crate) whole_above: u64,
    /// Above this number every single heartbeat is kept too.
    pub(crate) every_beat_above: u64,
}

impl Reader {
    pub(super) const fn new(state: Arc<State>) -> Self {
        Self { state }
    }

    /// The oldest kept events with numbers above `after`, at most `limit`, in order. Blocks.
    pub(crate) fn events(&self, after: u64, limit: usize) -> Result<Kept, Failed> {
        let database = self.state.database().ok_or(Failed::Closed)?;
        let mut kept = read_events(&database, after, limit)?;
        // What was lost since the file was written last is missing from what it will hold.
        let lost_to = self.state.lost_to();
        kept.whole_above = kept.whole_above.max(lost_to);
        kept.every_beat_above = kept.every_beat_above.max(lost_to);
        Ok(kept)
    }

    /// The newest events by tier as they are packed, oldest first, of at most so many bytes each; and the number above which none
    /// of them is missing. Blocks.
    pub(super) fn newest(
        &self,
        bytes: [usize; Tier::ALL.len()],
    ) -> Result<[Newest; Tier::ALL.len()], Failed> {
        let database = self.state.database().ok_or(Failed::Closed)?;
        let mut newest = [const { (Vec::new(), 0) }; Tier::ALL.len()];
        for ((tier, bound), newest) in Tier::ALL.into_iter().zip(bytes).zip(&mut newest) {
            *newest = read_newest(&database, tier, bound)?;
        }
        Ok(newest)
    }

    /// Whether the file can be used.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.state.trouble()
    }

    /// Events that are in no file, though they should be.
    pub(crate) fn lost(&self) -> u64 {
        self.state.lost()
    }

    /// The board at a moment, or the oldest moment that can be asked for, where there is one. Blocks; a long way from the board
    /// before it takes its time.
    pub(crate) fn past(&self, at: UnixMs) -> Result<Result<Snapshot, Option<UnixMs>>, Failed> {
        let database = self.state.database().ok_or(Failed::Closed)?;
        let frame = match read_board(&database, at)? {
            Ok(frame) => frame,
            Err(oldest) => return Ok(Err(oldest)),
        };
        let mut past = frame.unpacked()?;
        loop {
            let kept = read_events(&database, past.seq, limits::HISTORY_PAGE)?;
            let is_last = kept.events.len() < limits::HISTORY_PAGE;
            if !past.fold(&kept.events, at) || is_last {
                return Ok(Ok(past));
            }
        }
    }
}

/// Packs, oldest first, and the number above which no event is missing.
pub(super) type Newest = (Vec<Pack>, u64);

/// A row of [`PACKS`].
fn pack(to: u64, (_, count, bytes): (u64, u64, &[u8])) -> Pack {
    Pack::kept(to, usize::try_from(count).unwrap_or(usize::MAX), bytes)
}

fn read_newest(database: &Database, tier: Tier, bound: usize) -> Result<Newest, redb::Error> {
    let reading = database.begin_read()?;
    let rows = reading.open_table(PACKS)?;
    let above = reading.open_table(WHOLE_ABOVE)?.get(tier as u8)?;
    let mut whole_above = above.map_or(0, |above| above.value());
    let of_tier = |seq| (tier as u8, seq);
    let (mut packs, mut weight) = (Vec::new(), 0);
    for row in rows.range(of_tier(0)..=of_tier(u64::MAX))?.rev() {
        let (key, value) = row?;
        let to = key.value().1;
        let pack = pack(to, value.value());
        weight += pack.weight();
        if weight > bound {
            whole_above = whole_above.max(to);
            break;
        }
        packs.push(pack);
    }
    packs.reverse();
    Ok((packs, whole_above))
}

fn read_events(database: &Database, after: u64, limit: usize) -> Result<Kept, redb::Error> {
    let reading = database.begin_read()?;
    let rows = reading.open_table(PACKS)?;
    let above = reading.open_table(WHOLE_ABOVE)?;
    let mut events: Vec<Arc<Numbered>> = Vec::new();
    let mut whole_above = [0; Tier::ALL.len()];
    // Where one tier alone fills the page: what is beyond is not on it.
    let mut end = u64::MAX;
    for tier in Tier::ALL {
        let above = above.get(tier as u8)?;
        whole_above[tier as usize] = above.map_or(0, |above| above.value());
        let of_tier = |seq| (tier as u8, seq);
        let (mut room, mut read_to) = (limit, after);
        let mut later = rows.range(of_tier(after.saturating_add(1))..=of_tier(u64::MAX))?;
        while room > 0
            && read_to < end
            && let Some(row) = later.next().transpose()?
        {
            read_to = row.0.value().1;
            let before = events.len();
            let unpacked = pack(read_to, row.1.value()).events();
            events.extend(unpacked.into_iter().filter(|event| event.event.seq > after));
            room = room.saturating_sub(events.len() - before);
        }
        if room == 0 {
            end = end.min(read_to);
        }
    }
    events.sort_by_key(|event| event.event.seq);
    events.truncate(limit);
    let folds_above = folds_above(&whole_above);
    let to = reading.open_table(LAST)?.get(SEQ)?.map_or(0, |row| row.value());
    Ok(Kept {
        events,
        to,
        whole_above: folds_above,
        every_beat_above: whole_above[Tier::Beats as usize].max(folds_above),
    })
}

/// The newest board whose events had all been seen at a moment; else when the oldest was.
fn read_board(database: &Database, at: UnixMs) -> Result<Result<Keyframe, Option<UnixMs>>, redb::Error> {
    let boards = database.begin_read()?.open_table(BOARDS)?;
    match boards.range(..=(at.0, u64::MAX))?.next_back().transpose()? {
        Some((key, packed)) => {
            let (seen, seq) = key.value();
            Ok(Ok(Keyframe::read(seq, UnixMs(seen), packed.value())))
        }
        None => Ok(Err(boards.first()?.map(|(key, _)| UnixMs(key.value().0)))),
    }
}
