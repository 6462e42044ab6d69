//! How a search for a broker stands while it goes on: whoever waits for it can say for whom.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shared::event::LinkFault;

use super::unreachable::{NoBroker, fault_of};
use crate::kafka::address::Address;
use crate::kafka::link_end::LinkEnd;

/// A search: those that are asked or are going to be, and how it failed where it did.
#[derive(Debug, Default)]
pub struct Search {
    standing: Mutex<Vec<(Address, Option<LinkEnd>)>>,
}

impl Search {
    /// It begins with these.
    pub(super) fn begins(&self, candidates: &[Address]) {
        *self.standing() = candidates.iter().map(|address| (address.clone(), None)).collect();
    }

    /// One of them failed.
    pub(super) fn failed(&self, address: &Address, end: &LinkEnd) {
        let mut standing = self.standing();
        if let Some((_, known)) = standing.iter_mut().find(|(asked, _)| asked == address) {
            *known = Some(end.clone());
        }
    }

    /// How it stands by now.
    #[must_use]
    pub fn so_far(&self) -> SoFar {
        SoFar {
            asked: self.standing().clone(),
        }
    }

    fn standing(&self) -> MutexGuard<'_, Vec<(Address, Option<LinkEnd>)>> {
        // Each change is one call that leaves the list whole.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a search stands at a moment: nobody has answered yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SoFar {
    asked: Vec<(Address, Option<LinkEnd>)>,
}

impl SoFar {
    /// The short word for events; one that has not answered yet may not do so by its deadline either.
    #[must_use]
    pub fn fault(&self) -> LinkFault {
        fault_of(&self.faults().into_iter().map(|(_, fault)| fault))
    }

    /// The same of each broker, in the order of their addresses: what is equal to it is no news.
    #[must_use]
    pub fn faults(&self) -> Vec<(Address, LinkFault)> {
        let fault = |end: &Option<LinkEnd>| end.as_ref().map_or(LinkFault::Timeout, LinkEnd::fault);
        let each = self
            .asked
            .iter()
            .map(|(address, end)| (address.clone(), fault(end)));
        let mut each: Vec<_> = each.collect();
        each.sort();
        each
    }
}

impl fmt::Display for SoFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut asked: Vec<_> = self.asked.iter().collect();
        asked.sort_by(|one, other| one.0.cmp(&other.0));
        match asked.len() {
            0 | 1 => {}
            n => write!(f, "none of {n} brokers has answered yet: ")?,
        }
        for (n, (address, end)) in asked.iter().take(NoBroker::TOLD).enumerate() {
            let divider = if n == 0 { "" } else { "; " };
            match end {
                Some(end) => write!(f, "{divider}{address}: {end}")?,
                None => write!(f, "{divider}{address}: no answer yet")?,
            }
        }
        match asked.len().saturating_sub(NoBroker::TOLD) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}
