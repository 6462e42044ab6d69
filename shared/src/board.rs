//! The board: all groups and members as the events so far make them. The fold of the stream, the same on both sides.
//!
//! [`Board::apply`] is its only writer. A board at a seq and the events after it make the board of the whole stream;
//! what depends on the time of day is computed from a board and a `now`, never stored. It forgets by the counts of
//! [`limits`]. Cloning is cheap: groups, members, departed members and rebalances are shared until they change.
//!
//! # What asks it
//!
//! - [`Board::groups`], [`Board::group`]: the rows. [`Group::member_count`], [`Group::latency`], [`Group::refusal`],
//!   [`Group::death`]: what follows from a row
//! - [`Member::state`], [`Member::state_reason`], [`Member::session_left`]: what follows from a row and the time of day
//! - [`crate::health`]: the verdicts and their sentences
//! - [`Board::events`], [`Board::forgotten`], [`Group::totals`]: what /metrics counts

mod beats;
mod bounded;
mod churn;
mod coordination;
mod departed;
mod described;
mod group;
mod groups;
pub mod limits;
mod lists;
mod member;
mod new_run;
mod own_word;
mod owned;
mod progress;
mod rebalance;
mod reconciliation;
mod rows;
mod state;
mod text;
mod told;
mod whole;

pub use beats::{BeatCell, Cell, ErrorCounts, SecondCell, Totals};
pub use churn::{Identity, Party, Run, Starter, is_membership};
pub use coordination::{AbandonedJoin, AppendFailure, Coordination, Load, PendingId, RefusedRequest};
pub use departed::{Departed, End};
pub use group::{Death, Group, NodeLatency, NotFound, Seat, Since};
pub use member::{Answer, Losses, Member, Phase, Refusal, Rejoin};
pub use own_word::{BeatRefused, Held, LostBeat, OwnWord, Unanswered, Withheld};
pub use owned::Owned;
pub use progress::Progress;
pub use rebalance::{Awaited, AwaitedEnd, Rebalance, Rejoined};
pub use reconciliation::Reconciliation;
pub use rows::{
    ApiLatency, ClusterRefusal, Coordinator, Forgotten, GoneGroup, OffsetsLog, PlayedFault, Unseen,
};
pub use state::{Interval, MemberState};
pub use text::clipped;
pub use told::{Sources, Told};

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::event::{Change, Event, Observation, Part, Source};
use crate::ids::{ClusterId, GroupId, MemberId, NodeId};
use crate::sorted::SortedMap;
use crate::time::UnixMs;
use crate::tree::FromNode;
use bounded::push_newest;
use group::Room;
use groups::Groups;

/// A group's place on the board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
pub struct GroupKey {
    /// Its cluster.
    pub cluster: ClusterId,
    /// Its id.
    pub group: GroupId,
}

impl GroupKey {
    /// The key under which a board keeps this group: ids beyond [`limits::TEXT`] bytes are cut and hashed.
    #[must_use]
    pub fn new(cluster: &ClusterId, group: &GroupId) -> Self {
        Self {
            cluster: clipped(cluster),
            group: clipped(group),
        }
    }
}

/// All groups as the events up to [`seq`](Self::seq) make them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, FromNode)]
pub struct Board {
    /// The last event folded; 0 before the first.
    pub seq: u64,
    /// When that was seen.
    pub seen: UnixMs,
    groups: Groups,
    /// What is remembered from runs before this one of groups that were not seen in this one yet, by cluster and id: it is in the
    /// row as soon as there is one.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    remembered: Groups,
    /// Groups that are no longer there, newest first.
    pub gone: Vec<GoneGroup>,
    /// Coordinators seen, by cluster and node.
    #[serde(with = "lists::coordinators")]
    coordinators: SortedMap<(ClusterId, NodeId), Coordinator>,
    /// Kind -> how many; single heartbeats as their summaries count them.
    events: SortedMap<Cow<'static, str>, u64>,
    /// Faults played on the embedded coordinator, newest first.
    pub faults: Vec<PlayedFault>,
    /// Why no cluster is reached, while none is; told of none before it is known which it is.
    pub not_found: Option<NotFound>,
    /// What was not seen, newest first.
    pub gaps: Vec<Unseen>,
    /// Rights that are missing on a whole cluster, each once, newest first.
    pub refusals: Vec<ClusterRefusal>,
    /// How far the offsets log of a cluster can be read, as a survey tells; at most [`limits::LOGS`] clusters.
    #[serde(default)]
    pub logs: Vec<OffsetsLog>,
    /// What the limits made it forget.
    pub forgotten: Forgotten,
    /// Members in all groups.
    members: usize,
    /// Departed members and rebalances in all groups.
    history: usize,
}

