//! One group's row: state, members, coordinator, rebalances; and the dispatch of its events.
//!
//! - `membership`: who is in it and who is not any more; `identity`: under which id; `own_end`: by whose own word
//! - `coordinator`: where it sits, and whether it answers; `protocol`: what only it sees; `churn`: who comes back again and again
//! - `work`: what members own and ask for, how far the group has read; `beats`: heartbeats; `refusals`: the rights that are missing
//! - `rebalances`: the open one, the finished ones, the state; `order`: one after the other; `rejoined`: who came back, where nobody tells

mod beats;
mod churn;
mod coordinator;
mod identity;
mod membership;
mod order;
mod own_end;
mod protocol;
mod rebalances;
mod refusals;
mod rejoined;
mod since;
mod work;

pub use coordinator::{Death, NodeLatency, NotFound, Seat};
pub use since::Since;

use std::sync::Arc;

use serde::Serialize;

use super::GroupKey;
use super::beats::{Totals, is_default};
use super::churn::{Party, Run};
use super::coordination::Coordination;
use super::departed::Departed;
use super::member::{Member, Phase, Refusal};
use super::own_word::{Unanswered, Withheld};
use super::progress::Progress;
use super::rebalance::{Rebalance, Sighting};
use super::text::{clipped, shortened};
use super::told::{Sources, Told};
use crate::event::{
    Change, Event, Evidence, GroupState, GroupType, Lag, Part, RebalanceCause, Source, WithheldReason,
};
use crate::ids::{Generation, MemberId};
use crate::member::{MoveCause, State};
use crate::seldom::Seldom;
use crate::sorted::SortedMap;
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// A group. Members, departed members and rebalances are behind `Arc`, so that an unchanged one compares by pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Group {
    /// Its cluster and id.
    pub key: GroupKey,
    /// Its type.
    #[serde(rename = "type")]
    pub group_type: Told<GroupType>,
    /// What its members speak, `consumer` or `connect`; empty where nobody ever joined, none where nobody has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_type: Option<String>,
    /// Its state; none is "not visible".
    pub state: Told<GroupState>,
    /// Since when it is in that state.
    pub state_since: Option<UnixMs>,
    /// Whether it can have been so for longer: it was, when somebody saw it for the first time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state_since_at_latest: bool,
    /// Its generation.
    pub generation: Told<Generation>,
    /// Its coordinator, alive or taken for dead; none is "not visible".
    pub coordinator: Option<Seat>,
    /// Why its coordinator is not found, while FindCoordinator fails.
    pub not_found: Option<Box<NotFound>>,
    /// Who is in it, or on the way in, by id.
    #[serde(with = "super::lists::members")]
    pub members: SortedMap<MemberId, Arc<Member>>,
    /// Who no longer is, newest first, at most [`super::limits::DEPARTED`].
    pub departed: Vec<Arc<Departed>>,
    /// Those the list has no room for, newest first, while news of them may still come: at most [`super::limits::LATE`].
    pub(super) late: Vec<Arc<Departed>>,
    /// The one rebalance that runs, if one does.
    pub open: Option<Arc<Rebalance>>,
    /// The finished ones, newest first, at most [`super::limits::REBALANCES`].
    pub rebalances: Vec<Arc<Rebalance>>,
    /// How many finished, by their cause as known [`super::limits::CAUSE_SETTLES`] later.
    pub rebalances_total: SortedMap<RebalanceCause, u64>,
    /// Whether one that is no longer kept came after generations that were never seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rebalances_unseen: bool,
    /// The last right that was refused; see [`Group::refusal`].
    pub refused: Option<Box<Refusal>>,
    /// Its members' beats counted, those of departed members included.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub totals: Seldom<Totals>,
    /// Latency of its members' heartbeats by coordinator, those of departed members included.
    pub latency: Vec<NodeLatency>,
    /// Since when the row is there.
    pub since: UnixMs,
    /// The last event about it that was no heartbeat.
    pub touched: u64,
    /// Who saw it.
    pub sources: Sources,
    /// Departed members and rebalances this group had and no longer keeps.
    pub forgotten: u64,
    /// What only its coordinator sees.
    #[serde(default)]
    pub coordination: Arc<Coordination>,
    /// How far it has read, by topic and partition; at most [`crate::event::PartitionProgress::NAMED`] of them.
    #[serde(default)]
    pub progress: Arc<Vec<Progress>>,
    /// How far it is behind on all its partitions; none where nobody has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<Lag>,
    /// Clients that have left it at least once, the last to move first, at most [`super::limits::PARTIES`].
    #[serde(default)]
    pub parties: Vec<Arc<Party>>,
    /// Rebalances that follow each other, the last such run.
    #[serde(default)]
    pub run: Option<Arc<Run>>,
    /// Ids under which events of its rows still come -> the row's id.
    pub(super) aliases: SortedMap<MemberId, MemberId>,
}

