//! A rebalance as it will be told: why it began, who came and went, how long each phase took.

use std::collections::BTreeSet;

use shared::event::{Change, GroupType, RebalanceCause, Rebalanced};
use shared::ids::{Generation, MemberId, NodeId};
use shared::time::Timestamp;

use super::state::State;

/// Why a group moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A rebalance starts, or starts over; who made it, where it was somebody.
    Rebalance {
        why: RebalanceCause,
        member: Option<MemberId>,
    },
    /// The join phase is over.
    Joined,
    /// The leader has handed in the assignment.
    Assigned,
    /// Nobody is left.
    Deserted,
    /// It has been empty for long enough.
    Forgotten,
    /// Its partition of `__consumer_offsets` went to another broker.
    Unloaded { node: NodeId, partition: i32 },
}

impl Cause {
    pub(crate) fn by(why: RebalanceCause, member: &MemberId) -> Self {
        Self::Rebalance {
            why,
            member: Some(member.clone()),
        }
    }
}

/// What is remembered between two events of a group.
#[derive(Debug, Default)]
pub(crate) struct Story {
    rebalance: Option<Running>,
    came: BTreeSet<MemberId>,
    went: BTreeSet<MemberId>,
}

/// The rebalance under way: from leaving Stable or Empty to the next Stable or Empty.
#[derive(Debug)]
struct Running {
    why: RebalanceCause,
    member: Option<MemberId>,
    from_generation: i32,
    began: Timestamp,
    /// When the last join phase ended.
    joined: Option<Timestamp>,
    /// Generations formed that never became Stable.
    abandoned: u32,
}

impl Story {
    /// A member is in that was not when the last rebalance ended.
    pub(crate) fn came(&mut self, member: &MemberId) {
        self.came.insert(member.clone());
    }

    /// A member is out. One that came and went in the same rebalance is in neither list.
    pub(crate) fn went(&mut self, member: &MemberId) {
        if !self.came.remove(member) {
            self.went.insert(member.clone());
        }
    }

    /// Who is in now has been told otherwise: nobody came and nobody went.
    pub(crate) fn settled(&mut self) {
        self.came.clear();
        self.went.clear();
    }

    /// The event of one move.
    pub(crate) fn moved(
        &mut self,
        now: Timestamp,
        (from, to): (State, State),
        cause: Cause,
        generation: i32,
    ) -> Change {
        match (from, to) {
            (_, State::Dead) => {
                return match cause {
                    Cause::Unloaded { node, partition } => Change::GroupUnloaded { node, partition },
                    _ => Change::GroupGone {
                        group_type: GroupType::Classic,
                    },
                };
            }
            (State::Empty | State::Stable, State::PreparingRebalance) => {
                let (why, member) = match cause {
                    Cause::Rebalance { why, member } => (why, member),
                    Cause::Joined
                    | Cause::Assigned
                    | Cause::Deserted
                    | Cause::Forgotten
                    | Cause::Unloaded { .. } => (RebalanceCause::NotVisible, None),
                };
                self.rebalance = Some(Running {
                    why,
                    member: member.clone(),
                    from_generation: generation,
                    began: now,
                    joined: None,
                    abandoned: 0,
                });
                return Change::RebalanceStarted {
                    cause: why,
                    member,
                    from_generation: Some(Generation(generation)),
                };
            }
            (_, State::Empty | State::Stable) => {
                if let Some(running) = self.rebalance.take() {
                    return Change::RebalanceFinished(self.finished(now, running, to, generation));
                }
            }
            (_, State::CompletingRebalance) => {
                if let Some(running) = &mut self.rebalance {
                    running.joined = Some(now);
                }
            }
            (_, State::PreparingRebalance) => {
                if let Some(running) = &mut self.rebalance {
                    running.abandoned = running.abandoned.saturating_add(1);
                }
            }
        }
        Change::GroupState {
            from: Some(from.into()),
            to: to.into(),
        }
    }

    fn finished(&mut self, now: Timestamp, running: Running, to: State, generation: i32) -> Rebalanced {
        let ms = |from: Timestamp, to: Timestamp| to.micros_since(from) / 1000;
        let took = ms(running.began, now);
        // A group that became empty had no sync phase: all of it was waiting for somebody to join.
        let joined = running.joined.filter(|_| to == State::Stable);
        let (came, went) = (std::mem::take(&mut self.came), std::mem::take(&mut self.went));
        let unnamed =
            came.len().saturating_sub(Rebalanced::NAMED) + went.len().saturating_sub(Rebalanced::NAMED);
        let named = |ids: BTreeSet<MemberId>| ids.into_iter().take(Rebalanced::NAMED).collect();
        Rebalanced {
            generation: Generation(generation),
            from_generation: Some(Generation(running.from_generation)),
            cause: running.why,
            member: running.member,
            took_ms: Some(took),
            took_between_ms: None,
            join_ms: Some(joined.map_or(took, |joined| ms(running.began, joined))),
            sync_ms: joined.map(|joined| ms(joined, now)),
            joined: Some(named(came)),
            left: Some(named(went)),
            unnamed: u32::try_from(unnamed).unwrap_or(u32::MAX),
            abandoned: running.abandoned,
            missed: 0,
        }
    }
}
