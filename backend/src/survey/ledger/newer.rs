//! A group of one of the newer protocols (KIP-848, KIP-932, KIP-1071) as its records say it is: its epoch, for which one it
//! is assigned, who is in it and how far each has come. Its brokers write a record of every step (protocol.md 4.7).
//!
//! - `fact`: what a record says, in words that all three types have in common
//! - `turn`: the rebalance that runs

mod fact;
mod turn;

use std::collections::BTreeMap;

use shared::event::{RebalanceCause, Rebalanced};
use shared::ids::{InstanceId, MemberId};
use shared::time::{Millis, UnixMs};

use self::fact::{Numbered, Stands, Wants};
use self::turn::{Pending, Turn};
use super::book::Place;
use crate::survey::look::Timeouts;

pub(super) use self::fact::Fact;

/// A member.
#[derive(Debug)]
struct Member {
    /// Where its own record stands, -1 nowhere.
    position: i64,
    /// What that says; none where it is a tombstone, which is kept only until what stands before it is read.
    known: Option<Known>,
    /// The same of where the member stands.
    stands_at: i64,
    stands: Option<Stands>,
}

#[derive(Debug)]
struct Known {
    timeouts: Timeouts,
    instance: Option<InstanceId>,
    topics: u64,
    assignor: u64,
}

/// The group.
#[derive(Debug)]
pub(super) struct Newer {
    /// Its epoch, since when it is in that, and where in the log that stands, -1 nowhere.
    epoch: Option<(Numbered, UnixMs)>,
    epoch_at: i64,
    /// The epoch it is assigned for, and where that stands.
    target: Option<i32>,
    target_at: i64,
    members: BTreeMap<MemberId, Member>,
    weight: usize,
    /// Whether a record of it is in a version that is not known, so that what it says is missing here.
    unreadable: bool,
    pending: Pending,
    turn: Option<Turn>,
}

/// What became of a group with a record.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::survey) enum Step {
    /// It has a new epoch, which begins a rebalance; the one before ends with that where not all had taken its epoch over.
    Began {
        epoch: i32,
        from: Option<i32>,
        cause: RebalanceCause,
        member: Option<MemberId>,
    },
    /// Its assignment for its epoch is there.
    Assigned,
    /// A member has taken its epoch over, so long after the group got it.
    TookOver {
        member: MemberId,
        epoch: i32,
        took: Millis,
    },
    /// A static member came back under another id.
    Replaced { gone: MemberId, heir: MemberId },
    /// All of them have.
    Over(Rebalanced),
}

/// What keeping one member takes, about, in bytes, beside its id.
const WEIGHT: usize = 160;
/// The same of the group.
const GROUP_WEIGHT: usize = 320;

impl Newer {
    pub(super) const fn new() -> Self {
        Self {
            epoch: None,
            epoch_at: -1,
            target: None,
            target_at: -1,
            members: BTreeMap::new(),
            weight: GROUP_WEIGHT,
            unreadable: false,
            pending: Pending {
                joined: Vec::new(),
                left: Vec::new(),
                changed: None,
                topics: false,
            },
            turn: None,
        }
    }

    /// Whether nothing is known that must be kept.
    pub(super) fn is_empty(&self) -> bool {
        self.epoch.is_none() && self.members.is_empty()
    }

    /// Bytes that a fact takes more, about, at most.
    pub(super) fn weight_of(member: Option<&str>) -> usize {
        member.map_or(0, |id| id.len() + WEIGHT)
    }

    /// Bytes that all take, about.
    pub(super) const fn weight(&self) -> usize {
        self.weight
    }

    /// A record of it could not be read.
    pub(super) const fn cannot_be_read(&mut self) {
        self.unreadable = true;
    }

    /// Where the record of its epoch stands, -1 nowhere.
    pub(super) const fn epoch_at(&self) -> i64 {
        self.epoch_at
    }

