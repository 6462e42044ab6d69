//! Answers that are the same, byte for byte, as the last ones to the same questions: they are not read again.
//!
//! Of ten thousand groups a few change between two looks. What a look says beyond its answer, it says of what the offsets log has
//! of the group: see [`Stamp`](crate::survey::ledger::Stamp).

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use shared::ids::{GroupId, NodeId};
use shared::time::Timestamp;

use super::Roll;
use super::broker::{Asked, Seat};
use super::group::Known;
use crate::limits;
use crate::survey::ledger::Ledger;
use crate::survey::look::Describe;
use crate::survey::port::Output;

/// Digests of a broker's answers.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Of its last list; 0 for none.
    list: u64,
    /// Whether that list said nothing that the next one is to be read for, too.
    pub(super) list_is_settled: bool,
    /// By what was asked: the call and the groups.
    batches: BTreeMap<u64, u64>,
}

impl Seat {
    /// The digest of a list that need not be read; 0 for none.
    pub(super) const fn list_known(&self) -> u64 {
        if self.remembered.list_is_settled {
            self.remembered.list
        } else {
            0
        }
    }

    /// The same of descriptions, where the groups are `settled`.
    pub(super) fn batch_known(&self, call: Describe, batch: &[GroupId], settled: bool) -> u64 {
        let known = self.remembered.batches.get(&question(call, batch));
        known.copied().filter(|_| settled).unwrap_or(0)
    }

    /// Notes what was answered.
    pub(super) fn digested(&mut self, token: u64, digest: u64) {
        match self.asked(token) {
            Some(Asked::List) => self.remembered.list = digest,
            Some(Asked::Describe(call, batch)) => {
                let question = question(*call, batch);
                let batches = &mut self.remembered.batches;
                if batches.len() >= limits::SURVEY_REMEMBERED && !batches.contains_key(&question) {
                    // Batches are put together anew where groups have changed: most of these are asked no more.
                    batches.clear();
                }
                batches.insert(question, digest);
            }
            _ => {}
        }
    }
}

/// What is asked, as a number.
fn question(call: Describe, batch: &[GroupId]) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.hash(&mut hasher);
    batch.hash(&mut hasher);
    hasher.finish()
}

impl Known {
    /// Whether a look that is answered the same as the last one would say the same.
    pub(super) fn is_settled(&self, id: &GroupId, ledger: &Ledger) -> bool {
        let looked = self.looked_at.is_some() && !self.is_changing() && !self.turn.running;
        // A group with epochs may be followed by the log, or no longer.
        let epochs = !self.has_epochs()
            || (self.log.heard <= self.looked_at
                && self.log.took.is_empty()
                && self.log.followed == ledger.follows(id));
        looked && self.stamp == Some(ledger.stamp(id)) && epochs
    }
}

impl Roll {
    /// What was asked was answered as it was before.
    pub(super) fn same(
        &mut self,
        now: Timestamp,
        node: NodeId,
        token: u64,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        self.heard_of(now, node, out);
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        match seat.take(token) {
            Some(Asked::List) => {
                seat.list_again(now + limits::SURVEY_LIST_PACE);
                seat.told_all(now);
            }
            Some(Asked::Describe(_, asked)) => {
                for group in asked {
                    // Moved, or gone, meanwhile: then it is somebody else's, or nobody's.
                    let known = self.groups.get_mut(&group);
                    let Some(known) = known.filter(|known| known.node == node && known.asked) else {
                        continue;
                    };
                    known.asked = false;
                    if known.absent.is_none() {
                        known.answered_at = now;
                        seat.described_at = now;
                    }
                    // What the log told meanwhile is to be seen with a look of its own.
                    known.due = if known.is_settled(&group, ledger) {
                        let rested = known.rested_at[0].is_some() && known.rested_at[0] == known.looked_at;
                        if rested {
                            known.rested_at = [Some(now), known.rested_at[0]];
                        }
                        known.looked_at = Some(now);
                        now + known.pace()
                    } else {
                        now
                    };
                    seat.plan(&group, known);
                }
            }
            _ => {}
        }
    }
}