impl Board {
    /// Folds one event in. One that the board has seen (`seq` not above its own) is ignored.
    pub fn apply(&mut self, event: &Event) {
        if event.seq <= self.seq {
            return;
        }
        self.seq = event.seq;
        self.seen = self.seen.max(event.seen);
        let what = &event.what;
        self.count_event(what);
        match (&what.change, &what.group) {
            (Change::FaultPlayed { .. } | Change::Gap { .. }, _)
            | (Change::OffsetsLog { .. } | Change::OffsetsLogLeaderless(_), _)
            | (
                Change::NotAuthorized { .. } | Change::Authorized { .. } | Change::CoordinatorNotFound { .. },
                None,
            ) => {
                self.tell_whole(event.seq, what);
                self.tell_killed(what);
            }
            (Change::GroupGone { .. }, Some(group)) => {
                self.group_gone(GroupKey::new(&what.cluster, group), what.source, what.at);
            }
            (change, group) => {
                for part in what.parts() {
                    self.tell_coordinator(&what.cluster, part);
                }
                let Some(group) = group else { return };
                let key = GroupKey::new(&what.cluster, group);
                // A beat of nobody says nothing, and what comes late of a group that is gone does not bring it back.
                let gone = || self.gone.iter().any(|gone| gone.key == key);
                if !is_beat(change) || (what.member.is_some() && !gone()) {
                    self.apply_to_group(key, event);
                }
            }
        }
    }

