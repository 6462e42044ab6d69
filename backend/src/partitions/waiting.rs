//! The Fetches that wait for records.

use std::collections::{BTreeMap, BTreeSet};

use shared::time::Timestamp;

use super::Key;
use super::fetch::Wanted;
use crate::coordinator::Ticket;
use crate::limits;

/// All of them, findable by what they wait for and by when they wait no longer.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    parked: BTreeMap<Ticket, Parked>,
    by_key: BTreeMap<Key, BTreeSet<Ticket>>,
    due: BTreeSet<(Timestamp, Ticket)>,
    /// How many partitions they ask for together.
    partitions: usize,
}

/// One of them. It stays until it is collected, also when it is no longer due.
#[derive(Debug)]
struct Parked {
    wanted: Wanted,
    keys: Box<[Key]>,
    due: Timestamp,
    /// Bytes it still lacks.
    lacks: usize,
}

impl Waiting {
    pub(super) const fn has_room_for(&self, partitions: usize) -> bool {
        self.partitions.saturating_add(partitions) <= limits::FETCHES_PARKED
    }

    /// Parks a Fetch until there are `lacks` bytes more than now, or the moment comes.
    pub(super) fn park(
        &mut self,
        ticket: Ticket,
        wanted: Wanted,
        keys: &[Key],
        lacks: usize,
        due: Timestamp,
    ) {
        self.partitions += wanted.len();
        for key in keys {
            self.by_key.entry(*key).or_default().insert(ticket);
        }
        self.due.insert((due, ticket));
        let parked = Parked {
            wanted,
            keys: keys.into(),
            due,
            lacks,
        };
        self.parked.insert(ticket, parked);
    }

    /// Takes one out.
    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Wanted> {
        let parked = self.parked.remove(&ticket)?;
        self.partitions -= parked.wanted.len();
        self.wake(ticket, &parked.keys, parked.due);
        Some(parked.wanted)
    }

    /// So many bytes came to a partition. Those that wait no longer.
    pub(super) fn appended(&mut self, key: Key, bytes: usize) -> Vec<Ticket> {
        let Some(tickets) = self.by_key.get(&key) else {
            return Vec::new();
        };
        let mut ready = Vec::new();
        for ticket in tickets {
            if let Some(parked) = self.parked.get_mut(ticket) {
                parked.lacks = parked.lacks.saturating_sub(bytes);
                if parked.lacks == 0 {
                    ready.push(*ticket);
                }
            }
        }
        for ticket in &ready {
            self.unlist(*ticket);
        }
        ready
    }

    /// One whose time is over by `now`.
    pub(super) fn pop_due(&mut self, now: Timestamp) -> Option<Ticket> {
        let (due, ticket) = *self.due.first()?;
        if due > now {
            return None;
        }
        self.unlist(ticket);
        Some(ticket)
    }

    /// When the next one's time is over.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.due.first().map(|(due, _)| *due)
    }

    /// It waits no longer, and is to be collected.
    fn unlist(&mut self, ticket: Ticket) {
        if let Some(parked) = self.parked.get_mut(&ticket) {
            let (keys, due) = (std::mem::take(&mut parked.keys), parked.due);
            self.wake(ticket, &keys, due);
        }
    }

    fn wake(&mut self, ticket: Ticket, keys: &[Key], due: Timestamp) {
        self.due.remove(&(due, ticket));
        for key in keys {
            if let Some(tickets) = self.by_key.get_mut(key) {
                tickets.remove(&ticket);
                if tickets.is_empty() {
                    self.by_key.remove(key);
                }
            }
        }
    }
}