/// What the board allows a group to add.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Whether one more member may get a row.
    pub(super) member: bool,
    /// How many departed members, and how many rebalances, the group may keep.
    pub(super) history: (usize, usize),
    /// How many clients that left it before it may remember.
    pub(super) parties: usize,
    /// How many more departed members it may keep for what still comes of them.
    pub(super) late: usize,
}

/// An event as a group's functions want it.
#[derive(Clone, Copy, Debug)]
struct News<'a> {
    seq: u64,
    seen: UnixMs,
    at: UnixMs,
    at_earliest: Option<UnixMs>,
    source: Source,
    evidence: Evidence,
    change: &'a Change,
    room: Room,
}

impl News<'_> {
    /// Since when a row that it makes is there. A second's beats make it when that began, be they single or summarised.
    const fn first_at(&self) -> UnixMs {
        match self.change {
            Change::HeartbeatsSummarised(summary) => summary.from,
            change if change.is_single_beat() => UnixMs(self.seen.0 - self.seen.0 % 1000),
            _ => self.at,
        }
    }

    const fn sighting(&self) -> Sighting {
        Sighting {
            at: self.at,
            at_earliest: self.at_earliest,
            source: self.source,
            evidence: self.evidence,
            of_epochs: false,
        }
    }
}

impl Group {
    pub(super) fn new(key: GroupKey, since: UnixMs) -> Self {
        Self {
            key,
            group_type: Told::default(),
            protocol_type: None,
            state: Told::default(),
            state_since: None,
            state_since_at_latest: false,
            generation: Told::default(),
            coordinator: None,
            not_found: None,
            members: SortedMap::new(),
            departed: Vec::new(),
            late: Vec::new(),
            open: None,
            rebalances: Vec::new(),
            rebalances_total: SortedMap::new(),
            rebalances_unseen: false,
            refused: None,
            totals: Seldom::default(),
            latency: Vec::new(),
            since,
            touched: 0,
            sources: Sources::default(),
            forgotten: 0,
            coordination: Arc::default(),
            progress: Arc::default(),
            lag: None,
            parties: Vec::new(),
            run: None,
            aliases: SortedMap::new(),
        }
    }

    /// Folds one event of this group, or one part of it.
    pub(super) fn apply(&mut self, event: &Event, part: Part<'_>, room: Room) {
        let (source, at) = (event.what.source, part.at);
        let news = News {
            seq: event.seq,
            seen: event.seen,
            at,
            // Nothing begins after it happened.
            at_earliest: part.at_earliest.filter(|earliest| *earliest <= at),
            source,
            evidence: event.what.evidence,
            change: part.change,
            room,
        };
        self.sources.insert(source);
        if !super::is_beat(news.change) {
            self.touched = news.seq;
        }
        let member = part.member.map(clipped);
        self.apply_protocol(member.as_ref(), &news);
        match news.change {
            Change::CoordinatorFound { .. }
            | Change::CoordinatorNotFound { .. }
            | Change::CoordinatorDead { .. } => self.apply_coordinator(&news),
            Change::NotAuthorized { error, right } => {
                self.refused = Some(Box::new(Refusal::new(at, *error, right)));
            }
            Change::Authorized { right } => {
                self.refused.take_if(|refused| refused.right == clipped(right));
            }
            Change::RebalanceStarted { .. } | Change::RebalanceFinished(_) | Change::GroupState { .. } => {
                self.apply_rebalance(&news);
                return;
            }
            Change::GroupFound {
                group_type,
                protocol_type,
            } => {
                self.group_type.tell(Some(bounded_type(group_type)), source);
                if let Some(word) = protocol_type {
                    self.protocol_type = Some(clipped(word));
                }
                return;
            }
            _ => {}
        }
        if let Some(id) = member {
            self.apply_to_member(&id, &news);
        }
    }

