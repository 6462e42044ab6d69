//! Who our members are: their numbers, the names each goes by, and the order it is under.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::ids::MemberId;
use thiserror::Error;
use tokio::sync::watch;

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

/// The members that run, by number. Cheap to clone: all clones are one roster.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    last_number: u64,
    running: BTreeMap<u64, Entry>,
    /// Client ids and member ids of those that run.
    numbers: BTreeMap<Arc<str>, u64>,
}

#[derive(Debug)]
struct Entry {
    client_id: Arc<str>,
    member_id: Option<Arc<str>>,
    orders: watch::Sender<Order>,
}

/// A member's own place in the roster; it is taken off when this is dropped, however the member ended.
#[derive(Debug)]
pub(super) struct Place {
    roster: Roster,
    /// Rises from 1; used again only by who replaces a member that failed.
    pub(super) number: u64,
    /// The prefix and the number.
    pub(super) client_id: Arc<str>,
    /// What it is told to do.
    pub(super) orders: watch::Receiver<Order>,
}

impl Roster {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Every change below is whole before it can panic, so a poisoned lock holds good entries.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new member, called `prefix` and its number.
    pub(super) fn enter(&self, prefix: &str) -> Place {
        let mut entries = self.entries();
        entries.last_number += 1;
        let number = entries.last_number;
        self.place(entries, prefix, number)
    }

    /// A place for who replaces the member of that number, which has ended: an operator sees the same client id, and a
    /// static member the same instance id.
    pub(super) fn enter_again(&self, prefix: &str, number: u64) -> Place {
        self.place(self.entries(), prefix, number)
    }

    fn place(&self, mut entries: MutexGuard<'_, Entries>, prefix: &str, number: u64) -> Place {
        let client_id: Arc<str> = Arc::from(format!("{prefix}-{number}"));
        let (sender, orders) = watch::channel(Order::Stay);
        entries.numbers.insert(Arc::clone(&client_id), number);
        entries.running.insert(
            number,
            Entry {
                client_id: Arc::clone(&client_id),
                member_id: None,
                orders: sender,
            },
        );
        drop(entries);
        Place {
            roster: self.clone(),
            number,
            client_id,
            orders,
        }
    }

    /// Gives an order to the member of that client id or member id.
    pub(super) fn order(&self, name: &str, order: Order) -> Result<(), NoSuchMember> {
        let entries = self.entries();
        let number = entries.numbers.get(name);
        let Some(entry) = number.and_then(|number| entries.running.get(number)) else {
            return Err(entries.no_such_member(name));
        };
        entry.orders.send_if_modified(|current| raise(current, order));
        Ok(())
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
    /// The next order; never the same twice.
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
        let Entries { running, numbers, .. } = &mut *entries;
        let Some(entry) = running.get_mut(&self.number) else {
            return;
        };
        let name = Some(name.as_str()).filter(|name| *name != &*entry.client_id);
        if entry.member_id.as_deref() == name {
            return;
        }
        let member_id = name.map(Arc::from);
        if let Some(old) = entry.member_id.take() {
            remove_own(numbers, &old, self.number);
        }
        if let Some(new) = &member_id {
            // A hostile coordinator may name two members alike, or one like another's client id: the first keeps it.
            numbers.entry(Arc::clone(new)).or_insert(self.number);
        }
        entry.member_id = member_id;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut entries = self.roster.entries();
        let Entries { running, numbers, .. } = &mut *entries;
        let Some(entry) = running.remove(&self.number) else {
            return;
        };
        remove_own(numbers, &entry.client_id, self.number);
        if let Some(member_id) = &entry.member_id {
            remove_own(numbers, member_id, self.number);
        }
    }
}

fn remove_own(numbers: &mut BTreeMap<Arc<str>, u64>, name: &str, number: u64) {
    if numbers.get(name) == Some(&number) {
        numbers.remove(name);
    }
}

#[cfg(test)]
mod tests;
