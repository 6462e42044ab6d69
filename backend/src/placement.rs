//! Probe groups of ours, one on each broker that coordinates groups of others: so that each coordinator's answers to
//! heartbeats are timed. A group's name decides which broker coordinates it (protocol.md 4.3), so it is chosen for that.
//!
//! [`Placement`] decides, without IO; [`Placer`] hires and dismisses.

mod placer;

pub use placer::Placer;

use std::collections::{BTreeMap, BTreeSet};

use shared::ids::{GroupId, NodeId};
use shared::time::Timestamp;

use crate::limits;
use crate::survey::port::Coordinators;

/// Which probe group is where.
#[derive(Debug)]
pub struct Placement {
    /// What their names begin with.
    base: String,
    placed: BTreeMap<NodeId, Placed>,
    /// Those whose broker has another one by now: while a coordinator dies and comes again they move to and fro, and one that is
    /// dismissed then cannot leave.
    spare: BTreeMap<GroupId, Spare>,
    /// Names that others use: the next one is taken in their place.
    used: BTreeSet<GroupId>,
}

#[derive(Debug)]
struct Placed {
    group: GroupId,
    /// Since when its broker coordinates no group of others.
    idle_since: Option<Timestamp>,
}

#[derive(Debug)]
struct Spare {
    /// Since when it is, at that broker; where it moves again, its old broker may soon want it back.
    since: Timestamp,
    at: Option<NodeId>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of ours joins this group.
    Start(GroupId),
    /// It leaves it.
    Stop(GroupId),
}

impl Placement {
    /// None yet; their names are `base` and a counter.
    #[must_use]
    pub fn new(base: &GroupId) -> Self {
        Self {
            base: base.as_str().to_owned(),
            placed: BTreeMap::new(),
            spare: BTreeMap::new(),
            used: BTreeSet::new(),
        }
    }

    /// A group that is one of others: what is to be done at once. To be followed by [`Self::handle`].
    pub fn refuse(&mut self, group: GroupId) -> Step {
        self.spare.remove(&group);
        self.placed.retain(|_, placed| placed.group != group);
        if self.used.len() < limits::PLACED_USED {
            self.used.insert(group.clone());
        }
        Step::Stop(group)
    }

    /// What follows from who coordinates what `now`. To be asked again at [`Self::deadline`] and whenever that changes.
    pub fn handle(&mut self, now: Timestamp, seen: &Coordinators) -> Vec<Step> {
        let mut steps = Vec::new();
        self.follow(now, seen);
        self.dismiss_idle(now, seen, &mut steps);
        for node in &seen.busy {
            if self.placed.contains_key(node) {
                continue;
            }
            let spare = self.spare.keys().find(|group| seen.of(group) == Some(*node));
            let group = match spare.cloned() {
                Some(group) => {
                    self.spare.remove(&group);
                    group
                }
                None if self.is_full() => continue,
                None => {
                    let Some(group) = seen.name_at(&self.base, *node, &self.used) else {
                        continue;
                    };
                    steps.push(Step::Start(group.clone()));
                    group
                }
            };
            let placed = Placed {
                group,
                idle_since: None,
            };
            self.placed.insert(*node, placed);
        }
        self.dismiss_spare(now, seen, &mut steps);
        steps
    }

    fn is_full(&self) -> bool {
        self.placed.len() + self.spare.len() >= limits::PLACED_PROBES
            || self.used.len() >= limits::PLACED_USED
    }

    /// When the next one is dismissed.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let idle = self.placed.values().filter_map(|placed| placed.idle_since);
        let idle = idle.map(|since| since + limits::PLACED_IDLE);
        let spare = self
            .spare
            .values()
            .map(|spare| spare.since + limits::PLACED_SPARE);
        idle.chain(spare).min()
    }

    /// A group that another broker coordinates now is that broker's probe, or a spare one.
    fn follow(&mut self, now: Timestamp, seen: &Coordinators) {
        let moved = |node: &NodeId, placed: &Placed| {
            let coordinator = seen.of(&placed.group);
            coordinator.filter(|coordinator| coordinator != node)
        };
        let gone: Vec<(NodeId, NodeId)> = self
            .placed
            .iter()
            .filter_map(|(node, placed)| Some((*node, moved(node, placed)?)))
            .collect();
        let taken: Vec<(NodeId, Placed)> = gone
            .into_iter()
            .filter_map(|(from, to)| Some((to, self.placed.remove(&from)?)))
            .collect();
        for (to, placed) in taken {
            if seen.busy.contains(&to) && !self.placed.contains_key(&to) {
                self.placed.insert(to, placed);
            } else {
                let (since, at) = (now, Some(to));
                self.spare.insert(placed.group, Spare { since, at });
            }
        }
    }

    fn dismiss_spare(&mut self, now: Timestamp, seen: &Coordinators, steps: &mut Vec<Step>) {
        self.spare.retain(|group, spare| {
            let at = seen.of(group);
            // Where nobody answers, nobody can leave.
            if at != spare.at || !at.is_some_and(|node| seen.answering.contains(&node)) {
                (spare.since, spare.at) = (now, at);
            }
            let stays = spare.since + limits::PLACED_SPARE > now;
            if !stays {
                steps.push(Step::Stop(group.clone()));
            }
            stays
        });
    }

    fn dismiss_idle(&mut self, now: Timestamp, seen: &Coordinators, steps: &mut Vec<Step>) {
        self.placed.retain(|node, placed| {
            if seen.busy.contains(node) {
                placed.idle_since = None;
                return true;
            }
            // Where nobody answers, or nobody coordinates it, it cannot leave.
            if !seen.answering.contains(node) || seen.of(&placed.group).is_none() {
                placed.idle_since = Some(now);
            }
            let since = *placed.idle_since.get_or_insert(now);
            let stays = since + limits::PLACED_IDLE > now;
            if !stays {
                steps.push(Step::Stop(placed.group.clone()));
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests;
