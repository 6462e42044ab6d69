//! Members of groups of the newer protocols, as far as no description tells of them: how long they are waited for.

use std::collections::BTreeMap;

use shared::ids::MemberId;
use shared::time::Millis;

use crate::survey::look::Timeouts;

/// What a record says of a member; a tombstone is kept only until what stands before it is read.
#[derive(Debug)]
struct Noted {
    /// Where in the log it stands.
    position: i64,
    timeouts: Option<Timeouts>,
}

/// By member id.
#[derive(Debug, Default)]
pub(super) struct Newer(BTreeMap<MemberId, Noted>);

/// What keeping one takes, about, in bytes, beside its id.
const WEIGHT: usize = 112;

impl Newer {
    pub(super) const fn new() -> Self {
        Self(BTreeMap::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that one more takes, about.
    pub(super) fn weight_of(&self, member: &str) -> usize {
        if self.0.contains_key(member) {
            0
        } else {
            WEIGHT + member.len()
        }
    }

    /// Bytes that all take, about.
    pub(super) fn weight(&self) -> usize {
        self.0.keys().map(|id| WEIGHT + id.as_str().len()).sum()
    }

    /// Takes one in, or that it is gone, unless something later is known.
    pub(super) fn put(&mut self, member: &str, position: i64, timeouts: Option<Timeouts>) {
        match self.0.get_mut(member) {
            Some(known) if known.position >= position => {}
            Some(known) => *known = Noted { position, timeouts },
            None => {
                self.0
                    .insert(MemberId::from(member), Noted { position, timeouts });
            }
        }
    }

    /// Forgets those that are gone.
    pub(super) fn sweep(&mut self) {
        self.0.retain(|_, noted| noted.timeouts.is_some());
    }

    pub(super) fn get(&self, member: &MemberId) -> Option<Timeouts> {
        self.0.get(member)?.timeouts
    }
}

/// The timeouts in a record; -1 and less say that none is set.
pub(super) fn timeouts(session: Option<i32>, rebalance: i32) -> Timeouts {
    let millis = |ms: i32| u64::try_from(ms).ok().map(Millis);
    Timeouts {
        session: session.and_then(millis),
        rebalance: millis(rebalance),
    }
}
