//! Who refused our credentials a moment ago.

use std::collections::BTreeMap;

use shared::time::Timestamp;

use crate::kafka::address::Address;
use crate::kafka::link_end::LinkEnd;
use crate::limits;

/// A broker that refuses our credentials is left alone for a while: ten thousand members with a wrong password must not lock
/// an account, and the answer would be the same.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeMap<Address, (Timestamp, LinkEnd)>);

impl Refusals {
    /// The end that dialling `address` came to less than [`limits::AUTHENTICATION_PAUSE`] ago, again.
    pub(super) fn recent(&self, now: Timestamp, address: &Address) -> Result<(), LinkEnd> {
        match self.0.get(address) {
            Some((at, end)) if now < *at + limits::AUTHENTICATION_PAUSE => Err(end.clone()),
            _ => Ok(()),
        }
    }

    /// Keeps an end if it is a refusal.
    pub(super) fn note(&mut self, now: Timestamp, address: &Address, end: &LinkEnd) {
        if !matches!(end, LinkEnd::Authentication { .. }) {
            return;
        }
        self.0
            .retain(|_, (at, _)| now < *at + limits::AUTHENTICATION_PAUSE);
        if self.0.len() < limits::BROKERS {
            self.0.insert(address.clone(), (now, end.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_again_until_the_pause_is_over_and_other_ends_are_not() {
        let mut refusals = Refusals::default();
        let (here, there) = (Address::new("a", 1).unwrap(), Address::new("b", 1).unwrap());
        let refused = LinkEnd::Authentication {
            mechanism: "PLAIN",
            reason: "no".to_owned(),
        };
        refusals.note(Timestamp(0), &here, &refused);
        refusals.note(Timestamp(0), &there, &LinkEnd::Closed { unanswered: 1 });
        let over = Timestamp(0) + limits::AUTHENTICATION_PAUSE;
        assert_eq!(refusals.recent(Timestamp(over.0 - 1), &here), Err(refused));
        assert_eq!(refusals.recent(over, &here), Ok(()));
        assert_eq!(refusals.recent(Timestamp(1), &there), Ok(()));
    }
}