    /// All groups, by cluster and id.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &Arc<Group>> {
        self.groups.iter()
    }

    /// One group.
    #[must_use]
    pub fn group(&self, key: &GroupKey) -> Option<&Arc<Group>> {
        self.groups.get(key)
    }

    /// Coordinators seen, by cluster and node.
    pub fn coordinators(&self) -> impl ExactSizeIterator<Item = &Coordinator> {
        self.coordinators.values()
    }

    /// How far the offsets log of a cluster can be read; none where no survey has told.
    #[must_use]
    pub fn log(&self, cluster: &ClusterId) -> Option<&OffsetsLog> {
        self.logs.iter().find(|log| log.cluster == *cluster)
    }

    /// One of them.
    #[must_use]
    pub fn coordinator(&self, cluster: &ClusterId, node: NodeId) -> Option<&Coordinator> {
        self.coordinators.get(&(cluster.clone(), node))
    }

    /// The members, those that are gone too as far as they are kept, that were last at a host that is meant.
    pub fn members_at(&self, is_meant: impl Fn(&str) -> bool) -> SortedMap<MemberId, ()> {
        let mut there = SortedMap::new();
        for group in self.groups() {
            let members = group
                .members
                .values()
                .map(|member| (&member.id, member.host.get()));
            let departed = group.departed.iter().map(|gone| (&gone.id, gone.host.as_ref()));
            for (id, host) in members.chain(departed) {
                if host.is_some_and(|host| is_meant(host)) {
                    there.insert(id.clone(), ());
                }
            }
        }
        there
    }

    /// Kind of event and how many there were; single heartbeats up to the last second that was summarised.
    pub fn events(&self) -> impl Iterator<Item = (&str, u64)> {
        self.events.iter().map(|(kind, n)| (kind.as_ref(), *n))
    }

    /// Counts single heartbeats by their summaries, which both sides see.
    fn count_event(&mut self, what: &Observation) {
        if !what.change.is_single_beat() {
            self.count(what.change.kind(), 1);
        }
        if let Change::CoordinatorDead { again, .. } | Change::MemberFailed { again, .. } = &what.change {
            // It stands for that many.
            self.count(what.change.kind(), u64::from(again.saturating_sub(1)));
        }
        if let Change::CoordinatorDead { again, .. } = &what.change {
            // Each with the time it was found before.
            self.count("coordinator_found", u64::from(*again));
        }
        if let Change::HeartbeatsSummarised(summary) = &what.change {
            let kind = match what.source {
                Source::Embedded => "heartbeat_received",
                Source::Probe | Source::Survey => "heartbeat_answered",
            };
            self.count(kind, u64::from(summary.count));
            self.count("commit_received", u64::from(summary.commits));
        }
    }

    fn count(&mut self, kind: &'static str, more: u64) {
        if more == 0 {
            return;
        }
        let n = self.events.get_or_default(Cow::Borrowed(kind));
        *n = n.saturating_add(more);
    }

    fn apply_to_group(&mut self, key: GroupKey, event: &Event) {
        let known = self.groups.place(&key);
        if known.is_err() {
            self.make_room();
            self.gone.retain(|gone| gone.key != key);
        }
        let (history, late) = if self.history < limits::HISTORY {
            ((limits::DEPARTED, limits::REBALANCES), limits::LATE)
        } else {
            let least = limits::HISTORY_AT_LEAST;
            ((least, least), least)
        };
        let room = Room {
            member: true,
            history,
            parties: if self.history < limits::HISTORY {
                limits::PARTIES
            } else {
                limits::HISTORY_AT_LEAST
            },
            late,
        };
        let group = match known {
            Ok(place) => self.groups.at(place),
            Err(_) => {
                let remembered = self.remembered.remove(&key);
                let mut group = remembered.unwrap_or_else(|| Arc::new(Group::new(key, event.what.at)));
                Arc::make_mut(&mut group).since = event.what.at;
                self.groups.insert(group)
            }
        };
        let group = Arc::make_mut(group);
        let size = |group: &Group| (group.members.len(), group.history(), group.forgotten);
        let node = |group: &Group| group.coordinator.as_ref().map(|seat| seat.node);
        let (before, from) = (size(group), node(group));
        for part in event.what.parts() {
            let members = (self.members + group.members.len()).saturating_sub(before.0);
            let member = members < limits::MEMBERS;
            if !member && part.member.is_some() {
                self.forgotten.members = self.forgotten.members.saturating_add(1);
            }
            group.apply(event, part, Room { member, ..room });
        }
        let (after, to) = (size(group), node(group));
        if let Some((from, to)) = from.zip(to).filter(|(from, to)| from != to) {
            for (node, came) in [(from, false), (to, true)] {
                let key = (clipped(&event.what.cluster), node);
                if let Some(row) = self.coordinators.get_mut(&key) {
                    row.moves(came, event.what.at);
                }
            }
        }
        self.members = (self.members + after.0).saturating_sub(before.0);
        self.history = (self.history + after.1).saturating_sub(before.1);
        self.forgotten.history = self
            .forgotten
            .history
            .saturating_add(after.2.saturating_sub(before.2));
    }

    /// Forgets a group where one more would be too many: one without members before others, then by the last change.
    fn make_room(&mut self) {
        if self.groups.len() < limits::GROUPS {
            return;
        }
        let oldest = self
            .groups
            .iter()
            .min_by_key(|group| (!group.members.is_empty(), group.touched))
            .map(|group| group.key.clone());
        if let Some(key) = oldest {
            self.remove(&key);
            self.forgotten.groups = self.forgotten.groups.saturating_add(1);
        }
    }

    /// Removes a group, unless it is only a survey that misses it and somebody is seen beating in it.
    fn group_gone(&mut self, key: GroupKey, source: Source, at: UnixMs) {
        let seen = source == Source::Survey
            && self
                .groups
                .get(&key)
                .is_some_and(|group| group.members.values().any(|member| member.is_seen_beating()));
        if !seen && self.groups.get(&key).is_some() {
            self.remove(&key);
            push_newest(&mut self.gone, GoneGroup { key, at }, limits::GONE);
        } else if let Some(group) = self.groups.get_mut(&key) {
            Arc::make_mut(group).is_out_of_sight();
        }
    }

    fn remove(&mut self, key: &GroupKey) {
        if let Some(group) = self.groups.remove(key) {
            self.members = self.members.saturating_sub(group.members.len());
            self.history = self.history.saturating_sub(group.history());
        }
    }

    fn tell_coordinator(&mut self, cluster: &ClusterId, part: Part<'_>) {
        let (change, at) = (part.change, part.at);
        let node = match change {
            Change::CoordinatorFound { node, .. }
            | Change::CoordinatorDead { node, .. }
            | Change::BrokerSilent { node, .. }
            | Change::BrokerAnswers { node, .. }
            | Change::BrokerLatency { node, .. } => *node,
            _ => return,
        };
        let key = (clipped(cluster), node);
        if self.coordinators.len() >= limits::COORDINATORS && !self.coordinators.contains_key(&key) {
            self.forgotten.coordinators = self.forgotten.coordinators.saturating_add(1);
            return;
        }
        let row = self
            .coordinators
            .get_or_insert_with(key, |(cluster, node)| Coordinator::new(cluster.clone(), *node));
        match change {
            Change::CoordinatorFound { host, port, .. } => {
                self.not_found = None;
                row.host = Some(clipped(host));
                row.port = Some(*port);
                row.found = Some(at);
                row.dead = None;
            }
            // Who answers that it does not coordinate a group lives.
            Change::CoordinatorDead { cause, .. } => {
                row.dead = Some((at, *cause)).filter(|_| !cause.is_answer());
            }
            Change::BrokerSilent { .. } => row.silent = Some(part.at_earliest.unwrap_or(at)),
            Change::BrokerAnswers { host, port, .. } => {
                if let (Some(host), Some(port)) = (host, port) {
                    (row.host, row.port) = (Some(clipped(host)), Some(*port));
                }
                self.not_found = None;
                row.silent = None;
                row.dead = None;
            }
            Change::BrokerLatency { trips, .. } => row.took(trips),
            _ => {}
        }
    }
}

/// Whether it is a heartbeat, a commit, or a second of them.
fn is_beat(change: &Change) -> bool {
    change.is_single_beat() || matches!(change, Change::HeartbeatsSummarised(_))
}

#[cfg(test)]
mod tests;
