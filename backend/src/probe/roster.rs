//! Who our members are: their numbers, the names each goes by, and the order it is under.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::ids::{GroupId, InstanceId, MemberId};
use thiserror::Error;
use tokio::sync::watch;

use super::defects::Deed;
use crate::limits;

/// What a member is told to do. Orders only rise: who was told to leave may still be killed, not the reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// Be a member.
    Stay,
    /// Leave the group, then end.
    Leave,
    /// Cut the socket and end: no LeaveGroup.
    Die,
}

/// A name that none of our running members goes by.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no member of ours is called '{}' (allowed: a client id or a member id of {members})", .name.escape_debug())]
pub struct NoSuchMember {
    /// What was asked for, cut at [`NoSuchMember::SHOWN`] characters.
    pub name: String,
    /// Who there is, by client id; the first few of many.
    pub members: String,
}

impl NoSuchMember {
    /// Characters of a wrong name that the error repeats.
    pub const SHOWN: usize = 80;
    /// Members that the error names.
    pub const NAMED: usize = 10;
}

/// The members that run. Cheap to clone: all clones are one roster.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    entries: Arc<Mutex<Entries>>,
    /// The last number given away in this set.
    last_number: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Entries {
    last_key: u64,
    running: BTreeMap<u64, Entry>,
    /// Client ids and member ids of those that run, and whose entry each is.
    keys: BTreeMap<Arc<str>, u64>,
}

#[derive(Debug)]
struct Entry {
    client_id: Arc<str>,
    member_id: Option<Arc<str>>,
    orders: watch::Sender<Order>,
    /// What else it is told to do, oldest first.
    deeds: VecDeque<Deed>,
    seat: Seat,
}

/// Where a member sits, as far as whoever plays faults must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) group: GroupId,
    /// A static member's own name.
    pub(super) instance: Option<InstanceId>,
    /// It has been taken into a generation.
    pub(super) joined: bool,
    /// It makes the group's assignment.
    pub(super) leads: bool,
}

/// A member's own place in the roster; it is taken off when this is dropped, however the member ended.
#[derive(Debug)]
pub(super) struct Place {
    roster: Roster,
    /// Of its entry; never used again.
    pub(super) key: u64,
    /// Rises from 1 in its set; used again only by who replaces a member that failed.
    pub(super) number: u64,
    /// The prefix and the number.
    pub(super) client_id: Arc<str>,
    /// What it is told to do.
    pub(super) orders: watch::Receiver<Order>,
}

impl Roster {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Every change below is whole before it can panic, so a poisoned lock holds good entries.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same roster for another set of members, which are numbered from 1 again.
    pub(super) fn another_set(&self) -> Self {
        Self {
            entries: Arc::clone(&self.entries),
            last_number: Arc::default(),
        }
    }

    /// A place for a new member, called `prefix` and its number.
    pub(super) fn enter(&self, prefix: &str) -> Place {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        self.place(self.entries(), prefix, number)
    }

    /// A place for who replaces the member of that number, which has ended: an operator sees the same client id, and a
    /// static member the same instance id.
    pub(super) fn enter_again(&self, prefix: &str, number: u64) -> Place {
        self.place(self.entries(), prefix, number)
    }

    fn place(&self, mut entries: MutexGuard<'_, Entries>, prefix: &str, number: u64) -> Place {
        let client_id: Arc<str> = Arc::from(format!("{prefix}-{number}"));
        let (sender, orders) = watch::channel(Order::Stay);
        entries.last_key += 1;
        let key = entries.last_key;
        // Two sets of members may be called alike: the one that came last goes by the name.
        entries.keys.insert(Arc::clone(&client_id), key);
        entries.running.insert(
            key,
            Entry {
                client_id: Arc::clone(&client_id),
                member_id: None,
                orders: sender,
                deeds: VecDeque::new(),
                seat: Seat::default(),
            },
        );
        drop(entries);
        Place {
            roster: self.clone(),
            key,
            number,
            client_id,
            orders,
        }
    }

    /// Gives an order to the member of that client id or member id.
    pub(super) fn order(&self, name: &str, order: Order) -> Result<(), NoSuchMember> {
        let entries = self.entries();
        let key = entries.keys.get(name);
        let Some(entry) = key.and_then(|key| entries.running.get(key)) else {
            return Err(entries.no_such_member(name));
        };
        entry.orders.send_if_modified(|current| raise(current, order));
        Ok(())
    }

    /// Has a member do something; false where it has too much to do already.
    pub(super) fn tell(&self, name: &str, deed: Deed) -> Result<bool, NoSuchMember> {
        let mut entries = self.entries();
        let key = entries.keys.get(name).copied();
        match key.and_then(|key| entries.running.get_mut(&key)) {
            Some(entry) => Ok(entry.give(deed)),
            None => Err(entries.no_such_member(name)),
        }
    }