    /// Its epoch, where what is known of it follows its records.
    pub(super) fn followed(&self) -> Option<i32> {
        let (numbered, _) = self.epoch.as_ref().filter(|_| !self.unreadable)?;
        Some(numbered.epoch)
    }

    /// What the rebalance that runs began at, as far as that is known; none where none runs.
    pub(super) fn runs_from(&self) -> Option<Option<i32>> {
        self.turn.as_ref().map(|turn| turn.from)
    }

    pub(super) fn timeouts(&self, member: &MemberId) -> Option<Timeouts> {
        Some(self.members.get(member)?.known.as_ref()?.timeouts)
    }

    /// All was read that was written before: those that are gone are forgotten, and a rebalance that is under way will end.
    pub(super) fn caught_up(&mut self) {
        let weight = &mut self.weight;
        self.members.retain(|id, member| {
            let stays = member.known.is_some();
            if !stays {
                *weight = weight.saturating_sub(WEIGHT + id.as_str().len());
            }
            stays
        });
        self.pending = Pending::default();
        if self.epoch.is_some() && self.turn.is_none() && !self.is_settled() {
            self.turn = Some(Turn::under_way());
        }
    }

    /// Takes a record in, unless a later one of its key is known; `complete` where all that was written before is known.
    ///
    /// `converted` is the generation of the classic group of that name which this very batch made one with epochs.
    pub(super) fn take(
        &mut self,
        place: &Place,
        complete: bool,
        converted: Option<i32>,
        fact: Fact<'_>,
    ) -> Vec<Step> {
        let told = complete && place.heard.is_some();
        let mut steps = Vec::new();
        match fact {
            Fact::Epoch(_) if self.epoch_at >= place.position => {}
            Fact::Epoch(to) => {
                self.epoch_at = place.position;
                steps.extend(self.numbered(place, told, converted, to));
            }
            Fact::Topics => self.pending.topics |= told,
            Fact::Target(_) if self.target_at >= place.position => {}
            Fact::Target(to) => {
                self.target_at = place.position;
                self.target = to;
                self.pending = Pending::default();
                let assigned = to.is_some() && to == self.followed() && self.turn.is_some();
                steps.extend((told && assigned).then_some(Step::Assigned));
            }
            Fact::Member(id, wants) => steps.extend(self.member(place, complete, id, wants)),
            Fact::Stands(id, stands) => steps.extend(self.stands(place, told, id, stands)),
        }
        // A tombstone is followed by the epoch that it brings about.
        let may_end = matches!(
            fact,
            Fact::Epoch(Some(_)) | Fact::Target(Some(_)) | Fact::Stands(_, Some(_))
        );
        if told && may_end && self.is_settled() {
            steps.extend(self.over(place.written_at));
        }
        steps
    }

    fn numbered(
        &mut self,
        place: &Place,
        told: bool,
        converted: Option<i32>,
        to: Option<Numbered>,
    ) -> Option<Step> {
        let at = place.written_at;
        let before = std::mem::replace(&mut self.epoch, to.map(|to| (to, at)));
        let pending = std::mem::take(&mut self.pending);
        let Some(to) = to else {
            self.turn = None;
            return None;
        };
        let before = before.map(|(before, _)| before);
        if before.is_some_and(|before| before.epoch == to.epoch) {
            // Written anew for something else that stands in it.
            self.pending = pending;
            return None;
        }
        if !told || converted == Some(to.epoch) {
            return None;
        }
        let from = before
            .map(|before| before.epoch)
            .filter(|before| *before < to.epoch);
        let gap = from.map_or(0, |from| to.epoch.saturating_sub(from).saturating_sub(1));
        let missed = u32::try_from(gap).unwrap_or(0);
        let other = before.is_some_and(|before| before.topics != to.topics);
        let pending = Pending {
            topics: pending.topics || other,
            ..pending
        };
        let (cause, member, comings) = pending.tell();
        // One that runs gives way to it: its epoch is none that all will be in.
        self.turn = Some(Turn {
            from,
            since: Some(at),
            cause,
            member: member.clone(),
            comings: Some(comings),
            missed,
        });
        Some(Step::Began {
            epoch: to.epoch,
            from,
            cause,
            member,
        })
    }