    fn apply_to_member(&mut self, id: &MemberId, news: &News<'_>) {
        let at = news.at;
        match news.change {
            Change::HeartbeatAnswered { .. } | Change::HeartbeatReceived { .. } => self.beat(id, news),
            Change::CommitReceived { generation, .. } => self.commit(id, *generation, news),
            Change::HeartbeatsSummarised(summary) => self.summary(id, summary, news),
            Change::HeartbeatFailed { cause, .. } => self.beat_failed(id, *cause, news),
            Change::HeartbeatWithheld { reason, for_ms } => {
                if let Some(row) = self.row(id, news) {
                    row.withheld = Some(Box::new(Withheld {
                        reason: *reason,
                        at,
                        lasts: for_ms.map(Millis),
                    }));
                }
            }
            Change::CoordinatorFound { .. } => {
                if let Some(row) = self.row(id, news) {
                    let looked = |held: &Withheld| held.reason == WithheldReason::CoordinatorUnknown;
                    row.withheld = row.withheld.take().filter(|held| !looked(held));
                    row.coordinator_lost = None;
                }
            }
            Change::CoordinatorNotFound { .. } => {
                self.row(id, news);
            }
            Change::CoordinatorDead {
                cause, detail, again, ..
            } => {
                if let Some(row) = self.row(id, news) {
                    row.lost_coordinator(*cause, detail.as_ref(), *again, at);
                }
            }
            Change::NotAuthorized { .. } => {
                let refused = self.refused.clone();
                if let Some(row) = self.row(id, news) {
                    row.refused = refused;
                }
            }
            Change::RejoinNeeded {
                error,
                member_id_cleared: true,
                ..
            } => self.lose_id(id, *error, news),
            Change::RejoinNeeded {
                cause, error, detail, ..
            } => {
                let phase = Phase::Rebalancing {
                    cause: Some(*cause),
                    error: *error,
                    detail: detail.as_ref().map(|detail| shortened(detail)),
                };
                // One that was in no generation yet goes on joining.
                if let Some(row) = self.row(id, news).filter(|row| row.phase != Phase::Joining) {
                    row.enter(phase, at);
                }
            }
            Change::MemberMoved { to, cause, .. } => self.moved(id, *to, *cause, news),
            Change::MemberFailed { error, sentence, .. } => {
                let phase = Phase::Failed {
                    error: *error,
                    sentence: shortened(sentence),
                };
                if let Some(row) = self.row(id, news) {
                    row.enter(phase, at);
                }
            }
            Change::MemberJoined(joined) | Change::MemberRejoined(joined) => self.joined(id, joined, news),
            _ => self.ended(id, news),
        }
    }

    /// What a move of its machine says of a member of ours.
    fn moved(&mut self, id: &MemberId, to: State, cause: MoveCause, news: &News<'_>) {
        let at = news.at;
        if (to, cause) == (State::Ended, MoveCause::LeaveEnded) {
            return self.ended_itself(id, news);
        }
        let Some(row) = self.row(id, news) else { return };
        row.leaving = (to == State::Leaving).then_some(at);
        let out = |sync| {
            let (since, until) = (at, None);
            Box::new(Unanswered { sync, since, until })
        };
        row.unanswered = match to {
            State::PreparingRebalance => Some(out(false)),
            State::CompletingRebalance => Some(out(true)),
            State::Unjoined if matches!(cause, MoveCause::JoinFailed | MoveCause::SyncFailed) => {
                row.unanswered.take().map(|mut out| {
                    out.until = out.until.or(Some(at));
                    out
                })
            }
            _ => None,
        };
        let new = row.phase == Phase::Joining;
        let phase = match to {
            State::Unjoined | State::PreparingRebalance | State::CompletingRebalance if new => Phase::Joining,
            State::PreparingRebalance | State::CompletingRebalance => Phase::Rejoining,
            State::Unjoined if matches!(row.phase, Phase::Rebalancing { .. }) => return,
            State::Unjoined => Phase::Rebalancing {
                cause: None,
                error: None,
                detail: None,
            },
            State::Stable => Phase::InGroup,
            // What ends a membership is said by an event of its own.
            State::Leaving | State::Ended => return,
        };
        row.enter(phase, at);
    }

    /// How many are in the group or on the way in; none where nobody who sees the list has told.
    ///
    /// Our own members see only themselves, so that the number they alone give is a lower bound: see [`Group::sources`].
    #[must_use]
    pub fn member_count(&self) -> Option<usize> {
        let on_the_way = |member: &Member| matches!(member.phase, Phase::Joining);
        let mut running = self
            .members
            .values()
            .filter(|member| !matches!(member.phase, Phase::Failed { .. }));
        let members = running.clone().count();
        // Members of ours that only ever asked to come in, or were refused, say nothing about the others: a number needs
        // somebody who is in the group, saw it empty, or is its coordinator.
        let known = running.any(|member| !on_the_way(member))
            || matches!(self.state.get(), Some(GroupState::Empty))
            || self.sources.contains(Source::Embedded);
        known.then_some(members)
    }

    /// How many rows of history it keeps.
    pub(super) fn history(&self) -> usize {
        self.departed.len() + self.late.len() + self.rebalances.len() + self.parties.len()
    }
}

/// An unknown type's word comes from a stranger.
fn bounded_type(group_type: &GroupType) -> GroupType {
    match group_type {
        GroupType::Other(word) => GroupType::Other(clipped(word)),
        known => known.clone(),
    }
}