    /// Has whichever of our members leads a group do something; false where none does.
    pub(super) fn tell_leader(&self, group: &GroupId, deed: Deed) -> bool {
        let mut entries = self.entries();
        let mut all = entries.running.values_mut();
        let leader = all.find(|entry| entry.seat.leads && entry.seat.group == *group);
        leader.is_some_and(|entry| entry.give(deed))
    }

    /// Has all members do something.
    pub(super) fn tell_all(&self, deed: Deed) {
        for entry in self.entries().running.values_mut() {
            entry.give(deed);
        }
    }

    /// Where a member sits.
    pub(super) fn seat(&self, name: &str) -> Result<Seat, NoSuchMember> {
        let entries = self.entries();
        let key = entries.keys.get(name);
        let entry = key.and_then(|key| entries.running.get(key));
        entry
            .map(|entry| entry.seat.clone())
            .ok_or_else(|| entries.no_such_member(name))
    }

    /// Gives an order to some, by key; those that have ended meanwhile need none.
    pub(super) fn order_each(&self, keys: &[u64], order: Order) {
        let entries = self.entries();
        for entry in keys.iter().filter_map(|key| entries.running.get(key)) {
            entry.orders.send_if_modified(|current| raise(current, order));
        }
    }

    /// Gives an order to all.
    pub(super) fn order_all(&self, order: Order) {
        for entry in self.entries().running.values() {
            entry.orders.send_if_modified(|current| raise(current, order));
        }
    }

    /// How many run.
    pub(super) fn len(&self) -> usize {
        self.entries().running.len()
    }
}

fn raise(current: &mut Order, order: Order) -> bool {
    let rises = order > *current;
    if rises {
        *current = order;
    }
    rises
}

impl Entry {
    fn give(&mut self, deed: Deed) -> bool {
        let room = self.deeds.len() < limits::MEMBER_DEEDS;
        if room {
            self.deeds.push_back(deed);
            // The order stays what it is; whoever waits for one looks for deeds too.
            self.orders.send_modify(|_order| {});
        }
        room
    }
}

impl Entries {
    fn no_such_member(&self, name: &str) -> NoSuchMember {
        let named: Vec<&str> = self
            .running
            .values()
            .take(NoSuchMember::NAMED)
            .map(|entry| &*entry.client_id)
            .collect();
        let more = self.running.len() - named.len();
        let members = match (named.is_empty(), more) {
            (true, _) => "a running member, but none runs".to_owned(),
            (false, 0) => named.join(", "),
            (false, more) => format!("{} and {more} more", named.join(", ")),
        };
        NoSuchMember {
            name: name.chars().take(NoSuchMember::SHOWN).collect(),
            members,
        }
    }
}

impl Place {
    /// What it was told to do since it last asked.
    pub(super) fn deeds(&self) -> VecDeque<Deed> {
        let mut entries = self.roster.entries();
        let entry = entries.running.get_mut(&self.key);
        entry
            .map(|entry| std::mem::take(&mut entry.deeds))
            .unwrap_or_default()
    }

    /// It sits elsewhere, or otherwise, now.
    pub(super) fn sit(&self, change: impl FnOnce(&mut Seat)) {
        if let Some(entry) = self.roster.entries().running.get_mut(&self.key) {
            change(&mut entry.seat);
        }
    }

    /// The next order, or the same again where there is a deed to do.
    pub(super) async fn ordered(&mut self) -> Order {
        match self.orders.changed().await {
            Ok(()) => *self.orders.borrow_and_update(),
            // The sender is in the roster as long as this place is.
            Err(_no_roster) => Order::Die,
        }
    }

    /// The coordinator named the member, or took its name away: then it goes by its client id.
    pub(super) fn rename(&self, name: &MemberId) {
        let mut entries = self.roster.entries();
        let Entries { running, keys, .. } = &mut *entries;
        let Some(entry) = running.get_mut(&self.key) else {
            return;
        };
        let name = Some(name.as_str()).filter(|name| *name != &*entry.client_id);
        if entry.member_id.as_deref() == name {
            return;
        }
        let member_id = name.map(Arc::from);
        if let Some(old) = entry.member_id.take() {
            remove_own(keys, &old, self.key);
        }
        if let Some(new) = &member_id {
            // A hostile coordinator may name two members alike, or one like another's client id: the first keeps it.
            keys.entry(Arc::clone(new)).or_insert(self.key);
        }
        entry.member_id = member_id;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut entries = self.roster.entries();
        let Entries { running, keys, .. } = &mut *entries;
        let Some(entry) = running.remove(&self.key) else {
            return;
        };
        remove_own(keys, &entry.client_id, self.key);
        if let Some(member_id) = &entry.member_id {
            remove_own(keys, member_id, self.key);
        }
    }
}

fn remove_own(keys: &mut BTreeMap<Arc<str>, u64>, name: &str, key: u64) {
    if keys.get(name) == Some(&key) {
        keys.remove(name);
    }
}

#[cfg(test)]
mod tests;
