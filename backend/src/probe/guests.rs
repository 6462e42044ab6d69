//! Members of ours that are there for a fault only: in groups of their own, or as somebody's double. They leave again.

use std::collections::{BTreeMap, BTreeSet};

use shared::ids::{GroupId, InstanceId};
use shared::time::{Millis, Timestamp};

use super::roster::{Place, Roster};
use crate::clock::Clock;

/// How often is looked whether somebody else has joined.
const LOOK_AGAIN: Millis = Millis(50);
/// How often at most: who has not joined in a minute may not join at all.
const LOOKS: u32 = 1_200;

/// A member that is to come.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) place: Place,
    pub(super) group: GroupId,
    pub(super) instance: Option<InstanceId>,
    /// It starts when the member of this client id has joined.
    pub(super) after: Option<String>,
}

/// Those that came, by the key of their places, and when they go.
#[derive(Debug, Default)]
pub(super) struct Guests {
    departures: BTreeMap<Timestamp, Vec<u64>>,
    /// Who stays until it is told to go.
    staying: BTreeSet<u64>,
}

impl Guests {
    pub(super) fn came(&mut self, key: u64, departure: Option<Timestamp>) {
        match departure {
            Some(at) => self.departures.entry(at).or_default().push(key),
            None => drop(self.staying.insert(key)),
        }
    }

    pub(super) fn next_departure(&self) -> Option<Timestamp> {
        self.departures.keys().next().copied()
    }

    /// Who goes now.
    pub(super) fn departing(&mut self, now: Timestamp) -> Vec<u64> {
        let mut going = Vec::new();
        while let Some(entry) = self.departures.first_entry()
            && *entry.key() <= now
        {
            going.extend(entry.remove());
        }
        going
    }

    /// All go, whenever they were to.
    pub(super) fn all_depart(&mut self) -> Vec<u64> {
        let waiting = std::mem::take(&mut self.departures);
        let staying = std::mem::take(&mut self.staying);
        waiting.into_values().flatten().chain(staying).collect()
    }
}

/// Waits until a member has joined its group, has ended, or takes too long.
pub(super) async fn until_joined(roster: &Roster, client_id: &str, clock: Clock) {
    for _ in 0..LOOKS {
        match roster.seat(client_id) {
            Ok(seat) if !seat.joined => clock.wait(LOOK_AGAIN).await,
            Ok(_) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_go_when_their_time_is_over_or_all_at_once() {
        let mut guests = Guests::default();
        let at = Timestamp::from_millis;
        guests.came(1, Some(at(5)));
        guests.came(2, Some(at(7)));
        guests.came(3, None);
        assert_eq!(guests.next_departure(), Some(at(5)));
        assert!(guests.departing(at(4)).is_empty());
        assert_eq!(guests.departing(at(5)), [1]);
        assert_eq!(guests.all_depart(), [2, 3]);
        assert_eq!((guests.next_departure(), guests.all_depart()), (None, vec![]));
    }
}