    fn member(&mut self, place: &Place, complete: bool, id: &str, wants: Option<Wants<'_>>) -> Option<Step> {
        let told = complete && place.heard.is_some();
        let member = self.entry(id);
        if member.position >= place.position {
            return None;
        }
        member.position = place.position;
        let known = wants.map(|wants| Known {
            timeouts: wants.timeouts,
            instance: wants.instance.map(InstanceId::from),
            topics: wants.topics,
            assignor: wants.assignor,
        });
        let named = known.as_ref().map(|known| known.instance.clone());
        let before = std::mem::replace(&mut member.known, known);
        let id = MemberId::from(id);
        let step = match (before, wants, named) {
            _ if !told => None,
            (None, Some(_), Some(instance)) => {
                self.pending.joined.push((id.clone(), instance));
                let heir = self.pending.heir();
                heir.map(|(gone, heir)| Step::Replaced {
                    gone: gone.clone(),
                    heir: heir.clone(),
                })
            }
            (Some(before), None, _) => {
                self.pending.left.push((id.clone(), before.instance));
                None
            }
            (Some(before), Some(wants), _) => {
                if before.topics != wants.topics {
                    self.pending.changed = Some((RebalanceCause::SubscriptionChanged, id.clone()));
                } else if before.assignor != wants.assignor {
                    self.pending.changed = Some((RebalanceCause::ProtocolChanged, id.clone()));
                }
                None
            }
            (None, ..) => None,
        };
        if wants.is_none() && complete && self.members.remove(&id).is_some() {
            self.weight = self.weight.saturating_sub(WEIGHT + id.as_str().len());
        }
        step
    }

    fn stands(&mut self, place: &Place, told: bool, id: &str, stands: Option<Stands>) -> Option<Step> {
        if stands.is_some() {
            // What came before it in its batch brought no new epoch about.
            self.pending = Pending::default();
        }
        let current = self
            .epoch
            .as_ref()
            .map(|(numbered, since)| (numbered.epoch, *since));
        let runs = self.turn.is_some();
        let member = self.entry(id);
        if member.stands_at >= place.position {
            return None;
        }
        member.stands_at = place.position;
        let before = std::mem::replace(&mut member.stands, stands);
        let (epoch, since) = current.filter(|_| told && runs)?;
        let there = Some(Stands { epoch, arrived: true });
        (stands == there && before != there).then(|| Step::TookOver {
            member: MemberId::from(id),
            epoch,
            took: place.written_at.since(since),
        })
    }

    fn entry(&mut self, id: &str) -> &mut Member {
        let weight = &mut self.weight;
        self.members.entry(MemberId::from(id)).or_insert_with(|| {
            *weight += WEIGHT + id.len();
            Member {
                position: -1,
                known: None,
                stands_at: -1,
                stands: None,
            }
        })
    }

    /// Whether every member is in the group's epoch, and has what it is to have there: Kafka's rule for Stable, and Empty.
    fn is_settled(&self) -> bool {
        let Some(epoch) = self.followed() else {
            return false;
        };
        let there = Some(Stands { epoch, arrived: true });
        let mut members = self.members.values().filter(|member| member.known.is_some());
        let Some(first) = members.next() else { return true };
        self.target == Some(epoch) && first.stands == there && members.all(|member| member.stands == there)
    }

    fn over(&mut self, at: UnixMs) -> Option<Step> {
        let turn = self.turn.take()?;
        let (numbered, _) = self.epoch.as_ref()?;
        Some(Step::Over(turn.over(numbered.epoch, at)))
    }
}
